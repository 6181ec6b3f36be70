import type { FileHandle } from 'node:fs/promises'
import { Resampler, type WavFormat, wavHeader } from '../../../rtp/index.ts'
import type { SpokenPiece } from './speech-engine.ts'

/** Resampled at a time; between two of them others have their turn. */
const sliceSamples = 8192
/** Makes room for bytes that come, or rejects. */
type Reserve = (bytes: number) => Promise<void>

interface GrowingWavOptions {
  /** The account whose words they are. */
  readonly owner: string
  readonly path: string
  readonly file: FileHandle
  readonly sampleRate: number
  readonly reserve: Reserve
}

/** In a header: not known yet. */
const openSize = 0xffff_ffff

/** A WAV, mono of 16 bits, that is played while it is written; its header gives its length when it is whole. */
export class GrowingWav {
  readonly owner: string
  readonly path: string
  readonly sampleRate: number
  readonly #file: FileHandle
  readonly #reserve: Reserve
  readonly #headBytes: number
  #bytes: number
  /** Bytes that count for it in the cache. */
  #owned: number
  /** Where an engine goes on for another of another rate. */
  #fitting: { readonly fromRate: number; readonly resampler: Resampler } | undefined

  private constructor({ owner, path, file, sampleRate, reserve }: GrowingWavOptions, head: number) {
    this.owner = owner
    this.path = path
    this.sampleRate = sampleRate
    this.#file = file
    this.#reserve = reserve
    this.#headBytes = head
    this.#bytes = head
    this.#owned = head
  }

  static async begin(options: GrowingWavOptions): Promise<GrowingWav> {
    const { file, sampleRate, reserve } = options
    const head = Buffer.from(wavHeader(formatOf(sampleRate), 0))
    head.writeUInt32LE(openSize, 4)
    head.writeUInt32LE(openSize, head.length - 4)
    await reserve(head.length)
    await file.write(head, 0, head.length, 0)
    return new GrowingWav(options, head.length)
  }

  get durationMs(): number {
    return ((this.#bytes - this.#headBytes) / 2 / this.sampleRate) * 1000
  }

  get bytes(): number {
    return this.#bytes
  }

  async append({ pcm, sampleRate }: Pick<SpokenPiece, 'pcm' | 'sampleRate'>): Promise<void> {
    if (sampleRate === this.sampleRate) await this.#write(pcm)
    else await this.#fit(pcm, sampleRate)
  }

  /** It is whole: nothing comes any more. */
  async end(): Promise<void> {
    try {
      const head = wavHeader(formatOf(this.sampleRate), this.#bytes - this.#headBytes)
      await this.#file.write(head, 0, head.length, 0)
    } finally {
      await this.#file.close()
    }
  }

  /** The bytes that counted for it; they do no more. */
  disown(): number {
    const owned = this.#owned
    this.#owned = 0
    return owned
  }

  async #write(pcm: Uint8Array): Promise<void> {
    if (pcm.length === 0) return
    await this.#reserve(pcm.length)
    this.#owned += pcm.length
    await this.#file.write(pcm, 0, pcm.length, this.#bytes)
    this.#bytes += pcm.length
  }

  async #fit(pcm: Uint8Array, fromRate: number): Promise<void> {
    if (this.#fitting?.fromRate !== fromRate) {
      this.#fitting = { fromRate, resampler: new Resampler(fromRate, this.sampleRate) }
    }
    const { resampler } = this.#fitting
    const samples = new Int16Array(new Uint8Array(pcm).buffer)
    for (let from = 0; from < samples.length; from += sliceSamples) {
      const count = Math.min(sliceSamples, samples.length - from)
      const fitted = new Int16Array(resampler.roomFor(count))
      const made = resampler.pushInto(fitted, 0, samples, from, count)
      await this.#write(new Uint8Array(fitted.buffer, 0, 2 * made))
    }
  }
}

const formatOf = (sampleRate: number): WavFormat => ({ encoding: 'pcm16', sampleRate, channels: 1 })
