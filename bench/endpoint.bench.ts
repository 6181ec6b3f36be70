import type { EndpointCost } from './endpoint/measured.ts'
import { type Figure, figureOf } from './report.ts'
import { Subject } from './subject.ts'

// Question: what garbage does the SIP endpoint alone make of a call of the benchmark `calls`, and what does it keep for the half minute in which
// messages may be repeated? What is counted does not depend on what else the machine does; the processor time does.
const demandedAllocated = 40_000
const demandedKept = 4_000
const demandedMicros = 80

export async function run(): Promise<Figure[]> {
  const measured = new Subject(new URL('./endpoint/measured.ts', import.meta.url))
  const { allocated, kept, cpuMicros } = await measured.ask<EndpointCost>('measure')
  measured.stop()
  const what = 'what is wanted'
  return [
    figureOf('SIP endpoint alone: allocated for a call', allocated / 1000, 'KB', demandedAllocated / 1000, what),
    figureOf('… kept for half a minute', kept / 1000, 'KB', demandedKept / 1000, what),
    figureOf('… processor time once compiled, garbage included', cpuMicros, 'µs', demandedMicros, what),
  ]
}
