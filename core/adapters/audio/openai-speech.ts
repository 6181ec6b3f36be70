import { HttpClient, type HttpClientOptions } from '../http/index.ts'
import { kindOfAudio } from './audio-kind.ts'
import { SpeechFault, type SpeechJob, type SpeechRequest } from './speech-engine.ts'
import type { NamedEngine } from './speech-engines.ts'
import { cutSpeech, type PieceSizes } from './speech-pieces.ts'
import { lineOf, patienceFor } from './speech-text.ts'
import { spokenPieces } from './spoken-pieces.ts'
import { spokenPcm, spokenWav } from './spoken-wav.ts'

interface OpenAiSpeechOptions {
  /** The server's base, `https://api.openai.com/v1`, or the whole address of its `/audio/speech`. */
  readonly url: string
  readonly key?: string
  readonly model: string
  readonly format: 'wav' | 'pcm'
  /** Default: what the system says. */
  readonly resolve?: HttpClientOptions['resolve']
  /** What a text may take beside 15 ms a character. Default 4000. */
  readonly patienceMs?: number
}

/** Requests at once: the server is another machine's, or a process with cores of its own. */
const requestsAtOnce = 16
/**
 * Each piece is a request, and a server speaks it without knowing the others: only long texts are cut, into pieces long
 * enough for a melody. Each lasts as long as a server of half the speed of speech needs for the next.
 */
const pieceSizes: PieceSizes = { first: 200, most: 1000 }
const defaultVoice = 'alloy'
const voicePattern = /^[\w.-]{1,64}$/
/** What `pcm` means: 24,000 Hz, 16 bits, little-endian, mono. */
const pcmRate = 24_000
/** A character at 48,000 Hz, spoken as slowly as one can; and something for the head. */
const bytesPerCharacter = 64 * 1024
const bytesAtLeast = 1024 * 1024
/** What no samples are called. */
const otherTypes = /^(application\/(json|problem)|text\/|audio\/(mpeg|mp3|ogg|opus|aac|flac))/i
/** Statuses that are about the text or the voice: the next text may succeed. */
const faultsOfText: ReadonlySet<number> = new Set([400, 404, 413, 415, 422])

/** Any server that speaks OpenAI's `POST /v1/audio/speech`. Its address is the operator's, so it may be a private one. */
export class OpenAiSpeech implements NamedEngine {
  readonly #options: OpenAiSpeechOptions
  readonly #url: string
  readonly #http: HttpClient
  readonly #closing = new AbortController()

  constructor(options: OpenAiSpeechOptions) {
    this.#options = options
    this.#url = speechUrl(options.url)
    this.#http = new HttpClient({
      allowPrivateUrls: true,
      connectionsPerOrigin: requestsAtOnce,
      ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
    })
  }

  async prepare({ text, voice = defaultVoice }: SpeechRequest): Promise<SpeechJob | undefined> {
    if (!voicePattern.test(voice)) return undefined
    const { model, format } = this.#options
    const input = lineOf(text)
    return {
      identity: JSON.stringify(['openai', this.#url, model, format, voice, input]),
      lane: { name: 'openai', width: requestsAtOnce },
      speak: signal => spokenPieces(cutSpeech(input, pieceSizes), text => this.#speak(text, voice, signal)),
    }
  }

  close(): void {
    this.#closing.abort()
    void this.#http.close()
  }

  async #speak(input: string, voice: string, signal: AbortSignal): Promise<Uint8Array> {
    const { key, model, format, patienceMs = 4000 } = this.#options
    const answer = await this.#http.request({
      method: 'POST',
      url: this.#url,
      headers: {
        'content-type': 'application/json',
        accept: format === 'wav' ? 'audio/wav' : 'audio/pcm, application/octet-stream',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input, voice, response_format: format }),
      timeoutMs: patienceFor(input, patienceMs),
      maxBytes: bytesAtLeast + bytesPerCharacter * input.length,
      wants: status => status === 200,
      // Speaking changes nothing.
      isRepeatable: true,
      signal: AbortSignal.any([this.#closing.signal, signal]),
    })
    if (!answer.ok) throw new SpeechFault(`openai: ${answer.fault} ${answer.detail}`.trim())
    const { status, contentType, body } = answer
    if (status !== 200) throw new SpeechFault(`openai: the server answered ${status}`, faultsOfText.has(status))
    return this.#audioIn(body, contentType)
  }

  /** By its bytes: servers name their audio as they like, and some have one format for every wish. */
  #audioIn(body: Uint8Array, contentType: string): Uint8Array {
    const kind = kindOfAudio(body)
    if (kind === 'wav') return spokenWav(body).bytes
    const { format } = this.#options
    // Samples may begin like anything, also like MP3: there the server's word counts.
    if (format === 'wav' || kind === 'ogg' || otherTypes.test(contentType.trim())) {
      throw new SpeechFault(`openai: the server gave ${contentType.slice(0, 64) || 'no type'}, not ${format}`)
    }
    return spokenPcm(body, pcmRate).bytes
  }
}

/** As people write it: the base with or without `/v1`, or the whole. */
export function speechUrl(written: string): string {
  const url = new URL(written)
  const path = url.pathname.replace(/\/+$/, '')
  if (path.endsWith('/audio/speech')) return url.href
  url.pathname = `${path === '' ? '/v1' : path}/audio/speech`
  return url.href
}
