import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SipSignaling } from '../../core/adapters/signaling/index.ts'
import { systemClock, systemRandom } from '../../core/adapters/system/system-clock.ts'
import type { CallUuid, LegUuid } from '../../core/model/ids.ts'
import { defaultSettings } from '../../core/model/settings.ts'
import type { SignalingEvent } from '../../core/ports/signaling.ts'
import { trunk } from '../rig/beds/trunk.ts'
import { testCertificate, testKey } from '../rig/fakes/certificate.ts'
import { until } from '../rig/probes/wait.ts'

// Real sockets on the addresses of the loopback network; the trunk's are 127.0.1.0/24, everybody else is unknown.

const trunkAddress = '127.0.1.9'

async function open() {
  const lines: string[] = []
  const events: SignalingEvent[] = []
  const note = (fields: object) => {
    if ('what' in fields) lines.push(String(fields.what))
  }
  const log = { debug() {}, info() {}, warn: note, error: note }
  const signaling = await SipSignaling.open({
    settings: {
      ...defaultSettings,
      sip: {
        realm: 'sauti.test',
        listeners: (['tcp', 'tls', 'wss'] as const).map(transport => ({ transport, address: '127.0.0.1', port: 0 })),
      },
    },
    trunks: () => [trunk('trunk', { inboundHosts: ['127.0.1.0/24'] })],
    clock: systemClock,
    random: systemRandom,
    log,
    tls: { cert: testCertificate, key: testKey },
    emit: event => events.push(event),
  })
  const portOf = (transport: string) =>
    signaling.listeners().find(listener => listener.transport === transport)?.port ?? 0
  return { signaling, lines, events, tcp: portOf('tcp'), tls: portOf('tls'), wss: portOf('wss') }
}

const sockets: Socket[] = []
function dial(port: number, localAddress: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  sockets.push(socket)
  return socket
}

const options = (transport: string, address: string) =>
  [
    'OPTIONS sip:127.0.0.1 SIP/2.0',
    `Via: SIP/2.0/${transport} ${address};branch=z9hG4bKo${Math.random()}`,
    `From: <sip:x@${address}>;tag=x`,
    'To: <sip:127.0.0.1>',
    `Call-ID: ${Math.random()}`,
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')

async function isAnswered(socket: Socket, transport: string, address: string): Promise<boolean> {
  let received = ''
  socket.on('data', (bytes: Uint8Array) => {
    received += new TextDecoder().decode(bytes)
  })
  socket.write(options(transport, address))
  await until('an answer or an end', () => received.includes('\r\n\r\n') || socket.destroyed)
  return received.startsWith('SIP/2.0 200')
}

test.after.each(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

test('2,000 idle TCP connections of ten addresses: a trunk comes in, we go out, and each address has a line a minute', async () => {
  const { signaling, lines, tcp, events } = await open()
  const carrier = createServer(socket => sockets.push(socket)).listen(0, '127.0.1.20')
  await once(carrier, 'listening')
  try {
    for (let n = 0; n < 2000; n++) {
      dial(tcp, `127.0.9.${1 + (n % 10)}`).resume()
      if (n % 200 === 199) await until('these to be settled', () => sockets.every(socket => !socket.connecting))
    }
    await until('the first refusals', () => lines.length >= 10)
    assert.ok(signaling.counters().connections <= 500, `${signaling.counters().connections}`)
    await until('the refusals', () => signaling.counters().connectionsRefused >= 1500)
    assert.is(lines.length, 10, lines.join('\n'))
    assert.ok(await isAnswered(dial(tcp, trunkAddress), 'TCP', trunkAddress))
    const bound = carrier.address()
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0
    const before = sockets.length
    signaling.execute({
      type: 'leg.dial',
      legId: 'leg' as LegUuid,
      callId: 'call' as CallUuid,
      target: {
        kind: 'trunk',
        trunk: trunk('trunk', { host: '127.0.1.20', port, transport: 'tcp' }),
        number: '+254700000001',
      },
      from: { user: '1001' },
      sdp: 'v=0\r\n',
    })
    await until('our connection', () => sockets.length > before)
    assert.equal(
      events.filter(({ type }) => type === 'leg.ended'),
      [],
    )
  } finally {
    carrier.close()
    await signaling.close()
  }
})

test('2,000 TLS handshakes that never begin, of one address, shut neither tls: nor wss:', async () => {
  const { signaling, tls, wss } = await open()
  try {
    for (let n = 0; n < 2000; n++) {
      dial(n % 2 === 0 ? tls : wss, '127.0.9.1').resume()
      if (n % 200 === 199) await until('these to be settled', () => sockets.every(socket => !socket.connecting))
    }
    await until('the rest to be closed', () => sockets.filter(socket => !socket.destroyed).length <= 100)
    const secured = connectTls({ socket: dial(tls, trunkAddress), rejectUnauthorized: false })
    secured.on('error', () => {})
    assert.ok(await isAnswered(secured, 'TLS', trunkAddress))
    const upgrade = connectTls({ socket: dial(wss, '127.0.9.2'), rejectUnauthorized: false })
    upgrade.on('error', () => {})
    let received = ''
    upgrade.on('data', (bytes: Uint8Array) => {
      received += new TextDecoder().decode(bytes)
    })
    const head = [
      'GET /sip HTTP/1.1',
      'Host: x',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
    ]
    const key = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Protocol: sip', '', '']
    upgrade.write([...head, ...key].join('\r\n'))
    await until('the WebSocket', () => received.startsWith('HTTP/1.1 101') || upgrade.destroyed)
    assert.ok(received.startsWith('HTTP/1.1 101'), received)
  } finally {
    await signaling.close()
  }
})

test.run()
