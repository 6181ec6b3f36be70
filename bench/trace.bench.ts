import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addTrunk } from '../tests/rig/beds/account.ts'
import { requirePeers } from '../tests/rig/beds/debian.ts'
import { freePort } from '../tests/rig/probes/ports.ts'
import { LoadedSwitch } from './load/loaded-switch.ts'
import { threadTimes, usedBetween } from './load/thread-times.ts'
import { LiveCalls } from './overload/live-calls.ts'
import { type Figure, figureOf } from './report.ts'
import { useBuiltProgram } from './served-program.ts'
import { openLongCall } from './trace/long-call.ts'

// Question: what does the flight recorder cost a call and a packet, and does a reader disturb the signalling thread? Two switches
// as they are served, one with `recorder.memory_mb: 0`, take turns on one processor.
const usual = { rounds: 5, secondsPerRound: 8, callsPerSecond: 60, liveCalls: 40, packetSeconds: 8 }
const brief = { rounds: 1, secondsPerRound: 4, callsPerSecond: 40, liveCalls: 10, packetSeconds: 3 }
const talkMs = 500

/** Two switches and minutes of calls: it runs when it is named. */
export const isLongTest = true

interface Sums {
  calls: number
  callMs: number
  signallingMs: number
  packets: number
  packetMs: number
}

export async function run(short: boolean): Promise<Figure[]> {
  requirePeers('sipp')
  useBuiltProgram()
  const plan = short ? brief : usual
  const without = await Subject.open('0')
  const with_ = await Subject.open('32')
  try {
    for (const subject of [without, with_]) await subject.calls(plan.callsPerSecond, 4)
    for (const subject of [without, with_]) subject.reset()
    for (let round = 0; round < plan.rounds; round++) {
      // The first of a round may find a colder processor.
      const order = round % 2 === 0 ? [without, with_] : [with_, without]
      for (const subject of order) await subject.calls(plan.callsPerSecond, plan.secondsPerRound)
      process.stderr.write(`round ${round + 1}: ${without.line}; ${with_.line}\n`)
    }
    for (const subject of [without, with_]) await subject.speak(plan.liveCalls)
    for (let round = 0; round < plan.rounds; round++)
      for (const subject of round % 2 === 0 ? [without, with_] : [with_, without])
        await subject.packets(plan.packetSeconds)
  } finally {
    await without.close()
    await with_.close()
  }
  const [off, on] = [without.sums, with_.sums]
  const perCall = ({ callMs, calls }: Sums) => callMs / calls
  const perPacket = ({ packetMs, packets }: Sums) => (1000 * packetMs) / packets
  return [
    figureOf('a full call, processor time of all threads', perCall(on), 'ms', perCall(off), 'recorder off'),
    figureOf(
      '… of the signalling thread',
      on.signallingMs / on.calls,
      'ms',
      off.signallingMs / off.calls,
      'recorder off',
    ),
    figureOf('calls a second on one core', 1000 / perCall(on), '/s', 1000 / perCall(off), 'recorder off'),
    figureOf('a relayed packet, processor time of all threads', perPacket(on), 'µs', perPacket(off), 'recorder off'),
    figureOf('packets a second on one core', 1e6 / perPacket(on), '/s', 1e6 / perPacket(off), 'recorder off'),
    ...(await reading()),
  ]
}

/** A served switch with calls, and packets of calls that last. */
class Subject {
  readonly #name: string
  readonly #loaded: LoadedSwitch
  #live: LiveCalls | undefined
  sums: Sums = { calls: 0, callMs: 0, signallingMs: 0, packets: 0, packetMs: 0 }

  private constructor(name: string, loaded: LoadedSwitch) {
    this.#name = name
    this.#loaded = loaded
  }

  static async open(memoryMb: string): Promise<Subject> {
    const loaded = await LoadedSwitch.open('full', { SAUTI_RECORDER_MEMORY_MB: memoryMb })
    return new Subject(memoryMb === '0' ? 'off' : 'on', loaded)
  }

