import { closeSync, openSync, readSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { type Collection, type LongTurn, longMs, type MeasuredTurns, type Spread } from './long-turns.ts'

// Preloaded into a served switch (NODE_OPTIONS=--import): measures the event loop of its signalling thread.
// SIGUSR2 once: begin; again: write what was measured to the file that SAUTI_BENCH_TURNS names, and end.

/** How late a timer of this is, is how long the loop did not come to its timers. It is also how exactly the end of a turn is known. */
const timerMs = 1

/** What the scheduler counts of this thread (proc(5), /proc/pid/schedstat). The file stays open: opening it takes longer. */
function scheduling(): { waitedMs(): number; close(): void } {
  const file = openSync('/proc/thread-self/schedstat', 'r')
  const octets = Buffer.alloc(100)
  return {
    waitedMs: () =>
      Number(octets.toString('latin1', 0, readSync(file, octets, 0, octets.length, 0)).split(' ')[1]) / 1e6,
    close: () => closeSync(file),
  }
}

interface Look {
  readonly atMs: number
  readonly ranMs: number
  readonly waitedMs: number
}

/** Looks after each millisecond whether a long turn has ended, and what the thread did in it. */
class TurnWatch {
  readonly turns: LongTurn[] = []
  readonly #scheduling = scheduling()
  readonly #since = monitorEventLoopDelay({ samplePerIteration: true })
  readonly #timer: ReturnType<typeof setInterval>
  /** A turn is counted at its end, after the timers that came late by it: it may have begun before the last look. */
  #looks: readonly [before: Look, last: Look]

  constructor() {
    const now = this.#look()
    this.#looks = [now, now]
    this.#since.enable()
    this.#timer = setInterval(() => this.#next(), timerMs)
  }

  #look(): Look {
    const { user, system } = process.threadCpuUsage()
    return { atMs: monotonicMs(), ranMs: (user + system) / 1000, waitedMs: this.#scheduling.waitedMs() }
  }

  #next(): void {
    const [before, last] = this.#looks
    const now = this.#look()
    const tookMs = this.#since.max / 1e6
    if (tookMs >= longMs)
      this.turns.push({
        fromMs: before.atMs,
        toMs: now.atMs,
        tookMs,
        ranMs: now.ranMs - before.ranMs,
        waitedMs: now.waitedMs - before.waitedMs,
      })
    this.#since.reset()
    this.#looks = [last, now]
  }

  close(): void {
    clearInterval(this.#timer)
    this.#since.disable()
    this.#scheduling.close()
  }
}

/** CLOCK_MONOTONIC, which other programs read, too. */
const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

if (isMainThread && process.env.SAUTI_BENCH_TURNS !== undefined) {
  const file = process.env.SAUTI_BENCH_TURNS
  const turns = monitorEventLoopDelay({ samplePerIteration: true })
  const delays = monitorEventLoopDelay({ resolution: timerMs })
  const collections: Collection[] = []
  const collected = new PerformanceObserver(list => {
    const beganMs = monotonicMs() - performance.now()
    for (const { startTime, duration } of list.getEntries())
      collections.push({ beginMs: beganMs + startTime, tookMs: duration })
  })
  const inMs = ({ max, mean, count }: typeof turns, of: (part: number) => number, less: number): Spread => {
    const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - less)
    const at = (part: number) => ms(of(part))
    const percentiles: Spread['percentiles'] = [at(50), at(90), at(99), at(99.9)]
    return { count, mean: ms(mean), percentiles, max: ms(max) }
  }
  let watch: TurnWatch | undefined
  process.on('SIGUSR2', () => {
    if (watch === undefined) {
      for (const histogram of [turns, delays]) {
        histogram.reset()
        histogram.enable()
      }
      collected.observe({ type: 'gc' })
      watch = new TurnWatch()
      return
    }
    turns.disable()
    delays.disable()
    watch.close()
    collected.disconnect()
    const measured: MeasuredTurns = {
      turns: inMs(turns, part => turns.percentile(part), 0),
      delays: inMs(delays, part => delays.percentile(part), timerMs),
      long: watch.turns,
      collections,
    }
    watch = undefined
    writeFileSync(file, JSON.stringify(measured))
  })
}
