/** A flag of one command, beside those that every command takes. */
export interface CommandFlag {
  readonly flag: string
  /** What stands for its value in the help; missing: it takes none. */
  readonly value?: string
  /** What it does, with its unit, and its default in brackets. */
  readonly help: string
}

/** One command as help, man page, completion and docs/cli.md show it. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** What is written after `sauti`, with words in capitals. */
  readonly usage: string
  readonly about: string
  readonly flags: readonly CommandFlag[]
  /** What a group can do; empty for a command of this machine. */
  readonly actions: readonly ActionEntry[]
  readonly examples: readonly string[]
  readonly exits: Readonly<Record<number, string>>
}

export interface ActionEntry {
  readonly name: string
  readonly usage: string
  readonly summary: string
  readonly needsAccountKey: boolean
  readonly flags: readonly CommandFlag[]
}

export interface Reference {
  readonly commands: readonly CommandEntry[]
  /** Flags that every command takes. */
  readonly common: readonly CommandFlag[]
}
