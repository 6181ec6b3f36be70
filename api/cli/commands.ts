import { settingOptions } from '../../core/index.ts'
import { aligned } from './aligned.ts'
import { runCheck } from './check.ts'
import type { Command } from './command.ts'
import { runServe } from './serve.ts'
import { simulate } from './simulate.ts'

const serve: Command = {
  name: 'serve',
  summary: 'run the switch',
  words: [],
  about: `Runs the switch until SIGTERM or Ctrl-C, which let live calls end first; the second one stops at once.
Flags win over the environment, that over the settings file, that over the defaults.

${aligned(
  settingOptions.map(option => [
    [option.flag === undefined ? '' : `--${option.flag}`, option.environment ?? '', option.path]
      .filter(name => name !== '')
      .join(', '),
    option.help,
  ]),
)}`,
  flags: [],
  run: ({ settings }) => runServe(settings),
}

const check: Command = {
  name: 'check',
  summary: 'prove that the books in the data folder balance',
  words: [],
  about: `Reads the data folder, beside a running switch too, and proves that every ledger transaction sums to zero, that balances
and holds are the sums of what they stand for, and that every ended call has what it must have. Exit 0: all is well. 1: not.

  --data FOLDER  the data folder (./data)`,
  flags: [],
  run: async ({ given, settings, print }) => {
    const checked = runCheck(settings, given.flags.has('json'))
    print(checked.output)
    return checked.code
  },
}

/** Commands that need no running switch, in the order of the help. */
export const commands: readonly Command[] = [serve, check, simulate]
