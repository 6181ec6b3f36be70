import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { withSection } from '../../bench/page-section.ts'

const page =
  'before\n<!-- one: written by npm run bench one -->\nold\n<!-- /one -->\nbetween\n<!-- two: x -->\n<!-- /two -->\n'

test('what is between the marks is replaced, the marks and all else stay', () => {
  const once = withSection(page, 'one', 'new\nlines')
  assert.is(once, page.replace('old', 'new\nlines'))
  assert.is(withSection(once, 'one', 'old'), page)
  assert.match(withSection(page, 'two', 'first'), /<!-- two: x -->\nfirst\n<!-- \/two -->/)
})

test('a page that has no such section, or only half of its marks, is refused', () => {
  assert.throws(() => withSection(page, 'three', 'x'), /no section three/)
  assert.throws(() => withSection('<!-- /one -->\n<!-- one: x -->\n', 'one', 'x'), /no section one/)
})

test.run()
