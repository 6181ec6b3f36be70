import type { Settings } from '../../core/index.ts'
import type { Arguments } from './action/arguments.ts'
import type { CommandFlag, Reference } from './command-entry.ts'

/** A command that works on this machine itself, rather than by a request to the API. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** The words after its name, as the help shows them; empty = none. `[WORD]` may be left out. */
  readonly words: readonly string[]
  /** What the help says under the usage line. Lines of one paragraph are joined; blank lines part paragraphs. */
  readonly about: string
  readonly flags: readonly CommandFlag[]
  /** Settings by their flag that matter to it; all when missing, which only `serve` wants. */
  readonly settings?: readonly string[]
  readonly examples: readonly string[]
  /** What each exit code means. */
  readonly exits: Readonly<Record<number, string>>
  /** It works without settings, so that a mistake in them does not keep it from its work. */
  readonly needsNoSettings?: true
  /** Resolves with the exit code: 0 done, 1 refused or not well, 2 not understood. */
  run(given: CommandInput): Promise<number>
}

export interface CommandInput {
  readonly given: Arguments
  readonly settings: Settings
  readonly print: (text: string) => void
  /** All commands, for what is made from their table. */
  readonly reference: Reference
}

/** The text of a flag; undefined when it was not given. */
export function textOf(given: Arguments, flag: string): string | undefined {
  const value = given.flags.get(flag)
  return typeof value === 'string' ? value : undefined
}
