import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { KnownProblems } from '../../api/answer/known-problems.ts'
import { checkDocument } from '../../core/index.ts'

// A list of documents checks a text once, and not for each reader again.

const opened = () => {
  const checked: string[] = []
  const known = new KnownProblems(body => {
    checked.push(body)
    return checkDocument(Buffer.from(body)).problems
  })
  return { known, checked }
}

test('a text is checked once, and one that differs for itself', () => {
  const { known, checked } = opened()
  const wrong = '<Response><Sya/></Response>'
  const right = '<Response><Say>a</Say></Response>'
  for (let times = 0; times < 3; times++) {
    assert.equal(known.of(wrong), checkDocument(Buffer.from(wrong)).problems)
    assert.equal(known.of(right), [])
  }
  assert.equal(checked, [wrong, right])
})

test('the texts that were asked for longest ago are forgotten', () => {
  const { known, checked } = opened()
  const text = (at: number) => `<Response><Pause length="${at}"/></Response>`
  for (let at = 0; at < 1001; at++) {
    known.of(text(at))
    known.of(text(1))
  }
  assert.is(checked.length, 1001)
  known.of(text(1))
  known.of(text(1000))
  assert.is(checked.length, 1001)
  known.of(text(0))
  assert.is(checked.length, 1002)
})

test.run()
