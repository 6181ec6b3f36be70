import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Endpoint } from '../../sip/index.ts'
import { serveQuestions } from '../subject.ts'
import { b2buaInputs, openEndpoint, type TimedInput } from './b2bua-calls.ts'

/** Of one call. */
export interface EndpointCost {
  /** Allocated in the heap, bytes. */
  readonly allocated: number
  /** Of it and of buffers, what its transactions keep for repetitions after its end, bytes. */
  readonly kept: number
  /** Processor time with everything compiled, without sockets, µs. */
  readonly cpuMicros: number
}

const calls = 2000
/** Until everything is compiled. */
const warmUps = 4

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function give(endpoint: Endpoint, inputs: readonly TimedInput[]): void {
  for (const { input, at } of inputs) {
    endpoint.timeout(at)
    endpoint.handle(input, at)
  }
}

function inUse(): number {
  // Buffers that the first finds are given back by the second.
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Held for the whole time: what is left is the endpoint's. */
const inputs = b2buaInputs(calls)

function measure(): EndpointCost {
  const endpoint = openEndpoint()
  const inUseBefore = inUse()
  const cpuBefore = process.cpuUsage()
  const allocatedBefore = getHeapStatistics().total_allocated_bytes
  give(endpoint, inputs)
  const { user, system } = process.cpuUsage(cpuBefore)
  const allocated = getHeapStatistics().total_allocated_bytes - allocatedBefore
  const kept = inUse() - inUseBefore
  if (endpoint.callCount > 0) throw new Error(`${endpoint.callCount} calls did not end`)
  return { allocated: allocated / calls, kept: kept / calls, cpuMicros: (user + system) / calls }
}

serveQuestions(async (): Promise<EndpointCost> => {
  for (let round = 0; round < warmUps; round++) measure()
  return measure()
})
