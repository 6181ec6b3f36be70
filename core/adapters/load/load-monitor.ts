import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { MediaCounters } from '../../../rtp/worker/index.ts'
import { measureEveryMs, type OverloadControl } from '../../admission/overload-control.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ProcessMemory } from '../system/process-memory.ts'
import { refusalNews } from './refusal-news.ts'

/** How exactly the delay of the event loop is measured, ms. */
const loopResolutionMs = 5
/** Interval at which memory and media threads are measured; for media the best of several measures counts. */
const slowlyMs = 1000
const looksInARow = 3
/** A media thread that was just made, or made again, is given this time: on a busy machine it takes seconds to load. */
const threadStartMs = 10_000

interface MediaLook {
  readonly threads: readonly MediaCounters[]
  /** Threads that do not answer. */
  readonly threadsSilent: number
}

interface MediaLoad {
  readonly mediaLate: number
  readonly mediaBusy: number
}

export interface LoadMonitorOptions {
  readonly admission: OverloadControl
  /** The one that calls are admitted by. */
  readonly clock: Pick<Clock, 'now'>
  /** How long INVITEs have waited since this was asked last, ms. */
  readonly inviteWaitMs: () => number
  /** INVITEs dropped unread since the start. */
  readonly invitesDropped: () => number
  /** Units of work that wait for their commit. */
  readonly storeBacklog: () => number
  readonly media: () => Promise<MediaLook>
  /** Undefined: it cannot be known. */
  readonly memory: () => Promise<ProcessMemory | undefined>
  /** Media threads of their own; 0 = media shares the signalling thread. */
  readonly mediaThreads: number
  /** What a source of calls is called in the log. */
  readonly nameOf: (source: string) => string
  readonly log: Log
}

/** Measures what the signalling thread, the media threads, the database and the memory bear, and gives it to the admission. */
export class LoadMonitor {
  readonly #options: LoadMonitorOptions
  readonly #loop: ReturnType<typeof monitorEventLoopDelay>
  readonly #timers: NodeJS.Timeout[]
  readonly #news: (now: number) => void
  #utilization: EventLoopUtilization
  #measuredAt: number
  #slow = { mediaLate: 0, mediaBusy: 0, memory: 0, isMediaSilent: false }
  #threads: readonly MediaCounters[] = []
  #threadsAt = 0
  /** When a media thread had last been known to work; at first, when they were made. */
  #mediaSeenAt: number
  #isLooking = false
  readonly #looks: MediaLoad[] = []

  constructor(options: LoadMonitorOptions) {
    this.#options = options
    this.#measuredAt = options.clock.now()
    this.#mediaSeenAt = this.#measuredAt
    this.#news = refusalNews(options)
    this.#loop = monitorEventLoopDelay({ resolution: loopResolutionMs })
    this.#loop.enable()
    this.#utilization = performance.eventLoopUtilization()
    this.#timers = [
      setInterval(() => this.#measure(), measureEveryMs),
      setInterval(() => void this.#lookSlowly(), slowlyMs),
    ]
    for (const timer of this.#timers) timer.unref()
    void this.#warnOfUnknownMemory()
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#loop.disable()
  }

  async #warnOfUnknownMemory(): Promise<void> {
    const { memory, log } = this.#options
    if ((await memory()) === undefined)
      log.warn({}, 'the memory in use is unknown (is /proc mounted?): calls are not refused for lack of it')
  }

  #measure(): void {
    const { admission, clock, inviteWaitMs, storeBacklog } = this.#options
    const now = clock.now()
    const passedMs = now - this.#measuredAt
    this.#measuredAt = now
    const utilization = performance.eventLoopUtilization()
    const { utilization: loopBusy } = performance.eventLoopUtilization(utilization, this.#utilization)
    this.#utilization = utilization
    admission.handle(
      {
        ...this.#slow,
        loopDelayMs: this.#takeDelay(passedMs - measureEveryMs),
        inviteWaitMs: inviteWaitMs(),
        storeBacklog: storeBacklog(),
        loopBusy,
      },
      now,
    )
    this.#news(now)
  }

  /** Mean of the loop's delays; when the loop stood for the whole time, how late we are ourselves. */
  #takeDelay(ownLateMs: number): number {
    const { count, mean } = this.#loop
    this.#loop.reset()
    const measured = count === 0 ? ownLateMs : mean / 1e6 - loopResolutionMs
    return Math.max(0, measured)
  }

  async #lookSlowly(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const [{ threads, threadsSilent }, memory] = await Promise.all([this.#options.media(), this.#options.memory()])
      const { clock, mediaThreads } = this.#options
      const now = clock.now()
      // A thread that has answered once has counters from then on; without any, none of them is loaded yet.
      if (threads.length > 0) this.#mediaSeenAt = now
      const isStarting = threads.length === 0 && now - this.#mediaSeenAt < threadStartMs
      this.#slow = {
        ...this.#lasting(this.#mediaLoad(threads, now - this.#threadsAt)),
        memory: memoryShare(memory),
        isMediaSilent: mediaThreads > 0 && threadsSilent >= mediaThreads && !isStarting,
      }
      this.#threads = threads
      this.#threadsAt = now
    } finally {
      this.#isLooking = false
    }
  }

  /** One bad second is no load. */
  #lasting(look: MediaLoad): MediaLoad {
    this.#looks.push(look)
    if (this.#looks.length > looksInARow) this.#looks.shift()
    const best = (of: (look: MediaLoad) => number) => Math.min(...this.#looks.map(of))
    return { mediaLate: best(({ mediaLate }) => mediaLate), mediaBusy: best(({ mediaBusy }) => mediaBusy) }
  }

  #mediaLoad(threads: readonly MediaCounters[], passedMs: number): MediaLoad {
    let mediaLate = 0
    let mediaBusy = 0
    // After a thread has died the others' places have changed: one look is left out.
    if (threads.length !== this.#threads.length) return { mediaLate, mediaBusy }
    for (const [at, thread] of threads.entries()) {
      const before = this.#threads[at]!
      const ticks = thread.ticks - before.ticks
      const missed = thread.missed - before.missed
      if (ticks <= 0 || missed < 0) continue
      mediaLate = Math.max(mediaLate, missed / (ticks + missed))
      mediaBusy = Math.max(mediaBusy, Math.min(1, (thread.workedMs - before.workedMs) / passedMs))
    }
    return { mediaLate, mediaBusy }
  }
}

/** The fuller of the heap and, where it is known, of the memory that the process may have. */
function memoryShare(memory: ProcessMemory | undefined): number {
  const heap = getHeapStatistics()
  const ofHeap = heap.used_heap_size / heap.heap_size_limit
  return memory === undefined ? ofHeap : Math.max(ofHeap, memory.residentBytes / memory.allowedBytes)
}
