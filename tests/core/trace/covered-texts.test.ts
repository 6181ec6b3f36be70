import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CoveredTexts } from '../../../core/trace/covered-texts.ts'
import { withoutSecrets } from '../../../core/trace/redaction.ts'

const documentOf = (count: number, length = 0): string =>
  `<Response><Redirect>https://x.test/${count}?token=C4N${count}&amp;to=2</Redirect>${' '.repeat(length)}</Response>`

test('a document that came before has the same secrets covered as the first time', () => {
  const texts = new CoveredTexts()
  for (let round = 0; round < 3; round++)
    for (let count = 0; count < 200; count++) {
      const text = documentOf(count, (count % 7) * 10_000)
      const covered = texts.of(text)
      assert.is(covered, withoutSecrets(text))
      assert.is(covered.includes('C4N'), false)
    }
})

test.run()
