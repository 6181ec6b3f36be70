import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { callWays } from './call-ways.ts'
import { httpWays } from './http-ways.ts'
import { floodRegister } from './register-flood.ts'
import { socketWays } from './socket-ways.ts'
import type { WayName, WorstOrder, WorstResult } from './ways.ts'
import { Work } from './work.ts'

// A process of its own: it does one account's worst until it is stopped, then reports how much that was.

const worst: Record<WayName, (work: Work) => Promise<void>> = {
  ...httpWays,
  ...callWays,
  ...socketWays,
  digests: work => floodRegister(work),
}

/** Time that open requests have when it is stopped. */
const lastMs = 2000

// Who measures the calls of the other account comes first.
setPriority(19)

process.once('message', (order: WorstOrder) => {
  const work = new Work(order)
  const over = worst[order.way](work)
  process.once('message', () => {
    work.isOver = true
    void Promise.race([over, sleep(lastMs)]).then(() => {
      const { done, answers } = work
      process.send?.({ done, answers } satisfies WorstResult)
      process.disconnect?.()
      process.exit(0)
    })
  })
})
process.on('disconnect', () => process.exit(0))
