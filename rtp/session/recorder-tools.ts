import type { AudioCodec } from '../codec/codec.ts'
import { Concealment } from '../jitter/concealment.ts'
import { levelOf } from '../tone/level.ts'
import type { RecorderTools } from './recorder.ts'

/** Quieter frames are silence: a quiet room over a telephone lies near −55 dBm0, soft speech above −40. */
export const silenceDbm0 = -45

/** What a recording needs of its stream's codecs and of the sound itself. */
export const recorderTools = (codecOf: (payloadType: number) => AudioCodec | undefined): RecorderTools => ({
  codecOf,
  concealment: new Concealment(),
  isAudible: (pcm, at, count) => count > 0 && levelOf(pcm, at, count) > silenceDbm0,
})
