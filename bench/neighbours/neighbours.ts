import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { addTrunk, BedAccount, expectStatus, setRates } from '../../tests/rig/beds/account.ts'
import { storeCalls } from '../../tests/rig/beds/stored-calls.ts'
import { SwitchProcess } from '../../tests/rig/beds/switch-process.ts'
import { NameServer } from '../../tests/rig/fakes/name-server.ts'
import { freePort } from '../../tests/rig/probes/ports.ts'
import { sine } from '../../tests/rig/probes/tone.ts'
import { burst, percentile } from '../overload/burst.ts'
import { type Way, type WorstOrder, type WorstResult, ways } from './ways.ts'

const storedCalls = 100_000
const callsPerSecond = 40
const talkMs = 300
const realm = 'sauti.test'
/** What was begun in the one time must not count in the next. */
const restMs = 1500
/** Most that p99 of the set-up may rise, ms. */
export const mostRiseMs = 50
/** A higher p99 before or after means that something else uses the machine, or that the way goes on after its end. */
const mostCalmMs = 100
/** A longer pause of the machine itself, ms, during the load means the same. */
const mostPauseMs = 25
/** Of a way: until it holds, or has exceeded twice. */
const mostAttempts = 5
/** Of the busy account, ten times the defaults: the load is to be seen, not the cap. Everything else is as by default. */
const raisedCaps = { max_inbound_calls: 1000, max_dialled_legs: 2000 }

interface NeighboursOptions {
  /** Of each measurement. */
  readonly seconds: number
  readonly isMeasured?: (way: Way) => boolean
  readonly onProgress?: (line: string) => void
}

interface SetUp {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  /** Calls that were not answered with 200. */
  readonly failed: number
}

export interface Attempt {
  readonly worst: WorstResult
  readonly before: SetUp
  readonly during: SetUp
  readonly after: SetUp
  /** Longest time, ms, for which the machine itself stood still during the load. */
  readonly pauseMs: number
}

export interface NeighbourRow {
  readonly way: Way
  /** More than one where the first did not hold, or where the machine was not still. */
  readonly attempts: readonly Attempt[]
}

/** The higher p99 of before and after, ms. */
export const calmOf = ({ before, after }: Attempt): number => Math.max(before.p99, after.p99)

/** By how much p99 rose over it, ms. */
export const riseOf = (attempt: Attempt): number => attempt.during.p99 - calmOf(attempt)

type Verdict = 'holds' | 'exceeds' | 'not still'

function verdictOf(attempt: Attempt): Verdict {
  if (attempt.during.failed === 0 && riseOf(attempt) > mostRiseMs && attempt.pauseMs > mostPauseMs) return 'not still'
  if (attempt.during.failed > 0 || riseOf(attempt) > mostRiseMs) return 'exceeds'
  return calmOf(attempt) > mostCalmMs ? 'not still' : 'holds'
}

/** Of all attempts: it holds when one does; `not still` says nothing, as something else used the machine. */
export function verdictOfRow({ attempts }: NeighbourRow): Verdict {
  const verdicts = attempts.map(verdictOf)
  if (verdicts.includes('holds')) return 'holds'
  return verdicts.includes('exceeds') ? 'exceeds' : 'not still'
}

/** Whether another attempt can tell more. */
function isSettled(attempts: readonly Attempt[]): boolean {
  const verdicts = attempts.map(verdictOf)
  const exceeded = verdicts.filter(verdict => verdict === 'exceeds').length
  return verdicts.includes('holds') || exceeded > 1 || attempts.length === mostAttempts
}

