import { suggestion } from '../../../core/startup/index.ts'

export interface Arguments {
  readonly words: readonly string[]
  /** `--name value`, `--name=value`, or `true` for a flag without a value. */
  readonly flags: ReadonlyMap<string, string | true>
}

/** A wrong command line: reported without a stack, exit code 2. */
export class UsageError extends Error {}

/**
 * `switches` take no value; every other flag does, and one of `valued` without it is a mistake at once (of a flag that
 * nothing more is known than that). After `--` all are words. `-h` is `--help`, `-v` is `--version`.
 */
export function parseArguments(
  argv: readonly string[],
  switches: ReadonlySet<string>,
  valued: ReadonlySet<string>,
): Arguments {
  const words: string[] = []
  const flags = new Map<string, string | true>()
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!
    if (word === '--') {
      words.push(...argv.slice(at + 1))
      break
    }
    if (word === '-h') flags.set('help', true)
    else if (word === '-v') flags.set('version', true)
    else if (!word.startsWith('--')) words.push(word)
    else {
      const [name = '', ...rest] = word.slice(2).split('=')
      if (rest.length > 0) flags.set(name, rest.join('='))
      else if (switches.has(name)) flags.set(name, true)
      else {
        const value = argv[at + 1]
        const isMissing = value === undefined || value.startsWith('--')
        if (isMissing && valued.has(name)) throw new UsageError(`--${name} wants a value`)
        flags.set(name, isMissing ? true : value)
        if (!isMissing) at++
      }
    }
  }
  return { words, flags }
}

/** `is no command: did you mean "account"?` */
export function unknown(kind: string, written: string, known: readonly string[]): UsageError {
  return new UsageError(`"${written}" is no ${kind}${suggestion(written, known)}`)
}
