import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../ports/log.ts'
import { childOutput } from './child-output.ts'
import { PiperProcess } from './piper-process.ts'
import { SpeechFault, type SpeechJob, type SpeechRequest, type SpokenPiece } from './speech-engine.ts'
import type { NamedEngine } from './speech-engines.ts'
import { cutSpeech, type PieceSizes } from './speech-pieces.ts'
import { lineOf, patienceFor } from './speech-text.ts'
import { spokenPieces } from './spoken-pieces.ts'
import { spokenPcm } from './spoken-wav.ts'

interface PiperOptions {
  /** Piper's executable, and what it is always given. Default `piper`. */
  readonly command?: string
  readonly args?: readonly string[]
  /** Models: `NAME.onnx` beside `NAME.onnx.json`. */
  readonly voicesFolder: string
  /** For WAVs on their way. */
  readonly workFolder: string
  readonly log: Log
  /** What a text may take beside 15 ms a character, the model loaded. Default 3000. */
  readonly patienceMs?: number
  /** What loading a model may take. Default 5000. */
  readonly loadMs?: number
  /** An unused voice is unloaded after this. Default 15 minutes. */
  readonly idleMs?: number
}

/** Models loaded at once, some 100 MB each; the one that was used longest ago goes. */
const maxLoaded = 4
/** Fifteen minutes at 22 050 Hz. */
const maxBytes = 15 * 60 * 22_050 * 2
const maxHelp = 16 * 1024
const voicePattern = /^[A-Za-z0-9][\w.-]{0,99}$/

/** Three seconds of speech, which a slow model has made in under one; then what others of the voice can wait for. */
const sizesByLine: PieceSizes = { first: 50, most: 250 }
/** Each is a start of the program, with its model. */
const sizesAlone: PieceSizes = { first: 300, most: 1000 }

/** How this Piper takes its texts. */
type Manner = 'lines' | 'one-by-one'

interface Voice {
  readonly name: string
  readonly modelFile: string
  readonly sampleRate: number
  /** Another model under the same name is another voice. */
  readonly version: string
}

interface Loaded {
  readonly version: string
  readonly process: PiperProcess
  idle: ReturnType<typeof setTimeout> | undefined
}

/**
 * Piper, by pipe: a voice is a model file. The executable of rhasspy/piper takes lines of JSON and keeps its model loaded;
 * others, as the one of the Python package, are started for each text and give raw samples.
 */
export class PiperEngine implements NamedEngine {
  readonly #options: PiperOptions & { readonly command: string; readonly args: readonly string[] }
  readonly #closing = new AbortController()
  #manner: Promise<Manner> | undefined
  /** In order of use. */
  readonly #loaded = new Map<string, Loaded>()

  constructor(options: PiperOptions) {
    this.#options = { command: 'piper', args: [], ...options }
  }

  /** Models loaded now. */
  get loaded(): number {
    return this.#loaded.size
  }

  async prepare({ text, voice }: SpeechRequest): Promise<SpeechJob | undefined> {
    const found = voice === undefined ? undefined : await this.#find(voice)
    if (found === undefined) return undefined
    const line = lineOf(text)
    return {
      identity: JSON.stringify(['piper', found.name, found.version, line]),
      lane: { name: `piper:${found.name}`, width: 1 },
      speak: () => this.#speakPieces(found, line),
    }
  }

  async *#speakPieces(voice: Voice, line: string): AsyncGenerator<SpokenPiece, void, undefined> {
    // Piper itself speaks each sentence by itself: where it is asked for them one by one, it sounds as if it were not.
    const manner = await this.#mannerOf().catch(error => Promise.reject(faultOf(error)))
    const sizes = manner === 'lines' ? sizesByLine : sizesAlone
    yield* spokenPieces(cutSpeech(line, sizes), text => this.#speak(voice, text))
  }