  get line(): string {
    const { calls, callMs, signallingMs } = this.sums
    return `${this.#name} ${(callMs / calls).toFixed(2)} ms a call, signalling ${(signallingMs / calls).toFixed(2)}`
  }

  reset(): void {
    this.sums = { calls: 0, callMs: 0, signallingMs: 0, packets: 0, packetMs: 0 }
  }

  async calls(callsPerSecond: number, seconds: number): Promise<void> {
    const before = threadTimes(this.#loaded.on.pid)
    const { answeredMs, unanswered } = await this.#loaded.offer(callsPerSecond, seconds, talkMs)
    // What is recorded of the last calls is settled after some seconds.
    await new Promise(resolve => setTimeout(resolve, 1000))
    if (unanswered > 0) throw new Error(`${unanswered} calls were not answered`)
    const used = usedBetween(before, threadTimes(this.#loaded.on.pid))
    this.sums.calls += answeredMs.length
    this.sums.callMs += used.reduce((sum, [, ms]) => sum + ms, 0)
    this.sums.signallingMs += used.find(([name]) => name === 'signalling')?.[1] ?? 0
  }

  /** The callee of these calls is another than that of the load. */
  async speak(calls: number): Promise<void> {
    const port = await freePort()
    const { on } = this.#loaded
    await addTrunk(on, { name: 'listener', port, prefixes: ['+25570'], inbound: false })
    this.#live = await LiveCalls.open(calls, on.sipPort, this.#loaded.number, port)
    await this.#live.pause()
  }

  async packets(seconds: number): Promise<void> {
    const live = this.#live
    if (live === undefined) throw new Error('nobody speaks')
    live.resume()
    await new Promise(resolve => setTimeout(resolve, 500))
    live.takeLoss()
    const before = threadTimes(this.#loaded.on.pid)
    await new Promise(resolve => setTimeout(resolve, seconds * 1000))
    const used = usedBetween(before, threadTimes(this.#loaded.on.pid))
    const { sent } = live.takeLoss()
    await live.pause()
    this.sums.packets += sent
    this.sums.packetMs += used.reduce((sum, [, ms]) => sum + ms, 0)
  }

  async close(): Promise<void> {
    this.#live?.close()
    await this.#loaded.close()
  }
}

/** A call of an hour with 2,000 events and a point a second of both legs, read while this thread takes its turns. */
async function reading(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-recorder-'))
  const { traces, sid } = await openLongCall(folder)
  try {
    const calm = await longestTurnMs(async () => new Promise(resolve => setTimeout(resolve, 1000)))
    let readMs = 0
    const busy = await longestTurnMs(async () => {
      const began = performance.now()
      const found = await traces.read(sid, { reader: 'operator', form: 'json', after: 0, limit: 20_000, columns: 0 })
      readMs = performance.now() - began
      if (found === undefined || found.body.length < 100_000) throw new Error('the trace is not there')
    })
    return [
      figureOf('trace of a call of an hour, 2,000 events, opened in', readMs, 'ms', 1000, 'demanded at most'),
      figureOf('… longest turn of the thread that asks', busy, 'ms', 10, 'demanded at most'),
      figureOf('… the same without a reader', calm, 'ms', 10, 'demanded at most'),
    ]
  } finally {
    await traces.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Processor time of this thread, which a busy machine does not take for longer than it is; the clock where Node has no such figure. */
const usedMs = (): number => {
  const used = process.threadCpuUsage?.()
  return used === undefined ? performance.now() : (used.user + used.system) / 1000
}

/** How long this thread worked away from its event loop at most, while `act` ran. */
async function longestTurnMs(act: () => Promise<void>): Promise<number> {
  let [last, longest, isOver] = [usedMs(), 0, false]
  const turn = () => {
    const now = usedMs()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await act()
  isOver = true
  return longest
}
