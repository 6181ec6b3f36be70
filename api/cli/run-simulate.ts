import { createHmac } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import {
  behaviourNames,
  courseOf,
  type DocumentSource,
  formatCourse,
  type RemoteBehaviour,
  type SimulatedRate,
  Simulation,
} from '../../core/testing/index.ts'
import { type CallerPlan, longestCallMs, maxRequests, playCaller } from '../simulation/caller.ts'
import { readInput } from './action/action.ts'
import { type Arguments, UsageError } from './action/arguments.ts'
import { type CommandInput, textOf } from './command.ts'

const fetchTimeoutMs = 10_000
/** More of an answer is not read: the switch takes no larger document. */
const maxAnswerBytes = 65_536

/** The work of `sauti simulate`; `ownNumber` is called when `--to` is not given. Returns the exit code. */
export async function runSimulate({ given, print }: CommandInput, ownNumber: string): Promise<number> {
  const source = given.words[1] ?? ''
  const secret = textOf(given, 'secret') ?? ''
  const sauti = new Simulation({
    documents: documentsOf(source, secret),
    ...(isUrl(source) ? { webhook: source } : {}),
    numbers: [textOf(given, 'to') ?? ownNumber],
    users: listOf(given, 'users').map(extension => ({ extension })),
    balance: textOf(given, 'balance') ?? '1000.00',
    rates: ratesOf(given),
    otherRemotes: { hangsUpAfter: secondsOf(given, 'talk', 60) },
    ...remotesOf(given),
  })
  const caller = sauti.call(textOf(given, 'to') ?? ownNumber, { from: textOf(given, 'from') ?? '+254711111111' })
  await playCaller(sauti, caller, planOf(given))
  const end = await caller.ended()
  const steps = courseOf(sauti, caller)
  const isEndless = sauti.requests.length >= maxRequests
  if (given.flags.has('json'))
    print(JSON.stringify({ steps, end, calls: sauti.calls, requests: sauti.requests }, null, 2))
  else {
    print(formatCourse(steps, end))
    if (isEndless) print(`It asked for ${maxRequests} documents and was hung up: do they lead in a circle?`)
  }
  return end.status === 'completed' && !isDocumentFault.test(end.reason) && !isEndless ? 0 : 1
}

/** Reasons of a call that ran the fallback, or met a loop of redirects. */
const isDocumentFault = /^END\.3/

/** What the flags say of the caller's part. */
function planOf(given: Arguments): CallerPlan {
  const press = listOf(given, 'press')
  for (const each of press) {
    if (!/^[0-9A-D*#]+$/.test(each)) throw new UsageError(`--press ${each}: keys are 0-9 A-D * #`)
  }
  const hangUpAtMs = given.flags.has('hang-up-after') ? 1000 * secondsOf(given, 'hang-up-after', 0) : longestCallMs
  return { press, speakSeconds: secondsOf(given, 'speak', 3), hangUpAtMs }
}

const isUrl = (source: string): boolean => /^https?:\/\//i.test(source)

function documentsOf(source: string, secret: string): DocumentSource {
  if (isUrl(source)) return call => request(call.url, JSON.stringify(call.fields), secret)
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) throw new UsageError(`${source}: only http and https URLs are allowed`)
  const first = readInput(source).toString()
  const folder = source === '-' ? '.' : dirname(source)
  return call => {
    // An absolute URL in a file belongs to a real server.
    if (!isBeside(call.url)) return request(call.url, JSON.stringify(call.fields), secret)
    const [path = '/'] = call.path.split('?')
    if (path === '/') return first
    // Nothing above the folder of the document is read.
    const name = join(folder, normalize(decodeURIComponent(path)))
    const file = [name, `${name}.xml`].find(candidate => existsSync(candidate) && statSync(candidate).isFile())
    if (file === undefined) throw new Error(`there is neither ${name} nor ${name}.xml for ${path}`)
    return readInput(file).toString()
  }
}

async function request(url: string, body: string, secret: string): Promise<string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', secret).update(url).update(timestamp).update(body).digest('base64')
  const headers = { 'content-type': 'application/json', 'x-voice-timestamp': timestamp, 'x-voice-signature': signature }
  try {
    const signal = AbortSignal.timeout(fetchTimeoutMs)
    const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal })
    if (answer.status !== 200) throw new Error(`status ${answer.status} of ${url}`)
    return await bodyOf(answer)
  } catch (fault) {
    throw new Error(fetchFault(url, fault))
  }
}

/** As much as shows that it is too large. */
async function bodyOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxAnswerBytes) break
  }
  return Buffer.concat(chunks).toString()
}

function fetchFault(url: string, fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  if (fault.name === 'TimeoutError') return `${url} did not answer whole within ${fetchTimeoutMs / 1000} s`
  const { code, message } = (fault.cause ?? {}) as { readonly code?: string; readonly message?: string }
  return fault instanceof TypeError ? `${url} cannot be reached: ${code ?? message ?? fault.message}` : fault.message
}

const isBeside = (url: string): boolean => new URL(url).hostname.endsWith('.invalid')

function listOf(given: Arguments, flag: string): readonly string[] {
  const value = textOf(given, flag)
  return value === undefined || value === '' ? [] : value.split(',').map(entry => entry.trim())
}

function secondsOf(given: Arguments, flag: string, fallback: number): number {
  const value = textOf(given, flag)
  if (value === undefined) return fallback
  if (/^\d{1,6}(\.\d{1,3})?$/.test(value)) return Number(value)
  throw new UsageError(`--${flag} wants a number of seconds, not "${value}"`)
}

function ratesOf(given: Arguments): readonly SimulatedRate[] {
  const rates = listOf(given, 'rate').map(entry => {
    const [prefix = '', perMinute = ''] = entry.split('=')
    if (/^(\+\d*|sip:.*)$/.test(prefix) && /^\d+(\.\d{1,4})?$/.test(perMinute)) return { prefix, perMinute }
    throw new UsageError(`--rate ${entry}: write a prefix and the price of a minute, +254=3.00`)
  })
  return rates.length === 0 ? [{ prefix: '+', perMinute: '0' }] : rates
}

function remotesOf(given: Arguments): { remotes?: Record<string, RemoteBehaviour>; otherRemotes?: RemoteBehaviour } {
  const talk = { hangsUpAfter: secondsOf(given, 'talk', 60) }
  const behaviour = (written: string): RemoteBehaviour => {
    if (written === 'answer') return talk
    const name = behaviourNames.find(name => name === written)
    if (name !== undefined) return name
    throw new UsageError(`--answer ${written}: one of ${behaviourNames.join(', ')}`)
  }
  const remotes: Record<string, RemoteBehaviour> = {}
  let others: RemoteBehaviour | undefined
  for (const entry of listOf(given, 'answer')) {
    const at = entry.lastIndexOf('=')
    if (at === -1) others = behaviour(entry)
    else remotes[entry.slice(0, at)] = behaviour(entry.slice(at + 1))
  }
  return { remotes, ...(others === undefined ? {} : { otherRemotes: others }) }
}
