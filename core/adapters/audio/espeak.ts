import { fileURLToPath } from 'node:url'
import { ownModule } from '../../../rtp/io/index.ts'
import type { Log } from '../../ports/log.ts'
import { type ChildFault, childOutput } from './child-output.ts'
import { ChildStream } from './child-stream.ts'
import {
  type SpeechEngine,
  SpeechFault,
  type SpeechJob,
  type SpeechRequest,
  type SpokenPiece,
} from './speech-engine.ts'
import { patienceFor } from './speech-text.ts'
import { VoiceList } from './voices.ts'
import { WavPieces } from './wav-pieces.ts'

interface EspeakOptions {
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
  /** Texts that may be half spoken while others have their turn, each a process that waits. Default 32. */
  readonly mostBegun?: number
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
  args: [fileURLToPath(ownModule('./espeak-wasm.ts', import.meta.url))],
  // Each is a Node process of 60 MB.
  mostBegun: 4,
}

const mostBegun = 32
/**
 * A text is played when this much of it is made, some 10 ms of work; the rest is made in pieces, so that others have
 * their turn.
 */
const firstSeconds = 8
const nextSeconds = 10

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
  /** Texts that are spoken now, or half spoken. */
  #begun = 0

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
      speak: signal => this.#speak(program, args, input, signal),
    }
  }

  /** Looks for it, so that the first text does not wait for that. Never rejects. */
  async warm(): Promise<void> {
    await this.#find().catch(() => undefined)
  }

  close(): void {
    this.#closing.abort()
  }

  /** It is one process that speaks the whole text, however long: it has to know what is before a piece and after it. */
  async *#speak(
    program: EspeakProgram,
    args: readonly string[],
    input: string,
    signal: AbortSignal,
  ): AsyncGenerator<SpokenPiece, void, undefined> {
    // One that hangs has a place that others wait for.
    const timeoutMs = Math.min(this.#timeoutMs, patienceFor(input, this.#patienceMs))
    const signals = AbortSignal.any([this.#closing.signal, signal])
    if (signals.aborted) throw new SpeechFault(`${program.label}: it was not started`)
    const { command } = program
    const begin = () =>
      new WavPieces(new ChildStream({ command, args, input, timeoutMs, maxOutputBytes, signal: signals }))
    let pieces = begin()
    let given = 0
    let hasDied = false
    this.#begun++
    try {
      for (;;) {
        const isMany = this.#begun > (program.mostBegun ?? mostBegun)
        const piece = await pieces.next(given === 0 ? firstSeconds : isMany ? Infinity : nextSeconds)
        if (!('ok' in piece)) {
          given += piece.pcm.length
          yield piece
          if (piece.isLast) return
        } else if (piece.fault === 'died' && !hasDied) {
          // It may have failed by chance: it speaks the same text again, and what was played already is left out.
          hasDied = true
          pieces = begin()
          pieces.skip(given)
        } else throw this.#faultOf(program, piece)
      }
    } finally {
      this.#begun--
      pieces.close()
    }
  }

  #faultOf({ label }: EspeakProgram, { fault, detail }: ChildFault): SpeechFault {
    if (fault === 'not-installed') this.#found = undefined
    return new SpeechFault(`${label}: ${detail}`)
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
      const result = await childOutput({
        command: program.command,
        args: [...program.args, '--voices'],
        input: '',
        timeoutMs: this.#timeoutMs,
        maxOutputBytes: maxListingBytes,
        signal: this.#closing.signal,
      })
      const voices = result.ok ? VoiceList.fromListing(new TextDecoder().decode(result.output)) : undefined
      if (voices !== undefined && voices.size > 0) {
        this.#log.info({ engine: program.label, voices: voices.size }, 'speech engine found')
        return { program, voices }
      }
      tried.push(`${program.label}: ${result.ok ? 'it has no voices' : result.detail}`)
    }
    throw new SpeechFault(`no speech engine (${tried.join('; ')})`)
  }
}

// `[[` begins phonemes and U+0001 a command to the engine; neither is for documents.
const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f]/g, ' ').replaceAll('[[', '[ [')

const sayAs: ReadonlyMap<string, string> = new Map([
  ['digits', 'tts:digits'],
  ['spell-out', 'characters'],
  ['verbatim', 'characters'],
])

/** Between this and a word there is nothing to be played (U+2060). espeak-ng leaves out breaks that follow no text. */
const wordJoiner = '\u2060'

/** Quotes in text are escaped, so an attribute is found only where it is one. espeak-ng reads no fractions of a second. */
const dialectOf = (ssml: string): string =>
  plain(ssml)
    .replace(/ interpret-as="([^"]*)"/g, (whole, kind: string) => {
      const own = sayAs.get(kind)
      return own === undefined ? whole : ` interpret-as="${own}"`
    })
    .replace(/ time="([^"]*?)(m?)s"/g, (_whole, count: string, milli: string) => {
      const ms = Number.parseFloat(count) * (milli === '' ? 1000 : 1)
      return ` time="${Math.round(ms)}ms"`
    })
    .replaceAll('<break', `${wordJoiner}<break`)
