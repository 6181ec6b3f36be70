import { settingOptions } from '../../core/index.ts'
import type { Group } from './action.ts'
import { account } from './groups/account.ts'
import { asset } from './groups/asset.ts'
import { call } from './groups/call.ts'
import { document } from './groups/document.ts'
import { drain } from './groups/drain.ts'
import { number } from './groups/number.ts'
import { rate } from './groups/rate.ts'
import { trunk } from './groups/trunk.ts'

export const groups: readonly Group[] = [account, number, trunk, rate, document, asset, call, drain]

const settingFlags = settingOptions.flatMap(option => option.flag ?? [])
/** Flags that every command takes. */
export const commonFlags: readonly string[] = ['help', 'version', 'json', 'api', 'config', ...settingFlags]

export const switches: ReadonlySet<string> = new Set([
  'help',
  'version',
  'json',
  'allow-private-urls',
  ...groups.flatMap(group =>
    group.actions.flatMap(action => action.flags.filter(spec => spec.kind === 'switch').map(spec => spec.flag)),
  ),
])

/** Flags that are nothing without a value. */
export const valued: ReadonlySet<string> = new Set(
  [
    ...commonFlags,
    ...groups.flatMap(group => group.actions.flatMap(({ flags }) => flags.map(({ flag }) => flag))),
  ].filter(flag => !switches.has(flag)),
)

const aligned = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n')
}

export const mainHelp = (): string => `usage: sauti <command> [flags]

${aligned([
  ['serve', 'run the switch'],
  ['check', 'prove that the books in the data folder balance'],
  ...groups.map(group => [group.name, group.summary] as const),
])}

${aligned([
  ['--json', 'answers as JSON, for scripts'],
  ['--api URL', 'where the API is (by SAUTI_HTTP)'],
  ['--config FILE', 'settings file (sauti.yaml when there is one)'],
  ['--help', 'of sauti, or of a command'],
  ['--version', ''],
])}

SAUTI_OPERATOR_KEY, or the key in the data folder, opens the operator's commands; SAUTI_API_KEY those of an account.
"sauti serve --help" lists the settings.`

export const serveHelp = (): string => `usage: sauti serve [flags]

Runs the switch until SIGTERM or Ctrl-C, which let live calls end first; the second one stops at once.
Flags win over the environment, that over the settings file, that over the defaults.

${aligned(
  settingOptions.map(option => [
    [option.flag === undefined ? '' : `--${option.flag}`, option.environment ?? '', option.path]
      .filter(name => name !== '')
      .join(', '),
    option.help,
  ]),
)}`

export const checkHelp = (): string => `usage: sauti check [--data FOLDER] [--json]

Reads the data folder, beside a running switch too, and proves that every ledger transaction sums to zero, that balances
and holds are the sums of what they stand for, and that every ended call has what it must have. Exit 0: all is well. 1: not.`

export const groupHelp = (group: Group): string => `usage: sauti ${group.name} <action> [flags]

${group.actions
  .map(action => {
    const words = [action.name, ...action.words.map(word => word.toUpperCase())].join(' ')
    const key = action.access === 'operator' ? '' : ' (SAUTI_API_KEY)'
    const flags = action.flags.map(spec => {
      const value =
        spec.kind === 'switch' ? '' : spec.kind === 'integer' ? ' N' : spec.kind === 'list' ? ' A,B' : ' TEXT'
      return [`  --${spec.flag}${value}`, spec.help] as const
    })
    return `  ${words}\n      ${action.summary}${key}${flags.length === 0 ? '' : `\n${aligned(flags).replace(/^/gm, '    ')}`}`
  })
  .join('\n')}`
