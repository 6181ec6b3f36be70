import { loadLibC } from '../../rtp/io/libc.ts'
import { takePrecedence } from '../../rtp/io/thread-precedence.ts'
import { serveQuestions } from '../subject.ts'
import { Histogram } from './histogram.ts'

// A thread with the precedence of a media thread does the same work every 5 ms, and nothing else: how late that ends is
// what the machine adds by itself, for it may have other guests.
export interface StillnessQuestion {
  readonly seconds: number
  /** Of every 5 ms, when nothing disturbs. */
  readonly workMs: number
}

/** End of the work after the earliest end of all, ms. */
export interface StillnessAnswer {
  /** p99.9. */
  readonly late: number
}

const beatMs = 5
const settlingMs = 500
const stretch = 10_000
const memory = new Int32Array(1 << 16)

/** Some memory, some arithmetic. */
function work(stretches: number): void {
  let x = 1
  for (let i = 0; i < stretches * stretch; i++) {
    x = Math.imul(x, 1_664_525) ^ memory[x >>> 16]! ^ i
    memory[i & 0xffff] = x
  }
}

/** The number of stretches that mostly takes this long. */
function stretchesOf(ms: number): number {
  const took: number[] = []
  for (let n = 0; n < 2000; n++) {
    const begun = performance.now()
    work(1)
    took.push(performance.now() - begun)
  }
  // Machine code comes first.
  const usual = took.slice(1000).sort((a, b) => a - b)[500]!
  return Math.max(1, Math.round(ms / usual))
}

serveQuestions<StillnessQuestion>(async ({ seconds, workMs }) => {
  const native = loadLibC()
  takePrecedence()
  const stretches = stretchesOf(workMs)
  const ends: number[] = []
  const begun = performance.now()
  for (let due = begun + beatMs; due < begun + seconds * 1000; ) {
    const early = due - performance.now()
    if (early > 0) native?.libc.usleep(Math.round(1000 * early))
    work(stretches)
    const now = performance.now()
    // Machine code comes first.
    if (due > begun + settlingMs) ends.push(now - due)
    // As the media clock: what it has missed is not concealed for.
    due += beatMs * Math.max(1, Math.ceil((now - due) / beatMs))
  }
  const earliest = ends.reduce((least, end) => Math.min(least, end), Number.POSITIVE_INFINITY)
  const late = new Histogram()
  for (const end of ends) late.add(end - earliest)
  return { late: late.percentile(0.999) } satisfies StillnessAnswer
})
