import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { drawEntries, drawLadder } from '../../../core/trace/ladder.ts'
import { timelineOf } from '../../../core/trace/timeline.ts'
import type { Trace } from '../../../core/trace/trace.ts'

const empty: Trace = { ...timelineOf([], 'operator', { after: 0, limit: 1 }), sid: 'CA1', toNumber: '+254722000001' }
const leg = { id: 'A', uuid: '', role: 'callee', via: 'trunk', number: empty.toNumber, trunk: null } as const
const wide = (drawn: string) => drawn.split('\n').filter(line => line.length > 80)

test('a narrow terminal shows what a call cost, and all of its legs and figures of RTP', () => {
  const explained =
    '70 s of talk, 70 s billed (increments of 1 s, at least 1 s): 70 s × 3.00 KES / 60 s + 1.00 KES connection fee = 4.50 KES'
  const charge = { leg: 'A', number: empty.toNumber, explained } as Trace['charges'][number]
  const column = { codec: 'opus', mos: [4.123], loss_percent: [12.5], packets_received: [1e9], packets_sent: [1e9] }
  const rtp = [{ leg: 'A', ...column } as unknown as Trace['rtp'][number]]
  const legs = ['A', 'B', 'C', 'D', 'E'].map(id => ({ ...leg, id }))
  const drawn = drawLadder({ ...empty, legs, charges: [charge], rtp }, 80)
  assert.match(drawn, /= 4\.50 KES\n/)
  assert.match(drawn, /MOS 4\.12 at\s+worst\n/)
  assert.match(drawn, /E:\s+\+254722000001\n/)
  assert.equal(wide(drawn), [])
})

test('control characters that a phone or a document sent do not reach the terminal', () => {
  const hostile = '486 \x1b]0;title\x07\x1b[31mBusy \u009b2J'
  const entry = { seq: 1, unixMs: 0, ms: 0, leg: 'A', text: hostile, data: {} } as const
  const entries = [
    { ...entry, kind: 'sip' },
    { ...entry, kind: 'say' },
  ] as const
  const trace: Trace = { ...empty, fromNumber: hostile, legs: [{ ...leg, number: hostile }], entries }
  for (const drawn of [drawLadder(trace, 80), ...drawEntries(trace, 80)]) {
    assert.not.match(drawn.replaceAll('\n', ''), /\p{Cc}/u)
    assert.match(drawn, /486 ·\]0;title··\[31mBusy ·2J/)
  }
})

test.run()
