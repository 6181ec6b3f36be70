import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Order, type Outcome, runBenchmark } from './one-benchmark.ts'

/** A benchmark in a process of its own: its processor time is not that of others which run beside it. */
export function runApart(order: Order): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url))
    let outcome: Outcome | undefined
    child.once('message', message => {
      outcome = message as Outcome
    })
    child.once('error', reject)
    child.once('exit', code => {
      if (outcome !== undefined && code === 0) resolve(outcome)
      else reject(new Error(`${order.file} ended with ${code}`))
    })
    child.send(order)
  })
}

if (import.meta.main && process.send !== undefined) {
  // Without the program that wants its figures it has nothing to do.
  process.once('disconnect', () => process.exit(1))
  process.once('message', async (order: Order) => {
    try {
      const outcome = await runBenchmark(order)
      process.send?.(outcome, () => process.exit(process.exitCode ?? 0))
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    }
  })
}
