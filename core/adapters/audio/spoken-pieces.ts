import type { SpokenPiece } from './speech-engine.ts'
import { easeEnds } from './speech-pieces.ts'
import { pcmOf } from './spoken-wav.ts'

/** Words, piece by piece, of an engine that gives a WAV for each. A piece is asked for when it is wanted. */
export async function* spokenPieces(
  texts: readonly string[],
  wavOf: (text: string) => Promise<Uint8Array>,
): AsyncGenerator<SpokenPiece, void, undefined> {
  for (const [at, text] of texts.entries()) {
    const { pcm, sampleRate } = pcmOf(await wavOf(text))
    const isLast = at === texts.length - 1
    easeEnds(pcm, sampleRate, { from: at > 0, to: !isLast })
    yield { pcm, sampleRate, isLast, rest: texts.slice(at + 1).join(' ') }
  }
}
