import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { problemsByEvent } from '../../../core/model/call-problem.ts'
import { fetchFaults } from '../../../core/verbs/index.ts'
import { acme } from '../bed/acme.ts'
import { CallBed, type Document } from '../bed/call-bed.ts'

// What was not done in a call that went on stands in its row: a list of calls needs no trace for it.

const hook = 'https://acme.test/in'

function ended(document: Document, hangsUp = false): CallBed {
  const bed = new CallBed()
  bed.store.addAccount({ ...acme, fallbackMode: 'message', fallbackValue: 'Sorry. '.repeat(60) }, 10_000_000)
  bed.documents.set(hook, document)
  const caller = bed.call('+254700000001')
  bed.run(2000)
  if (hangsUp) bed.hangUpCaller(caller)
  bed.run(120_000)
  return bed
}

for (const [name, document, hangsUp, expected] of [
  ['a caller who hangs up during the fallback', { fault: 'status' }, true, ['END.0200', 'END.3502']],
  ['a fallback that ends the call', { fault: 'status' }, false, ['END.3502', '']],
  ['a document that is no XML', '<Response>', true, ['END.0200', 'END.3422']],
  ['a missing asset', '<Response><Play asset="missing"/><Say>Hi</Say></Response>', false, ['END.0202', 'PLAY.0404']],
  ['an unknown voice', '<Response><Say voice="nobody">Hi</Say></Response>', false, ['END.0202', 'SAY.0404']],
  ['a good call', '<Response><Say>Hi</Say></Response>', false, ['END.0202', '']],
] as const)
  test(`${name}: reason and problem of the row, and of the event of the end`, () => {
    const bed = ended(document, hangsUp)
    const { reasonCode, problemCode } = bed.store.call()
    assert.equal([reasonCode, problemCode], expected)
    const end = bed.store.events.at(-1)
    assert.is(end?.data.problem_code, problemCode, end?.code)
    // With the row that is written anyway.
    const writes = bed.of('store.commit').flatMap(({ unit }) => unit)
    const withProblem = writes.filter(change => change.type === 'call.update' && change.set.problemCode !== undefined)
    assert.is(withProblem.length, 1)
  })

test('a failed request has the same reason in the row as at the end of a call', () => {
  const reasons: Readonly<Record<string, string>> = problemsByEvent
  for (const { code, reason } of Object.values(fetchFaults)) assert.is(reasons[code], reason, code)
})

test.run()
