import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const program = new URL('./start-thread/program.ts', import.meta.url).pathname

/** What V8 did about the heap of C++ objects of a thread whose old space was collected some times. */
function sweeps(how: 'usual' | 'ours'): { readonly byV8: number; readonly byItself: number } {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-start-thread-'))
  const file = join(folder, 'trace.json')
  try {
    execFileSync(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        '--trace-event-categories=cppgc',
        `--trace-event-file-pattern=${file}`,
        program,
        how,
      ],
      { stdio: 'pipe' },
    )
    const { traceEvents } = JSON.parse(readFileSync(file, 'utf8')) as { traceEvents: readonly { name: string }[] }
    const count = (name: string) => traceEvents.filter(event => event.name === name).length
    return { byV8: count('CppGC.ConcurrentSweep'), byItself: count('CppGC.IncrementalSweep') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('a thread of ours sweeps its C++ objects itself, and so never turns in its event loop for one of V8', () => {
  const usual = sweeps('usual')
  assert.ok(usual.byV8 > 0, 'V8 has threads that sweep')
  const ours = sweeps('ours')
  assert.is(ours.byV8, 0)
  assert.ok(ours.byItself > 0, 'there was something to sweep')
})

test.run()
