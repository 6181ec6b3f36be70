import type { Settings } from '../../core/index.ts'
import type { Arguments } from './arguments.ts'

/** A flag of one command, beside those that every command takes. */
export interface CommandFlag {
  readonly flag: string
  /** What stands for its value in the help; missing: it takes none. */
  readonly value?: string
  readonly help: string
}

/** A command that works on this machine itself, rather than by a request to the API. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** The words after its name, as the help shows them; empty = none. */
  readonly words: readonly string[]
  /** What the help says under the usage line. */
  readonly about: string
  readonly flags: readonly CommandFlag[]
  /** Resolves with the exit code: 0 done, 1 refused or not well, 2 not understood. */
  run(given: CommandInput): Promise<number>
}

export interface CommandInput {
  readonly given: Arguments
  readonly settings: Settings
  readonly print: (text: string) => void
}

/** The text of a flag; undefined when it was not given. */
export function textOf(given: Arguments, flag: string): string | undefined {
  const value = given.flags.get(flag)
  return typeof value === 'string' ? value : undefined
}
