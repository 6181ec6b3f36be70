import type { Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { OpusCoders } from '../codec/opus.ts'
import type { EngineCodec } from '../contract/agreement.ts'
import type { Prompt, PromptFault, PromptStore } from '../contract/prompts.ts'
import { Resampler } from '../resample/resampler.ts'
import { decodeWavInto } from '../wav/decode.ts'
import { frameLengthOf } from '../wav/format.ts'
import { type ParsedWav, parseWav, type WavFile } from '../wav/parse.ts'
import { encodeGrowing, growingWav } from './growing-file.ts'
import { promptEncoder } from './open-prompt-encoder.ts'
import type { PromptEncoder } from './prompt-encoder.ts'

/** Bytes of prompts kept, about an hour and a half of speech. */
const defaultKeptBytes = 48 * 1024 * 1024
/** Prompts longer than this are refused: an hour. */
const maxPromptSeconds = 3600
const headBytes = 64 * 1024
/** Files whose samples lie after more than the usual head (pictures, histories) are looked into so far. */
const maxHeadBytes = 20 * 1024 * 1024
/** Length of a long prompt that is made before it begins; the rest follows, much faster than it is played. */
const headStartSeconds = 1
/** Decoded at a time; between two the thread goes on with its ticks. So many samples resample in well under a tick. */
const pieceFrames = 4096

interface PromptFilesConfig {
  /** Default 48 MB. */
  readonly keptBytes?: number
  /** For prompts in Opus. */
  readonly opus: OpusCoders
}

/**
 * WAV files as prompts: read, resampled and encoded once for a codec, then kept, the least recently played going
 * first. A long one begins before all of it is made. A file that changes is read again: its time and size are part of its name.
 */
export class PromptFiles implements PromptStore {
  readonly #keptBytes: number
  readonly #opus: OpusCoders
  /** In order of use. */
  readonly #kept = new Map<string, Prompt>()
  readonly #loading = new Map<string, Promise<Prompt | PromptFault>>()
  #bytes = 0

  constructor(config: PromptFilesConfig) {
    this.#opus = config.opus
    this.#keptBytes = config.keptBytes ?? defaultKeptBytes
  }

  /** Prompts that are not whole yet; those that have begun are played meanwhile. */
  get underWay(): number {
    return this.#loading.size
  }

  get bytes(): number {
    return this.#bytes
  }

  load(path: string, codec: EngineCodec, loop: number, done: (prompt: Prompt | PromptFault) => void): void {
    void this.#load(path, codec, codec === 'opus' ? loop : 1).then(done)
  }

  follow(path: string, codec: EngineCodec, loop: number, done: (prompt: Prompt | PromptFault) => void): void {
    void this.#follow(path, codec, loop).then(done)
  }

  encode(pcm: Int16Array, sampleRate: number, codec: EngineCodec, done: (prompt: Prompt | PromptFault) => void): void {
    void encodeSamples(pcm, sampleRate, codec, this.#opus).then(done, () => done('unreadable'))
  }

  async #load(path: string, codec: EngineCodec, loop: number): Promise<Prompt | PromptFault> {
    let file: FileHandle | undefined
    try {
      file = await open(path, 'r')
      const stats = await file.stat()
      const { mtimeMs, size } = stats
      const key = `${codec} ${loop} ${mtimeMs} ${size} ${path}`
      const there = this.#used(key) ?? this.#grown(codec, loop, stats) ?? this.#loading.get(key)
      if (there !== undefined) return await there
      const wav = file
      file = undefined
      const encode = (begun: (prompt: Prompt) => void) => encodeFile(wav, size, codec, this.#opus, loop, begun)
      return await this.#make(key, wav, encode, async () => key)
    } catch {
      return 'unreadable'
    } finally {
      await file?.close().catch(() => undefined)
    }
  }

  /** What has grown, by whatever name: it is given its own, and its time, a moment after its end. */
  #grown(codec: EngineCodec, loop: number, { ino, size, mtimeMs }: Stats): Prompt | undefined {
    if (loop !== 1) return undefined
    const [now, before] = [mtimeMs, mtimeMs - 1000].map(ms => this.#used(grownKey(codec, ino, size, ms)))
    return now ?? before
  }

  async #follow(path: string, codec: EngineCodec, loop: number): Promise<Prompt | PromptFault> {
    let file: FileHandle | undefined
    try {
      file = await open(path, 'r')
      if ((await growingWav(file))?.frames !== Infinity)
        return await this.#load(path, codec, codec === 'opus' ? loop : 1)
      const key = `${codec} growing ${path}`
      const there = this.#loading.get(key)
      if (there !== undefined) return await there
      const wav = file
      file = undefined
      const encode = (begun: (prompt: Prompt) => void) => encodeGrowing(wav, codec, this.#opus, maxPromptSeconds, begun)
      return await this.#make(key, wav, encode, async () => {
        const { ino, size, mtimeMs } = await wav.stat()
        return grownKey(codec, ino, size, mtimeMs)
      })
    } catch {
      return 'unreadable'
    } finally {
      await file?.close().catch(() => undefined)
    }
  }

  #used(key: string): Prompt | undefined {
    const kept = this.#kept.get(key)
    if (kept !== undefined) {
      this.#kept.delete(key)
      this.#kept.set(key, kept)
    }
    return kept
  }

  /**
   * Answers as soon as the prompt can be played; what is missing of it follows, and it is kept by `keyOfWhole`. Closes the
   * file after it.
   */
  #make(
    key: string,
    file: FileHandle,
    encode: (begun: (prompt: Prompt) => void) => Promise<Prompt | PromptFault>,
    keyOfWhole: () => Promise<string>,
  ): Promise<Prompt | PromptFault> {
    const playable = new Promise<Prompt | PromptFault>(resolve => {
      void encode(resolve)
        .catch((): PromptFault => 'unreadable')
        .then(async prompt => {
          try {
            if (typeof prompt !== 'string') this.#keep(await keyOfWhole(), prompt)
          } finally {
            this.#loading.delete(key)
            resolve(prompt)
            await file.close()
          }
        })
        .catch(() => undefined)
    })
    this.#loading.set(key, playable)
    return playable
  }

  #keep(key: string, prompt: Prompt): void {
    if (prompt.bytes.length > this.#keptBytes) return
    this.#kept.set(key, prompt)
    this.#bytes += prompt.bytes.length
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#keptBytes) return
      this.#kept.delete(oldest)
      this.#bytes -= bytes.length
    }
  }
}

