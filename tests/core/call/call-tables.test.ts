import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { begunRow } from '../../../core/call/call-book.ts'
import { callFields, customPayloadOf } from '../../../core/call/call-fields.ts'
import { type CallPhase, callPhaseTable, phaseFacts } from '../../../core/call/call-phase.ts'
import { callStatusTable } from '../../../core/call/call-status.ts'
import { Caps } from '../../../core/caps/caps.ts'
import { timestampOf } from '../../../core/events/call-data.ts'
import { Deadlines } from '../../../core/leg/deadlines.ts'
import { type LegInput, type LegState, legTable } from '../../../core/leg/leg-states.ts'
import { isSid, SidSequence } from '../../../core/leg/sid.ts'
import type { CallRecord } from '../../../core/model/call-record.ts'
import { seeded } from '../../rig/probes/seeded.ts'

test('call status: every cell', () => {
  const steps = ['ring', 'answer', 'end'] as const
  const reported = Object.entries(callStatusTable).flatMap(([from, row]) =>
    steps.map(step => `${from} ${step} ${row[step] ?? '-'}`),
  )
  assert.equal(reported, [
    'initiated ring ringing',
    'initiated answer answered',
    'initiated end failed',
    'ringing ring -',
    'ringing answer answered',
    'ringing end failed',
    'answered ring -',
    'answered answer -',
    'answered end completed',
    'completed ring -',
    'completed answer -',
    'completed end -',
    'failed ring -',
    'failed answer -',
    'failed end -',
  ])
})

test('call phases: every cell', () => {
  const steps = ['opened', 'finished', 'closed'] as const
  const reported = Object.entries(callPhaseTable).flatMap(([from, row]) =>
    steps.map(step => `${from} ${step} ${row[step] ?? '-'}`),
  )
  assert.equal(reported, [
    'beginning opened live',
    'beginning finished withdrawn',
    'beginning closed -',
    'live opened -',
    'live finished ending',
    'live closed -',
    'withdrawn opened ending',
    'withdrawn finished -',
    'withdrawn closed void',
    'ending opened -',
    'ending finished -',
    'ending closed closed',
    'closed opened -',
    'closed finished -',
    'closed closed -',
    'void opened closed',
    'void finished -',
    'void closed -',
  ])
})

test('call phases: a row makes a call known, a finish ends it, and neither is ever taken back', () => {
  for (const [phase, row] of Object.entries(callPhaseTable) as [CallPhase, Partial<Record<string, CallPhase>>][]) {
    const before = phaseFacts[phase]
    if (before.isClosed) assert.ok(before.isOver, phase)
    for (const [step, next] of Object.entries(row)) {
      const after = phaseFacts[next ?? phase]
      assert.is(after.isKnown, before.isKnown || step === 'opened', `${phase} ${step}`)
      assert.is(after.isOver, before.isOver || step === 'finished', `${phase} ${step}`)
      assert.is(after.isClosed, before.isClosed || step === 'closed', `${phase} ${step}`)
    }
  }
})

test('leg states: every cell', () => {
  const inputs: readonly LegInput[] = [
    'dial',
    'ring',
    'progress',
    'answer',
    'end',
    'leg.ringing',
    'leg.early',
    'leg.answered',
    'leg.confirmed',
    'leg.reoffered',
    'leg.reconfirmed',
    'leg.digit',
    'leg.ended',
    'lost',
  ]
  const cells = Object.entries(legTable).map(([state, row]) =>
    [state, ...inputs.map(input => row[input] ?? '-')].join(' '),
  )
  assert.equal(cells, [
    'idle dialled - - - ended - - - - - - - - -',
    'offered - offered offered answering ending - - - - offered - offered ended -',
    'answering - - - - ending - - - up answering - answering ended -',
    'dialled - - - - ending dialled dialled up - dialled - dialled ended -',
    'up - - - - ending - - - - up up up ended -',
    'ending - - - - - - - - - - - - ended ended',
    'ended - - - - - - - - - - - - - -',
  ])
})

test('leg states: the end is final and always near, and an ending leg accepts only its end', () => {
  for (const [state, row] of Object.entries(legTable) as [LegState, Partial<Record<LegInput, LegState>>][]) {
    if (state === 'ended') assert.equal(row, {})
    else if (state === 'ending') assert.equal(Object.keys(row), ['leg.ended', 'lost'])
    else assert.ok(row.end === 'ending' || row.end === 'ended', state)
    if (state !== 'ended' && state !== 'idle') assert.is(row['leg.ended'], 'ended', state)
  }
})

