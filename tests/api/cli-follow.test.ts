import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApiClient } from '../../api/cli/action/client.ts'
import { followTrace } from '../../api/cli/action/follow-trace.ts'

const entry = (seq: number, text: string) => ({ seq, ms: seq, kind: 'event', leg: null, text, data: {} })
const end = {
  reason_code: 'END.0486',
  reason_label: 'Busy',
  sentence: 'It answered 486 \x1b[31mBusy.',
  advice: '',
  link: '/docs/reasons#END.0486',
  problems: [],
}
const going = { legs: [], end: null, is_over: false, has_more: true }
const pages = [
  { ...going, entries: [entry(1, 'one')], last: 1 },
  { ...going, entries: [entry(2, 'two')], last: 2, has_more: false },
  { ...going, entries: [], last: 2, has_more: false },
  { ...going, entries: [entry(3, 'three')], last: 3, is_over: true, has_more: false, end },
]

async function followed(isJson: boolean): Promise<string> {
  let [text, asked] = ['', 0]
  const client = { request: async () => ({ value: pages[asked++] }) } as unknown as ApiClient
  await followTrace(client, 'CA1', 80, isJson, line => (text += line))
  assert.is(asked, pages.length)
  return text
}

test('a call is followed to its end, which gives no orders to the terminal', async () => {
  const lines = (await followed(false)).split('\n')
  assert.equal(
    lines.slice(0, 3).map(line => line.trim().split(/\s+/).at(-1)),
    ['one', 'two', 'three'],
  )
  assert.equal(lines.slice(3), ['', 'END.0486 Busy. It answered 486 ·[31mBusy.', end.link, ''])
})

test('with --json each page that has something new is a line of JSON', async () => {
  const lines = (await followed(true)).trimEnd().split('\n')
  assert.equal(
    lines.map(line => JSON.parse(line).last),
    [1, 2, 3],
  )
})

test.run()
