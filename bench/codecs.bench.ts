import { type ChainResult, chains, measureChain } from './codecs/chain.ts'
import { type Figure, ratioOf } from './report.ts'

// Question: what does a call between two codecs do to speech (segmental SNR, delay from mouth to ear without a network),
// and what does a frame cost, against the bare coders one after the other?
const measured: ChainResult[] = []

export async function run(short: boolean): Promise<Figure[]> {
  measured.length = 0
  // Machine code first.
  await measureChain(['PCMU', 'opus', 'G722'], 2)
  for (const codecs of chains) measured.push(await measureChain(codecs, short ? 3 : 20))
  return measured.map(result => {
    const figure = {
      what: `${nameOf(result)}: a frame, engine without sockets`,
      value: result.microsPerFrame,
      unit: 'µs',
      baseline: result.bareMicrosPerFrame,
      of: 'one coder and decoder, bare',
    }
    return { ...figure, ratio: ratioOf(figure) }
  })
}

/** What was played, for people. */
export function table(): string {
  const rows = measured.map(result => {
    const { switched, bare } = result
    return [
      nameOf(result).padEnd(22),
      switched.segmentalSnrDb.toFixed(1).padStart(13),
      bare.segmentalSnrDb.toFixed(1).padStart(6),
      switched.delayMs.toFixed(1).padStart(10),
      bare.delayMs.toFixed(1).padStart(6),
      result.microsPerFrame.toFixed(0).padStart(11),
      result.bareMicrosPerFrame.toFixed(0).padStart(6),
    ].join('  ')
  })
  return ['codecs                  seg. SNR, dB    bare  delay, ms    bare  µs a frame    bare', ...rows].join('\n')
}

const nameOf = ({ codecs }: ChainResult): string => codecs.join(' → ')
