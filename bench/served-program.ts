import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * What people install is measured, not the checkout's sources: builds the package, and lets the test bed start its program.
 * Another program that SAUTI_TEST_PROGRAM names stays.
 */
export function useBuiltProgram(): void {
  if (process.env.SAUTI_TEST_PROGRAM !== undefined) return
  process.stderr.write('building the package, some ten seconds\n')
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/build-package.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.env.SAUTI_TEST_PROGRAM = join(root, 'dist/api/cli/program.js')
}
