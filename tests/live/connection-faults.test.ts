import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DocumentFetcher } from '../../core/adapters/documents/document-fetcher.ts'
import { HttpClient } from '../../core/adapters/http/index.ts'
import { NameFault } from '../../core/adapters/names/name-resolver.ts'
import type { AccountUuid, CallUuid } from '../../core/model/ids.ts'
import type { DocumentEvent } from '../../core/ports/documents.ts'

// Why no answer of a webhook came: what OpenSSL, DNS and TCP say, told apart; their own words stay beside it.

const folder = mkdtempSync(join(tmpdir(), 'sauti-faults-'))
const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

openssl('req', '-x509', ...curve, '-subj', '/CN=Authority', '-keyout', 'ca.key', '-out', 'ca.pem')

/** A certificate of the authority above. */
function issue(name: string, host: string, days: number): void {
  openssl(
    'req',
    ...curve,
    '-subj',
    `/CN=${host}`,
    '-addext',
    `subjectAltName=DNS:${host}`,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
  )
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-days',
    String(days),
    '-copy_extensions',
    'copy',
    '-out',
    `${name}.pem`,
  )
}

issue('good', 'localhost', 1)
issue('expired', 'localhost', 0)
issue('other', 'elsewhere.test', 1)
openssl(
  'req',
  '-x509',
  ...curve,
  '-subj',
  '/CN=localhost',
  '-addext',
  'subjectAltName=DNS:localhost',
  '-keyout',
  'own.key',
  '-out',
  'own.pem',
)

async function open(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const secure = (name: string) =>
  createHttps({ key: read(`${name}.key`), cert: read(`${name}.pem`) }, (_request, response) =>
    response.end('<Response/>'),
  )

const servers: Server[] = []
async function serve(server: Server): Promise<number> {
  servers.push(server)
  return open(server)
}

const http = new HttpClient({
  allowPrivateUrls: true,
  resolve: (host, done) => {
    if (host === 'localhost') done(null, [{ address: '127.0.0.1', family: 4 }])
    else done(new NameFault(host, host.startsWith('nowhere') ? 'ENOTFOUND' : 'ESERVFAIL'), [])
  },
})

const got: DocumentEvent[] = []
const fetcher = new DocumentFetcher({
  hosted: { isHosted: () => false, byUrl: () => undefined },
  http,
  secret: async () => 's',
  clock: { unixMs: () => 1_800_000_000_000 },
  emit: event => got.push(event),
})

async function fetched(url: string): Promise<DocumentEvent | undefined> {
  const ids = { callId: 'c' as CallUuid, accountId: 'a' as AccountUuid }
  fetcher.execute({ type: 'document.fetch', ...ids, requestId: url, url, fields: {} })
  for (let tries = 0; tries < 500 && !got.some(({ requestId }) => requestId === url); tries++) await sleep(10)
  return got.find(({ requestId }) => requestId === url)
}

test.before(async () => {
  setDefaultCACertificates([...getCACertificates(), read('ca.pem')])
  // A certificate of no days has expired a second after it was made.
  await sleep(1500)
})

test.after(async () => {
  await http.close()
  for (const server of servers) server.close()
  setDefaultCACertificates(getCACertificates('bundled'))
  rmSync(folder, { recursive: true, force: true })
})

test('a request that is not answered says whether certificate, TLS, DNS or connection failed', async () => {
  const plain = await serve(
    createServer(socket => socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
  )
  const closing = await serve(createServer(socket => socket.on('data', () => socket.destroy())))
  const nonsense = await serve(createServer(socket => socket.on('data', () => socket.end('220 mail.test ESMTP\r\n'))))
  const closed = createServer()
  const refused = await open(closed)
  await new Promise(resolve => closed.close(resolve))
  const good = await fetched(`https://localhost:${await serve(secure('good'))}/`)
  assert.is(good?.type, 'document.fetched', JSON.stringify(good))
  for (const [url, cause, detail] of [
    [`https://localhost:${await serve(secure('expired'))}/`, 'certificate-expired', /expired/],
    [`https://localhost:${await serve(secure('own'))}/`, 'certificate-self-signed', /self.signed/],
    [`https://localhost:${await serve(secure('other'))}/`, 'certificate-other-host', /altnames/],
    [`https://localhost:${plain}/`, 'not-tls', /./],
    [`http://localhost:${refused}/`, 'connection-refused', /ECONNREFUSED/],
    ['http://nowhere.test/', 'no-name', /nowhere\.test/],
    ['http://silent-dns.test/', 'no-dns', /ESERVFAIL/],
    [`http://localhost:${closing}/`, 'closed', /./],
    [`http://localhost:${nonsense}/`, 'not-http', /./],
  ] as const) {
    const event = await fetched(url)
    assert.is(event?.type === 'document.failed' && event.cause, cause, JSON.stringify(event))
    assert.ok(event?.type === 'document.failed' && event.fault === 'transport')
    assert.match(event?.type === 'document.failed' ? event.detail : '', detail)
  }
})

test.run()
