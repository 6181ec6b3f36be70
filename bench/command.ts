import { parseArgs } from 'node:util'

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>

interface Command {
  readonly values: { readonly [name: string]: string | boolean | undefined }
  /** Says what is wrong with the command, and how it is used; returns the exit code. */
  readonly wrong: (sentence: string) => number
}

/** The options of a command of `bench/`; a number: it has ended with that exit code, after `--help` or a wrong option. */
export function readCommand(usage: string, options: Options): Command | number {
  const wrong = (sentence: string): number => {
    process.stderr.write(`${sentence}\n${usage}\n`)
    return 2
  }
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } })
    if (values.help !== true) return { values, wrong }
    process.stdout.write(`${usage}\n`)
    return 0
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
}

/** One line that is written again and again on a terminal; elsewhere a line each, at most one in `everyMs`. */
export function progressLine(everyMs = 0): { readonly show: (line: string) => void; readonly clear: () => void } {
  const isTerminal = process.stderr.isTTY
  let last = Number.NEGATIVE_INFINITY
  return {
    show: line => {
      if (isTerminal) process.stderr.write(`\r\x1b[K${line}`)
      else if (performance.now() - last > everyMs) {
        process.stderr.write(`${line}\n`)
        last = performance.now()
      }
    },
    clear: () => {
      if (isTerminal) process.stderr.write('\r\x1b[K')
    },
  }
}
