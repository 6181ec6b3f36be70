import type { Command } from './command.ts'

/** `sauti upgrade --check`: what the start of this program would do to the database. */
export const upgrade: Command = {
  name: 'upgrade',
  summary: 'show what starting this version would do to the database',
  words: [],
  about: `Compares the schema of the database with that of this program, also while a switch runs, and lists the migrations that
a start would run. It changes nothing; the start itself migrates. Migrations only go forward: to return to an older
version, restore a backup that was taken before.`,
  flags: [{ flag: 'check', help: 'check only, which is also the default' }],
  settings: ['data'],
  examples: ['sauti upgrade --check --data /var/lib/sauti'],
  exits: {
    0: 'this program can start on the database',
    1: 'it cannot: a newer program wrote it, or it cannot be read',
    2: 'a flag or setting is wrong',
  },
  run: async input => {
    const { runUpgrade } = await import('./run-upgrade.ts')
    return runUpgrade(input)
  },
}
