import type { Command } from './command.ts'
import type { CommandEntry, Reference } from './command-entry.ts'
import { written } from './reference.ts'

/** `sauti man`: the manual page sauti(1), for the package and for `sauti man | man -l -`. */
export const man: Command = {
  name: 'man',
  summary: 'print the manual page sauti(1)',
  words: [],
  about: 'Prints the manual page in the format of man(7), made from the same table as this help.',
  flags: [],
  settings: [],
  examples: ['sauti man | man -l -', 'sauti man > /usr/share/man/man1/sauti.1'],
  exits: { 0: 'printed', 2: 'an argument or flag is wrong' },
  needsNoSettings: true,
  run: async ({ print, reference }) => {
    print(manPage(reference))
    return 0
  },
}

export function manPage({ commands, common }: Reference): string {
  return [
    '.TH SAUTI 1 "" "Sauti" "User commands"',
    '.SH NAME',
    'sauti \\- programmable voice service: SIP trunks, browser phones, XML documents',
    '.SH SYNOPSIS',
    '.B sauti',
    '.I COMMAND',
    '[\\fIflags\\fR]',
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH FLAGS OF EVERY COMMAND',
    ...common.flatMap(flagLines),
    '.SH ENVIRONMENT',
    ...definition('SAUTI_OPERATOR_KEY', "the key of the operator's commands; else the one in the data folder"),
    ...definition('SAUTI_API_KEY', "the key of an account, for the account's commands"),
    ...definition('SAUTI_…', 'every setting of "sauti serve --help" that names one'),
    '.SH FILES',
    ...definition('sauti.yaml', 'settings, in the folder where the program starts, or where --config says'),
    ...definition('/etc/sauti/sauti.yaml', 'settings of the Debian package, where neither of the two is'),
    ...definition('data/', 'database, recordings, assets, keys; --data names another folder'),
  ].join('\n')
}

function section({ usage, summary, about, flags, actions, examples, exits }: CommandEntry): string[] {
  return [
    `.SS sauti ${escaped(usage)}`,
    line(`${summary}.`),
    ...about.split(/\n{2,}/).flatMap(paragraph => {
      if (paragraph === '') return []
      if (/^\s/.test(paragraph)) return ['.PP', '.nf', ...paragraph.split('\n').map(line), '.fi']
      return ['.PP', line(paragraph.replaceAll('\n', ' '))]
    }),
    ...actions.flatMap(action => [
      ...definition(`sauti ${action.usage}`, `${action.summary}${action.needsAccountKey ? ' (SAUTI_API_KEY)' : ''}`),
      ...(action.flags.length === 0 ? [] : ['.RS', ...action.flags.flatMap(flagLines), '.RE']),
    ]),
    ...flags.flatMap(flagLines),
    '.PP',
    'Examples:',
    '.PP',
    '.nf',
    ...examples.map(example => line(`    ${example}`)),
    '.fi',
    '.PP',
    'Exit codes:',
    ...Object.entries(exits).flatMap(([code, meaning]) => definition(code, meaning)),
  ]
}

const flagLines = (flag: Parameters<typeof written>[0]): string[] => definition(written(flag), flag.help)
const definition = (term: string, text: string): string[] => ['.TP', `.B ${escaped(term)}`, line(text)]
/** A line of text: a dot or an apostrophe at its start would be a request to troff. */
const line = (text: string): string => escaped(text).replace(/^(['.])/, '\\&$1')
const escaped = (text: string): string => text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq')
