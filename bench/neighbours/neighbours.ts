import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { addTrunk, expectStatus, RigAccount, setRates } from '../../tests/rig/account.ts'
import { NameServer } from '../../tests/rig/name-server.ts'
import { freePort } from '../../tests/rig/ports.ts'
import { storeCalls } from '../../tests/rig/stored-calls.ts'
import { SwitchProcess } from '../../tests/rig/switch-process.ts'
import { sine } from '../../tests/rig/tone.ts'
import { burst, percentile } from '../overload/burst.ts'
import { type Way, type WorstOrder, type WorstResult, ways } from './ways.ts'

const storedCalls = 100_000
const callsPerSecond = 20
const talkMs = 300
const realm = 'sauti.test'
/** What was begun in the one time must not count in the next. */
const restMs = 1500

export interface NeighboursOptions {
  /** Of each measurement. */
  readonly seconds: number
  readonly isMeasured?: (way: Way) => boolean
  readonly told?: (line: string) => void
}

export interface SetUp {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  /** Calls that were not answered with 200. */
  readonly failed: number
}

export interface NeighbourRow {
  readonly way: Way
  readonly worst: WorstResult
  readonly before: SetUp
  readonly during: SetUp
  readonly after: SetUp
}

/** One account does its worst, each way for some seconds; the calls of another are measured before, during and after. */
export async function neighbours({ seconds, isMeasured = () => true, told = () => {} }: NeighboursOptions) {
  const silent = await NameServer.open(({ name }) => (name.endsWith('hangs.test') ? { isSilent: true } : undefined))
  const processors = cpus().length > 1 ? `1-${cpus().length - 1}` : undefined
  const env = {
    SAUTI_LOG: 'info',
    SAUTI_MEDIA_PORTS: '12000-15999',
    SAUTI_SIP_REALM: realm,
    SAUTI_DNS: silent.address,
  }
  const on = await SwitchProcess.start(env)
  try {
    await setRates(on)
    const busy = await RigAccount.make(on, { balance: '1000000' })
    const quiet = await RigAccount.make(on, { balance: '1000000' })
    await addTrunk(on, { name: 'in', port: await freePort(), prefixes: [] })
    await on.kill('SIGTERM')
    storeCalls(join(on.dataFolder, 'sauti.db'), busy.uuid, storedCalls)
    await on.open()
    if (processors !== undefined) execFileSync('taskset', ['-acp', '0', String(on.pid)], { stdio: 'ignore' })
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
      })
      const of = (share: number) => percentile(answeredMs, share)
      return { p50: of(0.5), p90: of(0.9), p99: of(0.99), failed: offered - answeredMs.length }
    }
    await measure()
    let before = await measure()
    const rows: NeighbourRow[] = []
    for (const way of ways.filter(isMeasured)) {
      const child = begin({
        way: way.name,
        baseUrl: on.baseUrl,
        sipPort: on.sipPort,
        realm,
        key: busy.key,
        operatorKey: on.operatorKey,
        number: busy.number,
      })
      await sleep(restMs)
      const during = await measure()
      const worst = await end(child)
      await sleep(restMs)
      const after = await measure()
      const row = { way, worst, before, during, after }
      rows.push(row)
      told(rowOf(row))
      before = after
    }
    return rows
  } finally {
    await on.close()
    silent.close()
  }
}

export const rowOf = ({ way, worst, before, during, after }: NeighbourRow): string =>
  `| ${way.what} | ${worst.done} (${Object.entries(worst.answers)
    .map(([answer, times]) => `${answer}: ${times}`)
    .join(', ')}) | ${setUpOf(before)} | ${setUpOf(during)} | ${setUpOf(after)} |`

const setUpOf = ({ p50, p90, p99, failed }: SetUp): string =>
  `${[p50, p90, p99].map(ms => ms.toFixed(0)).join(' / ')}${failed === 0 ? '' : ` (${failed} failed)`}`

function begin(order: WorstOrder): ChildProcess {
  const child = fork(new URL('./worst.ts', import.meta.url), { execArgv: ['--disable-warning=ExperimentalWarning'] })
  child.send(order)
  return child
}

async function end(child: ChildProcess): Promise<WorstResult> {
  const told = once(child, 'message')
  const gone = once(child, 'exit').then(() => {
    throw new Error('the process of the busy account ended too early')
  })
  child.send('stop')
  const [result] = await Promise.race([told, gone])
  gone.catch(() => {})
  return result as WorstResult
}
