import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallTrace } from '../../api/portal/app/api-types.ts'
import { type GatheredTrace, withPage } from '../../api/portal/app/pages/gathered-trace.ts'

// What the page of a call makes of the pages of its trace.

type Entry = CallTrace['entries'][number]
type Points = CallTrace['rtp'][number]

const entry = (seq: number, ms = seq): Entry => ({
  seq,
  at: new Date(1_800_000_000_000 + ms).toISOString(),
  ms,
  kind: 'verb',
  leg: null,
  text: `entry ${seq}`,
  data: {},
})

const points = (leg: string, ms: readonly number[]): Points => {
  const column = () => ms.map(at => at / 1000)
  return {
    leg,
    codec: 'PCMU',
    ms: [...ms],
    seconds: column(),
    packets_received: column(),
    packets_sent: column(),
    packets_lost: column(),
    loss_percent: column(),
    jitter_ms: column(),
    delay_ms: column(),
    round_trip_ms: column(),
    mos: column(),
    level_dbov: column(),
    concealed_ms: column(),
    remote_loss_percent: column(),
  }
}

const page = (entries: readonly Entry[], more: Partial<CallTrace> = {}): CallTrace => ({
  uuid: 'call-1',
  sid: 'CA1',
  direction: 'inbound',
  from_number: '+254722000111',
  to_number: '+254711000000',
  is_over: true,
  is_complete: true,
  legs: [],
  entries: [...entries],
  rtp: [],
  charges: [],
  cost: '0.0000',
  end: null,
  last: entries.at(-1)?.seq ?? 0,
  has_more: false,
  ...more,
})

const gathered = (pages: readonly CallTrace[]): GatheredTrace => {
  const [first, ...others] = pages
  if (first === undefined) throw new Error('there is no page')
  return others.reduce(withPage, withPage(undefined, first))
}
const numbers = ({ entries }: CallTrace) => entries.map(({ seq }) => seq)

test('pages follow each other, each point of RTP in its column', () => {
  const whole = gathered([
    page([entry(1), entry(2)], { rtp: [points('A', [1000, 2000])], has_more: true }),
    page([entry(3)], { rtp: [points('A', [3000]), points('B', [3000])], cost: '1.0000' }),
  ])
  assert.equal(numbers(whole), [1, 2, 3])
  assert.equal(whole.rtp, [points('A', [1000, 2000, 3000]), points('B', [3000])])
  assert.equal([whole.last, whole.has_more, whole.cost, whole.leftOut], [3, false, '1.0000', 0])
})

test('a message that was recorded later than it came stands at its time', () => {
  const whole = gathered([page([entry(1, 10), entry(2, 30)]), page([entry(3, 20), entry(4, 40)])])
  assert.equal(numbers(whole), [1, 3, 2, 4])
})

test('an answer with nothing new changes nothing; the end that comes with one is taken', () => {
  const before = gathered([page([entry(1)], { is_over: false })])
  assert.is(withPage(before, page([], { is_over: false, last: 1 })), before)
  assert.is(withPage(before, page([], { is_over: true, last: 1 })).is_over, true)
})

test('of a call without end the beginning and the newest entries are kept, and counted what is left out', () => {
  let whole = gathered([page(Array.from({ length: 10_000 }, (_, at) => entry(at + 1)))])
  for (let from = 10_001; from < 100_000; from += 10_000)
    whole = withPage(whole, page(Array.from({ length: 10_000 }, (_, at) => entry(from + at))))
  assert.is(whole.entries.length, 20_000)
  assert.is(whole.leftOut, 80_000)
  const seqs = numbers(whole)
  assert.equal([seqs[0], seqs[4999], seqs[5000], seqs.at(-1)], [1, 5000, 85_001, 100_000])
})

test.run()
