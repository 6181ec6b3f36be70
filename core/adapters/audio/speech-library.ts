import { createHash } from 'node:crypto'
import type { Log } from '../../ports/log.ts'
import { FairQueue } from '../queue/fair-queue.ts'
import type { AudioCache } from './audio-cache.ts'
import { LaneHealth } from './lane-health.ts'
import {
  type SpeechEngine,
  SpeechFault,
  type SpeechJob,
  type SpeechLane,
  type SpeechRequest,
  type SpokenPiece,
} from './speech-engine.ts'
import { type BegunAudio, Utterance } from './utterance.ts'

export interface Spoken extends BegunAudio {
  readonly unknownVoice?: string
}

/** Counters of one engine, over all its lanes. */
export interface SpeechCounters {
  /** Texts that it spoke. */
  spoken: number
  /** Texts that it could not speak, or not in time. */
  failed: number
  /** Texts that went to the next engine without a try, because it had failed a moment ago. */
  skipped: number
}

/** Who wants something spoken: accounts take turns, however many calls they have. */
interface Asker {
  readonly accountId: string
  readonly callId: string
}

interface SpeechLibraryOptions {
  readonly engine: SpeechEngine
  readonly cache: AudioCache
  readonly log: Log
  /** Monotonic milliseconds. Default `performance.now`. */
  readonly now?: () => number
}

const maxWaiting = 5000
/** Of one account: the others have room whatever it asks for. */
const maxWaitingPerOwner = 1000
/** While a lane that has failed is tried again, the others do not wait for it. */
const trialMs = 60_000

/** What was spoken to its end and may still be played: beyond it the oldest lose their files. */
const maxHeld = 256

/** It was not tried. */
class Resting extends SpeechFault {}

interface Lane {
  readonly queue: FairQueue
  readonly health: LaneHealth
}

/**
 * Words to WAV files; what was spoken once is not spoken again. An engine that dies or hangs holds up its own lane only:
 * the words go to the next one, and it is tried again after a pause.
 */
export class SpeechLibrary {
  readonly #options: SpeechLibraryOptions
  readonly #now: () => number
  /** By name; as many as engines have voices in use. */
  readonly #lanes = new Map<string, Lane>()
  readonly #counters = new Map<string, SpeechCounters>()
  /**
   * By account and words: many calls may ask for the same at once, as when a fallback runs. Another account's would be
   * spoken at the turns of that account.
   */
  readonly #underWay = new Map<string, Utterance>()
  /** Utterances that are played while they are spoken, kept until their calls are over. */
  readonly #held = new Set<Utterance>()