test('sids: shaped, unique within a millisecond, ordered by time', () => {
  const sids = new SidSequence({ random: seeded(3) })
  const made = Array.from({ length: 20_000 }, (_, at) => sids.next(1_800_000_000_000 + Math.floor(at / 5000)))
  assert.is(new Set(made).size, made.length)
  assert.equal([...made].sort(), made)
  assert.ok(made.every(isSid))
  assert.not.ok(isSid('CA01JILOU000000000'))
  // A wall clock that steps back gives no sid twice.
  assert.ok(sids.next(1_700_000_000_000) > made.at(-1)!)
})

test('deadlines: earliest first, replaced by name, and acting may set new ones', () => {
  const fired: string[] = []
  const deadlines = new Deadlines()
  deadlines.set('b', 20, () => fired.push('b'))
  deadlines.set('a', 10, () => {
    fired.push('a')
    deadlines.set('c', 15, () => fired.push('c'))
  })
  deadlines.set('b', 12, () => fired.push('b again'))
  deadlines.set('later', 99, () => fired.push('later'))
  assert.is(deadlines.next(), 10)
  deadlines.expire(20)
  assert.equal(fired, ['a', 'b again', 'c'])
  assert.is(deadlines.next(), 99)
  deadlines.keepOnly('lat')
  assert.ok(deadlines.has('later'))
  deadlines.clear('later')
  assert.is(deadlines.next(), undefined)
})

test('caps: live and a second, any window, and what is released is free', () => {
  const caps = new Caps()
  assert.is(caps.take('a', 2, 10, 0), undefined)
  assert.is(caps.take('a', 2, 10, 0), undefined)
  assert.is(caps.take('a', 2, 10, 0), 'LIMIT.0429')
  assert.is(caps.take('b', 2, 10, 0), undefined)
  caps.release('a', 1)
  assert.is(caps.take('a', 2, 10, 1), undefined)
  const random = seeded(5)
  const rate = new Caps()
  const taken: number[] = []
  for (let now = 0; now < 20_000; now += Math.floor(random() * 40)) {
    if (rate.take('a', Number.POSITIVE_INFINITY, 10, now) === undefined) taken.push(now)
  }
  for (const at of taken) assert.ok(taken.filter(other => other > at - 1000 && other <= at).length <= 10)
  assert.ok(taken.length > 180)
})

const begun = begunRow(
  {
    uuid: 'u' as CallRecord['uuid'],
    sid: 'CA0' as CallRecord['sid'],
    accountUuid: 'a' as CallRecord['accountUuid'],
    direction: 'internal',
    fromNumber: '+1',
    toNumber: '1001',
    customPayload: null,
  },
  0,
)
const record: CallRecord = { ...begun, status: 'answered' }

test('call-control fields are those of docs/api.md', () => {
  const base = { CallSid: 'CA0', AccountSid: 'a', Direction: 'outbound', From: '+1', To: '1001' }
  assert.equal(callFields(record, undefined), { ...base, CallStatus: 'in-progress' })
  assert.equal(callFields({ ...record, status: 'initiated' }, 'x'), {
    ...base,
    CallStatus: 'ringing',
    customPayload: 'x',
  })
  assert.is(callFields({ ...record, status: 'failed', direction: 'inbound' }, undefined).CallStatus, 'completed')
})

test('customPayload: a string verbatim to webhooks, an object to records', () => {
  assert.equal(customPayloadOf(undefined), { object: null, text: undefined })
  assert.equal(customPayloadOf('plain'), { object: { value: 'plain' }, text: 'plain' })
  assert.equal(customPayloadOf(' { "a": 1 }'), { object: { a: 1 }, text: ' { "a": 1 }' })
  assert.equal(customPayloadOf('[1]'), { object: { value: '[1]' }, text: '[1]' })
  assert.equal(customPayloadOf({ a: 1 }), { object: { a: 1 }, text: '{"a":1}' })
  assert.equal(customPayloadOf('{"a":-9007199254740991}').object, { a: -9007199254740991 })
  // As an object its numbers would be others.
  for (const text of ['{"a":[9007199254740993]}', '{"a":{"b":-1e999}}'])
    assert.equal(customPayloadOf(text), { object: { value: text }, text })
  const deep = `{"a":${'['.repeat(4000)}1e999${']'.repeat(4000)}}`
  assert.equal(customPayloadOf(deep).object, { value: deep })
})

test('timestamps are ISO-8601 in UTC', () => {
  assert.is(timestampOf(0), '1970-01-01T00:00:00.000Z')
  assert.is(timestampOf(null), null)
})

test.run()
