import { createHash } from 'node:crypto'
import type { AudioCache, CachedAudio } from './audio-cache.ts'
import { FairQueue } from './fair-queue.ts'
import type { SpeechEngine, SpeechJob, SpeechRequest } from './speech-engine.ts'
import { spokenWav } from './spoken-wav.ts'

export interface Spoken extends CachedAudio {
  readonly unknownVoice?: string
}

/** Engine processes at once: more only take the cores from the calls that run. */
const enginesAtOnce = 2

const maxWaiting = 1000

/** Words to WAV files; what was spoken once is not spoken again. */
export class SpeechLibrary {
  readonly #engine: SpeechEngine
  readonly #cache: AudioCache
  readonly #queue = new FairQueue({ width: enginesAtOnce, maxWaiting })
  /** Many calls may ask for the same words at once, as when a fallback runs. */
  readonly #underWay = new Map<string, Promise<CachedAudio>>()

  constructor(engine: SpeechEngine, cache: AudioCache) {
    this.#engine = engine
    this.#cache = cache
  }

  /** `callId` takes its turn among the calls. Rejects with what went wrong. */
  async speak(callId: string, request: SpeechRequest): Promise<Spoken> {
    const job = await this.#engine.prepare(request)
    const key = createHash('sha256').update(job.identity).digest('hex')
    const audio = (await this.#cache.find(key)) ?? (await this.#synthesise(callId, key, job))
    return job.unknownVoice === undefined ? audio : { ...audio, unknownVoice: job.unknownVoice }
  }

  close(): void {
    this.#engine.close()
  }

  #synthesise(callId: string, key: string, job: SpeechJob): Promise<CachedAudio> {
    const underWay = this.#underWay.get(key)
    if (underWay !== undefined) return underWay
    const result = this.#queue
      .run(callId, async () => {
        const wav = spokenWav(await job.speak())
        return this.#cache.put(key, wav.durationMs, wav.bytes)
      })
      .finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, result)
    return result
  }
}
