import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { addTrunk, BedAccount, expectStatus, setRates } from '../../tests/rig/beds/account.ts'
import { SwitchProcess } from '../../tests/rig/beds/switch-process.ts'
import { freePort } from '../../tests/rig/probes/ports.ts'
import { sine } from '../../tests/rig/probes/tone.ts'
import { coreSpeed } from '../core-speed.ts'
import { refusesForLoad } from '../load/loaded-switch.ts'
import { Scrape } from '../load/scrape.ts'
import { type BurstResult, burst, percentile } from './burst.ts'
import { LiveCalls } from './live-calls.ts'

/** An answered call's length: half a second of sound, as a busy line of announcements has it. */
const talkMs = 500
const halvings = 2
/** A step with a processor slower than this share of the fastest speed seen is offered once more, the second counts; not with one attempt. */
const stillShare = 0.8
/** p99 of the set-up that is demanded, ms. */
export const setUpMs = 100

interface RampOptions {
  /** Of the capacity, one step after the other. */
  readonly times: readonly number[]
  readonly secondsPerStep: number
  readonly liveCalls: number
  /** A rate is borne that is borne in most of so many attempts (3): one may have met another load of the machine. */
  readonly attempts?: number
  readonly onProgress?: (line: string) => void
}

export interface Step {
  readonly times: number
  readonly offered: number
  /** Calls a second that were answered in time. */
  readonly goodput: number
  readonly refused: number
  readonly unanswered: number
  readonly p50: number
  readonly p99: number
  readonly refusedP99: number
  /** Packets of the live calls that were lost, as a share. */
  readonly loss: number
  readonly residentMb: number
  /** Mean time of a transaction of the database, until it was on the disk, ms. */
  readonly commitMs: number
  /** Of the switch's processor, before and after the step: `coreSpeed`. */
  readonly speed: number
}

export interface RampResult {
  /** Calls a second that are taken whole with a p99 of set-up below 100 ms. */
  readonly capacity: number
  /** Of the switch's processor at the highest rate that was borne. */
  readonly capacitySpeed: number
  readonly steps: readonly Step[]
  /** After the last step half of the capacity is offered: seconds until no call was refused any more. */
  readonly recoverySeconds: number
  readonly after: Step
}

/** A switch on one core, the one who calls it on the others. */
export async function ramp({
  times,
  secondsPerStep,
  liveCalls,
  attempts = 3,
  onProgress = () => {},
}: RampOptions): Promise<RampResult> {
  const processors = cpus().length > 1 ? `1-${cpus().length - 1}` : undefined
  const own = processors === undefined ? undefined : '0'
  const env = { SAUTI_LOG: 'info', SAUTI_MEDIA_PORTS: '12000-19999', SAUTI_MEDIA_WORKERS: '1' }
  const on = await SwitchProcess.start(env, '127.0.0.1', refusesForLoad)
  let live: LiveCalls | undefined
  try {
    if (own !== undefined) pin(on.pid, own)
    await setRates(on)
    const account = await BedAccount.make(on, { balance: '1000000' })
    const caps = { max_concurrent_calls: 100_000, max_inbound_calls: 100_000, max_dialled_legs: 100_000 }
    const rate = { max_calls_per_second: 1000 }
    expectStatus(await on.operator('PATCH', `/accounts/${account.uuid}`, { ...caps, ...rate }), 200)
    await account.asset('tone', sine(440, 4))
    const calleePort = await freePort()
    await addTrunk(on, { name: 'carrier', port: calleePort, prefixes: ['+255'] })

    await account.hosts('voice_inbound', '<Dial><Number>+255700000001</Number></Dial>')
    live = await LiveCalls.open(liveCalls, on.sipPort, account.number, calleePort)
    await account.hosts('voice_inbound', '<Play asset="tone"/>')

    const offer = async (callsPerSecond: number, seconds: number): Promise<BurstResult> =>
      burst({
        callsPerSecond,
        seconds,
        sipPort: on.sipPort,
        localPort: await freePort(),
        rtpPort: 9,
        number: account.number,
        talkMs,
        processors,
      })
    let fastest = 0
    const step = async (
      share: number,
      callsPerSecond: number,
      seconds: number,
    ): Promise<Step & { raw: BurstResult }> => {
      const [speedBefore, before] = [coreSpeed(own), await commitsOf(on)]
      live?.takeLoss()
      live?.resume()
      const raw = await offer(callsPerSecond, seconds)
      await live?.pause()
      const { sent, lost } = live?.takeLoss() ?? { sent: 1, lost: 0 }
      const [speedAfter, after] = [coreSpeed(own), await commitsOf(on)]
      const commitMs = (1000 * (after.seconds - before.seconds)) / Math.max(1, after.count - before.count)
      const made = {
        ...stepOf(share, callsPerSecond, raw, lost / sent, residentMbOf(on.pid)),
        commitMs,
        speed: Math.min(speedBefore, speedAfter),
      }
      fastest = Math.max(fastest, speedBefore, speedAfter)
      onProgress(lineOf(made))
      return { ...made, raw }
    }
    const stillStep = async (share: number, callsPerSecond: number, seconds: number) => {
      const made = await step(share, callsPerSecond, seconds)
      if (attempts === 1 || made.speed >= stillShare * fastest) return made
      onProgress(`the processor had ${((100 * made.speed) / fastest).toFixed(0)} % of its speed: once more`)
      return step(share, callsPerSecond, seconds)
    }
    await live.pause()
    // The first calls pay for compiling.
    await step(0, 40, 6)
    const { capacity, capacitySpeed } = await capacityBy(
      rate => stillStep(0, rate, Math.min(6, secondsPerStep)),
      attempts,
      onProgress,
    )
    const steps: Step[] = []
    for (const share of times) steps.push(without(await stillStep(share, share * capacity, secondsPerStep)))
    const after = await step(0.5, 0.5 * capacity, Math.max(8, secondsPerStep))
    return { capacity, capacitySpeed, steps, recoverySeconds: after.raw.lastRefusal ?? 0, after: without(after) }
  } finally {
    live?.close()
    await on.close()
  }
}

