import { Worker } from 'node:worker_threads'
import { ownModule } from '../../core/index.ts'
import type { SimulatedCourse, SimulationOrder } from './order.ts'

const timeoutMs = 5_000
const heapMb = 128
/** Simulations at once, of all accounts. */
const mostAtOnce = 2
let running = 0

type Message = { readonly ok: true; readonly course: SimulatedCourse } | { readonly ok: false; readonly fault: string }

/** `busy`: others are running. `fault`: what is wrong with the document. */
export type Simulated =
  | { readonly ok: true; readonly course: SimulatedCourse }
  | { readonly ok: false; readonly why: 'busy' }
  | { readonly ok: false; readonly why: 'fault'; readonly fault: string }

/** A further one would only be refused, so nothing is gathered for it. */
export const isSimulatorBusy = (): boolean => running >= mostAtOnce

/** Runs a document in virtual time in a thread of its own, bounded in time, memory and number. */
export async function simulate(order: SimulationOrder): Promise<Simulated> {
  if (isSimulatorBusy()) return { ok: false, why: 'busy' }
  running++
  const worker = new Worker(ownModule('./simulation-thread.ts', import.meta.url), {
    execArgv: [],
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  try {
    const message = await new Promise<Message>((resolve, reject) => {
      const timer = setTimeout(
        () => resolve({ ok: false, fault: 'it ran for more than 5 s: it has no end' }),
        timeoutMs,
      )
      timer.unref()
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the simulation ended without an answer')))
    })
    return message.ok ? message : { ok: false, why: 'fault', fault: message.fault }
  } finally {
    running--
    await worker.terminate()
  }
}
