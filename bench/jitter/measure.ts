import type { LibOpus } from '../../rtp/io/libopus.ts'
import { adaptive, fixedDelay, type Listening, nothingHidden, type Outcome } from './listeners.ts'
import { scoreOf } from './score.ts'
import { speechOf } from './speech.ts'
import { type BenchCodec, codersOf, type Stream, streamOf } from './stream.ts'
import { packetMs, type Trace, tracesOf } from './traces.ts'

/** Those that are compared, in the order of every table and plot. */
export const contenders = [
  { name: 'adaptive', about: 'ours: stretches time, hides losses', listen: adaptive },
  { name: 'fixed 60 ms', about: 'hides losses as ours does', listen: fixedDelay(60) },
  { name: 'fixed 120 ms', about: 'hides losses as ours does', listen: fixedDelay(120) },
  { name: 'nothing hidden', about: 'ours, but losses are silent', listen: nothingHidden },
] as const satisfies readonly { readonly name: string; readonly about: string; readonly listen: Listening }[]

interface Measured {
  /** 0 to 100, by `scoreOf`. */
  readonly score: number
  readonly meanMs: number
  readonly p95Ms: number
  readonly outcome: Outcome
}

/** One codec over one network, by each contender. */
export interface Row {
  readonly codec: BenchCodec
  readonly trace: Trace
  readonly packets: number
  readonly lostPercent: number
  readonly measured: readonly Measured[]
}

export interface Results {
  readonly seconds: number
  readonly seed: number
  readonly engine: string
  readonly rows: readonly Row[]
}

/** Measures everything; `tell` is called with each step before it begins. */
export async function measure(
  seconds: number,
  seed: number,
  opus: LibOpus,
  tell: (done: number, of: number, what: string) => void,
): Promise<Results> {
  const traces = tracesOf((seconds * 1000) / packetMs, seed)
  const codecs: readonly BenchCodec[] = ['PCMU', 'opus']
  const steps = codecs.length * traces.length
  const rows: Row[] = []
  let engine = ''
  for (const codec of codecs) {
    tell(rows.length, steps, 'speech')
    const speech = speechOf(seconds, codec === 'PCMU' ? 8000 : 16_000, seed)
    engine = speech.engine
    for (const trace of traces) {
      tell(rows.length, steps, `${codec}, ${trace.name}`)
      const lost = trace.arrivalMs.filter(at => !Number.isFinite(at)).length
      const lostPercent = (100 * lost) / trace.arrivalMs.length
      const stream = await streamOf(codec, speech.samples, lostPercent, opus)
      const measured: Measured[] = []
      for (const { listen } of contenders) measured.push(await measureOne(listen, stream, trace, opus))
      rows.push({ codec, trace, packets: stream.packets.length, lostPercent, measured })
    }
  }
  tell(steps, steps, 'done')
  return { seconds, seed, engine, rows }
}

async function measureOne(listen: Listening, stream: Stream, trace: Trace, opus: LibOpus): Promise<Measured> {
  const outcome = listen(stream, trace, await codersOf(stream.codec, stream.sampleRate, opus))
  const delays = outcome.delays.map(one => one.delayMs).sort((a, b) => a - b)
  return {
    score: scoreOf(stream.whole, outcome.pcm, stream.sampleRate),
    meanMs: delays.reduce((sum, one) => sum + one, 0) / Math.max(1, delays.length),
    p95Ms: delays[Math.floor(delays.length * 0.95)] ?? 0,
    outcome,
  }
}
