import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as secureConnect } from 'node:tls'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultSettings, Switch } from '../../core/index.ts'
import { messageLimits } from '../../sip/message/limits.ts'
import { testCertificate, testKey } from '../rig/fakes/certificate.ts'
import { freeMediaPorts } from '../rig/probes/ports.ts'

// RFC 3261 §21.5.7 through a whole switch, over real connections.

interface Bed {
  readonly ports: { readonly tcp: number; readonly tls: number }
  trust(): Promise<unknown>
  close(): Promise<void>
}

async function open(): Promise<Bed> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-large-'))
  const certFile = join(folder, 'cert.pem')
  const keyFile = join(folder, 'key.pem')
  writeFileSync(certFile, testCertificate)
  writeFileSync(keyFile, testKey)
  const sauti = await Switch.open({
    ...defaultSettings,
    dataFolder: folder,
    sip: {
      realm: 'localhost',
      listeners: [
        { transport: 'tcp', address: '127.0.0.1', port: 0 },
        { transport: 'tls', address: '127.0.0.1', port: 0 },
      ],
    },
    tls: { certFile, keyFile },
    media: { ports: freeMediaPorts(), workers: 0, timeoutSeconds: 60, weakFingerprints: false },
  })
  const portOf = (name: string) => sauti.sipListeners.find(({ transport }) => transport === name)?.port ?? 0
  return {
    ports: { tcp: portOf('tcp'), tls: portOf('tls') },
    trust: () => sauti.repositories.trunks.create({ name: 'carrier', inboundHosts: ['127.0.0.1'] }, Date.now()),
    close: async () => {
      await sauti.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function line(bed: Bed, transport: 'tcp' | 'tls'): Promise<Socket> {
  const port = bed.ports[transport]
  if (transport === 'tcp') {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  const socket = secureConnect({ host: '127.0.0.1', port, ca: testCertificate, servername: 'localhost' })
  await once(socket, 'secureConnect')
  return socket
}

const head = (method: string, callId: string, ...more: readonly string[]): string =>
  [
    `${method} sip:+254700000001@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/TCP 127.0.0.1:5099;branch=z9hG4bK${callId}`,
    'Max-Forwards: 70',
    'From: <sip:+254711000001@127.0.0.1>;tag=far',
    'To: <sip:+254700000001@127.0.0.1>',
    `Call-ID: ${callId}`,
    `CSeq: 7 ${method}`,
    'Contact: <sip:+254711000001@127.0.0.1:5099>',
    ...more,
    '',
    '',
  ].join('\r\n')

/** Far longer than the switch waits for a peer that it has answered, on a busy machine too. */
const silenceMs = 20_000

const body = (length: number): string => 'v'.repeat(length)

/** All that was received until the remote closed, after sending all of `text` without reading. */
async function receivedAfter(socket: Socket, text: string): Promise<string> {
  let received = ''
  socket.setEncoding('latin1')
  socket.pause()
  socket.write(text, () => {
    socket.on('data', piece => {
      received += piece
    })
    socket.resume()
  })
  // A reset before the answer is read is the fault that is looked for here: it shows as an answer that is missing.
  socket.on('error', () => {})
  let isLate = false
  socket.setTimeout(silenceMs, () => {
    isLate = true
    socket.destroy()
  })
  await new Promise(resolve => socket.once('close', resolve))
  assert.not(isLate, `not closed after ${text.slice(0, 40)}`)
  return received
}

const { bytes: limit } = messageLimits
const requests: readonly (readonly [what: string, text: (callId: string) => string])[] = [
  ['a body of 70,000', id => head('INVITE', id, 'Content-Length: 70000') + body(70_000)],
  ['a body of a megabyte', id => head('INVITE', id, 'Content-Length: 1000000') + body(1_000_000)],
  ['one byte too many', id => head('INVITE', id, `Content-Length: ${limit}`) + body(limit)],
  ['a length beyond 64 bits', id => head('INVITE', id, 'Content-Length: 99999999999999999999') + body(100)],
  ['a header field of 70,000', id => head('INVITE', id, `X-Long: ${body(70_000)}`, 'Content-Length: 0')],
  ['10,000 header fields', id => head('OPTIONS', id, ...Array.from({ length: 10_000 }, (_, at) => `X-${at}: 1`))],
]

for (const transport of ['tcp', 'tls'] as const) {
  test(`a request over the limit is answered 513 before the connection closes: ${transport}`, async () => {
    const bed = await open()
    try {
      await bed.trust()
      for (const [at, [what, text]] of requests.entries()) {
        const received = await receivedAfter(await line(bed, transport), text(`large${at}`))
        assert.match(received, /^SIP\/2\.0 513 Message Too Large\r\n/, what)
        assert.match(received, new RegExp(`\r\nVia: SIP/2\\.0/TCP 127\\.0\\.0\\.1:5099;branch=z9hG4bKlarge${at}`), what)
        assert.match(received, /\r\nFrom: <sip:\+254711000001@127\.0\.0\.1>;tag=far\r\n/)
        assert.match(received, /\r\nTo: <sip:\+254700000001@127\.0\.0\.1>;tag=\S+\r\n/)
        assert.match(received, new RegExp(`\r\nCall-ID: large${at}\r\nCSeq: 7 (INVITE|OPTIONS)\r\n`), what)
        assert.is(received.split('SIP/2.0 ').length, 2, `${what}: one answer`)
      }
      const good = await receivedAfter(
        await line(bed, transport),
        `${head('OPTIONS', 'good', 'Content-Length: 0')}no SIP\r\n`,
      )
      assert.match(good, /^SIP\/2\.0 200 OK\r\n/, 'a good request after them')
    } finally {
      await bed.close()
    }
  })
}

test('ACKs, responses and unknown sources over the limit get no answer', async () => {
  const bed = await open()
  try {
    const large = head('INVITE', 'unknown', 'Content-Length: 70000') + body(70_000)
    assert.is(await receivedAfter(await line(bed, 'tcp'), large), '')
    await bed.trust()
    const unanswered = [
      head('ACK', 'ack', 'Content-Length: 70000') + body(70_000),
      large.replace(/^INVITE .*\r\n/, 'SIP/2.0 200 OK\r\n'),
      large.replace('\r\nCSeq', `\r\nX-Long: ${body(70_000)}\r\nCSeq`),
    ]
    for (const text of unanswered) assert.is(await receivedAfter(await line(bed, 'tcp'), text), '', text.slice(0, 40))
  } finally {
    await bed.close()
  }
})

test.run()
