import { spawnSync } from 'node:child_process'
import { npmEspeak, systemEspeak } from '../../core/adapters/audio/espeak.ts'
import { resample } from '../../rtp/resample/resampler.ts'
import { decodeWav } from '../../rtp/wav/decode.ts'
import { parseWav } from '../../rtp/wav/parse.ts'
import { Random } from './random.ts'

const sentences = [
  'The parcel left the harbour on Monday and should be with you by the end of the week.',
  'Please hold the line, I will look for your booking in a moment.',
  'Rain fell on the tin roof all night, and the road to the village was washed away.',
  'Could you read me the last four digits of the number on your card?',
  'We moved the meeting from nine to half past ten, because the train was late again.',
  'She bought six oranges, a loaf of bread and a small jar of honey.',
  'No, that is not what I meant: the blue one, on the shelf behind the door.',
  'The old clock in the hall strikes twice, whatever the hour may be.',
]
// Not every variant says the same twice: f2, f3 and f5 have a breath that is made by chance.
const voices = ['en-us+f1', 'en-gb', 'en-us+f4', 'en-us+m3'] as const

/** What was spoken, and by what. */
export interface Speech {
  readonly engine: string
  readonly samples: Int16Array
}

/** Sentences of four voices in turn, with pauses between them: `seconds` of it at `sampleRate`, by espeak-ng. */
export function speechOf(seconds: number, sampleRate: number, seed: number): Speech {
  const random = new Random(seed)
  const samples = new Int16Array(seconds * sampleRate)
  let engine = ''
  for (let at = 0, n = 0; at < samples.length; n++) {
    const text = sentences[Math.floor(random.next() * sentences.length)]!
    const spoken = sentenceOf(text, voices[n % voices.length]!)
    engine = spoken.engine
    const pcm = resample(spoken.samples, spoken.rate, sampleRate)
    samples.set(pcm.subarray(0, samples.length - at), at)
    at += pcm.length + Math.round(random.between(0.2, 0.7) * sampleRate)
  }
  for (let i = 0; i < samples.length; i++) samples[i] = samples[i]! / 2 + 12 * random.normal()
  return { engine, samples }
}

interface Sentence {
  readonly engine: string
  readonly rate: number
  readonly samples: Int16Array
}
const spokenBefore = new Map<string, Sentence>()

function sentenceOf(text: string, voice: string): Sentence {
  const key = `${voice} ${text}`
  const before = spokenBefore.get(key)
  if (before !== undefined) return before
  // The package's first: its version is pinned, so that the sound is the same everywhere.
  for (const { label, command, args } of [npmEspeak, systemEspeak]) {
    const result = spawnSync(command, [...args, '-b', '1', '-v', voice, '--stdin', '--stdout'], {
      input: text,
      maxBuffer: 20_000_000,
      timeout: 30_000,
    })
    const wav = parseWav(new Uint8Array(result.stdout ?? []))
    if (result.status !== 0 || !wav.ok) continue
    const sentence = {
      engine: label,
      rate: wav.value.sampleRate,
      samples: decodeWav(new Uint8Array(result.stdout), wav.value),
    }
    spokenBefore.set(key, sentence)
    return sentence
  }
  throw new Error('no espeak-ng: install the optional packages, or espeak-ng of the system')
}
