import type { Log, Repositories } from '../core/index.ts'

const flushUsesMs = 10_000
const forgetKeysMs = 3_600_000
/** Between two batches of keys that are too old. */
const nextBatchMs = 250
/** A bounded number each time. */
const forgetTokensMs = 60_000

/** What the HTTP side does beside requests: frees what a crash left in flight, then keeps its tables small. */
export async function startHousekeeping(repositories: Repositories, log: Log): Promise<() => Promise<void>> {
  const { idempotency, keys, phoneTokens } = repositories
  await idempotency.freeInFlight()
  const guarded = (work: () => Promise<void>) => () => {
    work().catch(fault => log.error({ error: String(fault) }, 'housekeeping failed'))
  }
  const timers = [
    setInterval(
      guarded(() => keys.flushUses()),
      flushUsesMs,
    ),
    setInterval(
      guarded(() => phoneTokens.forgetOld(Date.now())),
      forgetTokensMs,
    ),
  ]
  let forgetting: NodeJS.Timeout | undefined
  let isStopped = false
  const forgetKeys = async (): Promise<void> => {
    let pauseMs = forgetKeysMs
    try {
      if (await idempotency.forgetOld(Date.now())) pauseMs = nextBatchMs
    } finally {
      if (!isStopped) forgetting = setTimeout(guarded(forgetKeys), pauseMs).unref()
    }
  }
  await forgetKeys()
  for (const timer of timers) timer.unref()
  return async () => {
    isStopped = true
    clearTimeout(forgetting)
    for (const timer of timers) clearInterval(timer)
    // When each key was used last: a database that cannot be written keeps no part of the switch open.
    await keys.flushUses().catch(fault => log.error({ error: String(fault) }, 'housekeeping failed'))
  }
}
