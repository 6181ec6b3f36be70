import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseArguments, UsageError } from '../../api/cli/action/arguments.ts'
import { helpColumns } from '../../api/cli/aligned.ts'
import { commands } from '../../api/cli/commands.ts'
import { completion } from '../../api/cli/completion.ts'
import { commandHelp, groupHelp, groups, mainHelp, reference, switches, valued } from '../../api/cli/help.ts'
import { manPage } from '../../api/cli/man.ts'
import { defaultSettings } from '../../core/model/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-completion-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

async function completionOf(shell: string): Promise<string> {
  let text = ''
  const given = parseArguments(['completion', shell], switches, valued)
  await completion.run({ given, settings: defaultSettings, print: line => (text += `${line}\n`), reference })
  return text
}

test('every help fits a terminal, and has usage, an example and exit codes', () => {
  const helps = [...commands.map(commandHelp), ...groups.map(group => groupHelp(group))]
  for (const help of [mainHelp(), ...helps])
    for (const line of help.split('\n')) {
      // A single word that is wider stays whole, so that it can be copied.
      const isOneWord = /^\s*\S+$/.test(line)
      assert.ok(line.length <= helpColumns || isOneWord, `${line.length}: ${line}`)
    }
  for (const help of helps)
    for (const part of [/^usage: sauti /, /^Examples:$/m, /^Exit codes:$/m]) assert.match(help, part)
})

test('help of one action names that one alone', () => {
  const account = groups.find(({ name }) => name === 'account')!
  assert.match(groupHelp(account, 'create'), /^usage: sauti account create \[flags\]/)
  assert.not.match(groupHelp(account, 'create'), /account ledger/)
})

test('bash completes commands, actions, flags and shells', async () => {
  const script = await completionOf('bash')
  const completed = (...words: string[]) => {
    const line = `COMP_WORDS=(sauti ${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _sauti; printf '%s\\n' "\${COMPREPLY[@]}"`
    const done = spawnSync('bash', ['-c', `${script}\n${line}`], { encoding: 'utf8' })
    assert.is(done.stderr, '')
    return done.stdout.trim().split('\n')
  }
  assert.equal(completed('acc'), ['account'])
  assert.equal(completed('trunk', 'cr'), ['create'])
  assert.equal(completed('trunk', 'create', '--pre'), ['--prefixes', '--prepend'])
  assert.equal(completed('completion', ''), ['bash', 'zsh', 'fish'])
  assert.equal(completed('simulate', '--hang'), ['--hang-up-after'])
  for (const { name } of reference.commands) assert.equal(completed(name).includes(name), true, name)
})

test('zsh and fish scripts have every command and flag; other shells are refused', async () => {
  for (const shell of ['zsh', 'fish']) {
    const script = await completionOf(shell)
    const file = join(folder, shell)
    writeFileSync(file, script)
    const parsed = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    // Where the shell is installed it must take the script.
    if (parsed.error === undefined) assert.equal([parsed.status, parsed.stderr], [0, ''])
    assert.match(script, shell === 'zsh' ? /names=\(.*'help:of sauti, / : /-n __fish_use_subcommand -f -a help -d /)
    for (const { name, actions } of reference.commands) {
      assert.ok(script.includes(name), name)
      for (const { flags } of actions) for (const { flag } of flags) assert.ok(script.includes(flag), flag)
    }
  }
  try {
    await completionOf('ksh')
    assert.unreachable()
  } catch (fault) {
    assert.instance(fault, UsageError)
    assert.match((fault as Error).message, /"ksh" is not a supported shell: bash, zsh, fish/)
  }
})

test('the manual page names every command, action and flag, and no line is a stray request', () => {
  const page = manPage(reference)
  for (const { name, actions, flags } of reference.commands) {
    assert.match(page, new RegExp(`^\\.SS sauti ${name}`, 'm'))
    for (const { flag } of [...flags, ...actions.flatMap(action => action.flags)])
      assert.ok(page.includes(`\\-\\-${flag.replaceAll('-', '\\-')}`), flag)
  }
  const requests = new Set(page.split('\n').flatMap(line => /^\.\S+/.exec(line) ?? []))
  assert.equal([...requests].sort(), ['.B', '.I', '.PP', '.RE', '.RS', '.SH', '.SS', '.TH', '.TP', '.fi', '.nf'])
})

test.run()
