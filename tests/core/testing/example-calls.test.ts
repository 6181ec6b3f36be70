import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { callTasks } from '../../../scripts/docs/examples-page.ts'

const root = new URL('../../../', import.meta.url).pathname
const folder = 'docs/examples/calls'

test('twelve tasks of docs/examples.md have a document and a unit test each', () => {
  const files = callTasks.flatMap(([name]) => [`${name}.test.ts`, `${name}.ts`])
  assert.is(callTasks.length, 12)
  assert.equal(readdirSync(`${root}${folder}`).sort(), files.sort())
})

test('their unit tests pass as they stand, in virtual time', () => {
  const files = callTasks.map(([name]) => `${folder}/${name}.test.ts`)
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=sauti-source', '--test', '--test-isolation=none', '--test-reporter=tap', ...files],
    { cwd: root, encoding: 'utf8' },
  )
  assert.is(status, 0, `${stdout}${stderr}`)
  const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1])
  assert.ok(passed >= callTasks.length, `${passed} ran`)
})

test.run()
