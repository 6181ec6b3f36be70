import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallUuid } from '../../../core/model/ids.ts'
import { readSip } from '../../../core/trace/sip-record.ts'
import { inletMemory, TraceInlet, TraceOutlet } from '../../../core/trace/trace-inlet.ts'
import type { TraceSink } from '../../../core/trace/trace-sink.ts'

const callId = 'call-1' as CallUuid
const flow = {
  transport: 'tls',
  address: '2001:db8::9',
  port: 5061,
  localHost: '2001:db8::1',
  localPort: 5060,
} as const

class Heard implements TraceSink {
  readonly all: unknown[][] = []
  leg = (...given: unknown[]) => void this.all.push(['leg', ...given])
  note = (...given: unknown[]) => void this.all.push(['note', ...given])
  plainNote = (unixMs: number, callId: string, legId: string, json: Uint8Array) =>
    void this.all.push(['note', unixMs, callId, legId, JSON.parse(new TextDecoder().decode(json))])
  document = (...given: unknown[]) => void this.all.push(['document', ...given])
  over = (...given: unknown[]) => void this.all.push(['over', ...given])
  dialog = (...given: unknown[]) => void this.all.push(['dialog', ...given])
  sip = (...given: unknown[]) => void this.all.push(['sip', ...given])
  sipRecord(unixMs: number, payload: Uint8Array): void {
    const { message, isSent, ...addresses } = readSip(payload.slice())
    this.all.push(['sip', unixMs, message, addresses, isSent])
  }
}

test('what is written comes out as it went in, in its order, however often the memory wraps', () => {
  const memory = inletMemory(4096)
  const [inlet, received] = [new TraceInlet(memory), new Heard()]
  const outlet = new TraceOutlet(memory, received)
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
    if (round % 3 === 0) outlet.drain()
  }
  outlet.drain()
  assert.is(inlet.dropped, 0)
  assert.equal(received.all, wanted)
})

test('what finds no room is dropped and counted; what follows a drain is taken again', () => {
  const memory = inletMemory(4096)
  const [inlet, received] = [new TraceInlet(memory), new Heard()]
  const outlet = new TraceOutlet(memory, received)
  const message = new Uint8Array(1000).fill(0x41)
  for (let count = 0; count < 10; count++) inlet.sip(count, message, flow, true)
  assert.is(inlet.dropped, 7)
  outlet.drain()
  inlet.sip(11, message, flow, true)
  outlet.drain()
  assert.equal(
    received.all.map(([, unixMs]) => unixMs),
    [0, 1, 2, 11],
  )
})

test.run()
