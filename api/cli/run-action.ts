import { writeFileSync } from 'node:fs'
import type { Settings } from '../../core/index.ts'
import { mainListener } from '../listeners.ts'
import { findOperatorKey } from '../operator-key.ts'
import { type Action, fieldValue, type Given, type Group } from './action/action.ts'
import { type Arguments, UsageError, unknown } from './action/arguments.ts'
import { ApiClient } from './action/client.ts'
import { formatFields, formatTable } from './action/table.ts'
import { commonFlags } from './help.ts'

interface Done {
  /** What is to be printed. */
  readonly text: string
  readonly exit: 0 | 1
}

/** Does what the words after the group say. */
export async function runAction(group: Group, given: Arguments, settings: Settings): Promise<Done> {
  const { action, words } = actionOf(group, given.words.slice(1))
  const request = givenOf(group, action, words, given.flags)
  const client = new ApiClient(addressOf(settings, given.flags.get('api')), keyOf(action, settings, request.fields))
  const following = action.follow?.(request, client)
  if (following !== undefined) {
    await following
    return done('')
  }
  const answer = await client.request(await action.request(request, client))
  const path = action.saveTo?.(request)
  if (path !== undefined) {
    writeFileSync(path, answer.bytes)
    return done(`${answer.bytes.length} bytes written to ${path}`)
  }
  if (action.isText === true && answer.value === undefined) return done(Buffer.from(answer.bytes).toString())
  const text = given.flags.has('json') ? JSON.stringify(answer.value, null, 2) : shown(action, answer.value)
  return action.isWell?.(answer.value) === false ? { text, exit: 1 } : done(text)
}

const done = (text: string): Done => ({ text, exit: 0 })

/** `sauti drain` alone starts; every other group needs a word that says what to do. */
function actionOf(group: Group, words: readonly string[]): { action: Action; words: readonly string[] } {
  const [written, ...rest] = words
  const names = group.actions.map(action => action.name)
  if (written === undefined && group.name === 'drain') return { action: group.actions[0]!, words: [] }
  if (written === undefined) throw new UsageError(`sauti ${group.name}: what is to be done? ${names.join(', ')}`)
  const action = group.actions.find(action => action.name === written)
  if (action === undefined) {
    const { message } = unknown(`action of ${group.name}`, written, names)
    throw new UsageError(`${message}${message.endsWith('?') ? '' : ';'} known are ${names.join(', ')}`)
  }
  return { action, words: rest }
}

function givenOf(group: Group, action: Action, words: readonly string[], flags: Arguments['flags']): Given {
  const usage = `sauti ${group.name} ${[action.name, ...action.words.map(word => word.toUpperCase())].join(' ')}`
  if (words.length < action.words.length) throw new UsageError(`${usage}: ${action.words[words.length]} is missing`)
  if (words.length > action.words.length)
    throw new UsageError(`${usage}: "${words[action.words.length]}" is one argument too many`)
  const fields: Record<string, unknown> = {}
  const known = [...commonFlags, ...action.flags.map(spec => spec.flag)]
  for (const [flag, written] of flags) {
    const spec = action.flags.find(spec => spec.flag === flag)
    if (spec !== undefined) fields[spec.field] = fieldValue(spec, written)
    else if (!commonFlags.includes(flag))
      throw unknown(
        `flag of ${usage}`,
        `--${flag}`,
        known.map(name => `--${name}`),
      )
  }
  return { fields, isJson: flags.has('json'), word: name => words[action.words.indexOf(name)] ?? '' }
}

/** Where the API listens, as seen from this machine. */
function addressOf(settings: Settings, written: string | true | undefined): string {
  if (typeof written === 'string') return apiUrlOf(written)
  const listener = mainListener(settings.http)
  if (listener === undefined || listener.port === 0) return settings.publicUrl
  // A certificate names the public host, and seldom this machine's own address.
  if (listener.scheme === 'https') return settings.publicUrl
  const { address, port } = listener
  const host =
    address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '[::1]' : address.includes(':') ? `[${address}]` : address
  return `http://${host}:${port}`
}

/** Ends without a slash. */
function apiUrlOf(written: string): string {
  const url = URL.parse(written.trim())
  const isUsable =
    url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}` === ''
  if (isUsable) return url.href.replace(/#.*$/, '').replace(/\/+$/, '')
  throw new UsageError(`--api: "${written}" is no address of an API: write a URL, as http://127.0.0.1:8080`)
}

function keyOf(action: Action, settings: Settings, fields: Given['fields']): string {
  const own = process.env.SAUTI_API_KEY
  if (action.access === 'either' && fields.operator !== true && own !== undefined && own !== '') return own
  if (action.access === 'customer') {
    const key = own
    if (key !== undefined && key !== '') return key
    throw new UsageError(
      'this speaks for an account: put its API key into SAUTI_API_KEY (sauti account key UUID makes one)',
    )
  }
  const key = findOperatorKey(settings)
  if (key !== undefined) return key
  throw new UsageError(
    `no operator key: set SAUTI_OPERATOR_KEY, or say with --data where the switch keeps its data (now ${settings.dataFolder})`,
  )
}

function shown(action: Action, value: unknown): string {
  if (action.table === undefined) {
    const message = (value as { message?: unknown } | null)?.message
    return typeof message === 'string' ? message : formatFields(value)
  }
  const { rows: name, columns } = action.table
  const page = value as Record<string, unknown>
  const rows = (name === '' ? value : page[name]) as readonly unknown[]
  const total = Number(page.total ?? rows.length)
  const table = formatTable(rows, columns)
  return total > rows.length ? `${table}\n${rows.length} of ${total}` : table
}
