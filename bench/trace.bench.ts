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
// as they are served, one with `recorder.memory_mb: 0`, bear the same load at the same time on one processor: what disturbs the
// processor, disturbs both. Each round is a ratio; each pair is started for itself, since two starts of one program differ by some per cent:
// the ratio for packets was 0.976 to 1.017 in three pairs with the same settings on both sides, so they have more pairs than calls.
const usual = {
  pairs: 3,
  pairsForPackets: 5,
  rounds: 4,
  secondsPerRound: 10,
  /** At most: what the machine does not bear is not offered. */
  callsPerSecond: 50,
  liveCalls: 40,
  packetSeconds: 8,
  // V8 compiles for about a minute what runs at this rate: after 15 s that still is a part of the difference, of 100 µs a call.
  warmUpSeconds: 60,
}
const brief = {
  pairs: 1,
  pairsForPackets: 0,
  rounds: 1,
  secondsPerRound: 4,
  callsPerSecond: 30,
  liveCalls: 10,
  packetSeconds: 3,
  warmUpSeconds: 4,
}
const talkMs = 500
/** Both switches take this part of the processor: what is not borne says nothing about the recorder. */
const load = 0.8
/** Of the calls of a round, at most. A processor that the host takes away for a moment leaves some unanswered. */
const mayFail = 0.01

/** Pairs of switches and minutes of calls: it runs when it is named. */
export const isLongTest = true

/** What both took in one round. */
interface Round {
  readonly off: Taken
  readonly on: Taken
}

/** Milliseconds of processor time a call or a packet: of all threads, and of each kind. */
interface Taken {
  readonly allMs: number
  readonly threadMs: ReadonlyMap<string, number>
}

const signallingMs = ({ threadMs }: Taken): number => threadMs.get('signalling') ?? 0