  /** Loads the model, so that the first text does not wait for it. Never rejects. */
  async warm(voice: string): Promise<void> {
    try {
      const found = await this.#find(voice)
      if (found === undefined) this.#options.log.warn({ voice }, 'Piper has no such voice')
      else if ((await this.#mannerOf()) === 'lines') await this.#speak(found, 'a')
    } catch (error) {
      this.#options.log.warn({ voice, detail: String(error).slice(0, 400) }, 'Piper could not load a voice')
    }
  }

  close(): void {
    this.#closing.abort()
    for (const name of [...this.#loaded.keys()]) this.#unload(name)
  }

  async #find(name: string): Promise<Voice | undefined> {
    if (!voicePattern.test(name)) return undefined
    const modelFile = join(this.#options.voicesFolder, `${name}.onnx`)
    try {
      const [{ mtimeMs, size }, config] = await Promise.all([stat(modelFile), readFile(`${modelFile}.json`, 'utf8')])
      const sampleRate: unknown = JSON.parse(config)?.audio?.sample_rate
      if (typeof sampleRate !== 'number') return undefined
      return { name, modelFile, sampleRate, version: `${mtimeMs} ${size}` }
    } catch {
      return undefined
    }
  }

  async #speak(voice: Voice, line: string): Promise<Uint8Array> {
    if (this.#closing.signal.aborted) throw new SpeechFault('piper: it was stopped')
    try {
      return (await this.#mannerOf()) === 'lines' ? await this.#byLine(voice, line) : await this.#alone(voice, line)
    } catch (error) {
      throw faultOf(error)
    }
  }

  async #byLine(voice: Voice, line: string): Promise<Uint8Array> {
    const { patienceMs = 3000, loadMs = 5000, idleMs = 900_000 } = this.#options
    const loaded = await this.#load(voice)
    clearTimeout(loaded.idle)
    try {
      return await loaded.process.speak(line, patienceFor(line, patienceMs) + (loaded.process.isReady ? 0 : loadMs))
    } finally {
      loaded.idle = setTimeout(() => this.#unload(voice.name), idleMs)
      loaded.idle.unref()
    }
  }

  async #alone(voice: Voice, line: string): Promise<Uint8Array> {
    const { command, args, patienceMs = 3000, loadMs = 5000 } = this.#options
    const result = await childOutput({
      command,
      args: [...args, '--model', voice.modelFile, '--output_raw'],
      input: `${line}\n`,
      timeoutMs: patienceFor(line, patienceMs) + loadMs,
      maxOutputBytes: maxBytes,
      signal: this.#closing.signal,
    })
    if (!result.ok) throw new SpeechFault(result.detail)
    return spokenPcm(result.output, voice.sampleRate).bytes
  }

  async #load({ name, modelFile, version }: Voice): Promise<Loaded> {
    const kept = this.#loaded.get(name)
    if (kept?.process.isAlive === true && kept.version === version) {
      this.#loaded.delete(name)
      this.#loaded.set(name, kept)
      return kept
    }
    const { command, args, workFolder } = this.#options
    await mkdir(workFolder, { recursive: true })
    this.#unload(name)
    const [oldest] = this.#loaded.keys()
    if (this.#loaded.size >= maxLoaded && oldest !== undefined) this.#unload(oldest)
    const process = new PiperProcess({ command, args, modelFile, folder: workFolder, maxBytes })
    const loaded: Loaded = { version, process, idle: undefined }
    this.#loaded.set(name, loaded)
    return loaded
  }

  #unload(name: string): void {
    const loaded = this.#loaded.get(name)
    if (loaded === undefined) return
    this.#loaded.delete(name)
    clearTimeout(loaded.idle)
    loaded.process.kill()
  }

  /** What it can do is in its help. */
  #mannerOf(): Promise<Manner> {
    this.#manner ??= this.#ask().catch(error => {
      // What is not installed now may be later.
      this.#manner = undefined
      throw error
    })
    return this.#manner
  }

  async #ask(): Promise<Manner> {
    const { command, args, workFolder, loadMs = 5000 } = this.#options
    // What an earlier end has left.
    await rm(workFolder, { recursive: true, force: true })
    const result = await childOutput({
      command,
      args: [...args, '--help'],
      input: '',
      timeoutMs: loadMs,
      maxOutputBytes: maxHelp,
      maxComplaint: maxHelp,
      signal: this.#closing.signal,
    })
    if (!result.ok) throw new SpeechFault(result.detail)
    const help = new TextDecoder().decode(result.output) + result.complaint
    if (!/--output[_-]raw/.test(help)) throw new SpeechFault(`${command} is no Piper`)
    const manner = /--json[_-]input/.test(help) ? 'lines' : 'one-by-one'
    this.#options.log.info({ engine: 'piper', manner }, 'speech engine found')
    return manner
  }
}

const faultOf = (error: unknown): SpeechFault => {
  const isOfText = error instanceof SpeechFault && error.isOfText
  return new SpeechFault(`piper: ${error instanceof Error ? error.message : String(error)}`, isOfText)
}
