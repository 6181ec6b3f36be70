import type { AudioCodec } from '../codec/codec.ts'
import { Concealment } from '../jitter/concealment.ts'
import { SilenceDetector } from '../silence/silence-detector.ts'
import type { RecorderTools } from './recorder.ts'

/** What a recording needs of its stream's codecs and of the sound itself; made for each recording. */
export const recorderTools = (codecOf: (payloadType: number) => AudioCodec | undefined): RecorderTools => {
  const detector = new SilenceDetector()
  return {
    codecOf,
    concealment: new Concealment(),
    isAudible: (pcm, at, count) => detector.hear(pcm, at, count),
  }
}
