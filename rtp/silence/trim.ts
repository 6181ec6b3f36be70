import { SilenceDetector } from './silence-detector.ts'

/** What is left before the first and after the last voice, so that no sound is cut. */
const marginMs = 100
const frameMs = 20

interface Trimmed {
  /** Samples from the beginning where the kept part begins, and how many are kept; 0 = no voice at all. */
  readonly from: number
  readonly count: number
}

/** The part of a stretch of audio between its first and last voice, by a detector that has analyzed it all. */
const trimOf = (detector: SilenceDetector, sampleRate: number): Trimmed => {
  const first = detector.firstVoiceMs
  if (first === undefined) return { from: 0, count: 0 }
  const fromMs = Math.max(0, first - marginMs)
  const untilMs = Math.min(detector.analyzedMs, detector.lastVoiceMs + marginMs)
  const from = Math.round((fromMs * sampleRate) / 1000)
  return { from, count: Math.round((untilMs * sampleRate) / 1000) - from }
}

/** The same for audio that is all at hand. */
export const trimSilence = (pcm: Int16Array, sampleRate: number): Trimmed => {
  const detector = new SilenceDetector({ sampleRate })
  const frame = Math.round((frameMs * sampleRate) / 1000)
  for (let at = 0; at < pcm.length; at += frame) detector.analyze(pcm, at, Math.min(frame, pcm.length - at))
  return trimOf(detector, sampleRate)
}
