import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { callFields, customPayloadOf } from '../../core/call/call-fields.ts'
import { type CallPhase, callPhaseTable, phaseFacts } from '../../core/call/call-phase.ts'
import { begunRow } from '../../core/call/call-row.ts'
import { callStatusTable } from '../../core/call/call-status.ts'
import { Caps } from '../../core/call/caps.ts'
import { DeadlineHeap } from '../../core/call/deadline-heap.ts'
import { Deadlines } from '../../core/call/deadlines.ts'
import { dialStatusOf, mostTelling } from '../../core/call/dial-outcome.ts'
import { type EndReason, endReasons } from '../../core/call/end-reason.ts'
import { type LegInput, type LegState, legTable } from '../../core/call/leg-states.ts'
import { reasonOf, rejectionReason, triesNextTrunk } from '../../core/call/reason-of.ts'
import { isSid, SidSequence } from '../../core/call/sid.ts'
import { timestampOf } from '../../core/events/call-data.ts'
import type { CallRecord } from '../../core/model/call-record.ts'
import { seeded } from '../rig/seeded.ts'

test('call status: every cell', () => {
  const steps = ['ring', 'answer', 'end'] as const
  const told = Object.entries(callStatusTable).flatMap(([from, row]) =>
    steps.map(step => `${from} ${step} ${row[step] ?? '-'}`),
  )
  assert.equal(told, [
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
  const told = Object.entries(callPhaseTable).flatMap(([from, row]) =>
    steps.map(step => `${from} ${step} ${row[step] ?? '-'}`),
  )
  assert.equal(told, [
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

test('leg states: nothing leaves the end, the end is always near, and an ending leg hears only its end', () => {
  for (const [state, row] of Object.entries(legTable) as [LegState, Partial<Record<LegInput, LegState>>][]) {
    if (state === 'ended') assert.equal(row, {})
    else if (state === 'ending') assert.equal(Object.keys(row), ['leg.ended', 'lost'])
    else assert.ok(row.end === 'ending' || row.end === 'ended', state)
    if (state !== 'ended' && state !== 'idle') assert.is(row['leg.ended'], 'ended', state)
  }
})

const bySip: readonly [number, EndReason][] = [
  [400, 'END.0400'],
  [401, 'END.1401'],
  [402, 'END.0402'],
  [403, 'END.0403'],
  [404, 'END.0404'],
  [405, 'END.0400'],
  [406, 'END.0406'],
  [407, 'END.1401'],
  [408, 'END.0408'],
  [410, 'END.0410'],
  [415, 'END.0488'],
  [416, 'END.0404'],
  [480, 'END.0480'],
  [481, 'END.0400'],
  [484, 'END.0484'],
  [485, 'END.0484'],
  [486, 'END.0486'],
  [487, 'END.0487'],
  [488, 'END.0488'],
  [500, 'END.0500'],
  [502, 'END.0500'],
  [503, 'END.0503'],
  [504, 'END.0500'],
  [599, 'END.0500'],
  [600, 'END.0486'],
  [603, 'END.0603'],
  [604, 'END.0404'],
  [606, 'END.0488'],
  [607, 'END.0603'],
  [608, 'END.0603'],
  [301, 'END.0410'],
  [302, 'END.0480'],
]

test('final responses map to reasons by the table', () => {
  for (const [status, reason] of bySip) assert.is(reasonOf({ kind: 'response', status }), reason, `${status}`)
})

test('every final response and every Q.850 cause has a reason of the catalogue', () => {
  for (let status = 300; status < 700; status++) {
    for (const q850 of [undefined, 0, 16, 17, 19, 31, 127, 200]) {
      const cause = { kind: 'response', status, ...(q850 === undefined ? {} : { q850 }) } as const
      assert.ok(reasonOf(cause) in endReasons)
    }
  }
})

test('a Reason header with Q.850 wins over the status; one that says nothing of its own does not', () => {
  assert.is(reasonOf({ kind: 'response', status: 500, q850: 1 }), 'END.0404')
  assert.is(reasonOf({ kind: 'response', status: 480, q850: 19 }), 'END.0408')
  assert.is(reasonOf({ kind: 'response', status: 503, q850: 21 }), 'END.0603')
  assert.is(reasonOf({ kind: 'response', status: 486, q850: 16 }), 'END.0486')
  assert.is(reasonOf({ kind: 'response', status: 404, q850: 127 }), 'END.0404')
})

test('what else ends a leg', () => {
  assert.is(reasonOf({ kind: 'bye' }), 'END.0200')
  assert.is(reasonOf({ kind: 'bye', q850: 102 }), 'END.0200')
  assert.is(reasonOf({ kind: 'cancel' }), 'END.0487')
  assert.is(reasonOf({ kind: 'timeout' }), 'END.1408')
  assert.is(reasonOf({ kind: 'unreachable' }), 'END.1408')
  assert.is(reasonOf({ kind: 'auth-failed' }), 'END.1401')
  assert.is(reasonOf({ kind: 'session-expired' }), 'END.0212')
})

test('408, 5xx, timeouts and transport failures try the next trunk; a user who said no does not', () => {
  const tries: readonly [Parameters<typeof triesNextTrunk>[0], boolean][] = [
    [{ kind: 'timeout' }, true],
    [{ kind: 'unreachable' }, true],
    [{ kind: 'auth-failed' }, false],
    [{ kind: 'bye' }, false],
    [{ kind: 'response', status: 408 }, true],
    [{ kind: 'response', status: 408, q850: 19 }, false],
    [{ kind: 'response', status: 500 }, true],
    [{ kind: 'response', status: 503 }, true],
    [{ kind: 'response', status: 503, q850: 17 }, false],
    [{ kind: 'response', status: 480, q850: 34 }, true],
    [{ kind: 'response', status: 404 }, false],
    [{ kind: 'response', status: 486 }, false],
    [{ kind: 'response', status: 603 }, false],
  ]
  for (const [cause, expected] of tries) assert.is(triesNextTrunk(cause), expected, JSON.stringify(cause))
})

test('DialCallStatus by the table of reasons', () => {
  for (const reason of Object.keys(endReasons) as EndReason[]) {
    assert.is(dialStatusOf(true, reason), 'completed')
    const expected =
      reason === 'END.0486' || reason === 'END.0603'
        ? 'busy'
        : ['END.0408', 'END.0480', 'END.0487', 'END.1480'].includes(reason)
          ? 'no-answer'
          : 'failed'
    assert.is(dialStatusOf(false, reason), expected, reason)
  }
})

test('of several that failed: busy over no-answer over failed, and of equals the first', () => {
  const of = (...reasons: EndReason[]) => mostTelling(reasons.map((reason, at) => ({ reason, sid: `${at}` })))
  assert.equal(of('END.0404', 'END.0408', 'END.0603', 'END.0486'), { reason: 'END.0603', sid: '2' })
  assert.equal(of('END.0404', 'END.0480', 'END.0500'), { reason: 'END.0480', sid: '1' })
  assert.equal(of('END.0404', 'END.0500'), { reason: 'END.0404', sid: '0' })
  assert.is(of(), undefined)
})

test('a caller who is rejected gets the status that the document asked for', () => {
  assert.is(rejectionReason('END.0202', 603), 'END.0202')
  assert.is(rejectionReason('END.3404', 603), 'END.0603')
  assert.is(rejectionReason('END.0486', 486), 'END.0486')
  assert.is(rejectionReason('END.0202', 486), 'END.0486')
  assert.is(rejectionReason('END.0487', undefined), 'END.0487')
})

test('sids: shaped, unique within a millisecond, ordered by time', () => {
  const sids = new SidSequence(seeded(3))
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

test('the heap of deadlines agrees with a sorted list', () => {
  const random = seeded(11)
  const heap = new DeadlineHeap<number>()
  const model = new Map<number, number>()
  let now = 0
  for (let step = 0; step < 20_000; step++) {
    const key = Math.floor(random() * 50)
    if (random() < 0.1) {
      heap.set(key, undefined)
      model.delete(key)
    } else if (random() < 0.7) {
      const at = now + Math.floor(random() * 100)
      heap.set(key, at)
      model.set(key, at)
    } else {
      now += Math.floor(random() * 30)
      const due = [...model].filter(([, at]) => at <= now)
      for (const _ of due) {
        const taken = heap.takeDue(now)
        assert.ok(taken !== undefined && model.get(taken)! <= now)
        model.delete(taken!)
      }
      assert.is(heap.takeDue(now), undefined)
    }
    assert.is(heap.next(), model.size === 0 ? undefined : Math.min(...model.values()))
  }
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

test('call-control fields are those of the contract', () => {
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
})

test('timestamps are ISO-8601 in UTC', () => {
  assert.is(timestampOf(0), '1970-01-01T00:00:00.000Z')
  assert.is(timestampOf(null), null)
})

test.run()