export async function run(short: boolean): Promise<Figure[]> {
  requirePeers('sipp')
  useBuiltProgram()
  const plan = short ? brief : usual
  const calls: Round[] = []
  const packets: Round[] = []
  const rates: number[] = []
  for (let pair = 0; pair < plan.pairs + plan.pairsForPackets; pair++) {
    const open = {
      off: () => Subject.open({ SAUTI_RECORDER_MEMORY_MB: '0', SAUTI_MEDIA_PORTS: '12000-15999' }),
      on: () => Subject.open({ SAUTI_RECORDER_MEMORY_MB: '32', SAUTI_MEDIA_PORTS: '16000-19999' }),
    }
    // The one that is started first may get the better memory.
    const earlier = pair % 2 === 0 ? await open.off() : await open.on()
    const later = pair % 2 === 0 ? await open.on() : await open.off()
    const [off, on] = pair % 2 === 0 ? [earlier, later] : [later, earlier]
    const both = async (take: (subject: Subject) => Promise<Taken>): Promise<Round> => {
      const [ofOff, ofOn] = await Promise.all([take(off), take(on)])
      return { off: ofOff, on: ofOn }
    }
    try {
      const slow = Math.ceil(plan.callsPerSecond / 4)
      const first = await both(subject => subject.calls(slow, Math.max(5, plan.warmUpSeconds / 4)))
      if (pair < plan.pairs) {
        const borne = Math.floor((1000 * load) / (first.off.allMs + first.on.allMs))
        const rate = Math.max(slow, Math.min(plan.callsPerSecond, borne))
        process.stderr.write(`pair ${pair + 1}: ${rate} calls a second at each switch\n`)
        rates.push(rate)
        await both(subject => subject.calls(rate, plan.warmUpSeconds))
        for (let round = 0; round < plan.rounds; round++) {
          calls.push(await both(subject => subject.calls(rate, plan.secondsPerRound)))
          tell('calls', pair, calls.at(-1))
        }
      }
      await Promise.all([off, on].map(subject => subject.speak(plan.liveCalls)))
      // The first packets are relayed by code that V8 has not compiled yet.
      await both(subject => subject.packets(plan.packetSeconds))
      for (let round = 0; round < plan.rounds; round++) {
        packets.push(await both(subject => subject.packets(plan.packetSeconds)))
        tell('packets', pair, packets.at(-1))
      }
    } finally {
      await off.close()
      await on.close()
    }
  }
  const ratios = (rounds: readonly Round[]) => rounds.map(({ off, on }) => on.allMs / off.allMs)
  const spread = (rounds: readonly Round[]) =>
    `${Math.min(...ratios(rounds)).toFixed(3)} to ${Math.max(...ratios(rounds)).toFixed(3)}`
  // Means, since the machine is slower in some rounds than in others, but then for both.
  const perCall = { off: mean(calls.map(({ off }) => off.allMs)), on: mean(calls.map(({ on }) => on.allMs)) }
  const perPacket = { off: mean(packets.map(({ off }) => off.allMs)), on: mean(packets.map(({ on }) => on.allMs)) }
  return [
    figureOf(
      `a full call, ${median(rates)} a second at each switch, processor time of all threads`,
      perCall.on,
      'ms',
      perCall.off,
      'recorder off',
    ),
    figureOf(
      '… of the signalling thread',
      mean(calls.map(({ on }) => signallingMs(on))),
      'ms',
      mean(calls.map(({ off }) => signallingMs(off))),
      'recorder off',
    ),
    figureOf(
      `… median ratio of ${calls.length} rounds (${spread(calls)})`,
      median(ratios(calls)),
      '',
      1.05,
      'demanded at most',
    ),
    figureOf('calls a second on one core', 1000 / perCall.on, '/s', 1000 / perCall.off, 'recorder off'),
    figureOf(
      'a relayed packet, processor time of all threads',
      1000 * perPacket.on,
      'µs',
      1000 * perPacket.off,
      'recorder off',
    ),
    figureOf(
      `… median ratio of ${packets.length} rounds (${spread(packets)})`,
      median(ratios(packets)),
      '',
      1.05,
      'demanded at most',
    ),
    figureOf('packets a second on one core', 1000 / perPacket.on, '/s', 1000 / perPacket.off, 'recorder off'),
    ...(await reading()),
  ]
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

function tell(what: string, pair: number, round: Round | undefined): void {
  if (round === undefined) return
  const { off, on } = round
  const unit =
    what === 'calls'
      ? `${on.allMs.toFixed(2)} and ${off.allMs.toFixed(2)} ms`
      : `${(1000 * on.allMs).toFixed(1)} and ${(1000 * off.allMs).toFixed(1)} µs`
  const more = [...on.threadMs].map(
    ([name, ms]) => `${name} ${(1000 * (ms - (off.threadMs.get(name) ?? 0))).toFixed(1)}`,
  )
  process.stderr.write(
    `pair ${pair + 1}, ${what}: ${unit} with and without, ratio ${(on.allMs / off.allMs).toFixed(3)}; µs more: ${more.join(', ')}\n`,
  )
}

/** A served switch with calls, and packets of calls that last. */
class Subject {
  readonly #loaded: LoadedSwitch
  #live: LiveCalls | undefined

  private constructor(loaded: LoadedSwitch) {
    this.#loaded = loaded
  }

  static async open(environment: Record<string, string>): Promise<Subject> {
    return new Subject(await LoadedSwitch.open('full', environment))
  }

  async calls(callsPerSecond: number, seconds: number): Promise<Taken> {
    const before = threadTimes(this.#loaded.on.pid)
    const { offered, answeredMs } = await this.#loaded.offer(callsPerSecond, seconds, talkMs)
    // What is recorded of the last calls is settled after some seconds.
    await new Promise(resolve => setTimeout(resolve, 1000))
    const unanswered = offered - answeredMs.length
    if (unanswered > mayFail * offered) throw new Error(`${unanswered} of ${offered} calls were not answered`)
    if (unanswered > 0) process.stderr.write(`${unanswered} of ${offered} calls were not answered\n`)
    return this.#takenSince(before, answeredMs.length)
  }

  /** The callee of these calls is another than that of the load. */
  async speak(calls: number): Promise<void> {
    const port = await freePort()
    const { on } = this.#loaded
    await addTrunk(on, { name: 'listener', port, prefixes: ['+25570'], inbound: false })
    this.#live = await LiveCalls.open(calls, on.sipPort, this.#loaded.number, port)
    await this.#live.pause()
  }

  async packets(seconds: number): Promise<Taken> {
    const live = this.#live
    if (live === undefined) throw new Error('no calls are open')
    live.resume()
    await new Promise(resolve => setTimeout(resolve, 500))
    live.takeLoss()
    const before = threadTimes(this.#loaded.on.pid)
    await new Promise(resolve => setTimeout(resolve, seconds * 1000))
    const taken = this.#takenSince(before, live.takeLoss().sent)
    await live.pause()
    return taken
  }

  #takenSince(before: ReturnType<typeof threadTimes>, count: number): Taken {
    const used = usedBetween(before, threadTimes(this.#loaded.on.pid))
    return {
      allMs: used.reduce((sum, [, ms]) => sum + ms, 0) / count,
      threadMs: new Map(used.map(([name, ms]) => [name, ms / count])),
    }
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
