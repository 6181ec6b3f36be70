import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { EngineCommand, SessionId } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { SessionDump } from '../contract/session-dump.ts'
import { MediaEngine } from '../engine/engine.ts'
import {
  CommandingThread,
  defaultTickMs,
  LibOpus,
  loadLibC,
  loadSystemOpus,
  MediaClock,
  openNetwork,
  otherProcessor,
  ProcessorChoice,
  PromptFiles,
  RecordingFiles,
} from '../io/index.ts'
import type { DatagramNetwork } from '../net/network.ts'
import { MediaTape } from '../report/media-tape.ts'
import type { MediaCounters, MediaThreadConfig } from './protocol.ts'

/** How often it is looked whether all is on disk: a thread that goes before others must let those have their turn who write it. */
const lookMs = 2

/** An engine with its sockets, files and clock, in whatever thread it is made. It ticks only while it has sessions. */
export class MediaLoop {
  readonly #network: DatagramNetwork
  readonly #engine: MediaEngine
  readonly #clock: MediaClock
  readonly #opus = new LibOpus(loadSystemOpus())
  /** Undefined where the thread is not this object's own, or the system moves no thread for it. */
  readonly #processor: ProcessorChoice | undefined
  readonly #commanding: CommandingThread | undefined
  /** What was done between ticks since the last one, ms. */
  #betweenMs = 0
  readonly #deliver: (events: readonly EngineEvent[], ready: readonly number[]) => void
  #events: EngineEvent[] = []
  #ready: readonly number[] = []
  #isDelivering = false

  /**
   * `deliver` gets events in their order, in batches, and ports that are ready, never from inside a call of this object.
   * `ownsThread`: nothing else runs in this thread, and it may be held until a tick is due.
   */
  constructor(
    config: MediaThreadConfig,
    deliver: (events: readonly EngineEvent[], ready: readonly number[]) => void,
    { ownsThread = false } = {},
  ) {
    this.#deliver = deliver
    this.#network = openNetwork(config)
    const opus = this.#opus
    void opus.warm()
    const native = ownsThread ? loadLibC() : undefined
    const processor = native && new ProcessorChoice(otherProcessor(native))
    this.#processor = processor
    this.#commanding = native && config.commanding && new CommandingThread(native, config.commanding)
    this.#engine = new MediaEngine(config, {
      network: this.#network,
      prompts: new PromptFiles({
        opus,
        ...(config.promptBytes === undefined ? {} : { keptBytes: config.promptBytes }),
      }),
      recordings: new RecordingFiles(),
      opus,
      ...(config.certificate === undefined ? {} : { browsers: { certificate: config.certificate, randomBytes } }),
      emit: event => this.#emit(event),
      ready: ports => {
        this.#ready = [...this.#ready, ...ports]
        this.#deliverSoon()
      },
      tape: config.tape && new MediaTape(config.tape.memory, config.tape.wantsHeaders),
      now: () => performance.now(),
      // The system's monotonic clock; `performance.now` begins with its thread.
      clockOffsetMs: Number(process.hrtime.bigint()) / 1e6 - performance.now(),
      random: () => Math.random(),
      unixMs: now => performance.timeOrigin + now,
      ...(processor === undefined ? {} : { overran: now => processor.fellBehind(now) }),
    })
    this.#clock = new MediaClock(
      (now, tickAt) => this.#tick(now, tickAt),
      native === undefined || this.#network.kind !== 'mmsg'
        ? {}
        : {
            sleep: ms => void native.libc.usleep(Math.round(1000 * ms)),
            between: { isWanted: () => this.#engine.isRelaying, run: now => this.#receive(now) },
          },
    )
  }

  get counters(): MediaCounters {
    return {
      ...this.#engine.counters,
      ...this.#clock.counters,
      processorsLeft: this.#processor?.left ?? 0,
      sockets: this.#network.kind,
    }
  }

  dump(sessions: readonly SessionId[]): readonly SessionDump[] {
    return this.#engine.dump(sessions, performance.now())
  }

  execute(commands: readonly EngineCommand[]): void {
    const now = performance.now()
    for (const command of commands) this.#engine.execute(command, now)
    this.#network.flush()
    if (!this.#engine.isIdle) this.#clock.start()
  }

  /** Ends every session; resolves when all is reported and on disk. Nothing ticks any more. */
  async end(): Promise<void> {
    this.#clock.stop()
    this.#engine.closeAll(performance.now())
    while (this.#engine.isBusy || this.#events.length > 0) await pause(lookMs)
    this.#network.close()
  }

  #tick(now: number, tickAt: number): void {
    if (this.#commanding?.runsHere()) this.#processor?.standAside(now)
    this.#engine.tick(now, tickAt)
    this.#opus.effort.observe(performance.now() - now + this.#betweenMs, defaultTickMs)
    this.#betweenMs = 0
    if (this.#engine.isIdle) this.#clock.stop()
  }

  #receive(now: number): void {
    this.#engine.receive(now)
    this.#betweenMs += performance.now() - now
  }

  #emit(event: EngineEvent): void {
    this.#events.push(event)
    this.#deliverSoon()
  }

  #deliverSoon(): void {
    if (this.#isDelivering) return
    this.#isDelivering = true
    setImmediate(() => {
      const events = this.#events
      const ready = this.#ready
      this.#isDelivering = false
      this.#events = []
      this.#ready = []
      this.#deliver(events, ready)
    })
  }
}
