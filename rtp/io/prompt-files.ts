import type { Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { OpusCoders } from '../codec/opus.ts'
import type { EngineCodec } from '../contract/agreement.ts'
import type { Prompt, PromptFault, PromptStore } from '../contract/prompts.ts'
import { Resampler } from '../resample/resampler.ts'
import { decodeWavInto } from '../wav/decode.ts'
import { frameLengthOf, framesInPiece } from '../wav/format.ts'
import { type ParsedWav, parseWav, type WavFile } from '../wav/parse.ts'
import { encodeGrowing, growingWav } from './growing-file.ts'
import { HeldPrompts, type Making } from './held-prompts.ts'
import { roundsToMake } from './loop-encoder.ts'
import { promptBytesOf, promptEncoder } from './open-prompt-encoder.ts'
import type { NextTurn, PromptEncoder } from './prompt-encoder.ts'
import { PromptTurns } from './prompt-turns.ts'

/** Bytes of prompts kept, about an hour and a half of speech. */
const defaultKeptBytes = 48 * 1024 * 1024
/** Bytes of other prompts, that are played or made: two of an hour in G.722, eight in G.711. */
const defaultPlayedBytes = 256 * 1024 * 1024
/** Prompts longer than this are refused: an hour. */
const maxPromptSeconds = 3600
const headBytes = 64 * 1024
/** Files whose samples lie after more than the usual head (pictures, histories) are looked into so far. */
const maxHeadBytes = 20 * 1024 * 1024
/** Length of a long prompt that is made before it begins; the rest follows, much faster than it is played. */
const headStartSeconds = 1
/** Samples at hand are taken so many at a time. */
const pieceSamples = 4096

interface PromptFilesConfig {
  /** Default 48 MB. */
  readonly keptBytes?: number
  /** Default 256 MB. */
  readonly playedBytes?: number
  /** For prompts in Opus. */
  readonly opus: OpusCoders
}

/**
 * WAV files as prompts: read, resampled and encoded once for a codec, then kept, the least recently played going
 * first. A long one begins before all of it is made. A file that changes is read again: its time and size are part of its name.
 * What is not kept is shared as long as somebody plays it, and there is only so much of it.
 */
export class PromptFiles implements PromptStore {
  readonly #opus: OpusCoders
  readonly #held: HeldPrompts
  readonly #turns = new PromptTurns()

  constructor(config: PromptFilesConfig) {
    this.#opus = config.opus
    this.#held = new HeldPrompts(config.keptBytes ?? defaultKeptBytes, config.playedBytes ?? defaultPlayedBytes)
  }

  /** Prompts that are not whole yet; those that have begun are played meanwhile. */
  get underWay(): number {
    return this.#held.making.size
  }

  /** Of those that are kept. */
  get bytes(): number {
    return this.#held.keptBytes
  }

  load(
    path: string,
    codec: EngineCodec,
    loop: number,
    done: (prompt: Prompt | PromptFault) => void,
    isWanted = always,
  ): void {
    void this.#load(path, codec, loop, isWanted).then(done)
  }

  follow(
    path: string,
    codec: EngineCodec,
    loop: number,
    done: (prompt: Prompt | PromptFault) => void,
    isWanted = always,
  ): void {
    void this.#follow(path, codec, loop, isWanted).then(done)
  }

  encode(pcm: Int16Array, sampleRate: number, codec: EngineCodec, done: (prompt: Prompt | PromptFault) => void): void {
    void encodeSamples(pcm, sampleRate, codec, this.#opus, first => this.#turns.next(first)).then(done, () =>
      done('unreadable'),
    )
  }

  async #load(path: string, codec: EngineCodec, loop: number, isWanted: () => boolean): Promise<Prompt | PromptFault> {
    let file: FileHandle | undefined
    try {
      file = await open(path, 'r')
      const stats = await file.stat()
      const { mtimeMs, size } = stats
      const rounds = codec === 'opus' && loop !== 1 ? await roundsOf(file, size, loop) : 1
      const key = `${codec} ${rounds} ${mtimeMs} ${size} ${path}`
      const there = this.#held.used(key) ?? this.#grown(codec, rounds, stats) ?? this.#held.join(key, isWanted)
      if (there !== undefined) return await there
      const wav = file
      file = undefined
      const work = (making: Making) => encodeFile(wav, size, codec, this.#opus, rounds, making)
      return await this.#make(key, wav, isWanted, work, async () => key)
    } catch {
      return 'unreadable'
    } finally {
      await file?.close().catch(() => undefined)
    }
  }

  /** What has grown, by whatever name: it is given its own, and its time, a moment after its end. */
  #grown(codec: EngineCodec, loop: number, { ino, size, mtimeMs }: Stats): Prompt | undefined {
    if (loop !== 1) return undefined
    const [now, before] = [mtimeMs, mtimeMs - 1000].map(ms => this.#held.used(grownKey(codec, ino, size, ms)))
    return now ?? before
  }

  async #follow(
    path: string,
    codec: EngineCodec,
    loop: number,
    isWanted: () => boolean,
  ): Promise<Prompt | PromptFault> {
    let file: FileHandle | undefined
    try {
      file = await open(path, 'r')
      if ((await growingWav(file))?.frames !== Infinity) return await this.#load(path, codec, loop, isWanted)
      const key = `${codec} growing ${path}`
      const there = this.#held.join(key, isWanted)
      if (there !== undefined) return await there
      const wav = file
      file = undefined
      const work = ({ nextTurn, begun }: Making) =>
        encodeGrowing(wav, codec, this.#opus, nextTurn, maxPromptSeconds, begun)
      return await this.#make(key, wav, isWanted, work, async () => {
        const { ino, size, mtimeMs } = await wav.stat()
        return grownKey(codec, ino, size, mtimeMs)
      })
    } catch {
      return 'unreadable'
    } finally {
      await file?.close().catch(() => undefined)
    }
  }

  /**
   * Answers as soon as the prompt can be played; what is missing of it follows, and it is held by `keyOfWhole`. Closes the
   * file after it.
   */
  #make(
    key: string,
    file: FileHandle,
    isWanted: () => boolean,
    work: (making: Making) => Promise<Prompt | PromptFault>,
    keyOfWhole: () => Promise<string>,
  ): Promise<Prompt | PromptFault> {
    return this.#held.make(
      key,
      isWanted,
      isBeginning => this.#turns.next(isBeginning),
      async making => {
        try {
          const prompt = await work(making)
          if (typeof prompt !== 'string') this.#held.keep(await keyOfWhole(), prompt)
          return prompt
        } finally {
          await file.close().catch(() => undefined)
        }
      },
    )
  }
}

