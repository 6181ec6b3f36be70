import { join } from 'node:path'
import type { AccountUuid, CallUuid } from '../../model/ids.ts'
import type { Audio, AudioCommand, AudioEvent } from '../../ports/audio.ts'
import type { Log } from '../../ports/log.ts'
import type { HttpClient } from '../http/index.ts'
import { AssetAudio, type AssetFile } from './asset-audio.ts'
import { AudioCache, type CachedAudio } from './audio-cache.ts'
import { AudioConverter } from './audio-converter.ts'
import { type AudioFault, audioFault } from './audio-fault.ts'
import type { SpeechEngine } from './speech-engine.ts'
import { type SpeechCounters, SpeechLibrary } from './speech-library.ts'
import { UrlAudio } from './url-audio.ts'
import type { Growth, Utterance } from './utterance.ts'

interface AudioLibraryOptions {
  /** Holds `speech/`, `urls/` and `assets/`; made when it is missing. */
  readonly cacheFolder: string
  readonly engine: SpeechEngine
  readonly http: Pick<HttpClient, 'get'>
  readonly assets: {
    /** An uploaded asset's file; undefined when the account has none of that slug. */
    audioOf(account: AccountUuid, slug: string): Promise<AssetFile | undefined>
  }
  readonly emit: (event: AudioEvent) => void
  readonly log: Log
  /** Default 512 MB. */
  readonly maxSpeechBytes?: number
  /** Default 1 GB. */
  readonly maxUrlBytes?: number
  /** Bytes of converted assets (WAV made of other formats). Default 512 MB. */
  readonly maxAssetBytes?: number
}

const megabyte = 1024 * 1024

/** What a slug may look like; nothing else is looked for, so no path can be asked for either. */
const slugPattern = /^[a-z0-9-]{1,64}$/

/**
 * Fills the audio port. Each command gets one event, later, never within `execute`; after one that says
 * that its audio grows, others report how.
 */
export class AudioLibrary implements Audio {
  readonly #options: AudioLibraryOptions
  readonly #speech: SpeechLibrary
  readonly #urls: UrlAudio
  readonly #assets: AssetAudio
  readonly #converter = new AudioConverter()
  #closed = false

  constructor(options: AudioLibraryOptions) {
    this.#options = options
    const { cacheFolder, engine, http, log } = options
    const { maxSpeechBytes = 512 * megabyte, maxUrlBytes = 1024 * megabyte, maxAssetBytes = 512 * megabyte } = options
    const cache = (name: string, maxBytes: number) => new AudioCache({ folder: join(cacheFolder, name), maxBytes })
    this.#speech = new SpeechLibrary({ engine, cache: cache('speech', maxSpeechBytes), log })
    this.#urls = new UrlAudio(http, cache('urls', maxUrlBytes), this.#converter)
    this.#assets = new AssetAudio(cache('assets', maxAssetBytes), this.#converter)
  }

  execute(command: AudioCommand): void {
    const { callId, requestId } = command
    this.#answer(command).then(
      ({ growing, ...answer }) => {
        this.#emit({ callId, requestId, ...answer })
        growing?.follow(growth => this.#grown(callId, requestId, growth))
      },
      (error: unknown) => {
        const detail = error instanceof Error ? error.message : String(error)
        this.#options.log.warn({ callId, command: command.type, detail: detail.slice(0, 400) }, 'audio failed')
        const code = command.type === 'audio.speak' ? 'SAY.0500' : 'PLAY.0400'
        this.#emit({ type: 'audio.failed', callId, requestId, code, detail: detail.slice(0, 400) })
      },
    )
  }

  abandon(callId: CallUuid): void {
    this.#speech.leave(callId)
  }

  /** What each speech engine did, by its name. */
  get speechCounters(): Readonly<Record<string, Readonly<SpeechCounters>>> {
    return this.#speech.counters
  }

  /** Ends what still runs; nothing is emitted any more. */
  close(): void {
    this.#closed = true
    this.#speech.close()
    this.#converter.close()
  }

  #grown(callId: CallUuid, requestId: string, { durationMs, isWhole, fault }: Growth): void {
    const detail = fault?.slice(0, 400)
    if (detail !== undefined) this.#options.log.warn({ callId, command: 'audio.speak', detail }, 'audio failed')
    const failed = detail === undefined ? {} : { detail }
    this.#emit({ type: 'audio.grown', callId, requestId, durationMs: Math.round(durationMs), isWhole, ...failed })
  }

  async #answer(command: AudioCommand): Promise<Answer> {
    switch (command.type) {
      case 'audio.speak': {
        const { durationMs, growing, ...spoken } = await this.#speech.speak(command, command)
        const ready = { type: 'audio.ready', ...spoken, durationMs: Math.round(durationMs) } as const
        return growing === undefined ? ready : { ...ready, isGrowing: true, growing }
      }
      case 'audio.load': {
        const { source, accountId } = command
        const loaded =
          'asset' in source ? await this.#asset(accountId, source.asset) : await this.#urls.load(accountId, source.url)
        if ('ok' in loaded) return { type: 'audio.failed', code: loaded.code, detail: loaded.detail }
        return { type: 'audio.ready', path: loaded.path, durationMs: loaded.durationMs }
      }
    }
  }

  async #asset(account: AccountUuid, slug: string): Promise<CachedAudio | AudioFault> {
    const found = slugPattern.test(slug) ? await this.#options.assets.audioOf(account, slug) : undefined
    if (found === undefined) return audioFault('PLAY.0404', `no asset ${JSON.stringify(slug.slice(0, 64))}`)
    // A WAV is played as it is.
    return found.mediaFormat === 'wav' ? found : this.#assets.load(account, found)
  }

  #emit(event: AudioEvent): void {
    if (!this.#closed) this.#options.emit(event)
  }
}

type Answer = WithoutIds<AudioEvent> & { readonly growing?: Utterance }
type WithoutIds<Event> = Event extends unknown ? Omit<Event, 'callId' | 'requestId'> : never