const without = ({ raw: _, ...step }: Step & { raw: BurstResult }): Step => step

/** Rises until calls are refused or late, then halves the last interval. */
async function capacityBy(
  offer: (rate: number) => Promise<Step>,
  attempts: number,
  onProgress: (line: string) => void,
): Promise<Pick<RampResult, 'capacity' | 'capacitySpeed'>> {
  let speeds: number[] = []
  const isBorne = async (rate: number): Promise<boolean> => {
    let borne = 0
    const met: number[] = []
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { refused, unanswered, p99, offered, speed } = await offer(rate)
      met.push(speed)
      if (refused + unanswered < 0.005 * offered && p99 < setUpMs) borne++
      const failed = attempt + 1 - borne
      if (2 * borne > attempts || 2 * failed > attempts) break
    }
    if (2 * borne > attempts) speeds = met
    return 2 * borne > attempts
  }
  let good = 50
  let bad = 100
  while (await isBorne(bad)) {
    good = bad
    bad = Math.round(bad * 1.4)
  }
  for (let half = 0; half < halvings; half++) {
    const middle = Math.round((good + bad) / 2)
    if (await isBorne(middle)) good = middle
    else bad = middle
  }
  onProgress(`capacity: ${good} calls/s`)
  return { capacity: good, capacitySpeed: percentile(speeds, 0.5) }
}

function stepOf(
  times: number,
  callsPerSecond: number,
  raw: BurstResult,
  loss: number,
  residentMb: number,
): Omit<Step, 'commitMs' | 'speed'> {
  const seconds = Math.max(raw.offered / callsPerSecond, raw.offeredIn)
  return {
    times,
    offered: raw.offered / seconds,
    goodput: raw.answeredMs.length / seconds,
    refused: raw.refusedMs.length / seconds,
    unanswered: raw.unanswered / seconds,
    p50: percentile(raw.answeredMs, 0.5),
    p99: percentile(raw.answeredMs, 0.99),
    refusedP99: percentile(raw.refusedMs, 0.99),
    loss,
    residentMb,
  }
}

export const lineOf = (step: Step): string =>
  `${step.times === 0 ? '' : `${step.times} × `}${step.offered.toFixed(0)} calls/s: ${step.goodput.toFixed(0)} answered, ` +
  `${step.refused.toFixed(0)} refused, ${step.unanswered.toFixed(1)} unanswered; set-up p50 ${step.p50.toFixed(0)} ms, ` +
  `p99 ${step.p99.toFixed(0)} ms; 503 p99 ${step.refusedP99.toFixed(0)} ms; lost ${(100 * step.loss).toFixed(3)} %; ${step.residentMb.toFixed(0)} MB; ` +
  `a commit ${step.commitMs.toFixed(1)} ms, the processor ${step.speed.toFixed(0)} (square roots a µs)`

async function commitsOf(on: SwitchProcess): Promise<{ readonly seconds: number; readonly count: number }> {
  const scrape = await Scrape.of(on)
  return {
    seconds: scrape.read('sauti_store_commit_seconds_sum'),
    count: scrape.read('sauti_store_commit_seconds_count'),
  }
}

function residentMbOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) / 1024
}

/** All threads that it has; later ones inherit it. */
function pin(pid: number, processor: string): void {
  execFileSync('taskset', ['-acp', processor, String(pid)], { stdio: 'ignore' })
}
