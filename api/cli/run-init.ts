import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { stringify } from 'yaml'
import { makeFirstRows } from '../../core/index.ts'
import { ensureOperatorKey } from '../operator-key.ts'
import { defaultFile, readSettings } from '../settings-files.ts'
import { UsageError } from './action/arguments.ts'
import { type CommandInput, textOf } from './command.ts'

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9-]*[a-z0-9])?)*$/i

interface Question {
  readonly flag: string
  readonly asked: string
  readonly fallback: string
  readonly isRight: (text: string) => boolean
}

const questions: readonly Question[] = [
  {
    flag: 'domain',
    asked: 'Domain of phones and of the public address (voice.example.com)',
    fallback: 'localhost',
    isRight: text => hostName.test(text),
  },
  {
    flag: 'external-address',
    asked: 'IP address that carriers reach this machine by, one of IPv6 after a comma; empty: it is detected',
    fallback: '',
    isRight: text => text === '' || text.split(',').every(address => isIP(address.trim()) !== 0),
  },
  {
    flag: 'trunk',
    asked: "Your carrier's host (sip.carrier.example); empty: none yet",
    fallback: '',
    isRight: text => text === '' || isIP(text) !== 0 || hostName.test(text),
  },
  { flag: 'account', asked: 'Name of the first account; empty: none yet', fallback: '', isRight: () => true },
]

/** The work of `sauti init`. Returns the exit code. */
export async function runInit(input: CommandInput): Promise<number> {
  const { given, print } = input
  const file = resolve(textOf(given, 'config') ?? defaultFile)
  const folder = resolve(textOf(given, 'data') ?? process.env.SAUTI_DATA ?? 'data')
  for (const path of [file, join(folder, 'sauti.db')])
    if (existsSync(path)) {
      process.stderr.write(
        `${path} is there already: nothing was changed. Remove it, or name another with --config or --data.\n`,
      )
      return 1
    }
  const answers = await answersOf(input)
  // As when it serves: what is made is for this user alone.
  process.umask(0o077)
  const text = settingsText(folder, answers)
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
    const parsed = readSettings({}, file)
    if (!parsed.ok) {
      rmSync(file)
      for (const { name, message } of parsed.problems) process.stderr.write(`${name}: ${message}\n`)
      return 2
    }
    const { settings } = parsed
    const operatorKey = ensureOperatorKey({ ...settings, dataFolder: folder })
    const { account, trunk } = answers
    const inboundHosts = (textOf(given, 'trunk-hosts') ?? '').split(',').filter(host => host !== '')
    const { key } = await makeFirstRows(folder, settings.publicUrl, {
      account: account === '' ? undefined : account,
      trunk: trunk === '' || trunk === undefined ? undefined : { host: trunk, inboundHosts },
    })
    const facts = { settings: file, data: folder, operator_key: operatorKey, account_key: key ?? null }
    print(given.flags.has('json') ? JSON.stringify(facts, null, 2) : nextSteps(file, folder, operatorKey, key))
    return 0
  } catch (fault) {
    // A file that another process has just made is not ours to remove.
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(file, { force: true })
    if ((fault as NodeJS.ErrnoException).code === undefined) throw fault
    process.stderr.write(`${(fault as Error).message}\n`)
    return 1
  }
}

async function answersOf({ given }: CommandInput): Promise<Readonly<Record<string, string>>> {
  const answers: Record<string, string> = {}
  const isAsked = process.stdin.isTTY === true && !given.flags.has('json')
  const terminal = isAsked ? createInterface({ input: process.stdin, output: process.stderr }) : undefined
  try {
    for (const { flag, asked, fallback, isRight } of questions) {
      let text = textOf(given, flag)
      if (text !== undefined && !isRight(text))
        throw new UsageError(`--${flag}: "${text}" is not what is wanted: ${asked}`)
      while (text === undefined) {
        const written = terminal === undefined ? fallback : (await terminal.question(`${asked} [${fallback}]: `)).trim()
        const answer = written === '' ? fallback : written
        if (isRight(answer)) text = answer
        else process.stderr.write(`"${answer}" does not fit here; once more:\n`)
      }
      answers[flag] = text
    }
  } finally {
    terminal?.close()
  }
  return answers
}

function settingsText(
  data: string,
  { domain, 'external-address': externalAddress }: Readonly<Record<string, string>>,
): string {
  const isLocal = domain === 'localhost'
  const settings = {
    data,
    http: '127.0.0.1:8080',
    public_url: isLocal ? 'http://localhost:8080' : `https://${domain}`,
    sip: { listen: ['udp:0.0.0.0:5060', 'tcp:0.0.0.0:5060'], realm: domain },
    ...(externalAddress === '' ? {} : { external_address: externalAddress }),
  }
  return `# Settings of Sauti; "sauti serve --help" lists them all.\n${stringify(settings)}`
}

const nextSteps = (
  file: string,
  data: string,
  operatorKey: string,
  key: string | undefined,
): string => `Settings:      ${file}
Data folder:   ${data}
Operator key:  ${operatorKey}
               (also in ${join(data, 'operator.key')})
${key === undefined ? '' : `Account's key: ${key}\n               (shown only now)\n`}
Next:
  sauti doctor --config ${file}   what this machine still needs
  sauti serve --config ${file}    runs the switch
  sauti number add +254711000001    a number for the account to acquire
  sauti rate set rates.yaml         what calls cost; without a rate none goes out`