const always = (): boolean => true

const grownKey = (codec: EngineCodec, ino: number, size: number, mtimeMs: number): string =>
  `${codec} grown ${ino} ${size} ${Math.floor(mtimeMs / 1000)}`

/** Rounds that a prompt is made with to be played `loop` times. */
async function roundsOf(file: FileHandle, size: number, loop: number): Promise<number> {
  const parsed = await readWav(file, size)
  return parsed.ok ? roundsToMake(loop, parsed.value.durationMs / 1000) : 1
}

async function encodeFile(
  file: FileHandle,
  size: number,
  codec: EngineCodec,
  opus: OpusCoders,
  loop: number,
  making: Making,
): Promise<Prompt | PromptFault> {
  const parsed = await readWav(file, size)
  if (!parsed.ok) return parsed.reason === 'unsupported' ? 'unsupported' : 'unreadable'
  const wav = parsed.value
  const frames = wav.dataLength / frameLengthOf(wav)
  if (frames / wav.sampleRate > maxPromptSeconds) return 'unsupported'
  if (!making.reserve(promptBytesOf(codec, wav.sampleRate, frames, loop))) return 'no-room'
  const encoder = await promptEncoder(codec, wav.sampleRate, frames, opus, making.nextTurn, loop)
  if (encoder === undefined) return 'unreadable'
  try {
    await pushFile(file, wav, frames, encoder, making)
    return await encoder.finish()
  } finally {
    encoder.free()
  }
}

async function readWav(file: FileHandle, size: number): Promise<ParsedWav> {
  const parsed = await readHead(file, size, headBytes)
  const isLonger = !parsed.ok && parsed.reason === 'truncated' && size > headBytes
  return isLonger ? readHead(file, size, maxHeadBytes) : parsed
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
  { nextTurn, begun }: Making,
): Promise<void> {
  const resampler = new Resampler(wav.sampleRate, encoder.sampleRate)
  const frameLength = frameLengthOf(wav)
  const pieceFrames = framesInPiece(wav)
  const raw = Buffer.alloc(pieceFrames * frameLength)
  const pcm = new Int16Array(pieceFrames)
  const resampled = new Int16Array(resampler.roomFor(pieceFrames))
  let hasBegun = false
  for (let frame = 0; frame < frames; frame += pieceFrames) {
    const wanted = Math.min(pieceFrames, frames - frame) * frameLength
    const { bytesRead } = await file.read(raw, 0, wanted, wav.dataFrom + frame * frameLength)
    await nextTurn(!hasBegun)
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
  nextTurn: NextTurn,
): Promise<Prompt | PromptFault> {
  const encoder = await promptEncoder(codec, sampleRate, pcm.length, opus, nextTurn)
  if (encoder === undefined) return 'unreadable'
  try {
    const resampler = new Resampler(sampleRate, encoder.sampleRate)
    const resampled = new Int16Array(resampler.roomFor(pieceSamples))
    for (let from = 0; from < pcm.length; from += pieceSamples) {
      const count = Math.min(pieceSamples, pcm.length - from)
      await encoder.push(resampled, resampler.pushInto(resampled, 0, pcm, from, count))
    }
    await encoder.push(resampled, resampler.flushInto(resampled, 0))
    return await encoder.finish()
  } finally {
    encoder.free()
  }
}
