import { settingOptions } from '../../core/index.ts'
import type { Group } from './action.ts'
import { aligned } from './aligned.ts'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
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
  ...commands.flatMap(command => command.flags.filter(spec => spec.value === undefined).map(spec => spec.flag)),
])

/** Flags that are nothing without a value. */
export const valued: ReadonlySet<string> = new Set(
  [
    ...commonFlags,
    ...groups.flatMap(group => group.actions.flatMap(({ flags }) => flags.map(({ flag }) => flag))),
    ...commands.flatMap(command => command.flags.map(({ flag }) => flag)),
  ].filter(flag => !switches.has(flag)),
)

export const mainHelp = (): string => `usage: sauti <command> [flags]

${aligned([
  ...commands.map(command => [command.name, command.summary] as const),
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

export const commandHelp = (command: Command): string => {
  const usage = `usage: sauti ${[command.name, ...command.words].join(' ')} [flags]\n\n${command.about}`
  if (command.flags.length === 0) return usage
  const rows = command.flags.map(
    ({ flag, value, help }) => [`--${flag}${value === undefined ? '' : ` ${value}`}`, help] as const,
  )
  return `${usage}\n\n${aligned(rows)}`
}

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
