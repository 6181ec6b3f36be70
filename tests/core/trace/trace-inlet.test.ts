import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallUuid, LegUuid } from '../../../core/model/ids.ts'
import { ringMemory } from '../../../core/trace/item-ring.ts'
import { readSip } from '../../../core/trace/sip-record.ts'
import { TraceInlet, TraceOutlet } from '../../../core/trace/trace-inlet.ts'
import type { TraceIntake } from '../../../core/trace/trace-sink.ts'

const callId = 'call-1' as CallUuid
const flow = {
  transport: 'tls',
  address: '2001:db8::9',
  port: 5061,
  localHost: '2001:db8::1',
  localPort: 5060,
} as const

const rethrown = (cause: unknown) => {
  throw cause
}

class Heard implements TraceIntake {
  readonly all: unknown[][] = []
  leg = (unixMs: number, callId: string, legId: string, isOpened: boolean, bytes: Buffer, from: number, to: number) =>
    void this.all.push(['leg', unixMs, callId, legId, isOpened, JSON.parse(bytes.toString('utf8', from, to))])
  note = (...given: unknown[]) => void this.all.push(['note', ...given])
  lines(unixMs: number, callId: string, legId: string, bytes: Buffer, from: number, to: number): void {
    for (const line of bytes.toString('utf8', from, to).split('\n'))
      this.all.push(['note', unixMs, callId, legId, JSON.parse(line)])
  }
  document = (...given: unknown[]) => void this.all.push(['document', ...given])
  over = (...given: unknown[]) => void this.all.push(['over', ...given])
  dialog = (...given: unknown[]) => void this.all.push(['dialog', ...given])
  sip(unixMs: number, bytes: Buffer, from: number, to: number): void {
    const { message, isSent, ...addresses } = readSip(new Uint8Array(bytes.subarray(from, to)))
    this.all.push(['sip', unixMs, message, addresses, isSent])
  }
}

function drain(inlet: TraceInlet, outlet: TraceOutlet): void {
  inlet.flush()
  outlet.drain()
}

test('what is written comes out as it went in, in its order, however often the memory wraps', () => {
  const memory = ringMemory(4096)
  const [inlet, received] = [new TraceInlet(memory, () => {}), new Heard()]
  const outlet = new TraceOutlet(memory, received, rethrown)
  const wanted: unknown[][] = []
  for (let round = 0; round < 300; round++) {
    const message = new TextEncoder().encode(`INVITE sip:é${'x'.repeat(round % 97)} SIP/2.0`)
    inlet.sip(round + 0.25, message, flow, round % 2 === 0)
    wanted.push(['sip', round + 0.25, message, flow, round % 2 === 0])
    const note = { kind: 'verb', name: `Säy ${'y'.repeat(round % 31)}` }
    inlet.note(round, callId, '', note)
    wanted.push(['note', round, callId, '', note])
    inlet.document(round, callId, { kind: 'document-answer' }, message)
    wanted.push(['document', round, callId, { kind: 'document-answer' }, message])
    if (round % 3 === 0) drain(inlet, outlet)
  }
  drain(inlet, outlet)
  assert.is(inlet.dropped, 0)
  assert.equal(received.all, wanted)
})

test('an entry that cannot be taken is given up, and those after it come out', () => {
  const memory = ringMemory(4096)
  const [inlet, received] = [new TraceInlet(memory, () => {}), new Heard()]
  const causes: unknown[] = []
  const outlet = new TraceOutlet(memory, received, cause => causes.push(cause))
  const { note } = received
  received.note = (...given: unknown[]) => {
    if ((given[3] as { name?: string }).name === 'bad') throw new Error('cannot be kept')
    note(...given)
  }
  for (const name of ['one', 'bad', 'two', 'bad']) inlet.note(1, callId, '', { kind: 'webhook', name })
  drain(inlet, outlet)
  inlet.note(2, callId, '', { kind: 'webhook', name: 'three' })
  drain(inlet, outlet)
  assert.equal(
    received.all.map(([, , , , note]) => (note as { name: string }).name),
    ['one', 'two', 'three'],
  )
  assert.is(causes.length, 2)
})

test('every kind of entry comes out as it went in', () => {
  const memory = ringMemory(4096)
  const [inlet, received] = [new TraceInlet(memory, () => {}), new Heard()]
  const legId = 'leg-1' as LegUuid
  inlet.leg(1, callId, legId, { role: 'callee', number: 'sip:é@x', opened: true })
  inlet.leg(2, callId, legId, { role: 'callee', via: undefined })
  inlet.note(3, '', legId, { kind: 'webhook', url: 'https://é.test' })
  inlet.lines(3, callId, '{"kind":"a"}\n{"kind":"é"}')
  inlet.over(4, callId, { sid: 'CA1', status: 'completed' })
  inlet.dialog(legId, '1-2@h')
  drain(inlet, new TraceOutlet(memory, received, rethrown))
  assert.equal(received.all, [
    [
      'leg',
      1,
      callId,
      legId,
      true,
      { kind: 'leg-begins', uuid: legId, role: 'callee', number: 'sip:é@x', opened: true },
    ],
    ['leg', 2, callId, legId, false, { kind: 'leg-begins', uuid: legId, role: 'callee' }],
    ['note', 3, '', legId, { kind: 'webhook', url: 'https://é.test' }],
    ['note', 3, callId, '', { kind: 'a' }],
    ['note', 3, callId, '', { kind: 'é' }],
    ['over', 4, callId, { sid: 'CA1', status: 'completed' }],
    ['dialog', legId, '1-2@h'],
  ])
})

