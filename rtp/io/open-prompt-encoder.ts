import { type AudioCodecName, codecFacts } from '../codec/codec-name.ts'
import { pcma, pcmu } from '../codec/g711.ts'
import type { OpusCoders, OpusEncoder, OpusRate } from '../codec/opus.ts'
import { isLoop, LoopEncoder, loopedSamples } from './loop-encoder.ts'
import {
  type NextTurn,
  OpusPromptEncoder,
  type PromptEncoder,
  plainSamples,
  SamplePromptEncoder,
} from './prompt-encoder.ts'

/** Opus takes all that a file has: the lowest of its rates that holds the file's. */
const opusRates = [8000, 16_000, 24_000, 48_000] as const
const opusBitrate = 40_000

/**
 * For `samples` of `fromRate`, to be played `loop` times (0 = until stopped); the encoder says which rate it wants.
 * Undefined when there is no memory for Opus.
 */
export async function promptEncoder(
  codec: AudioCodecName,
  fromRate: number,
  samples: number,
  opus: OpusCoders,
  nextTurn: NextTurn,
  loop = 1,
): Promise<PromptEncoder | undefined> {
  const sampleRate = promptRateOf(codec, fromRate)
  const most = Math.ceil((samples * sampleRate) / fromRate)
  switch (codec) {
    case 'PCMU':
      return new SamplePromptEncoder(codec, pcmu, sampleRate, most)
    case 'PCMA':
      return new SamplePromptEncoder(codec, pcma, sampleRate, most)
    case 'G722':
      return new SamplePromptEncoder(codec, plainSamples, sampleRate, most)
    case 'opus': {
      const settings = { sampleRate, bitrate: opusBitrate, fec: false, dtx: false, anySound: true } as const
      const encoder = await new Promise<OpusEncoder | undefined>(resolve => opus.encoder(settings, resolve))
      if (encoder === undefined) return undefined
      if (!isLoop(loop, most / sampleRate)) return new OpusPromptEncoder(encoder, sampleRate, most, nextTurn)
      const looped = new OpusPromptEncoder(encoder, sampleRate, loopedSamples(most, sampleRate), nextTurn)
      return new LoopEncoder(looped, most, loop)
    }
  }
}

/** Memory that the prompt takes, about: for Opus, whose packets differ, twice what its bit rate says. */
export const promptBytesOf = (codec: AudioCodecName, fromRate: number, samples: number, loop: number): number => {
  const seconds = samples / fromRate
  const rate = promptRateOf(codec, fromRate)
  if (codec !== 'opus') return seconds * rate * (codec === 'G722' ? 2 : 1)
  const encodedSeconds = isLoop(loop, seconds) ? loopedSamples(samples, fromRate) / fromRate : seconds
  return encodedSeconds * 2 * (opusBitrate / 8) + (isLoop(loop, seconds) ? 2 * rate * seconds : 0)
}

/** The rate of samples that a codec's prompts are made from. */
const promptRateOf = (codec: AudioCodecName, fromRate: number): OpusRate =>
  codec === 'opus' ? (opusRates.find(rate => rate >= fromRate) ?? 48_000) : codecFacts[codec].sampleRate
