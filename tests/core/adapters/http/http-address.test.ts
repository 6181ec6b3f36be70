import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { guardedConnector } from '../../../../core/adapters/http/guarded-connect.ts'
import { HttpClient } from '../../../../core/adapters/http/index.ts'
import { isPublicAddress } from '../../../../core/adapters/http/public-address.ts'
import { RefusedAddress, type ResolvedAddress, type ResolveHost } from '../../../../core/adapters/http/resolve-host.ts'
import { rawServer, response } from '../../bed/raw-server.ts'

const refused = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'fe80::1%lo',
  'fec0::1',
  'ff02::1',
  '3fff::1',
  'localhost',
  '',
  '127.1',
  '0x7f000001',
  '1.2.3',
]
const fine = [
  '8.8.8.8',
  '1.1.1.1',
  '41.90.1.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.169.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
  '2c0f:fe08::1',
]

test('only addresses of the public Internet', () => {
  for (const address of refused) assert.not.ok(isPublicAddress(address), address)
  for (const address of fine) assert.ok(isPublicAddress(address), address)
})

const fault = async (client: HttpClient, url: string) => {
  const answer = await client.get(url, { maxBytes: 100, timeoutMs: 400 })
  return answer.ok ? `status ${answer.status}` : answer.fault
}

test('an address in a URL, in whatever spelling, is refused without a connection', async () => {
  const server = await rawServer(({ socket }) => socket.write(response(200)))
  const client = new HttpClient({ allowPrivateUrls: false })
  const { port } = server
  for (const host of [
    '127.0.0.1',
    '0.0.0.0',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    'localhost',
    'LOCALHOST',
  ]) {
    assert.is(await fault(client, `http://${host}:${port}/`), 'refused-address', host)
  }
  assert.is(await fault(client, `https://127.0.0.1:${port}/`), 'refused-address')
  assert.is(server.connections, 0)
  await client.close()
  await server.close()
})

test('a name is resolved again for each connection, and refused when it has private addresses only', async () => {
  const server = await rawServer(({ socket }) => socket.end(response(200, '', 'Connection: close\r\n')))
  const asked: string[] = []
  let answer: readonly ResolvedAddress[] = [{ address: '127.0.0.1', family: 4 }]
  const resolve: ResolveHost = (host, done) => {
    asked.push(host)
    done(null, answer)
  }
  const strict = new HttpClient({ allowPrivateUrls: false, resolve })
  const loose = new HttpClient({ allowPrivateUrls: true, resolve })
  const url = `http://rebind.example:${server.port}/`
  assert.is(await fault(strict, url), 'refused-address')
  answer = [
    { address: '::1', family: 6 },
    { address: '::ffff:127.0.0.1', family: 6 },
    { address: '10.0.0.1', family: 4 },
  ]
  assert.is(await fault(strict, url), 'refused-address')
  answer = []
  assert.is(await fault(strict, url), 'transport')
  assert.is(server.connections, 0)
  answer = [{ address: '127.0.0.1', family: 4 }]
  assert.is(await fault(loose, url), 'status 200')
  assert.is(await fault(loose, url), 'status 200')
  assert.is(asked.length, 5)
  await strict.close()
  await loose.close()
  await server.close()
})

interface Connected {
  readonly fault: Error | null
  readonly address: string | undefined
}

/** Connects where 127.0.0.1 stands for all that may not be reached, and 127.0.0.2 for the Internet. */
function connect(hostname: string, port: number, addresses: readonly string[]): Promise<Connected> {
  const connector = guardedConnector({
    may: address => address === '127.0.0.2',
    resolve: (_host, done) =>
      done(
        null,
        addresses.map(address => ({ address, family: 4 })),
      ),
    timeoutMs: 1000,
  })
  return new Promise(resolve =>
    connector({ hostname, protocol: 'http:', port: String(port) }, (fault, socket) => {
      const address = socket?.remoteAddress
      socket?.destroy()
      resolve({ fault, address })
    }),
  )
}

test('of several addresses only those that may be reached are tried', async () => {
  const server = await rawServer(() => {}, '127.0.0.2')
  assert.is((await connect('a.example', server.port, ['127.0.0.1', '127.0.0.2'])).address, '127.0.0.2')
  assert.is((await connect('127.0.0.2', server.port, [])).address, '127.0.0.2')
  assert.instance((await connect('a.example', server.port, ['127.0.0.1'])).fault, RefusedAddress)
  assert.instance((await connect('127.0.0.1', server.port, ['127.0.0.2'])).fault, RefusedAddress)
  assert.is(server.connections, 2)
  await server.close()
})

test('the address that the socket really has is looked at once more', async () => {
  const server = await rawServer(() => {}, '127.0.0.2')
  let looked = 0
  const connector = guardedConnector({
    may: () => ++looked === 1,
    resolve: (_host, done) => done(null, [{ address: '127.0.0.2', family: 4 }]),
    timeoutMs: 1000,
  })
  const fault = await new Promise<Error | null>(resolve =>
    connector({ hostname: 'a.example', protocol: 'http:', port: String(server.port) }, (...[fault]) => resolve(fault)),
  )
  assert.instance(fault, RefusedAddress)
  await server.close()
})

test.run()
