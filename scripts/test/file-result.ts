/** What a test file reported: how many of its tests passed, and what it wrote. */
export interface FileResult {
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
  readonly output: string
}

/** Of a file whose tests are through, however its process ended (`isClean`: by itself, without a complaint). */
export function readResult(file: string, output: string, seconds: number, isClean: boolean): FileResult {
  const counts = (label: string) =>
    [...output.matchAll(new RegExp(`^\\s*${label}:\\s+(\\d+)`, 'gm'))].map(match => Number(match[1]))
  const count = (label: string) => counts(label).reduce((sum, each) => sum + each, 0)
  const passed = count('Passed')
  // uvu leaves what is skipped out of its total.
  const skipped = count('Skipped')
  const ranNone = count('Total') === 0 && skipped === 0
  const failed = Math.max(0, count('Total') - passed)
  const hasCrashed = !isClean || ranNone || counts('Total').length === 0
  return {
    file,
    passed,
    skipped,
    seconds,
    output: ranNone ? `${output}\n${file} ran no test` : output,
    failed: failed === 0 && hasCrashed ? 1 : failed,
  }
}

/** A test file that runs longer than this is killed. */
export const fileTimeoutMs = 240_000
/** A file that has reported its results must end: what keeps it alive is a leak of its own, or of what it tests. */
export const endTimeoutMs = 15_000
/** Written by uvu after a file's last test. */
export const summaryLine = /^\s*Duration:/m
/** Written by a process that several files share when one of them has ended: 0 where that was without a complaint. */
export const formatEnd = (exitCode: number): string => `\n\u0000ended ${exitCode}\n`
export const endMark = /\n\u0000ended (\d+)\n/
