import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { namesPrivateHost, SipSignaling } from '../../../../core/adapters/signaling/index.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { systemClock, systemRandom } from '../../../../core/adapters/system/system-clock.ts'
import type { LegCause } from '../../../../core/model/end-reason.ts'
import type { CallUuid, LegUuid } from '../../../../core/model/ids.ts'
import { defaultSettings } from '../../../../core/model/settings.ts'
import type { Trunk } from '../../../../core/model/trunk.ts'
import type { SignalingEvent } from '../../../../core/ports/signaling.ts'
import type { Dns } from '../../../../sip/transport/index.ts'
import { trunk } from '../../../rig/beds/trunk.ts'
import { until } from '../../../rig/probes/wait.ts'
import { acme } from '../../bed/acme.ts'

type Zone = Record<string, { readonly a?: readonly string[]; readonly srv?: readonly [name: string, port: number][] }>

const dnsOf = (zone: Zone | ((name: string) => Zone[string] | undefined)): Dns => {
  const find = (name: string) => {
    const plain = name.toLowerCase().replace(/\.$/, '')
    return typeof zone === 'function' ? zone(plain) : zone[plain]
  }
  return {
    naptr: async () => [],
    srv: async name => (find(name)?.srv ?? []).map(([to, port]) => ({ priority: 0, weight: 0, name: to, port })),
    addresses: async name => find(name)?.a ?? [],
  }
}

interface Options {
  readonly trunks?: readonly Trunk[]
  readonly dns?: Dns
  readonly allowPrivate?: boolean
  readonly externalAddress?: string
}

class Bed {
  readonly events: SignalingEvent[] = []
  #signaling: SipSignaling | undefined
  #legs = 0

  static async open({ trunks = [], dns = dnsOf({}), allowPrivate = false, externalAddress }: Options): Promise<Bed> {
    const bed = new Bed()
    bed.#signaling = await SipSignaling.open({
      settings: {
        ...defaultSettings,
        allowPrivateUrls: allowPrivate,
        externalAddresses: externalAddress === undefined ? [] : [externalAddress],
        sip: {
          listeners: [
            { transport: 'udp', address: '127.0.0.1', port: 0 },
            { transport: 'tcp', address: '127.0.0.1', port: 0 },
          ],
          realm: 'sauti.test',
        },
      },
      trunks: () => trunks,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      dns,
      emit: event => bed.events.push(event),
    })
    return bed
  }

  get signaling(): SipSignaling {
    return this.#signaling!
  }

  dial(uri: string): LegUuid {
    const legId = `leg-${++this.#legs}` as LegUuid
    this.signaling.execute({
      type: 'leg.dial',
      legId,
      callId: 'call' as CallUuid,
      target: { kind: 'uri', uri, account: acme.uuid },
      from: { user: '+254711000001' },
      sdp: 'v=0',
    })
    return legId
  }

  async endOf(legId: LegUuid): Promise<LegCause> {
    const ended = () =>
      this.events.find(
        (event): event is Extract<SignalingEvent, { type: 'leg.ended' }> =>
          event.type === 'leg.ended' && event.legId === legId,
      )
    await until('leg.ended', () => ended() !== undefined)
    return ended()!.cause
  }
}

async function listener(address = '127.0.0.1', family: 'udp4' | 'udp6' = 'udp4') {
  const socket = createSocket(family)
  const received: string[] = []
  socket.on('message', bytes => received.push(bytes.toString()))
  socket.bind(0, address)
  await once(socket, 'listening')
  return { socket, received, port: socket.address().port }
}

const closed = async (socket: Socket) => {
  socket.close()
  await once(socket, 'close')
}

