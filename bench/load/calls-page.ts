import { readFileSync } from 'node:fs'
import { openDescriptors, sumOf, threadMicros } from '../media/process-usage.ts'
import { keptRate, percentile } from '../overload/burst.ts'
import { writeSection } from '../page-section.ts'
import { callSection, type RatePoint } from './call-scale.ts'
import { LoadedSwitch, refusesForLoad } from './loaded-switch.ts'
import { residentMb } from './thread-times.ts'

const rates = [50, 200, 500, 700]
const secondsEach = 12
/** Compilers have done most of their work after this many calls. */
const warmUp = { callsPerSecond: 100, seconds: 30 }
const talkMs = 500
const sampleMs = 500
/** After a rate beyond the capacity calls are limited a little longer (`admission`): the next rate finds none of it. */
const calmMs = 4000

const writtenBytes = (pid: number): number =>
  Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0)

async function measure(loaded: LoadedSwitch, callsPerSecond: number): Promise<RatePoint> {
  const { pid } = loaded.on
  let descriptors = openDescriptors(pid)
  const timer = setInterval(() => {
    descriptors = Math.max(descriptors, openDescriptors(pid))
  }, sampleMs)
  const [before, written, began] = [threadMicros(pid), writtenBytes(pid), performance.now()]
  try {
    const raw = await loaded.offer(callsPerSecond, secondsEach, talkMs)
    const [after, passedMs] = [threadMicros(pid), performance.now() - began]
    const answered = raw.answeredMs.length
    const perCall = ([name, micros]: [string, number]) =>
      [name, (micros - (before.get(name) ?? 0)) / 1000 / Math.max(1, answered)] as const
    return {
      callsPerSecond,
      seconds: Math.max(secondsEach, raw.offeredIn),
      answered,
      refused: raw.refusedMs.length,
      failed: raw.failed,
      unanswered: raw.unanswered - raw.failed,
      setUpMs: { p50: percentile(raw.answeredMs, 0.5), p99: percentile(raw.answeredMs, 0.99) },
      refusedP99Ms: percentile(raw.refusedMs, 0.99),
      threads: Object.fromEntries([...after].map(perCall)),
      busy: (sumOf(after) - sumOf(before)) / 1000 / passedMs,
      residentMb: residentMb(pid),
      descriptors,
      writtenKb: (writtenBytes(pid) - written) / 1024 / Math.max(1, answered),
      generatorKeptUp: keptRate(raw, secondsEach),
    }
  } finally {
    clearInterval(timer)
  }
}

/** Measures rates one after the other and writes them into the page. Returns what was written. */
export async function writeCalls(progress: (line: string) => void): Promise<string> {
  const loaded = await LoadedSwitch.open('full', { SAUTI_MEDIA_PORTS: '12000-19999' }, true, refusesForLoad)
  try {
    progress('warming up')
    await loaded.offer(warmUp.callsPerSecond, warmUp.seconds, talkMs)
    const points: RatePoint[] = []
    for (const rate of rates) {
      progress(`${rate} calls a second, ${secondsEach} s`)
      points.push(await measure(loaded, rate))
      await new Promise(resolve => setTimeout(resolve, calmMs))
    }
    const section = callSection(points)
    writeSection('calls', section)
    return section
  } finally {
    await loaded.close()
  }
}
