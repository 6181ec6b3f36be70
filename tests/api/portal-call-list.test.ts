import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Call } from '../../api/portal/app/api-types.ts'
import { type CallList, type CallsAsked, type StreamedEvent, withEvent } from '../../api/portal/app/call-list.ts'

const timeOf = (second: number): string => new Date(1_800_000_000_000 + 1000 * second).toISOString()
const codes = {
  initiated: 'CALL.0100',
  ringing: 'CALL.0180',
  answered: 'CALL.0200',
  completed: 'CALL.0300',
  failed: 'CALL.0400',
}

const call = (second: number, status: Call['status'], more: Partial<Call> = {}): Call => ({
  uuid: `call-${second}`,
  sid: `CA${String(second).padStart(16, '0')}`,
  direction: 'inbound',
  from_number: `+25470000${String(second).padStart(4, '0')}`,
  to_number: '+254711000000',
  status,
  reason_code: status === 'completed' ? 'END.0200' : status === 'failed' ? 'END.0486' : '',
  reason_label: '',
  problem_code: '',
  duration_seconds: null,
  talk_seconds: null,
  cost: '0.0000',
  tts_seconds: 0,
  customPayload: null,
  quality: null,
  started_at: timeOf(second),
  answered_at: null,
  ended_at: null,
  created_at: timeOf(second),
  ...more,
})

const eventOf = (shown: Call): StreamedEvent => {
  const { tts_seconds, customPayload, created_at, ...data } = shown
  return { code: codes[shown.status], createdAt: created_at, data }
}
const after = (list: CallList, asked: Partial<CallsAsked>, ...events: readonly Call[]): CallList =>
  events.map(eventOf).reduce((before, event) => withEvent(before, { limit: 3, offset: 0, ...asked }, event), list)
const seen = ({ calls, total }: CallList) => [...calls.map(({ uuid, status }) => `${uuid} ${status}`), total]

const three: CallList = { calls: [call(30, 'ringing'), call(20, 'answered'), call(10, 'completed')], total: 100 }

test('a row follows its call, and what comes late does not take it back', () => {
  const answered = after(three, {}, call(30, 'answered'), call(30, 'ringing'), call(10, 'answered'))
  assert.equal(seen(answered), ['call-30 answered', 'call-20 answered', 'call-10 completed', 100])
  const ended = after(answered, {}, call(20, 'completed', { cost: '1.3500', talk_seconds: 61 }))
  assert.equal(
    [ended.calls[1]?.cost, ended.calls[1]?.talk_seconds, ended.calls[1]?.reason_code],
    ['1.3500', 61, 'END.0200'],
  )
})

test('a row keeps what events do not say', () => {
  const spoken: CallList = { calls: [call(10, 'answered', { tts_seconds: 4, customPayload: { order: 7 } })], total: 1 }
  const [ended] = after(spoken, {}, call(10, 'completed')).calls
  assert.equal([ended?.tts_seconds, ended?.customPayload, ended?.created_at], [4, { order: 7 }, timeOf(10)])
})

test('a new call stands where it began; the page stays as long as it is, and the total counts it once', () => {
  const more = after(three, {}, call(40, 'initiated'), call(25, 'initiated'), call(40, 'ringing'))
  assert.equal(seen(more), ['call-40 ringing', 'call-30 ringing', 'call-25 initiated', 102])
  // Of another page.
  assert.equal(after(three, {}, call(5, 'completed')), three)
  const few: CallList = { calls: [call(10, 'answered')], total: 1 }
  assert.equal(seen(after(few, {}, call(5, 'initiated'))), ['call-10 answered', 'call-5 initiated', 2])
  assert.equal(seen(after({ calls: [], total: 0 }, {}, call(5, 'initiated'))), ['call-5 initiated', 1])
})

test('a list that is filtered loses what no longer fits, and takes what does now', () => {
  const live: CallList = { calls: [call(30, 'answered'), call(20, 'answered')], total: 2 }
  const asked = { status: 'answered' } as const
  assert.equal(seen(after(live, asked, call(30, 'completed'))), ['call-20 answered', 1])
  assert.equal(seen(after(live, asked, call(25, 'answered'))), [
    'call-30 answered',
    'call-25 answered',
    'call-20 answered',
    3,
  ])
  assert.equal(after(live, asked, call(40, 'ringing')), live)
  const all = { status: 'live' } as const
  assert.equal(seen(after(live, all, call(40, 'ringing'), call(20, 'failed'), call(30, 'completed'))), [
    'call-40 ringing',
    1,
  ])
  for (const [filter, isIn] of [
    [{ direction: 'outbound' }, false],
    [{ direction: 'inbound' }, true],
    [{ reason: 'END.0486' }, true],
    [{ reason: 'END.0200' }, false],
    [{ search: '0040' }, true],
    [{ search: '+254 711' }, true],
    [{ search: '999' }, false],
    [{ search: '+' }, true],
    [{ search: 'asha' }, false],
    [{ search: ` ${call(40, 'failed').sid.toLowerCase()}` }, true],
    [{ search: call(41, 'failed').sid }, false],
    [{ from_dt: timeOf(40), to_dt: timeOf(40) }, true],
    [{ from_dt: timeOf(41) }, false],
    [{ to_dt: timeOf(39) }, false],
  ] as const)
    assert.is(after({ calls: [], total: 0 }, filter, call(40, 'failed')).total, isIn ? 1 : 0, JSON.stringify(filter))
})

test('later pages stay where they are; their rows change', () => {
  const page = after(three, { offset: 50, status: 'answered' }, call(40, 'answered'), call(20, 'completed'))
  assert.equal(seen(page), ['call-30 ringing', 'call-20 completed', 'call-10 completed', 100])
})

test('events of other things change nothing', () => {
  const event = { ...eventOf(call(30, 'completed')), code: 'DIAL.0300' }
  assert.is(withEvent(three, { limit: 3, offset: 0 }, event), three)
})

test.run()
