import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { dialStatusOf, mostTelling } from '../../../core/dial/dial-outcome.ts'
import { reasonOf, rejectionReason, triesNextTrunk } from '../../../core/leg/reason-of.ts'
import { type EndReason, endReasons } from '../../../core/model/end-reason.ts'

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
  [300, 'END.0410'],
  [301, 'END.0410'],
  [302, 'END.0410'],
  [305, 'END.0410'],
  [380, 'END.0410'],
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
  assert.is(reasonOf({ kind: 'response', status: 302, q850: 17 }), 'END.0486')
  assert.is(reasonOf({ kind: 'response', status: 480, q850: 23 }), 'END.0410')
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
    [{ kind: 'response', status: 302 }, false],
    [{ kind: 'response', status: 302, q850: 34 }, true],
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

test.run()
