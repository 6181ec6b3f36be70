import { settingOptions } from '../../core/startup/index.ts'
import type { Action, FieldFlag, Group } from './action/action.ts'
import type { Command } from './command.ts'
import type { ActionEntry, CommandEntry, CommandFlag, Reference } from './command-entry.ts'

export const commonEntries: readonly CommandFlag[] = [
  { flag: 'json', help: 'answers and failures as JSON on standard output, for scripts' },
  { flag: 'api', value: 'URL', help: 'where the API is (by SAUTI_HTTP)' },
  {
    flag: 'config',
    value: 'FILE',
    help: 'settings file (sauti.yaml; else, of the Debian package, /etc/sauti/sauti.yaml)',
  },
  { flag: 'data', value: 'FOLDER', help: 'the data folder (./data)' },
  { flag: 'help', help: 'of sauti, or of a command' },
  { flag: 'version', help: 'prints the version' },
]

const groupExits = {
  0: 'done',
  1: 'the switch refused it, or does not answer',
  2: 'an argument, flag or setting is wrong',
}

/** The table of all commands, from which everything about them is made. */
export const referenceOf = (commands: readonly Command[], groups: readonly Group[]): Reference => ({
  commands: [...commands.map(entryOfCommand), ...groups.map(entryOfGroup)],
  common: commonEntries,
})

export function entryOfCommand(command: Command): CommandEntry {
  const { name, summary, words, about, flags, examples, exits } = command
  const usage = [name, ...words, '[flags]'].join(' ')
  return { name, summary, usage, about, flags: [...flags, ...settingFlagsOf(command)], actions: [], examples, exits }
}

export const entryOfGroup = (group: Group): CommandEntry => ({
  name: group.name,
  summary: group.summary,
  usage: `${group.name} ACTION [flags]`,
  about: '',
  flags: [],
  actions: group.actions.map(action => entryOfAction(group, action)),
  examples: group.examples,
  exits: groupExits,
})

const entryOfAction = (group: Group, action: Action): ActionEntry => ({
  name: action.name,
  usage: [group.name, action.name, ...action.words.map(word => word.toUpperCase())].join(' '),
  summary: action.summary,
  needsAccountKey: action.access === 'customer',
  flags: action.flags.map(flagOfField),
})

const valueNames = { text: 'TEXT', integer: 'N', list: 'A,B', switch: undefined } as const

function flagOfField({ flag, kind, help }: FieldFlag): CommandFlag {
  const value = valueNames[kind]
  return value === undefined ? { flag, help } : { flag, help, value }
}

function settingFlagsOf({ settings }: Command): readonly CommandFlag[] {
  return settingOptions.flatMap(({ flag, environment, path, help }) => {
    if (flag === undefined || (settings !== undefined && !settings.includes(flag))) return []
    const named = `${help}; or ${environment === undefined ? '' : `${environment}, `}${path} in the settings file`
    return flag === 'allow-private-urls' ? { flag, help: named } : { flag, help: named, value: 'VALUE' }
  })
}

/** `--name VALUE`. */
export const written = ({ flag, value }: CommandFlag): string => `--${flag}${value === undefined ? '' : ` ${value}`}`
