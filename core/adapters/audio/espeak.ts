import { fileURLToPath } from 'node:url'
import type { Log } from '../../ports/log.ts'
import { type ChildResult, childOutput } from './child-output.ts'
import { type SpeechEngine, SpeechFault, type SpeechJob, type SpeechRequest } from './speech-engine.ts'
import { patienceFor } from './speech-text.ts'
import { VoiceList } from './voices.ts'

export interface EspeakOptions {
  readonly log: Log
  /** Ways to start espeak-ng, tried in order. Default: the system's, then the one from npm. */
  readonly programs?: readonly EspeakProgram[]
  /** What a text may take beside 15 ms a character: a sentence takes about 15 ms in all, or 200 ms by WebAssembly. Default 3000. */
  readonly patienceMs?: number
  /** The most that anything may take. Default 20 000. */
  readonly timeoutMs?: number
}

export interface EspeakProgram {
  readonly label: string
  readonly command: string
  readonly args: readonly string[]
}

/** Fifteen minutes at 22 050 Hz: more than 4096 characters ever take, unless they are nothing but numbers. */
const maxOutputBytes = 15 * 60 * 22_050 * 2

/** More only take the cores from the calls that run. */
const processesAtOnce = 2

const maxListingBytes = 256 * 1024

/** espeak-ng, GPL-3: only ever spoken to by pipe, each utterance a process of its own. */
export const systemEspeak: EspeakProgram = { label: 'espeak-ng', command: 'espeak-ng', args: [] }

/** The same engine as WebAssembly, an optional package, in a Node process of its own. */
export const npmEspeak: EspeakProgram = {
  label: 'espeak-ng (WebAssembly)',
  command: process.execPath,
  args: [fileURLToPath(new URL('./espeak-wasm.ts', import.meta.url))],
}

interface Found {
  readonly program: EspeakProgram
  readonly voices: VoiceList
}

export class EspeakEngine implements SpeechEngine {
  readonly #log: Log
  readonly #programs: readonly EspeakProgram[]
  readonly #patienceMs: number
  readonly #timeoutMs: number
  readonly #closing = new AbortController()
  #found: Promise<Found> | undefined

  constructor(options: EspeakOptions) {
    this.#log = options.log
    this.#programs = options.programs ?? [systemEspeak, npmEspeak]
    this.#patienceMs = options.patienceMs ?? 3000
    this.#timeoutMs = options.timeoutMs ?? 20_000
  }

  async prepare(request: SpeechRequest): Promise<SpeechJob> {
    const { program, voices } = await this.#find()
    const { name, unknownVoice } = voices.choose(request.voice, request.language)
    const input = request.ssml === undefined ? plain(request.text) : dialectOf(request.ssml)
    const args = [...program.args, '-b', '1', '-v', name, '--stdin', '--stdout']
    if (request.ssml !== undefined) args.push('-m')
    return {
      identity: JSON.stringify([program.label, name, request.ssml !== undefined, input]),
      lane: { name: 'espeak', width: processesAtOnce },
      ...(unknownVoice === undefined ? {} : { unknownVoice }),
      speak: () => this.#speak(program, args, input),
    }
  }

  /** Looks for it, so that the first text does not wait for that. Never rejects. */
  async warm(): Promise<void> {
    await this.#find().catch(() => undefined)
  }

  close(): void {
    this.#closing.abort()
  }

  async #speak(program: EspeakProgram, args: readonly string[], input: string): Promise<Uint8Array> {
    // One that hangs has a place that others wait for.
    const timeoutMs = Math.min(this.#timeoutMs, patienceFor(input, this.#patienceMs))
    const speak = () => this.#run(program, args, input, timeoutMs, maxOutputBytes)
    let result = await speak()
    // A process that died may have met with bad luck; what was too slow or too much would be so again.
    if (!result.ok && result.fault === 'died') result = await speak()
    if (result.ok) return result.output
    if (result.fault === 'not-installed') this.#found = undefined
    throw new SpeechFault(`${program.label}: ${result.detail}`)
  }

  #find(): Promise<Found> {
    // What is not found now may be installed later: a failed search is not kept.
    this.#found ??= this.#search().catch(error => {
      this.#found = undefined
      throw error
    })
    return this.#found
  }

  async #search(): Promise<Found> {
    const tried: string[] = []
    for (const program of this.#programs) {
      const result = await this.#run(program, [...program.args, '--voices'], '', this.#timeoutMs, maxListingBytes)
      const voices = result.ok ? VoiceList.fromListing(new TextDecoder().decode(result.output)) : undefined
      if (voices !== undefined && voices.size > 0) {
        this.#log.info({ engine: program.label, voices: voices.size }, 'speech engine found')
        return { program, voices }
      }
      tried.push(`${program.label}: ${result.ok ? 'it has no voices' : result.detail}`)
    }
    throw new SpeechFault(`no speech engine (${tried.join('; ')})`)
  }

  #run(
    program: EspeakProgram,
    args: readonly string[],
    input: string,
    timeoutMs: number,
    maxBytes: number,
  ): Promise<ChildResult> {
    return childOutput({
      command: program.command,
      args,
      input,
      timeoutMs,
      maxOutputBytes: maxBytes,
      signal: this.#closing.signal,
    })
  }
}

// `[[` begins phonemes and U+0001 a command to the engine; neither is for documents.
const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f]/g, ' ').replaceAll('[[', '[ [')

const sayAs: ReadonlyMap<string, string> = new Map([
  ['digits', 'tts:digits'],
  ['spell-out', 'characters'],
  ['verbatim', 'characters'],
])

/** Quotes in text are escaped, so the attribute is found only where it is one. */
const dialectOf = (ssml: string): string =>
  plain(ssml).replace(/ interpret-as="([^"]*)"/g, (whole, kind: string) => {
    const own = sayAs.get(kind)
    return own === undefined ? whole : ` interpret-as="${own}"`
  })
