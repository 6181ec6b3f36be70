import { spawn } from 'node:child_process'
import { VerbBed } from '../tests/rig/beds/verb-bed.ts'
import { firstSoundOf, firstSounds } from '../tests/rig/probes/first-sound.ts'
import { babble } from '../tests/rig/probes/tone.ts'
import { type Figure, ratioOf } from './report.ts'

// Question: from the moment when the document with a short Say has left the customer's server, how long until the caller's
// socket has the first packet of the voice? With text that was never spoken, and with text from the cache. A real call:
// document over HTTP, espeak-ng as a child process, resampling, encoding, RTP on its beat of 20 ms. And with new texts of
// a thousand and of four thousand characters, which are played while they are spoken.

const textOf = (round: number, n: number): string => `Number ${n}, take ${round}.`
const longText = (length: number, n: number): string =>
  `Take ${n} of ${length}. ${'The quick brown fox jumps over the lazy dog, and then it sleeps. '.repeat(64)}`.slice(
    0,
    length,
  )
const sayOf = (text: string): string => `<Say>${text}</Say>`

/** The engine alone: started, and all that it gives read. */
function engineAlone(text: string): Promise<number> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn('espeak-ng', ['-b', '1', '-v', 'en-gb', '--stdin', '--stdout'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.stdout.resume()
    child.on('error', reject)
    child.on('close', () => resolve(performance.now() - begun))
    child.stdin.end(text)
  })
}

const rank = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!

export async function run(short: boolean): Promise<Figure[]> {
  const rounds = short ? 1 : 6
  const texts = short ? 4 : 12
  const bed = await VerbBed.open()
  const fresh: number[] = []
  const cached: number[] = []
  const alone: number[] = []
  const asset: number[] = []
  const long = [1000, 4000].map(length => ({ length, ours: [] as number[], alone: [] as number[] }))
  try {
    await bed.asset('sound', babble(0.4, 9))
    // The first of all pays for finding the engine and for compiling.
    await firstSounds(bed, [sayOf('Ready.'), sayOf('Ready.'), '<Play asset="sound"/>'])
    for (let round = 0; round < rounds; round++) {
      const said = Array.from({ length: texts }, (_, n) => textOf(round, n))
      fresh.push(...(await firstSounds(bed, said.map(sayOf))))
      cached.push(...(await firstSounds(bed, said.map(sayOf))))
      asset.push(
        ...(await firstSounds(
          bed,
          said.map(() => '<Play asset="sound"/>'),
        )),
      )
      for (const text of said) alone.push(await engineAlone(text))
      for (const each of long) {
        const text = longText(each.length, round)
        each.ours.push(await firstSoundOf(bed, sayOf(text)))
        each.alone.push(await engineAlone(text))
      }
    }
  } finally {
    await bed.close()
  }
  const figures = [
    ['Say of new text until it is played', fresh, alone, 'espeak-ng alone, started and read'],
    ['Say of text from the cache until it is played', cached, asset, 'Play of an asset in the same place'],
    ...long.map(({ length, ours, alone: whole }) => {
      const what = `Say of ${length} new characters until it is played`
      return [what, ours, whole, 'espeak-ng alone, to the end of the text'] as const
    }),
  ] as const
  return figures.flatMap(([what, ours, theirs, of]) =>
    [0.5, 0.99].map(share => {
      const figure = { value: rank(ours, share), baseline: rank(theirs, share) }
      return { what: `${what}, p${100 * share}`, unit: 'ms', of, ...figure, ratio: ratioOf(figure) }
    }),
  )
}
