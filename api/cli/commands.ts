import { settingOptions, startWriter } from '../../core/startup/index.ts'
import { aligned } from './aligned.ts'
import { backup, restore } from './backup.ts'
import { bench } from './bench.ts'
import type { Command } from './command.ts'
import { completion } from './completion.ts'
import { doctor } from './doctor.ts'
import { init } from './init.ts'
import { licences } from './licences.ts'
import { man } from './man.ts'
import { simulate } from './simulate.ts'
import { upgrade } from './upgrade.ts'

const serve: Command = {
  name: 'serve',
  summary: 'run the switch',
  words: [],
  about: `Runs the switch until SIGTERM or Ctrl-C. The first lets live calls end; the second stops the switch at once.
A flag overrides the environment, which overrides the settings file, which overrides the default.

Settings that have no flag, by environment:

${aligned(
  settingOptions
    .filter(({ flag }) => flag === undefined)
    .map(({ environment, path, help }) => [environment ?? path, help]),
)}`,
  flags: [],
  examples: [
    'sauti serve --data /var/lib/sauti --sip udp:0.0.0.0:5060 --external-address 203.0.113.7',
    'sauti serve --config /etc/sauti/sauti.yaml',
  ],
  exits: {
    0: 'it was stopped, and all calls have ended',
    1: 'it could not start; the log says why',
    2: 'a flag or setting is wrong',
    70: 'a fault of the program; calls are closed at the next start',
    130: 'stopped at once by a second Ctrl-C (143: by a second SIGTERM)',
  },
  run: async ({ settings }) => {
    // Before the database's thread makes its first file: all that is written is for this user alone.
    process.umask(0o077)
    const writer = settings.databaseUrl === undefined ? startWriter(settings) : undefined
    try {
      const { runServe } = await import('./serve.ts')
      return await runServe(settings, writer)
    } finally {
      await writer?.terminate()
    }
  },
}

const check: Command = {
  name: 'check',
  summary: 'prove that the books in the data folder balance',
  words: [],
  about: `Reads the data folder, also while a switch runs on it, and proves that every ledger transaction sums to zero, that balances
and holds equal the sums of their entries, and that every ended call is complete. It changes nothing.`,
  flags: [],
  settings: ['data'],
  examples: ['sauti check --data /var/lib/sauti'],
  exits: { 0: 'the books balance', 1: 'they do not, or cannot be read', 2: 'a flag or setting is wrong' },
  run: async ({ given, settings, print }) => {
    const { runCheck } = await import('./check.ts')
    const checked = runCheck(settings, given.flags.has('json'))
    print(checked.output)
    return checked.code
  },
}

/** Commands that need no running switch, in the order of the help. What a command runs is loaded when it runs. */
export const commands: readonly Command[] = [
  init,
  doctor,
  serve,
  check,
  backup,
  restore,
  upgrade,
  simulate,
  bench,
  completion,
  man,
  licences,
]