test('ids of one length are not taken for each other, whether they differ at their beginning, in the middle or at their end', () => {
  const memory = ringMemory(1 << 16)
  const [inlet, received] = [new TraceInlet(memory, () => {}), new Heard()]
  const ids = ['aaaa', 'baaa', 'aaba', 'aaab', 'aaaa', 'aaaa', 'aaa', 'aaaaa', 'aaaa']
  const wanted: unknown[][] = []
  for (const call of ids)
    for (const leg of ids) {
      inlet.note(1, call as CallUuid, leg as LegUuid, { kind: 'a' })
      inlet.note(1, '', leg as LegUuid, { kind: 'b' })
      inlet.note(1, call as CallUuid, '', { kind: 'c' })
      wanted.push([call, leg], ['', leg], [call, ''])
    }
  drain(inlet, new TraceOutlet(memory, received, rethrown))
  assert.equal(
    received.all.map(([, , callId, legId]) => [callId, legId]),
    wanted,
  )
})

test('once enough was written an empty ring begins anew: nothing is lost, and none of the memory behind is touched', () => {
  const memory = ringMemory(1 << 20)
  const [inlet, received] = [new TraceInlet(memory, () => {}), new Heard()]
  const outlet = new TraceOutlet(memory, received, rethrown)
  const message = new Uint8Array(1000).fill(0x41)
  let count = 0
  for (let round = 0; round < 100; round++) {
    for (let each = 0; each < 50; each++) inlet.sip(count++, message, flow, true)
    drain(inlet, outlet)
  }
  assert.is(inlet.dropped, 0)
  assert.equal(
    received.all.map(([, unixMs]) => unixMs),
    Array.from({ length: count }, (_, at) => at),
  )
  assert.ok(new Uint8Array(memory, 200_000).every(byte => byte === 0))
  // All of it is there when it is needed.
  for (let each = 0; each < 900; each++) inlet.sip(count++, message, flow, true)
  inlet.flush()
  assert.is(inlet.dropped, 0)
  drain(inlet, outlet)
  drain(inlet, outlet)
  assert.is(received.all.length, count)
})

test('entries wait to be written together: who is to flush them is asked once, and no more than some hundred wait', () => {
  const memory = ringMemory(1 << 20)
  let asked = 0
  const [inlet, received] = [new TraceInlet(memory, () => asked++), new Heard()]
  const outlet = new TraceOutlet(memory, received, rethrown)
  for (let each = 0; each < 100; each++) inlet.lines(each, callId, '{"kind":"a"}')
  outlet.drain()
  assert.is(asked, 1)
  assert.is(received.all.length, 0)
  drain(inlet, outlet)
  assert.is(received.all.length, 100)
  inlet.flush()
  assert.is(asked, 1)
  for (let each = 0; each < 1000; each++) inlet.lines(each, callId, '{"kind":"a"}')
  outlet.drain()
  assert.ok(received.all.length > 1000 - 300, `${received.all.length}`)
  // Messages wait as long as there is room for their bytes.
  const long = new Uint8Array(60_000).fill(0x41)
  const before = received.all.length
  for (let each = 0; each < 12; each++) inlet.sip(each, long, flow, true)
  outlet.drain()
  assert.ok(received.all.length > before)
  drain(inlet, outlet)
  assert.is(received.all.filter(([kind]) => kind === 'sip').length, 12)
  assert.is(inlet.dropped, 0)
})

test('the reader sees how full the memory is, also when the writer of an empty ring begins again', () => {
  const memory = ringMemory(1 << 20)
  const [inlet, received] = [new TraceInlet(memory, () => {}), new Heard()]
  const outlet = new TraceOutlet(memory, received, rethrown)
  const message = new Uint8Array(1000).fill(0x41)
  for (let round = 0; round < 5; round++) {
    assert.is(outlet.fill, 0)
    for (let each = 0; each < 500; each++) inlet.sip(each, message, flow, true)
    inlet.flush()
    assert.ok(outlet.fill > 0.45 && outlet.fill < 0.55, `${outlet.fill}`)
    drain(inlet, outlet)
  }
  assert.is(inlet.dropped, 0)
})

test('what finds no room is dropped and counted; what follows a drain is taken again', () => {
  const memory = ringMemory(4096)
  const [inlet, received] = [new TraceInlet(memory, () => {}), new Heard()]
  const outlet = new TraceOutlet(memory, received, rethrown)
  const message = new Uint8Array(1000).fill(0x41)
  for (let count = 0; count < 10; count++) inlet.sip(count, message, flow, true)
  inlet.flush()
  assert.is(inlet.dropped, 7)
  drain(inlet, outlet)
  inlet.sip(11, message, flow, true)
  drain(inlet, outlet)
  assert.equal(
    received.all.map(([, unixMs]) => unixMs),
    [0, 1, 2, 11],
  )
})

test.run()