const grownKey = (codec: EngineCodec, ino: number, size: number, mtimeMs: number): string =>
  `${codec} grown ${ino} ${size} ${Math.floor(mtimeMs / 1000)}`

async function encodeFile(
  file: FileHandle,
  size: number,
  codec: EngineCodec,
  opus: OpusCoders,
  loop: number,
  begun: (prompt: Prompt) => void,
): Promise<Prompt | PromptFault> {
  let parsed = await readHead(file, size, headBytes)
  if (!parsed.ok && parsed.reason === 'truncated' && size > headBytes) parsed = await readHead(file, size, maxHeadBytes)
  if (!parsed.ok) return parsed.reason === 'unsupported' ? 'unsupported' : 'unreadable'
  const wav = parsed.value
  const frames = wav.dataLength / frameLengthOf(wav)
  if (frames / wav.sampleRate > maxPromptSeconds) return 'unsupported'
  const encoder = await promptEncoder(codec, wav.sampleRate, frames, opus, loop)
  if (encoder === undefined) return 'unreadable'
  try {
    await pushFile(file, wav, frames, encoder, begun)
    return await encoder.finish()
  } finally {
    encoder.free()
  }
}

async function readHead(file: FileHandle, size: number, most: number): Promise<ParsedWav> {
  const head = Buffer.allocUnsafe(Math.min(size, most))
  const { bytesRead } = await file.read(head, 0, head.length, 0)
  return parseWav(head.subarray(0, bytesRead), size)
}

async function pushFile(
  file: FileHandle,
  wav: WavFile,
  frames: number,
  encoder: PromptEncoder,
  begun: (prompt: Prompt) => void,
): Promise<void> {
  const resampler = new Resampler(wav.sampleRate, encoder.sampleRate)
  const frameLength = frameLengthOf(wav)
  const raw = Buffer.alloc(pieceFrames * frameLength)
  const pcm = new Int16Array(pieceFrames)
  const resampled = new Int16Array(resampler.roomFor(pieceFrames))
  let hasBegun = false
  for (let frame = 0; frame < frames; frame += pieceFrames) {
    const wanted = Math.min(pieceFrames, frames - frame) * frameLength
    const { bytesRead } = await file.read(raw, 0, wanted, wav.dataFrom + frame * frameLength)
    const piece = raw.subarray(0, bytesRead)
    const count = decodeWavInto(pcm, 0, piece, 0, Math.floor(bytesRead / frameLength), wav)
    await encoder.push(resampled, resampler.pushInto(resampled, 0, pcm, 0, count))
    if (bytesRead < wanted) break
    if (hasBegun || frame + count < headStartSeconds * wav.sampleRate) continue
    hasBegun = true
    const prompt = encoder.begun()
    if (prompt !== undefined) begun(prompt)
  }
  await encoder.push(resampled, resampler.flushInto(resampled, 0))
}

async function encodeSamples(
  pcm: Int16Array,
  sampleRate: number,
  codec: EngineCodec,
  opus: OpusCoders,
): Promise<Prompt | PromptFault> {
  const encoder = await promptEncoder(codec, sampleRate, pcm.length, opus)
  if (encoder === undefined) return 'unreadable'
  try {
    const resampler = new Resampler(sampleRate, encoder.sampleRate)
    const resampled = new Int16Array(resampler.roomFor(pieceFrames))
    for (let from = 0; from < pcm.length; from += pieceFrames) {
      const count = Math.min(pieceFrames, pcm.length - from)
      await encoder.push(resampled, resampler.pushInto(resampled, 0, pcm, from, count))
    }
    await encoder.push(resampled, resampler.flushInto(resampled, 0))
    return await encoder.finish()
  } finally {
    encoder.free()
  }
}
