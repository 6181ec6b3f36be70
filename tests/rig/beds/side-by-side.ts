import type { Test } from 'uvu'

/**
 * For tests of one suite whose calls never meet, and that mostly wait: gives a way to add them by which all begin with the
 * first of them, and each still reports its own.
 */
export function sideBySide<Context>(suite: Test<Context>): (name: string, test: () => Promise<void>) => void {
  const tests: (() => Promise<void>)[] = []
  let running: readonly Promise<void>[] | undefined
  return (name, test) => {
    const at = tests.push(test) - 1
    suite(name, () => {
      running ??= tests.map(begin)
      return running[at]
    })
  }
}

/** What fails before its turn is reported in its turn. */
function begin(test: () => Promise<void>): Promise<void> {
  const run = test()
  run.catch(() => {})
  return run
}
