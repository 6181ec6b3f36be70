import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { type Socket, connect as tcpConnect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import WebSocket from 'ws'
import { openSwitch } from '../../api/open-switch.ts'
import { type Serving, serve } from '../../api/serving.ts'
import { silentLog } from '../../core/adapters/system/silent-log.ts'
import { defaultSettings, type HttpListener, type Settings } from '../../core/model/settings.ts'
import { until } from '../rig/probes/wait.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-https-'))
const certFile = join(folder, 'cert.pem')
const keyFile = join(folder, 'key.pem')
let serial = 0

/** A certificate of its own for localhost, by OpenSSL. */
function makeCertificate(days = 30): { cert: string; key: string } {
  const name = join(folder, `made-${++serial}`)
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`, '-set_serial', String(1000 + serial)]
  execFileSync('openssl', ['req', '-x509', '-days', String(days), ...curve, ...subject, ...files], { stdio: 'ignore' })
  return { cert: `${name}.pem`, key: `${name}.key` }
}

function install({ cert, key }: { cert: string; key: string }): void {
  copyFileSync(cert, certFile)
  copyFileSync(key, keyFile)
  // Two replacements within one tick of the file system's clock are distinguished all the same.
  const at = new Date(Date.now() + 1000 * serial)
  for (const file of [certFile, keyFile]) utimesSync(file, at, at)
}

const listener = (scheme: HttpListener['scheme']): HttpListener => ({ scheme, address: '127.0.0.1', port: 0 })

async function serving(http: readonly HttpListener[], set: Partial<Settings> = {}): Promise<Serving> {
  const settings: Settings = {
    ...defaultSettings,
    dataFolder: mkdtempSync(join(folder, 'data-')),
    http,
    sip: { realm: 'localhost', listeners: [{ transport: 'tls', address: '127.0.0.1', port: 0 }] },
    media: { ...defaultSettings.media, workers: 0 },
    tls: { certFile, keyFile },
    ...set,
  }
  return serve(settings, silentLog, openSwitch)
}

async function shown(
  port: number,
  options: object = {},
): Promise<{ serial: number; alpn: string | false | null; socket: TLSSocket }> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    servername: 'localhost',
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
    ...options,
  })
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  return { serial: Number.parseInt(socket.getPeerCertificate().serialNumber, 16), alpn: socket.alpnProtocol, socket }
}

/** One request on a TLS connection that is open already. */
function ask(socket: TLSSocket, path: string, headers: string = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const take = (bytes: Buffer) => {
      text += bytes.toString('latin1')
      const length = /content-length: (\d+)/i.exec(text)
      const at = text.indexOf('\r\n\r\n')
      if (at === -1 || length === null || text.length < at + 4 + Number(length[1])) return
      socket.off('data', take)
      resolve(text)
    }
    socket.on('data', take).once('error', reject)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`)
  })
}

install(makeCertificate())
test.after(() => rmSync(folder, { recursive: true, force: true }))

test('several listeners, plain and TLS, answer alike; ALPN is http/1.1', async () => {
  const switched = await serving([listener('http'), listener('https'), listener('http'), listener('https')])
  try {
    assert.equal(
      switched.http.map(({ scheme }) => scheme),
      ['http', 'https', 'http', 'https'],
    )
    for (const { scheme, port } of switched.http) {
      if (scheme === 'http') {
        const answer = await fetch(`http://127.0.0.1:${port}/health/`)
        assert.is(answer.status, 200)
        assert.is(answer.headers.get('strict-transport-security'), null)
        continue
      }
      const { alpn, socket } = await shown(port)
      assert.is(alpn, 'http/1.1')
      assert.match(await ask(socket, '/health/'), /^HTTP\/1\.1 200[\s\S]*"ok"/)
      socket.destroy()
      const old = await shown(port, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }).then(
        () => 'taken',
        () => 'refused',
      )
      assert.is(old, 'refused')
    }
  } finally {
    await switched.close()
  }
})

test('only TLS: HSTS for names, not for localhost; a plain request is no HTTP there', async () => {
  const switched = await serving([listener('https')])
  try {
    const { port } = switched.http[0]!
    const { socket } = await shown(port)
    assert.not.match(await ask(socket, '/health/'), /strict-transport-security/i)
    socket.destroy()
    const { socket: named } = await shown(port)
    named.write('GET /health/ HTTP/1.1\r\nHost: voice.example.com\r\nConnection: close\r\n\r\n')
    let text = ''
    for await (const bytes of named) text += bytes
    assert.match(text, /strict-transport-security: max-age=31536000/i)
    const plain = tcpConnect(port, '127.0.0.1')
    plain.write('GET / HTTP/1.1\r\n\r\n')
    await new Promise(resolve => plain.once('close', resolve).once('error', resolve))
  } finally {
    await switched.close()
  }
})

