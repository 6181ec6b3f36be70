import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SipSignaling } from '../../../../core/adapters/signaling/index.ts'
import type { SipSignalingOptions } from '../../../../core/adapters/signaling/signaling.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { systemClock, systemRandom } from '../../../../core/adapters/system/system-clock.ts'
import type { CallUuid, LegUuid } from '../../../../core/model/ids.ts'
import { ListenError } from '../../../../core/model/listen-error.ts'
import { defaultSettings, type SipListener } from '../../../../core/model/settings.ts'
import type { Trunk } from '../../../../core/model/trunk.ts'
import type { SignalingEvent } from '../../../../core/ports/signaling.ts'
import { trunk } from '../../../rig/beds/trunk.ts'
import { acme } from '../../bed/acme.ts'

const trunkOf = (set: Partial<Trunk>): Trunk => trunk('trunk', { host: '127.0.0.1', ...set })

const loopback: readonly SipListener[] = [
  { transport: 'udp', address: '127.0.0.1', port: 0 },
  { transport: 'tcp', address: '127.0.0.1', port: 0 },
]

/** A switch's signalling, and a way to wait for what it says. */
async function open(options: Partial<SipSignalingOptions> & { readonly listeners?: readonly SipListener[] }) {
  const events: SignalingEvent[] = []
  const waiting: { readonly type: string; readonly done: (event: SignalingEvent) => void }[] = []
  const signaling = await SipSignaling.open({
    settings: {
      ...defaultSettings,
      sip: { listeners: options.listeners ?? loopback, realm: 'sauti.test' },
    },
    trunks: () => [],
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    ...options,
    emit(event) {
      events.push(event)
      const at = waiting.findIndex(entry => entry.type === event.type)
      if (at !== -1) waiting.splice(at, 1)[0]?.done(event)
    },
  })
  const next = <Type extends SignalingEvent['type']>(type: Type): Promise<Extract<SignalingEvent, { type: Type }>> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${type}; saw ${events.map(e => e.type)}`)), 3000)
      waiting.push({
        type,
        done: event => {
          clearTimeout(timer)
          resolve(event as Extract<SignalingEvent, { type: Type }>)
        },
      })
    })
  const portOf = (transport: 'udp' | 'tcp') =>
    signaling.listeners().find(entry => entry.transport === transport)?.port ?? 0
  return { signaling, events, next, portOf }
}

const legId = 'leg-a' as LegUuid
const callId = 'call-a' as CallUuid
const from = { user: '+254711000001', displayName: 'Amani "A" <x>' }

for (const transport of ['udp', 'tcp'] as const) {
  test(`a call over ${transport}: offered, ringing, answered, confirmed, ended on both sides`, async () => {
    const callee = await open({ trunks: () => [trunkOf({ inboundHosts: ['127.0.0.0/8'] })] })
    const caller = await open({})
    try {
      const trunk = trunkOf({ port: callee.portOf(transport), transport })
      const offered = callee.next('leg.offered')
      caller.signaling.execute({
        type: 'leg.dial',
        legId,
        callId,
        target: { kind: 'trunk', trunk, number: '+254722000000' },
        from,
        sdp: 'v=0 offer',
      })
      const offer = await offered
      assert.is(offer.trunkId, 'trunk')
      assert.is(offer.to, '+254722000000')
      assert.equal(offer.from, { user: '+254711000001', displayName: 'Amani "A" <x>' })
      assert.is(offer.sdp, 'v=0 offer')
      const ringing = caller.next('leg.ringing')
      callee.signaling.execute({ type: 'leg.ring', legId: offer.legId })
      await ringing
      const [answered, confirmed] = [caller.next('leg.answered'), callee.next('leg.confirmed')]
      callee.signaling.execute({ type: 'leg.answer', legId: offer.legId, sdp: 'v=0 answer' })
      assert.is((await answered).sdp, 'v=0 answer')
      await confirmed
      const ends = [caller.next('leg.ended'), callee.next('leg.ended')]
      caller.signaling.execute({ type: 'leg.end', legId, reason: 'END.0200' })
      const [callerEnd, calleeEnd] = await Promise.all(ends)
      assert.equal(calleeEnd?.cause, { kind: 'bye', q850: 16 })
      assert.equal(callerEnd?.cause, { kind: 'bye' })
      assert.is(callee.signaling.counters().calls + caller.signaling.counters().calls, 0)
    } finally {
      await Promise.all([callee.signaling.close(), caller.signaling.close()])
    }
  })
}

test('credentials: a caller of an unknown address proves itself; a wrong password is auth-failed', async () => {
  const username = 'nairobi'
  const callee = await open({ trunks: () => [trunkOf({ username, password: 'secret' })] })
  const caller = await open({})
  try {
    const dial = (id: string, password: string) =>
      caller.signaling.execute({
        type: 'leg.dial',
        legId: id as LegUuid,
        callId,
        target: {
          kind: 'trunk',
          trunk: trunkOf({ port: callee.portOf('udp'), username, password }),
          number: '123',
        },
        from,
        sdp: 'v=0',
      })
    const refused = caller.next('leg.ended')
    dial('wrong', 'guess')
    assert.equal((await refused).cause, { kind: 'auth-failed' })
    assert.is(callee.events.length, 0)
    const offered = callee.next('leg.offered')
    dial('right', 'secret')
    const offer = await offered
    const ended = caller.next('leg.ended')
    callee.signaling.execute({ type: 'leg.end', legId: offer.legId, reason: 'END.0486' })
    assert.equal((await ended).cause, { kind: 'response', status: 486, q850: 17 })
  } finally {
    await Promise.all([callee.signaling.close(), caller.signaling.close()])
  }
})

test('an unknown source gets no answer to an INVITE of a foreign realm, and it is counted', async () => {
  const callee = await open({ trunks: () => [trunkOf({ inboundHosts: ['192.0.2.0/24'] })] })
  const unknownSource = createSocket('udp4')
  try {
    let heard = ''
    unknownSource.on('message', bytes => {
      heard += bytes.toString()
    })
    unknownSource.bind(0, '127.0.0.1')
    await once(unknownSource, 'listening')
    const { port } = unknownSource.address()
    const request = (method: string) =>
      [
        `${method} sip:100@127.0.0.1 SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${method};rport`,
        'From: <sip:x@127.0.0.1>;tag=x',
        'To: <sip:100@127.0.0.1>',
        `Call-ID: ${method}`,
        `CSeq: 1 ${method}`,
        'Max-Forwards: 70',
        `Contact: <sip:x@127.0.0.1:${port}>`,
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n')
    for (const method of ['INVITE', 'REGISTER', 'BYE', 'MESSAGE', 'OPTIONS'])
      unknownSource.send(request(method), callee.portOf('udp'), '127.0.0.1')
    unknownSource.send('INVITE nonsense\r\n\r\n', callee.portOf('udp'), '127.0.0.1')
    for (let tries = 0; tries < 100 && (!heard.includes('200 OK') || callee.signaling.counters().received < 6); tries++)
      await new Promise(resolve => setTimeout(resolve, 10))
    assert.equal(
      [...heard.matchAll(/^SIP\/2\.0 (\d+)/gm)].map(([, status]) => status),
      ['401', '200'],
      'REGISTER, for any name, and OPTIONS',
    )
    assert.is(callee.signaling.counters().dropped, 3)
    assert.is(callee.signaling.counters().malformed, 1)
    assert.is(callee.events.length, 0)
  } finally {
    unknownSource.close()
    await callee.signaling.close()
  }
})

test('a message that sets off a fault of ours costs itself, not the process, and is reported', async () => {
  const reported: unknown[] = []
  let isBroken = true
  const callee = await open({
    trunks: () => [trunkOf({ inboundHosts: ['127.0.0.1'] })],
    log: { ...silentLog, warn: fields => reported.push(fields) },
    random: {
      ...systemRandom,
      uuid: () => {
        if (!isBroken) return systemRandom.uuid()
        isBroken = false
        throw new Error('no more ids')
      },
    },
  })
  const caller = await open({})
  try {
    const dial = (number: string) =>
      caller.signaling.execute({
        type: 'leg.dial',
        legId: number as LegUuid,
        callId,
        target: { kind: 'trunk', trunk: trunkOf({ port: callee.portOf('udp') }), number },
        from,
        sdp: 'v=0',
      })
    const offered = callee.next('leg.offered')
    dial('111')
    while (reported.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
    dial('222')
    assert.is((await offered).to, '222')
    assert.match(JSON.stringify(reported), /a message from udp:127\.0\.0\.1:\d+ was dropped: Error: no more ids/)
  } finally {
    await caller.signaling.close()
    await callee.signaling.close()
  }
})

test('no listener: over TCP unreachable at once; a bad URI too', async () => {
  const caller = await open({})
  const closed = await open({})
  const port = closed.portOf('tcp')
  await closed.signaling.close()
  try {
    for (const target of [
      { kind: 'trunk', trunk: trunkOf({ port, transport: 'tcp' }), number: '1' },
      { kind: 'uri', uri: 'mailto:nobody', account: acme.uuid },
    ] as const) {
      const ended = caller.next('leg.ended')
      caller.signaling.execute({ type: 'leg.dial', legId, callId, target, from, sdp: 'v=0' })
      assert.equal((await ended).cause, { kind: 'unreachable' })
    }
  } finally {
    await caller.signaling.close()
  }
})

test('listening everywhere, we name the address by which the peer reaches us; draining answers 503', async () => {
  const anywhere: readonly SipListener[] = [{ transport: 'udp', address: '0.0.0.0', port: 0 }]
  const callee = await open({ listeners: anywhere, trunks: () => [trunkOf({ inboundHosts: ['127.0.0.1'] })] })
  const caller = await open({ listeners: anywhere })
  try {
    callee.signaling.drain()
    const ended = caller.next('leg.ended')
    const trunk = trunkOf({ port: callee.portOf('udp') })
    const target = { kind: 'trunk', trunk, number: '1' } as const
    caller.signaling.execute({ type: 'leg.dial', legId, callId, target, from, sdp: 'v=0' })
    assert.equal((await ended).cause, { kind: 'response', status: 503 })
    assert.is(caller.signaling.localAddressFor('127.0.0.1'), '127.0.0.1')
  } finally {
    await Promise.all([callee.signaling.close(), caller.signaling.close()])
  }
})

test('an address that cannot be bound is said at once, and nothing stays open', async () => {
  const first = await open({})
  try {
    const listeners: readonly SipListener[] = [
      { transport: 'udp', address: '127.0.0.1', port: 0 },
      { transport: 'tcp', address: '127.0.0.1', port: first.portOf('tcp') },
    ]
    let fault: unknown
    await open({ listeners }).catch((error: unknown) => {
      fault = error
    })
    assert.instance(fault, ListenError)
    const { code, transport, port, message, cause } = fault as ListenError
    assert.equal([code, transport, port], ['EADDRINUSE', 'tcp', first.portOf('tcp')])
    assert.is(
      message,
      `sip: cannot listen at tcp:127.0.0.1:${port}: another program uses it; stop that program, or choose another port (EADDRINUSE)`,
    )
    assert.is((cause as NodeJS.ErrnoException).syscall, 'listen')
  } finally {
    await first.signaling.close()
  }
})

test.run()
