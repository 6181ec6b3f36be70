import { spawnSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const root = new URL('../../', import.meta.url).pathname
const run = (...words: readonly string[]) =>
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'api/cli/main.ts', 'bench', ...words], {
    cwd: root,
    encoding: 'utf8',
  })

test('sauti bench measures with a switch and callers of its own, and says which wall was met', () => {
  const { status, stdout, stderr } = run('--short', '--json')
  assert.is(status, 0, stderr)
  const report = JSON.parse(stdout)
  assert.ok(report.bridgedCalls.most > 0 || report.bridgedCalls.wall !== undefined, stdout)
  assert.ok(report.callsPerSecond.most > 0 || report.callsPerSecond.wall !== undefined, stdout)
  assert.ok(report.processors > 0)
})

test('a number that is none is refused with what would be right', () => {
  const { status, stderr } = run('--most-calls', 'many')
  assert.is(status, 2)
  assert.match(stderr, '--most-calls wants a number from 1 to 9999, not "many"')
})

test.run()
