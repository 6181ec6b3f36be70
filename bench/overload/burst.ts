import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const scenario = new URL('./caller.xml', import.meta.url).pathname
/** Time after which a call without an answer counts as not answered. */
const patienceSeconds = 12
/** More than calls can be open at once. */
const mostOpen = 200_000

interface Burst {
  readonly callsPerSecond: number
  readonly seconds: number
  readonly sipPort: number
  readonly localPort: number
  readonly rtpPort: number
  /** Number called. */
  readonly number: string
  /** How long an answered call lasts, ms. */
  readonly talkMs: number
  /** Processors that sipp may use, as taskset writes them. */
  readonly processors: string | undefined
  /** sipp before all else on them, so that its own wait for a processor is not measured; where the system allows it. */
  readonly isFirst?: boolean
}

export interface BurstResult {
  readonly offered: number
  /** Of each answered call: how long it took from INVITE to 200. */
  readonly answeredMs: readonly number[]
  readonly refusedMs: readonly number[]
  /** Neither answered nor refused with 503. */
  readonly unanswered: number
  /** Of those: how many got another answer, as sipp counts messages that its scenario does not have. */
  readonly failed: number
  /** When the last refusal came, counted from the start, s; undefined: there was none. */
  readonly lastRefusal: number | undefined
  /** How long sipp took to offer them: more than the seconds asked for means that it could not keep up. */
  readonly offeredIn: number
}

/** Most that sipp may take longer than it was asked to, as a share. */
const slowGenerator = 1.05

/** Whether sipp offered its calls in the time it had; otherwise the run says nothing about the switch. */
export const keptRate = ({ offeredIn }: BurstResult, seconds: number): boolean => offeredIn <= slowGenerator * seconds

/** Lowest real-time priority. */
const first = ['chrt', '-r', '1']
const mayBeFirst = (): boolean => spawnSync('chrt', ['-r', '1', 'true'], { stdio: 'ignore' }).status === 0

/** One rate for a number of seconds, by sipp. */
export async function burst(order: Burst): Promise<BurstResult> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-overload-'))
  const calls = Math.round(order.callsPerSecond * order.seconds)
  const pin = order.processors === undefined ? [] : ['taskset', '-c', order.processors]
  const [program, ...args] = [
    ...pin,
    ...(order.isFirst === true && mayBeFirst() ? first : []),
    'sipp',
    `127.0.0.1:${order.sipPort}`,
    ...['-sf', scenario, '-i', '127.0.0.1', '-p', String(order.localPort), '-t', 'u1'],
    ...['-mi', '127.0.2.1', '-s', order.number, '-key', 'caller', '+254722000111'],
    ...['-key', 'rtp_port', String(order.rtpPort), '-d', String(order.talkMs)],
    ...['-m', String(calls), '-r', String(Math.round(order.callsPerSecond)), '-rp', '1000', '-l', String(mostOpen)],
    ...['-trace_rtt', '-rtt_freq', '1', '-trace_stat', '-fd', '1'],
    ...['-recv_timeout', String(patienceSeconds * 1000), '-timeout', String(order.seconds + 2 * patienceSeconds)],
    ...['-nostdin', '-skip_rlimit', '-buff_size', String(4 << 20)],
  ] as [string, ...string[]]
  const began = Date.now()
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const code = await new Promise(resolve => child.on('close', resolve))
  // 1: some calls did not go by the scenario, which is what is counted here.
  if (code !== 0 && code !== 1 && code !== 97) throw new Error(`sipp ended with ${code}: ${errors.slice(0, 500)}`)
  const read = (part: string) =>
    readdirSync(folder)
      .filter(file => file.includes(part))
      .map(file => readFileSync(join(folder, file), 'utf8'))
      .join('\n')
  const result = resultOf(read('_rtt'), calls, began, read('_.csv'))
  rmSync(folder, { recursive: true, force: true })
  return result
}

/** A later sipp counts its dates from its own start, an earlier one from 1970. */
const sinceStart = (date: number, began: number): number => (date > 1e12 ? date - began : date)

/** A line: date in ms, response time in ms, which of the two: the second says that the one before was a refusal. */
export function resultOf(text: string, offered: number, began: number, statistics = ''): BurstResult {
  const answeredMs: number[] = []
  const refusedMs: number[] = []
  let lastRefusal: number | undefined
  let lastStart = 0
  for (const line of text.split('\n')) {
    const [date, time, which] = line.split(';').map(Number)
    if (date === undefined || time === undefined || which === undefined || Number.isNaN(date)) continue
    if (which === 1) {
      lastStart = Math.max(lastStart, sinceStart(date, began) - time)
      answeredMs.push(time)
      continue
    }
    refusedMs.push(answeredMs.pop() ?? 0)
    lastRefusal = Math.max(lastRefusal ?? 0, sinceStart(date, began) / 1000)
  }
  const unanswered = Math.max(0, offered - answeredMs.length - refusedMs.length)
  const failed = Math.min(unanswered, unexpectedOf(statistics))
  return { offered, answeredMs, refusedMs, unanswered, failed, lastRefusal, offeredIn: lastStart / 1000 }
}

/** Calls that sipp broke off for a message that it did not expect: of its statistics the last line counts from the start. */
function unexpectedOf(statistics: string): number {
  const [head = '', ...lines] = statistics.trimEnd().split('\n')
  const column = head.split(';').indexOf('FailedUnexpectedMessage(C)')
  return Number(lines.at(-1)?.split(';')[column] ?? 0)
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, two) => one - two)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}
