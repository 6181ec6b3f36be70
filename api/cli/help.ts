import { settingOptions } from '../../core/startup/index.ts'
import type { Group } from './action/action.ts'
import { aligned, helpColumns, wrapped } from './aligned.ts'
import type { Command } from './command.ts'
import type { CommandEntry } from './command-entry.ts'
import { commands } from './commands.ts'
import { groups } from './group-table.ts'
import { commonEntries, entryOfCommand, entryOfGroup, referenceOf, written } from './reference.ts'

export { groups }

export const reference = referenceOf(commands, groups)

const settingFlags = settingOptions.flatMap(option => option.flag ?? [])
/** Flags that every command takes. */
export const commonFlags: readonly string[] = [...new Set([...commonEntries.map(({ flag }) => flag), ...settingFlags])]

/** A setting that is on when its flag is written without a value. */
export const switches: ReadonlySet<string> = new Set([
  'allow-private-urls',
  ...[
    ...commonEntries,
    ...commands.flatMap(command => command.flags),
    ...groups.flatMap(group => entryOfGroup(group).actions.flatMap(action => action.flags)),
  ].flatMap(({ flag, value }) => (value === undefined ? [flag] : [])),
])

/** Flags that are nothing without a value. */
export const valued: ReadonlySet<string> = new Set(
  [
    ...commonFlags,
    ...groups.flatMap(group => group.actions.flatMap(({ flags }) => flags.map(({ flag }) => flag))),
    ...commands.flatMap(command => command.flags.map(({ flag }) => flag)),
  ].filter(flag => !switches.has(flag)),
)

export const mainHelp = (): string => `usage: sauti COMMAND [flags]

${aligned(reference.commands.map(({ name, summary }) => [name, summary]))}

${aligned(commonEntries.map(spec => [written(spec), spec.help]))}

${wrapped(`SAUTI_OPERATOR_KEY, or the key in the data folder, opens the operator's commands; SAUTI_API_KEY those of an account.
"sauti COMMAND --help" gives details; "sauti serve --help" lists the settings.`)}`

export const commandHelp = (command: Command): string => helpOf(entryOfCommand(command))

/** Help of a group, or of one of its actions. */
export function groupHelp(group: Group, action?: string): string {
  const entry = entryOfGroup(group)
  const one = entry.actions.filter(({ name }) => name === action)
  return helpOf(one.length === 0 ? entry : { ...entry, usage: `${one[0]!.usage} [flags]`, actions: one })
}

function helpOf(entry: CommandEntry): string {
  const { flags, actions, examples, exits } = entry
  const parts = [
    `usage: sauti ${entry.usage}`,
    wrapped(`${entry.summary[0]!.toUpperCase()}${entry.summary.slice(1)}.`),
    wrapped(entry.about),
    actions.map(actionHelp).join('\n'),
    flags.length === 0 ? '' : `Flags:\n${aligned(flags.map(spec => [written(spec), spec.help]))}`,
    `Flags of every command: ${commonEntries.map(({ flag }) => `--${flag}`).join(' ')}`,
    `Examples:\n${examples.map(example => `  ${example.replaceAll(/(.{50,70}) --/g, '$1 \\\n      --')}`).join('\n')}`,
    `Exit codes:\n${aligned(Object.entries(exits))}`,
  ]
  return parts.filter(part => part !== '').join('\n\n')
}

function actionHelp({ usage, summary, needsAccountKey, flags }: CommandEntry['actions'][number]): string {
  const rows = flags.map(spec => [`  ${written(spec)}`, spec.help] as const)
  const said = aligned([['', `${summary}${needsAccountKey ? ' (SAUTI_API_KEY)' : ''}`]], helpColumns - 2)
  return `  ${usage}\n${said.replace(/^/gm, '  ')}${rows.length === 0 ? '' : `\n${aligned(rows)}`}`
}