test('a certificate that is replaced serves new connections and cuts none', async () => {
  const switched = await serving([listener('http'), listener('https')])
  try {
    const { port } = switched.http[1]!
    const sipPort = switched.door.sipListeners[0]!.port
    const before = await shown(port)
    const sipBefore = await shown(sipPort)
    const phone = new WebSocket(`wss://127.0.0.1:${port}/sip`, ['sip'], {
      rejectUnauthorized: false,
      origin: `https://localhost:${port}`,
      headers: { host: `localhost:${port}` },
    })
    await new Promise((resolve, reject) => phone.once('open', resolve).once('error', reject))
    let isCut = false
    for (const end of [before.socket, sipBefore.socket, phone]) end.once('close', () => (isCut = true))
    // Half a replacement: the new certificate with the old key is not taken.
    const next = makeCertificate(90)
    copyFileSync(next.cert, certFile)
    await (switched.door.tls as unknown as { look(): Promise<void> }).look()
    const between = await shown(port)
    assert.is(between.serial, before.serial)
    between.socket.destroy()
    install(next)
    await until('the new certificate', async () => {
      await (switched.door.tls as unknown as { look(): Promise<void> }).look()
      const now = await shown(port)
      now.socket.destroy()
      return now.serial !== before.serial
    })
    const sipNow = await shown(sipPort)
    assert.is(sipNow.serial, (await shown(port)).serial)
    assert.match(await ask(before.socket, '/health/'), /200 OK/)
    phone.ping()
    await new Promise(resolve => phone.once('pong', resolve))
    assert.not(isCut)
    assert.ok(Math.abs(switched.door.tls!.expiresUnix - Date.now() - 90 * 86_400_000) < 2 * 86_400_000)
    phone.terminate()
    for (const { socket } of [before, sipBefore, sipNow]) socket.destroy()
  } finally {
    await switched.close()
  }
})

test('silent connections of one address keep no other client out', async () => {
  const switched = await serving([listener('https')])
  const silent: Socket[] = []
  try {
    const { port } = switched.http[0]!
    for (let at = 0; at < 150; at++) {
      const socket = tcpConnect({ port, host: '127.0.0.2', localAddress: '127.0.0.2' }).on('error', () => {})
      silent.push(socket)
    }
    await until('the refused connections', () => silent.filter(socket => socket.closed).length >= 50)
    const { socket } = await shown(port)
    assert.match(await ask(socket, '/health/'), /200 OK/)
    socket.destroy()
  } finally {
    for (const socket of silent) socket.destroy()
    await switched.close()
  }
})

test('without a certificate https: is refused at the start', async () => {
  const { tls: _, ...without } = {
    ...defaultSettings,
    http: [listener('https')],
    dataFolder: mkdtempSync(join(folder, 'data-')),
  }
  const fault = await serve({ ...without, tls: undefined }, silentLog, openSwitch).then(
    () => undefined,
    (error: Error) => error.message,
  )
  assert.match(fault ?? '', /SAUTI_HTTP: https: needs a certificate/)
})

test('static files are compressed and asked for again by their ETag', async () => {
  const switched = await serving([listener('http')])
  try {
    const base = `http://127.0.0.1:${switched.http[0]!.port}`
    const get = async (path: string, headers: Record<string, string>) => {
      const { request } = await import('undici')
      const { statusCode, headers: answer, body } = await request(`${base}${path}`, { headers })
      return { statusCode, answer, bytes: Buffer.from(await body.arrayBuffer()) }
    }
    const plain = await get('/phone/sauti-phone.js', {})
    const brotli = await get('/phone/sauti-phone.js', { 'accept-encoding': 'gzip, br' })
    const gzipped = await get('/phone/sauti-phone.js', { 'accept-encoding': 'br;q=0, gzip' })
    assert.equal(
      [plain, brotli, gzipped].map(({ answer }) => answer['content-encoding']),
      [undefined, 'br', 'gzip'],
    )
    assert.ok(brotliDecompressSync(brotli.bytes).equals(plain.bytes))
    assert.ok(gunzipSync(gzipped.bytes).equals(plain.bytes))
    assert.ok(brotli.bytes.length < plain.bytes.length / 2)
    const etag = String(brotli.answer.etag)
    const again = await get('/phone/sauti-phone.js', { 'accept-encoding': 'br', 'if-none-match': `"other", W/${etag}` })
    assert.equal([again.statusCode, again.bytes.length, again.answer.etag], [304, 0, etag])
    assert.is((await get('/docs/explorer.js', { 'accept-encoding': 'br' })).answer.vary, 'accept-encoding')
    const description = await get('/openapi.json', { 'accept-encoding': 'br' })
    assert.match(String(description.answer['content-type']), /^application\/json/)
    assert.is(JSON.parse(brotliDecompressSync(description.bytes).toString()).openapi, '3.1.0')
    const known = { 'accept-encoding': 'br', 'if-none-match': String(description.answer.etag) }
    assert.is((await get('/openapi.json', known)).statusCode, 304)
  } finally {
    await switched.close()
  }
})

test.run()
