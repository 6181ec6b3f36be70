import { Worker } from 'node:worker_threads'
import { assertNever, FairQueue, ownModule } from '../../core/index.ts'
import type { FromSimulation, RatesGiven, SimulatedCourse, SimulationOrder } from './order.ts'

const timeoutMs = 5_000
const heapMb = 128

/** Of one account one runs at a time, so that others have a place, and one more may wait. */
const limits = { width: 2, widthPerOwner: 1, maxWaiting: 16, maxWaitingPerOwner: 1 }
const turns = new FairQueue(limits)

/** `fault`: what is wrong with the document. */
export type Simulated =
  | { readonly ok: true; readonly course: SimulatedCourse }
  | { readonly ok: false; readonly fault: string }

interface SimulationSource {
  /** What is to be run: gathered when its turn has come. */
  readonly order: () => Promise<SimulationOrder>
  /** The rates of numbers and SIP URIs that the documents name. */
  readonly ratesOf: (named: readonly string[]) => RatesGiven['rates']
}

/** Runs a document in virtual time, at its account's turn; rejects with `QueueFull` when too many wait. */
export const simulate = (account: string, { order, ratesOf }: SimulationSource): Promise<Simulated> =>
  turns.run(account, async () => run(await order(), ratesOf))

/** In a thread of its own, bounded in time and memory. */
async function run(order: SimulationOrder, ratesOf: SimulationSource['ratesOf']): Promise<Simulated> {
  const worker = new Worker(ownModule('./simulation-thread.ts', import.meta.url), {
    execArgv: [],
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  try {
    return await new Promise<Simulated>((resolve, reject) => {
      const timer = setTimeout(
        () => resolve({ ok: false, fault: 'it ran for more than 5 s: it has no end' }),
        timeoutMs,
      )
      timer.unref()
      worker.on('message', (message: FromSimulation) => {
        switch (message.type) {
          case 'rates':
            worker.postMessage({ rates: ratesOf(message.named) } satisfies RatesGiven)
            return
          case 'course':
            resolve({ ok: true, course: message.course })
            return
          case 'fault':
            resolve({ ok: false, fault: message.fault })
            return
          default:
            assertNever(message)
        }
      })
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the simulation ended without an answer')))
    })
  } finally {
    await worker.terminate()
  }
}
