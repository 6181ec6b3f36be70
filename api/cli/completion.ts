import { UsageError } from './action/arguments.ts'
import type { Command } from './command.ts'
import type { CommandEntry, Reference } from './command-entry.ts'

type Shell = (reference: Reference) => string

/** `sauti completion bash|zsh|fish`: a script for the shell that completes commands, actions and flags. */
export const completion: Command = {
  name: 'completion',
  summary: 'print the completion of a shell: bash, zsh or fish',
  words: ['SHELL'],
  about: `Prints a script that completes commands, actions and flags, made from the same table as this help. Packages put it where
the shell looks for it; the examples are for one user.`,
  flags: [],
  settings: [],
  examples: [
    'source <(sauti completion bash)',
    'sauti completion zsh > ~/.zfunc/_sauti',
    'sauti completion fish > ~/.config/fish/completions/sauti.fish',
  ],
  exits: { 0: 'printed', 2: 'an argument or flag is wrong' },
  needsNoSettings: true,
  run: async ({ given, print, reference }) => {
    const name = given.words[1] ?? ''
    const shell = shells[name]
    if (shell === undefined)
      throw new UsageError(`"${name}" is not a supported shell: ${Object.keys(shells).join(', ')}`)
    print(shell(reference))
    return 0
  },
}

/** `sauti help [COMMAND]`, which the program knows beside the table. */
const helpOf = (commands: readonly CommandEntry[]): CommandEntry => ({
  name: 'help',
  summary: 'of sauti, or of a command',
  usage: 'help [COMMAND]',
  about: '',
  flags: [],
  actions: commands.map(({ name, summary }) => ({ name, summary, usage: name, needsAccountKey: false, flags: [] })),
  examples: [],
  exits: {},
})
const withHelp =
  (shell: Shell): Shell =>
  ({ commands, common }) =>
    shell({ commands: [...commands, helpOf(commands)], common })

const dashed = (flags: readonly { readonly flag: string }[]): string => flags.map(({ flag }) => `--${flag}`).join(' ')
const hasActions = ({ actions }: CommandEntry): boolean => actions.length > 0
/** The words that may follow a command: its actions, or what its usage lists. */
const wordsAfter = (entry: CommandEntry): string =>
  hasActions(entry) ? entry.actions.map(({ name }) => name).join(' ') : entry.name === 'completion' ? shellNames : ''

const bash: Shell = ({ commands, common }) => `# bash completion of sauti
_sauti() {
  local word=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} action=\${COMP_WORDS[2]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ] && [[ $word != -* ]]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$word"))
    return
  fi
  local flags='${dashed(common)}' words=''
  case $command in
${commands.map(bashCase).join('\n')}
  esac
  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _sauti sauti`

function bashCase(entry: CommandEntry): string {
  if (!hasActions(entry))
    return `    ${entry.name}) words='${wordsAfter(entry)}' flags="$flags ${dashed(entry.flags)}" ;;`
  const actions = entry.actions.map(({ name, flags }) => `        ${name}) flags="$flags ${dashed(flags)}" ;;`)
  return `    ${entry.name}) words='${wordsAfter(entry)}'
      case $action in
${actions.join('\n')}
      esac ;;`
}

const zsh: Shell = ({ commands, common }) => `#compdef sauti
# zsh completion of sauti
_sauti() {
  local -a names flags
  flags=(${common.map(zshFlag).join(' ')})
  if (( CURRENT == 2 )) && [[ $words[CURRENT] != -* ]]; then
    names=(${commands.map(({ name, summary }) => single(`${name}:${summary}`)).join(' ')})
    _describe command names
    return
  fi
  local line_words=("\${(@)words}")
  case $line_words[2] in
${commands.map(zshCase).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe flag flags
  elif (( CURRENT == 3 )) && (( $#names )); then _describe word names
  else _files
  fi
}
if [[ $funcstack[1] == _sauti ]]; then _sauti "$@"; else compdef _sauti sauti; fi`

const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const zshFlag = ({ flag, help }: { readonly flag: string; readonly help: string }): string =>
  single(`--${flag}:${help.replaceAll(':', '\\:')}`)

function zshCase(entry: CommandEntry): string {
  if (!hasActions(entry)) {
    const words = wordsAfter(entry)
    return `    ${entry.name}) names=(${words}); flags+=(${entry.flags.map(zshFlag).join(' ')}) ;;`
  }
  const names = entry.actions.map(({ name, summary }) => single(`${name}:${summary.replaceAll(':', '\\:')}`)).join(' ')
  const actions = entry.actions.map(({ name, flags }) => `        ${name}) flags+=(${flags.map(zshFlag).join(' ')}) ;;`)
  return `    ${entry.name}) names=(${names})
      case $line_words[3] in
${actions.join('\n')}
      esac ;;`
}

const fish: Shell = ({ commands, common }) =>
  [
    '# fish completion of sauti',
    ...commands.map(
      ({ name, summary }) => `complete -c sauti -n __fish_use_subcommand -f -a ${name} -d ${fishText(summary)}`,
    ),
    ...common.map(({ flag, value, help }) => fishFlag('', flag, value, help)),
    ...commands.flatMap(entry => {
      const isCommand = `__fish_seen_subcommand_from ${entry.name}`
      const words = wordsAfter(entry)
      const isFirst = `${isCommand}; and not __fish_seen_subcommand_from ${words}`
      return [
        ...(hasActions(entry)
          ? entry.actions.map(
              ({ name, summary }) => `complete -c sauti -n '${isFirst}' -f -a ${name} -d ${fishText(summary)}`,
            )
          : words === ''
            ? []
            : [`complete -c sauti -n '${isFirst}' -f -a '${words}'`]),
        ...entry.flags.map(({ flag, value, help }) => fishFlag(isCommand, flag, value, help)),
        ...entry.actions.flatMap(action =>
          action.flags.map(({ flag, value, help }) =>
            fishFlag(`${isCommand}; and __fish_seen_subcommand_from ${action.name}`, flag, value, help),
          ),
        ),
      ]
    }),
  ].join('\n')

const fishText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const fishFlag = (condition: string, flag: string, value: string | undefined, help: string): string =>
  `complete -c sauti${condition === '' ? '' : ` -n '${condition}'`} -l ${flag}${value === undefined ? '' : ' -r'} -d ${fishText(help)}`

const shells: Readonly<Record<string, Shell>> = { bash: withHelp(bash), zsh: withHelp(zsh), fish: withHelp(fish) }
const shellNames = Object.keys(shells).join(' ')