test('a <Sip> to a loopback or private address is refused, however it is written, and no packet leaves', async () => {
  const { socket, received, port } = await listener()
  let connections = 0
  const server = createServer(() => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const tcpPort = typeof address === 'object' ? address?.port : 0
  let asked = 0
  const dns = dnsOf(name => {
    // What looks at the name sees a public address once; what connects would see another.
    if (name === 'rebinding.test') return { a: [asked++ === 0 ? '127.0.0.1' : '8.8.8.8'] }
    const zone: Zone = {
      localhost: { a: ['127.0.0.1'] },
      'loop.test': { a: ['127.0.0.1'] },
      'mixed.test': { a: ['8.8.8.8', '10.0.0.7'] },
      'ten.test': { a: ['10.0.0.7'] },
      'link.test': { a: ['fe80::1'] },
      'local6.test': { a: ['fd00::1'] },
      'mapped.test': { a: ['::ffff:127.0.0.1'] },
      'nat64.test': { a: ['64:ff9b::7f00:1'] },
      'metadata.test': { a: ['169.254.169.254'] },
      'zero.test': { a: ['0.0.0.0'] },
      'all.test': { a: ['224.0.0.1'] },
      '2130706433': { a: ['127.0.0.1'] },
      '0x7f.1': { a: ['127.0.0.1'] },
      '127.1': { a: ['127.0.0.1'] },
      '_sip._udp.srv.test': { srv: [['loop.test', port]] },
    }
    return zone[name]
  })
  const bed = await Bed.open({ dns })
  try {
    const uris = [
      `sip:x@127.0.0.1:${port}`,
      `sip:x@127.9.9.9:${port}`,
      `sip:x@[::1]:${port}`,
      `sip:x@[::ffff:127.0.0.1]:${port}`,
      `sip:x@[::ffff:7f00:1]:${port}`,
      `sip:x@[64:ff9b::7f00:1]:${port}`,
      `sip:x@0.0.0.0:${port}`,
      `sip:x@[::]:${port}`,
      `sip:x@10.0.0.1:${port}`,
      `sip:x@192.168.1.1:${port}`,
      `sip:x@100.64.0.1:${port}`,
      `sip:x@169.254.169.254:${port}`,
      `sip:x@224.0.0.1:${port}`,
      `sip:x@localhost:${port}`,
      `sip:x@localhost`,
      `sip:x@localhost.:${port}`,
      `sip:x@LOOP.test:${port}`.toLowerCase(),
      `sip:x@loop.test.:${port}`,
      `sip:x@2130706433:${port}`,
      `sip:x@0x7f.1:${port}`,
      `sip:x@127.1:${port}`,
      `sip:x@rebinding.test:${port}`,
      `sip:x@mixed.test:${port}`,
      `sip:x@ten.test:${port}`,
      `sip:x@link.test:${port}`,
      `sip:x@local6.test:${port}`,
      `sip:x@mapped.test:${port}`,
      `sip:x@nat64.test:${port}`,
      `sip:x@metadata.test:${port}`,
      `sip:x@zero.test:${port}`,
      `sip:x@all.test:${port}`,
      `sip:x@srv.test`,
      `sip:x@8.8.8.8:${port};maddr=127.0.0.1`,
      `sip:x@8.8.8.8:${port};maddr=[::1]`,
      `sip:x@8.8.8.8:${port};maddr=loop.test`,
      `sip:x@127.0.0.1:${tcpPort};transport=tcp`,
      `sips:x@127.0.0.1:${tcpPort}`,
    ]
    for (const uri of uris) assert.equal([uri, await bed.endOf(bed.dial(uri))], [uri, { kind: 'refused-address' }])
    assert.equal([received.length, connections, bed.signaling.counters().sent], [0, 0, 0])
    assert.is(bed.signaling.counters().refusedTargets, uris.length)
  } finally {
    await bed.signaling.close()
    await closed(socket)
    server.close()
  }
})

test('a <Sip> to a trunk or to this switch is refused although private addresses are allowed', async () => {
  const trunkPort = await listener()
  const desk = await listener()
  const trunks = [
    trunk('loop', { host: '127.0.0.1', port: trunkPort.port, inboundHosts: ['127.0.0.0/8', '::1'] }),
    trunk('literal', { host: '203.0.113.7', port: 5060, inboundHosts: ['198.51.100.0/24'] }),
    trunk('named', { host: 'Carrier.test', port: 0, inboundHosts: [] }),
    trunk('near', { host: 'near.test', port: 5060, inboundHosts: [] }),
  ]
  const dns = dnsOf({
    '_sip._udp.near.test': {
      srv: [
        ['edge.near.test', 5070],
        ['edge.near.test', 5071],
      ],
    },
    'edge.near.test': { a: ['127.0.0.3'] },
    'carrier.test': { a: ['203.0.113.20'] },
    '_sip._udp.carrier.test': { srv: [['edge.carrier.test', 5070]] },
    '_sip._tcp.carrier.test': { srv: [['tcp.carrier.test', 5070]] },
    'edge.carrier.test': { a: ['203.0.113.21', '2001:db8::21'] },
    'tcp.carrier.test': { a: ['203.0.113.22'] },
    'alias.test': { a: ['203.0.113.7'] },
    'sauti.test': { a: ['203.0.113.99'] },
  })
  const bed = await Bed.open({ trunks, dns, allowPrivate: true, externalAddress: '203.0.113.50' })
  try {
    const own = bed.signaling.listeners()[0]!.port
    const uris = [
      `sip:+979123456@127.0.0.1:${trunkPort.port}`,
      `sip:+979123456@127.0.0.2:${trunkPort.port}`,
      `sip:+979123456@[::ffff:127.0.0.1]:${trunkPort.port};transport=tcp`,
      `sip:+979123456@127.0.0.1:${own}`,
      `sip:+979123456@127.0.0.1:${defaultSettings.http[0]!.port};transport=tcp`,
      'sip:+979123456@203.0.113.7',
      'sip:+979123456@203.0.113.7:40000',
      'sip:+979123456@[::ffff:203.0.113.7]',
      'sip:+979123456@[64:ff9b::203.0.113.7]',
      'sip:+979123456@alias.test',
      'sip:+979123456@8.8.8.8;maddr=203.0.113.7',
      'sip:+979123456@198.51.100.77:5080',
      'sip:+979123456@carrier.test',
      'sip:+979123456@carrier.test.:5099',
      'sip:+979123456@203.0.113.20',
      'sip:+979123456@203.0.113.21:1234',
      'sip:+979123456@203.0.113.22',
      'sip:+979123456@[2001:db8::21]',
      'sip:+979123456@203.0.113.50',
      'sip:+979123456@203.0.113.99',
      'sip:+979123456@sauti.test:5060',
      'sip:+979123456@127.0.0.3:5070',
      'sip:+979123456@edge.near.test:5071',
    ]
    for (const uri of uris) assert.equal([uri, await bed.endOf(bed.dial(uri))], [uri, { kind: 'refused-address' }])
    assert.is(bed.signaling.counters().sent, 0)
    // The machine's other ports are the developer's own.
    bed.dial(`sip:de?sk@127.0.0.1:${desk.port};a=b?Route=%3Csip:127.0.0.1:${trunkPort.port}%3E`)
    await until('an INVITE', () => desk.received.length > 0)
    assert.match(desk.received[0]!, `INVITE sip:de?sk@127.0.0.1:${desk.port};a=b SIP/2.0\r\n`)
    assert.not.match(desk.received[0]!, 'Route')
    assert.is(trunkPort.received.length, 0)
  } finally {
    await bed.signaling.close()
    await closed(trunkPort.socket)
    await closed(desk.socket)
  }
})

test('while the addresses of a trunk are unknown, no <Sip> is dialled', async () => {
  let works = false
  const zone = dnsOf({ 'carrier.test': { a: ['203.0.113.20'] } })
  const failing = async () => {
    throw new Error('queryA ETIMEOUT carrier.test')
  }
  const dns: Dns = {
    naptr: name => (works ? zone.naptr(name) : failing()),
    srv: name => (works ? zone.srv(name) : failing()),
    addresses: name => (works ? zone.addresses(name) : failing()),
  }
  const desk = await listener()
  const trunks = [trunk('named', { host: 'carrier.test', port: 0, inboundHosts: [] })]
  const bed = await Bed.open({ trunks, dns, allowPrivate: true })
  try {
    assert.equal(await bed.endOf(bed.dial(`sip:x@127.0.0.1:${desk.port}`)), { kind: 'unreachable' })
    assert.is(bed.signaling.counters().sent, 0)
    works = true
    assert.equal(await bed.endOf(bed.dial('sip:x@203.0.113.20')), { kind: 'refused-address' })
    bed.dial(`sip:x@127.0.0.1:${desk.port}`)
    await until('an INVITE', () => desk.received.length > 0)
    // What is known stays known when DNS fails again.
    works = false
    bed.signaling.trunksChanged()
    assert.equal(await bed.endOf(bed.dial('sip:x@203.0.113.20')), { kind: 'refused-address' })
  } finally {
    await bed.signaling.close()
    await closed(desk.socket)
  }
})

/** A callee that answers 200 with this Contact and Record-Route. */
function answering(peer: Awaited<ReturnType<typeof listener>>, fields: readonly string[]) {
  peer.socket.on('message', (bytes, from) => {
    const text = bytes.toString()
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
    if (text.startsWith('ACK')) return
    const isInvite = text.startsWith('INVITE')
    const answer = [
      'SIP/2.0 200 OK',
      `Via: ${field('Via')}`,
      `From: ${field('From')}`,
      `To: ${field('To')}${isInvite ? ';tag=callee' : ''}`,
      `Call-ID: ${field('Call-ID')}`,
      `CSeq: ${field('CSeq')}`,
      ...(isInvite ? fields : []),
      ...(isInvite ? ['Content-Type: application/sdp', 'Content-Length: 3', '', 'v=0'] : ['Content-Length: 0', '', '']),
    ].join('\r\n')
    peer.socket.send(answer, from.port, from.address)
  })
}

test("what a <Sip>'s peer names in Contact and Record-Route leads to no trunk, not to us and to no other port of theirs", async () => {
  const carrier = await listener()
  const trunks = [trunk('loop', { host: '127.0.0.1', port: carrier.port, inboundHosts: ['127.0.0.0/8'] })]
  const dns = dnsOf({ 'trap.test': { a: ['127.0.0.1'] } })
  const bed = await Bed.open({ trunks, dns, allowPrivate: true })
  try {
    for (const fields of [
      [`Contact: <sip:+979123456@127.0.0.1:${carrier.port}>`],
      [`Contact: <sip:+979123456@trap.test:${carrier.port}>`],
      [`Contact: <sip:x@8.8.8.8:${carrier.port};maddr=127.0.0.1>`],
      [`Record-Route: <sip:127.0.0.1:${carrier.port};lr>`, 'Contact: <sip:x@192.0.2.1>'],
    ]) {
      const callee = await listener()
      answering(callee, fields)
      const legId = bed.dial(`sip:x@127.0.0.1:${callee.port}`)
      await until('an answer', () => bed.events.some(event => event.type === 'leg.answered' && event.legId === legId))
      bed.signaling.execute({ type: 'leg.end', legId, reason: 'END.0200' })
      assert.equal(await bed.endOf(legId), { kind: 'bye' })
      const methods = callee.received.map(text => text.slice(0, text.indexOf(' ')))
      assert.equal(methods, ['INVITE', 'ACK', 'BYE'], fields.join())
      assert.is(carrier.received.length, 0, fields.join())
      await closed(callee.socket)
    }
  } finally {
    await bed.signaling.close()
    await closed(carrier.socket)
  }
})

test('DNS is asked in the name of the customer, for trunks in the operator’s', async () => {
  const asked: string[] = []
  const note = (name: string, customer: string | undefined) => asked.push(`${name} ${customer ?? '-'}`)
  const zone = dnsOf({ 'pbx.test': { a: ['127.0.0.1'] }, 'carrier.test': { a: ['203.0.113.20'] } })
  const dns: Dns = {
    naptr: (name, customer) => {
      note(name, customer)
      return zone.naptr(name)
    },
    srv: (name, customer) => {
      note(name, customer)
      return zone.srv(name)
    },
    addresses: (name, options) => {
      note(name, options?.customer)
      return zone.addresses(name)
    },
  }
  const trunks = [trunk('named', { host: 'carrier.test', port: 0, inboundHosts: [] })]
  const bed = await Bed.open({ trunks, dns })
  try {
    assert.equal(await bed.endOf(bed.dial('sip:x@pbx.test')), { kind: 'refused-address' })
    assert.ok(asked.length > 0)
    for (const each of asked) assert.is(each.endsWith(each.includes('pbx.test') ? ` ${acme.uuid}` : ' -'), true, each)
  } finally {
    await bed.signaling.close()
  }
})

test('what a document shows by itself', async () => {
  for (const uri of [
    'sip:x@127.0.0.1',
    'sip:x@localhost',
    'sip:x@a.localhost.',
    'sip:x@8.8.8.8;maddr=10.0.0.1',
    'sip:[::1]',
  ])
    assert.ok(namesPrivateHost(uri), uri)
  for (const uri of ['sip:x@8.8.8.8', 'sip:x@pbx.example.com', 'sip:x@[2606:4700::1111]'])
    assert.not.ok(namesPrivateHost(uri), uri)
  const trunks = [trunk('named', { host: 'carrier.test', port: 0, inboundHosts: ['8.8.4.0/24'] })]
  const bed = await Bed.open({ trunks })
  try {
    const refused = (uri: string) => bed.signaling.sipTarget(uri)?.isRefused
    for (const uri of [
      'sip:1@CARRIER.test.',
      'sip:1@carrier.test:5090',
      'sip:1@8.8.4.4',
      'sip:1@10.1.1.1',
      'sip:1@localhost',
    ])
      assert.is(refused(uri), true, uri)
    assert.is(refused('sip:1@8.8.8.8'), false)
    assert.equal(bed.signaling.sipTarget('sips:+979-123;npdi@PBX.Example.COM.:5080'), {
      user: '+979123',
      host: 'pbx.example.com',
      port: 5080,
      isRefused: false,
    })
    assert.is(bed.signaling.sipTarget('tel:1'), undefined)
  } finally {
    await bed.signaling.close()
  }
})

test.run()
