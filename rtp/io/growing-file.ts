import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpusCoders } from '../codec/opus.ts'
import type { EngineCodec } from '../contract/agreement.ts'
import type { Prompt, PromptFault } from '../contract/prompts.ts'
import { Resampler } from '../resample/resampler.ts'
import { decodeWavInto } from '../wav/decode.ts'
import { frameLengthOf, framesInPiece } from '../wav/format.ts'
import { parseWav, type WavFile } from '../wav/parse.ts'
import { promptEncoder } from './open-prompt-encoder.ts'
import type { NextTurn } from './prompt-encoder.ts'

/** Time without a sign of its writer after which the file ends: otherwise its player would wait for ever. */
const longestStallMs = 120_000
/** Between two looks at the file, where all that is there has been read. */
const lookMs = 20
const headBytes = 64
/** Audio that is made before the prompt begins, unless there is less. */
const headStartSeconds = 1

interface GrowingWav {
  readonly wav: WavFile
  /** Its head says how many there will be; Infinity until it does. */
  readonly frames: number
}

/** The head of a WAV whose writer has left its length open as long as it writes (all bits of the size set). */
export async function growingWav(file: FileHandle): Promise<GrowingWav | undefined> {
  const head = Buffer.alloc(headBytes)
  const { bytesRead } = await file.read(head, 0, headBytes, 0)
  const parsed = parseWav(head.subarray(0, bytesRead), Number.MAX_SAFE_INTEGER)
  if (!parsed.ok) return undefined
  const wav = parsed.value
  const frames = wav.dataLength / frameLengthOf(wav)
  return { wav, frames: wav.dataLength > 0xffff_ffff ? Infinity : frames }
}

/**
 * A WAV as a prompt while it is being written: read, resampled and encoded as it grows. `begun` is reported once, as
 * soon as there is audio to play. At most `maxSeconds` of it are used.
 */
export async function encodeGrowing(
  file: FileHandle,
  codec: EngineCodec,
  opus: OpusCoders,
  nextTurn: NextTurn,
  maxSeconds: number,
  begun: (prompt: Prompt) => void,
): Promise<Prompt | PromptFault> {
  const first = await growingWav(file)
  if (first === undefined) return 'unreadable'
  const { wav } = first
  const encoder = await promptEncoder(codec, wav.sampleRate, Infinity, opus, nextTurn)
  if (encoder === undefined) return 'unreadable'
  try {
    const resampler = new Resampler(wav.sampleRate, encoder.sampleRate)
    const frameLength = frameLengthOf(wav)
    const pieceFrames = framesInPiece(wav)
    const raw = Buffer.alloc(pieceFrames * frameLength)
    const pcm = new Int16Array(pieceFrames)
    const resampled = new Int16Array(resampler.roomFor(pieceFrames))
    let { frames } = first
    let hasBegun = false
    let grewAt = performance.now()
    for (let frame = 0; frame < Math.min(frames, maxSeconds * wav.sampleRate); ) {
      const wanted = Math.min(pieceFrames, frames - frame)
      const { bytesRead } = await file.read(raw, 0, wanted * frameLength, wav.dataFrom + frame * frameLength)
      await nextTurn(!hasBegun)
      const count = decodeWavInto(pcm, 0, raw.subarray(0, bytesRead), 0, Math.floor(bytesRead / frameLength), wav)
      await encoder.push(resampled, resampler.pushInto(resampled, 0, pcm, 0, count))
      frame += count
      const isDry = count < wanted
      if (!hasBegun && frame > 0 && (isDry || frame >= headStartSeconds * wav.sampleRate)) {
        hasBegun = true
        const prompt = encoder.begun()
        if (prompt !== undefined) begun(prompt)
      }
      if (count > 0) grewAt = performance.now()
      if (!isDry) continue
      if (frames !== Infinity || performance.now() - grewAt > longestStallMs) break
      await sleep(lookMs, undefined, { ref: false })
      // What its head says then is there when it is read next.
      frames = (await growingWav(file))?.frames ?? frames
    }
    await encoder.push(resampled, resampler.flushInto(resampled, 0))
    return await encoder.finish()
  } finally {
    encoder.free()
  }
}
