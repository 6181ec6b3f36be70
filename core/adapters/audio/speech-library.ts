import { createHash } from 'node:crypto'
import type { Log } from '../../ports/log.ts'
import type { AudioCache, CachedAudio } from './audio-cache.ts'
import { FairQueue } from './fair-queue.ts'
import { LaneHealth } from './lane-health.ts'
import { type SpeechEngine, SpeechFault, type SpeechJob, type SpeechLane, type SpeechRequest } from './speech-engine.ts'
import { spokenWav } from './spoken-wav.ts'

export interface Spoken extends CachedAudio {
  readonly unknownVoice?: string
}

/** Of one engine, all its lanes together. */
export interface SpeechCounters {
  /** Texts that it spoke. */
  spoken: number
  /** Texts that it could not speak, or not in time. */
  failed: number
  /** Texts that went to the next engine without a try, because it had failed a moment ago. */
  skipped: number
}

export interface SpeechLibraryOptions {
  readonly engine: SpeechEngine
  readonly cache: AudioCache
  readonly log: Log
  /** Monotonic milliseconds. Default `performance.now`. */
  readonly now?: () => number
}

const maxWaiting = 1000
/** While a lane that was sick is tried again, the others do not wait for it. */
const trialMs = 60_000

/** It was not tried. */
class Resting extends SpeechFault {}

interface Lane {
  readonly queue: FairQueue
  readonly health: LaneHealth
}

/**
 * Words to WAV files; what was spoken once is not spoken again. An engine that dies or hangs holds up its own lane only:
 * the words go to the next one, and it is asked again when it has rested.
 */
export class SpeechLibrary {
  readonly #options: SpeechLibraryOptions
  readonly #now: () => number
  /** By name; as many as engines have voices in use. */
  readonly #lanes = new Map<string, Lane>()
  readonly #counters = new Map<string, SpeechCounters>()
  /** Many calls may ask for the same words at once, as when a fallback runs. */
  readonly #underWay = new Map<string, Promise<CachedAudio>>()

  constructor(options: SpeechLibraryOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** By engine. */
  get counters(): Readonly<Record<string, Readonly<SpeechCounters>>> {
    return Object.fromEntries([...this.#counters].map(([engine, counters]) => [engine, { ...counters }]))
  }

  /** `callId` takes its turn among the calls. Rejects with what went wrong. */
  async speak(callId: string, request: SpeechRequest): Promise<Spoken> {
    const first = await this.#options.engine.prepare(request)
    const audio = await this.#firstOf(callId, first)
    return first.unknownVoice === undefined ? audio : { ...audio, unknownVoice: first.unknownVoice }
  }

  close(): void {
    this.#options.engine.close()
  }

  /** By the first of the chain that can. */
  async #firstOf(callId: string, job: SpeechJob): Promise<CachedAudio> {
    try {
      return await this.#audioOf(callId, job, job.next === undefined)
    } catch (fault) {
      const next = await job.next?.().catch(() => undefined)
      if (next !== undefined) return await this.#firstOf(callId, next)
      // Nobody else is there: it is tried though it rests.
      if (fault instanceof Resting) return await this.#audioOf(callId, job, true)
      throw fault
    }
  }

  async #audioOf(callId: string, job: SpeechJob, isAlone: boolean): Promise<CachedAudio> {
    const key = createHash('sha256').update(job.identity).digest('hex')
    return (await this.#options.cache.find(key)) ?? (await this.#synthesise(callId, key, job, isAlone))
  }

  #synthesise(callId: string, key: string, job: SpeechJob, isAlone: boolean): Promise<CachedAudio> {
    const underWay = this.#underWay.get(key)
    if (underWay !== undefined) return underWay
    const lane = this.#laneOf(job.lane)
    const result = lane.queue
      .run(callId, async () => {
        const wav = await this.#tryOf(job, lane, isAlone)
        return this.#options.cache.put(key, wav.durationMs, wav.bytes)
      })
      .finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, result)
    return result
  }

  async #tryOf(job: SpeechJob, lane: Lane, isAlone: boolean): Promise<ReturnType<typeof spokenWav>> {
    const counters = this.#countersOf(job.lane)
    if (!isAlone && !lane.health.admits(this.#now(), trialMs)) {
      counters.skipped++
      throw new Resting(`${job.lane.name} has failed a moment ago`)
    }
    try {
      const wav = spokenWav(await job.speak())
      counters.spoken++
      if (lane.health.spoke()) this.#options.log.info({ lane: job.lane.name }, 'speech engine works again')
      return wav
    } catch (error) {
      counters.failed++
      const detail = error instanceof Error ? error.message.slice(0, 400) : String(error)
      const isOfText = error instanceof SpeechFault && error.isOfText
      const restMs = isOfText ? 0 : lane.health.failed(this.#now())
      this.#options.log.warn({ lane: job.lane.name, detail, restMs }, 'speech engine failed')
      throw error
    }
  }

  #laneOf({ name, width }: SpeechLane): Lane {
    let lane = this.#lanes.get(name)
    if (lane === undefined) {
      lane = { queue: new FairQueue({ width, maxWaiting }), health: new LaneHealth() }
      this.#lanes.set(name, lane)
    }
    return lane
  }

  #countersOf({ name }: SpeechLane): SpeechCounters {
    const engine = name.split(':', 1)[0] ?? name
    let counters = this.#counters.get(engine)
    if (counters === undefined) {
      counters = { spoken: 0, failed: 0, skipped: 0 }
      this.#counters.set(engine, counters)
    }
    return counters
  }
}
