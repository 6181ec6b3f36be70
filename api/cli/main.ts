#!/usr/bin/env node
import { settingOptions } from '../../core/index.ts'
import { version } from '../server.ts'
import { readSettings } from '../settings-files.ts'
import { type Arguments, parseArguments, UsageError, unknown } from './arguments.ts'
import { runCheck } from './check.ts'
import { ApiRefusal, ApiUnreachable } from './client.ts'
import { checkHelp, commonFlags, groupHelp, groups, mainHelp, serveHelp, switches, valued } from './help.ts'
import { runAction } from './run-action.ts'
import { runServe } from './serve.ts'

const commands = ['serve', 'check', ...groups.map(group => group.name)]
const print = (text: string) => process.stdout.write(`${text}\n`)
const complain = (text: string) => process.stderr.write(`${text}\n`)

/** 0: done; 1: refused, or not well; 2: cannot be understood. */
async function run(argv: readonly string[]): Promise<number> {
  const given = parseArguments(argv, switches, valued)
  const [command] = given.words
  if (given.flags.has('version')) {
    print(version)
    return 0
  }
  if (command === undefined || command === 'help') {
    print(mainHelp())
    return command === undefined && !given.flags.has('help') ? 2 : 0
  }
  const group = groups.find(group => group.name === command)
  if (!commands.includes(command)) throw unknown('command', command, commands)
  if (given.flags.has('help')) {
    print(command === 'serve' ? serveHelp() : command === 'check' ? checkHelp() : groupHelp(group!))
    return 0
  }
  if (group === undefined) refuseUnknownFlags(command, given)
  const parsed = readSettings(settingFlags(given), textFlag(given, 'config'))
  if (!parsed.ok) {
    for (const { name, message } of parsed.problems) complain(`${name}: ${message}`)
    return 2
  }
  if (group !== undefined) {
    print(await runAction(group, given, parsed.settings))
    return 0
  }
  if (command === 'serve') return runServe(parsed.settings)
  const checked = runCheck(parsed.settings, given.flags.has('json'))
  print(checked.output)
  return checked.code
}

function refuseUnknownFlags(command: string, given: Arguments): void {
  if (given.words.length > 1) throw new UsageError(`sauti ${command}: "${given.words[1]}" is too much`)
  const written = [...given.flags.keys()].find(flag => !commonFlags.includes(flag))
  if (written !== undefined)
    throw unknown(
      'flag',
      `--${written}`,
      commonFlags.map(flag => `--${flag}`),
    )
}

/** Flags that are settings. An action's own flag of the same name has been taken for the action. */
function settingFlags(given: Arguments): Record<string, unknown> {
  const names = settingOptions.flatMap(option => option.flag ?? [])
  return Object.fromEntries([...given.flags].filter(([name]) => names.includes(name)))
}

function textFlag(given: Arguments, name: string): string | undefined {
  const value = given.flags.get(name)
  return typeof value === 'string' ? value : undefined
}

async function main(): Promise<number> {
  try {
    return await run(process.argv.slice(2))
  } catch (fault) {
    if (fault instanceof UsageError) {
      complain(`${fault.message}\nsauti --help tells more.`)
      return 2
    }
    if (fault instanceof ApiRefusal || fault instanceof ApiUnreachable) {
      complain(fault.message)
      const { errors } = (fault instanceof ApiRefusal ? fault.body : {}) as {
        errors?: readonly { field: string; message: string }[]
      }
      for (const { field, message } of errors?.slice(1) ?? []) complain(`${field}: ${message}`)
      return 1
    }
    throw fault
  }
}

process.exitCode = await main()
