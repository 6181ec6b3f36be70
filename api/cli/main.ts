#!/usr/bin/env node
import { defaultSettings, settingOptions } from '../../core/startup/index.ts'
import { version } from '../base/version.ts'
import { readSettings } from '../settings-files.ts'
import { type Arguments, parseArguments, UsageError, unknown } from './action/arguments.ts'
import { type Command, textOf } from './command.ts'
import { commands } from './commands.ts'
import { failureOf, failureText } from './failure.ts'
import { collectOldRarely, collectYoungWithFewThreads } from './garbage-collection.ts'
import { commandHelp, commonFlags, groupHelp, groups, mainHelp, reference, switches, valued } from './help.ts'
import { runAction } from './run-action.ts'

const names = [...commands, ...groups].map(({ name }) => name)
const print = (text: string) => process.stdout.write(`${text}\n`)
const complain = (text: string) => process.stderr.write(`${text}\n`)
/** Known before the arguments are understood, so that what is wrong with them is JSON as well. */
const isJson = process.argv.slice(2).some(word => word === '--json')
const tell = isJson ? print : complain

/** 0: done; 1: refused, or not well; 2: cannot be understood. */
async function run(argv: readonly string[]): Promise<number> {
  const given = parseArguments(argv, switches, valued)
  const isHelp = given.flags.has('help') || given.words[0] === 'help'
  const words = given.words[0] === 'help' ? given.words.slice(1) : given.words
  const [name] = words
  if (given.flags.has('version')) {
    print(version)
    return 0
  }
  if (name === undefined) {
    print(mainHelp())
    return isHelp ? 0 : 2
  }
  const group = groups.find(group => group.name === name)
  const command = commands.find(command => command.name === name)
  if (group === undefined && command === undefined) throw unknown('command', name, names)
  if (isHelp) {
    print(command === undefined ? groupHelp(group!, words[1]) : commandHelp(command))
    return 0
  }
  if (command !== undefined) refuseUnknown(command, given)
  if (command?.needsNoSettings === true) return command.run({ given, settings: defaultSettings, print, reference })
  const parsed = readSettings(settingFlags(given), textOf(given, 'config'))
  if (!parsed.ok) {
    const errors = parsed.problems.map(({ name, message }) => ({ field: name, message }))
    const lines = errors.map(({ field, message }) => `${field}: ${message}`)
    tell(isJson ? failureText({ exit: 2, detail: lines[0] ?? '', errors }, isJson) : lines.join('\n'))
    return 2
  }
  const { settings } = parsed
  if (command !== undefined) return command.run({ given, settings, print, reference })
  const { text, exit } = await runAction(group!, given, settings)
  print(text)
  return exit
}

function refuseUnknown(command: Command, given: Arguments): void {
  const { length } = command.words
  if (given.words.length > length + 1)
    throw new UsageError(`sauti ${command.name}: "${given.words[length + 1]}" is one argument too many`)
  if (given.words.length < command.words.filter(word => !word.startsWith('[')).length + 1)
    throw new UsageError(
      `sauti ${[command.name, ...command.words].join(' ')}: ${command.words[given.words.length - 1]} is missing`,
    )
  const known = [...commonFlags, ...command.flags.map(spec => spec.flag)]
  const written = [...given.flags.keys()].find(flag => !known.includes(flag))
  if (written === undefined) return
  throw unknown(
    'flag',
    `--${written}`,
    known.map(flag => `--${flag}`),
  )
}

/** Flags that are settings. An action's own flag of the same name has been taken for the action. */
function settingFlags(given: Arguments): Record<string, unknown> {
  const names = settingOptions.flatMap(option => option.flag ?? [])
  return Object.fromEntries([...given.flags].filter(([name]) => names.includes(name)))
}

async function main(): Promise<number> {
  try {
    return await run(process.argv.slice(2))
  } catch (fault) {
    const failure = failureOf(fault)
    if (failure !== undefined) {
      tell(failureText(failure, isJson))
      return failure.exit
    }
    throw fault
  }
}

// A reader of the output may have seen enough, as `head` has: that is no failure. A switch that serves goes on.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EPIPE') throw fault
    if (!process.argv.slice(2).includes('serve')) process.exit()
  })

collectYoungWithFewThreads()
collectOldRarely()
process.exitCode = await main()
