import type { CommandEntry } from '../../api/cli/command-entry.ts'
import { commands } from '../../api/cli/commands.ts'
import { groups } from '../../api/cli/group-table.ts'
import { referenceOf, written } from '../../api/cli/reference.ts'

/** `docs/cli.md`: every command, action and flag, from the table that answers `--help`. */
export function cliPage(): string {
  const { commands: entries, common } = referenceOf(commands, groups)
  return `# The command line

Made from the table of commands by \`npm run docs\`; \`sauti COMMAND --help\` and \`sauti man\` say the same. In a checkout: \`npm run -s sauti -- COMMAND\`.

A flag overrides the environment, which overrides the settings file, which overrides the default. A wrong argument or flag is reported with the nearest valid name; the exit code is 2.

With \`--json\` both answers and failures are JSON on standard output; the exit code tells them apart. A failure has the sentence as \`detail\`; \`status\`, \`code\` and \`errors\` are there when the API refused ([errors](errors.md)), and \`errors\` also names each setting that is wrong. Without it failures are sentences on standard error. Commands that need no switch, as \`check\` and \`backup\`, say \`ok\`: true or false.

| Command | What it does |
|---|---|
${entries.map(({ name, summary }) => `| [\`${name}\`](#sauti-${name}) | ${cell(summary)} |`).join('\n')}

Every command takes:

${flagTable(common)}

${entries.map(section).join('\n\n')}
`
}

function section({ name, usage, summary, about, flags, actions, examples, exits }: CommandEntry): string {
  const shown = name === 'serve' ? [] : flags
  const parts = [
    `## sauti ${name}`,
    `\`sauti ${usage}\`: ${cell(summary)}.`,
    about
      .split(/\n{2,}/)
      .map(paragraph => (/^\s/.test(paragraph) ? `\`\`\`text\n${paragraph}\n\`\`\`` : escaped(paragraph)))
      .join('\n\n'),
    name === 'serve' ? 'Every setting, with its flag, is in [settings](settings.md).' : '',
    shown.length === 0 ? '' : flagTable(shown),
    actions.length === 0 ? '' : actionTable(actions),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    `| Exit code | |\n|---|---|\n${Object.entries(exits)
      .map(([code, meaning]) => `| ${code} | ${cell(meaning)} |`)
      .join('\n')}`,
  ]
  return parts.filter(part => part !== '').join('\n\n')
}

const flagTable = (flags: readonly Parameters<typeof written>[0][]): string =>
  `| Flag | |\n|---|---|\n${flags.map(spec => `| \`${written(spec)}\` | ${cell(spec.help)} |`).join('\n')}`

const actionTable = (actions: CommandEntry['actions']): string =>
  `| Action | | Flags |\n|---|---|---|\n${actions
    .map(({ usage, summary, needsAccountKey, flags }) => {
      const key = needsAccountKey ? " (an account's key)" : ''
      return `| \`sauti ${usage}\` | ${cell(summary)}${key} | ${flags.map(spec => `\`${written(spec)}\` ${cell(spec.help)}`).join('; ')} |`
    })
    .join('\n')}`

const escaped = (text: string): string => text.replaceAll('<', '&lt;')
const cell = (text: string): string => escaped(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