/** One account does its worst, each way for some seconds; the calls of another are measured before, during and after. */
export async function neighbours({ seconds, isMeasured = () => true, onProgress = () => {} }: NeighboursOptions) {
  const silent = await NameServer.open(({ name }) => (name.endsWith('hangs.test') ? { isSilent: true } : undefined))
  const processors = cpus().length > 1 ? `1-${cpus().length - 1}` : undefined
  const env = {
    SAUTI_LOG: 'info',
    SAUTI_MEDIA_PORTS: '12000-15999',
    SAUTI_SIP_REALM: realm,
    SAUTI_DNS: silent.address,
  }
  const on = await SwitchProcess.start(env)
  const witness = processors === undefined ? undefined : new PauseWitness()
  try {
    await setRates(on)
    const listed = await BedAccount.make(on, { balance: '1000000' })
    const quiet = await BedAccount.make(on, { balance: '1000000' })
    await addTrunk(on, { name: 'in', port: await freePort(), prefixes: [] })
    await on.kill('SIGTERM')
    storeCalls(join(on.dataFolder, 'sauti.db'), listed.uuid, storedCalls)
    await on.open()
    if (processors !== undefined) {
      execFileSync('taskset', ['-acp', '0', String(on.pid)], { stdio: 'ignore' })
      // Of this process, which answers the switch's questions for names.
      execFileSync('taskset', ['-acp', processors, String(process.pid)], { stdio: 'ignore' })
    }
    expectStatus(await on.operator('PATCH', `/accounts/${quiet.uuid}`, { max_inbound_calls: 1000 }), 200)
    await quiet.asset('tone', sine(440, 2))
    await quiet.hosts('voice_inbound', '<Play asset="tone"/>')
    const measure = async (): Promise<SetUp> => {
      const { answeredMs, offered } = await burst({
        callsPerSecond,
        seconds,
        sipPort: on.sipPort,
        localPort: await freePort(),
        rtpPort: 9,
        number: quiet.number,
        talkMs,
        processors,
        isFirst: true,
      })
      const of = (share: number) => percentile(answeredMs, share)
      return { p50: of(0.5), p90: of(0.9), p99: of(0.99), failed: offered - answeredMs.length }
    }
    await measure()
    let before = await measure()
    /** An account has 3,000 requests a minute: what one way has used up, the next must not lack. */
    const busyOf = async (name: string): Promise<BedAccount> =>
      name === 'lists' || name === 'pages' || name === 'portal' ? listed : BedAccount.make(on, { balance: '1000000' })
    const attemptOf = async ({ name }: Way): Promise<Attempt> => {
      const busy = await busyOf(name)
      expectStatus(await on.operator('PATCH', `/accounts/${busy.uuid}`, raisedCaps), 200)
      const asked = silent.questions.length
      const child = begin(processors, {
        way: name,
        baseUrl: on.baseUrl,
        sipPort: on.sipPort,
        realm,
        key: busy.key,
        operatorKey: on.operatorKey,
        number: busy.number,
      })
      await sleep(restMs)
      witness?.begin()
      const during = await measure()
      const pauseMs = witness?.longestMs ?? 0
      const { done, answers } = await end(child)
      const questions = silent.questions.length - asked
      // What the switch had taken on before it was stopped is done when a list of the account gets its turn.
      await busy.api('GET', '/documents/?limit=1')
      await sleep(restMs)
      const after = await measure()
      const worst = { done, answers: { ...answers, ...(questions === 0 ? {} : { 'DNS questions': questions }) } }
      const attempt = { worst, before, during, after, pauseMs }
      before = after
      return attempt
    }
    const rows: NeighbourRow[] = []
    for (const way of ways.filter(isMeasured)) {
      const attempts: Attempt[] = []
      while (!isSettled(attempts)) attempts.push(await attemptOf(way))
      const row = { way, attempts }
      rows.push(row)
      onProgress(rowOf(row))
    }
    return rows
  } finally {
    witness?.end()
    await on.close()
    silent.close()
  }
}

export const rowOf = (row: NeighbourRow): string =>
  row.attempts.map((attempt, at) => attemptRow(row, attempt, at > 0)).join('\n')

function attemptRow(row: NeighbourRow, attempt: Attempt, isAgain: boolean): string {
  const { worst, before, during, after, pauseMs } = attempt
  const answers = Object.entries(worst.answers).map(([answer, times]) => `${answer}: ${times}`)
  const verdict = verdictOf(attempt)
  return `| ${isAgain ? 'the same again' : row.way.what} | ${worst.done} (${answers.join(', ')}) | ${setUpOf(before)} | ${setUpOf(during)}${pauseMs > mostPauseMs ? `, machine paused for ${pauseMs.toFixed(0)}` : ''} | ${setUpOf(after)} | ${riseOf(attempt).toFixed(0)} | ${verdict} |`
}

const setUpOf = ({ p50, p90, p99, failed }: SetUp): string =>
  `${[p50, p90, p99].map(ms => ms.toFixed(0)).join(' / ')}${failed === 0 ? '' : ` (${failed} failed)`}`

/** Sees when the machine itself stands still: the process of `pause-witness.ts`, where real-time priorities are allowed. */
class PauseWitness {
  longestMs = 0
  readonly #child = fork(new URL('./pause-witness.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })

  constructor() {
    this.#child.on('message', lateMs => {
      this.longestMs = Math.max(this.longestMs, Number(lateMs))
    })
    const pid = String(this.#child.pid)
    execFileSync('taskset', ['-acp', '0', pid], { stdio: 'ignore' })
    // Without the right to it the witness would itself wait for the switch, and excuse everything.
    if (spawnSync('chrt', ['-a', '-f', '-p', '50', pid], { stdio: 'ignore' }).status !== 0) this.end()
  }

  begin(): void {
    this.longestMs = 0
  }

  end(): void {
    this.#child.kill()
  }
}

function begin(processors: string | undefined, order: WorstOrder): ChildProcess {
  const child = fork(new URL('./worst.ts', import.meta.url), { execArgv: ['--disable-warning=ExperimentalWarning'] })
  // The client of the busy account must not take the switch's processor: it would be another machine's in earnest.
  if (processors !== undefined) execFileSync('taskset', ['-acp', processors, String(child.pid)], { stdio: 'ignore' })
  child.send(order)
  return child
}

async function end(child: ChildProcess): Promise<WorstResult> {
  const message = once(child, 'message')
  const gone = once(child, 'exit').then(() => {
    throw new Error('the process of the busy account ended too early')
  })
  child.send('stop')
  const [result] = await Promise.race([message, gone])
  gone.catch(() => {})
  return result as WorstResult
}