  constructor(options: SpeechLibraryOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** By engine. */
  get counters(): Readonly<Record<string, Readonly<SpeechCounters>>> {
    return Object.fromEntries([...this.#counters].map(([engine, counters]) => [engine, { ...counters }]))
  }

  /**
   * The asker's account takes its turn among the accounts. A long text can be played before it is whole: its `growing`
   * reports the rest. Rejects with the fault.
   */
  async speak(asker: Asker, request: SpeechRequest): Promise<Spoken> {
    const first = await this.#options.engine.prepare(request)
    const audio = await this.#firstOf(asker, first)
    return first.unknownVoice === undefined ? audio : { ...audio, unknownVoice: first.unknownVoice }
  }

  /** The call is over: what is spoken for it alone is stopped. */
  leave(callId: string): void {
    for (const utterance of [...this.#held, ...this.#underWay.values()]) {
      if (utterance.leave(callId)) this.#held.delete(utterance)
    }
  }

  close(): void {
    for (const utterance of [...this.#held, ...this.#underWay.values()]) utterance.release()
    this.#options.engine.close()
  }

  /** By the first of the chain that can. */
  async #firstOf(asker: Asker, job: SpeechJob): Promise<BegunAudio> {
    try {
      return await this.#audioOf(asker, job, job.next === undefined)
    } catch (fault) {
      const next = await job.next?.().catch(() => undefined)
      if (next !== undefined) return await this.#firstOf(asker, next)
      // There is no other engine: it is tried although it is paused.
      if (fault instanceof Resting) return await this.#audioOf(asker, job, true)
      throw fault
    }
  }

  async #audioOf({ accountId, callId }: Asker, job: SpeechJob, isAlone: boolean): Promise<BegunAudio> {
    const key = createHash('sha256').update(job.identity).digest('hex')
    const own = `${accountId} ${key}`
    const kept = this.#underWay.has(own) ? undefined : await this.#options.cache.find(key)
    if (kept !== undefined) return kept
    const underWay = this.#underWay.get(own)
    const utterance =
      underWay === undefined || underWay.isGivenUp ? this.#utter(accountId, key, job, isAlone) : underWay
    utterance.join(callId)
    const audio = await utterance.begun
    if (audio.growing !== undefined) this.#hold(audio.growing)
    return audio
  }

  #utter(owner: string, key: string, job: SpeechJob, isAlone: boolean): Utterance {
    const own = `${owner} ${key}`
    let isPure = true
    const utterance: Utterance = new Utterance({
      cache: this.#options.cache,
      owner,
      key,
      pieces: signal => this.#piecesOf(owner, job, isAlone, signal, () => (isPure = false)),
      isPure: () => isPure,
      ended: () => {
        if (this.#underWay.get(own) === utterance) this.#underWay.delete(own)
      },
    })
    this.#underWay.set(own, utterance)
    return utterance
  }

  #hold(utterance: Utterance): void {
    if (utterance.isGivenUp) return
    this.#held.add(utterance)
    for (const oldest of this.#held) {
      if (this.#held.size <= maxHeld) return
      if (!oldest.isOver) continue
      this.#held.delete(oldest)
      oldest.release()
    }
  }

  /** The first piece by this engine or by none; the words after a piece by the next engine when this one fails there. */
  async *#piecesOf(
    owner: string,
    job: SpeechJob,
    isAlone: boolean,
    signal: AbortSignal,
    changed: () => void,
  ): AsyncGenerator<SpokenPiece, void, undefined> {
    let rest: string | undefined
    try {
      for await (const piece of this.#piecesBy(owner, job, isAlone, signal)) {
        rest = piece.rest
        yield piece
      }
    } catch (fault) {
      const next = rest === undefined || signal.aborted ? undefined : await job.next?.(rest).catch(() => undefined)
      if (next === undefined) throw fault
      changed()
      yield* this.#piecesOf(owner, next, next.next === undefined, signal, changed)
    }
  }

  /** Each piece has its turn in the engine's lane. */
  async *#piecesBy(
    owner: string,
    job: SpeechJob,
    isAlone: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<SpokenPiece, void, undefined> {
    const { lane: at } = job
    const lane = this.#laneOf(at)
    const counters = this.#countersOf(at)
    const pieces = job.speak(signal)
    let hasBegun = false
    const nextPiece = async () => {
      if (signal.aborted) throw new SpeechFault('no call waits for it any more')
      if (!hasBegun && !isAlone && !lane.health.admits(this.#now(), trialMs)) {
        counters.skipped++
        throw new Resting(`${at.name} has failed a moment ago`)
      }
      try {
        return await pieces.next()
      } catch (error) {
        if (!signal.aborted) this.#failed(job, error)
        throw error
      }
    }
    try {
      for (;;) {
        const { value, done } = await lane.queue.run(owner, nextPiece, hasBegun)
        if (done === true) return
        hasBegun = true
        if (lane.health.spoke()) this.#options.log.info({ lane: at.name }, 'speech engine works again')
        if (value.isLast) counters.spoken++
        yield value
        if (value.isLast) return
      }
    } finally {
      await pieces.return()
    }
  }

  #failed({ lane: { name }, lane }: SpeechJob, error: unknown): void {
    this.#countersOf(lane).failed++
    const detail = error instanceof Error ? error.message.slice(0, 400) : String(error)
    const isOfText = error instanceof SpeechFault && error.isOfText
    const pauseMs = isOfText ? 0 : this.#laneOf(lane).health.failed(this.#now())
    this.#options.log.warn({ lane: name, detail, restMs: pauseMs }, 'speech engine failed')
  }

  #laneOf({ name, width }: SpeechLane): Lane {
    let lane = this.#lanes.get(name)
    if (lane === undefined) {
      lane = { queue: new FairQueue({ width, maxWaiting, maxWaitingPerOwner }), health: new LaneHealth() }
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
