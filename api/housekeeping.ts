import type { Log, Repositories } from '../core/index.ts'

const flushUsesMs = 10_000
const forgetKeysMs = 3_600_000
/** A bounded number each time. */
const forgetTokensMs = 60_000

/** What the HTTP side does beside requests: frees what a crash left in flight, then keeps its tables small. */
export async function startHousekeeping(repositories: Repositories, log: Log): Promise<() => Promise<void>> {
  const { idempotency, keys, phoneTokens } = repositories
  await idempotency.freeInFlight()
  await idempotency.forgetOld(Date.now())
  const guarded = (work: () => Promise<void>) => () => {
    work().catch(fault => log.error({ error: String(fault) }, 'housekeeping failed'))
  }
  const timers = [
    setInterval(
      guarded(() => keys.flushUses()),
      flushUsesMs,
    ),
    setInterval(
      guarded(() => idempotency.forgetOld(Date.now())),
      forgetKeysMs,
    ),
    setInterval(
      guarded(() => phoneTokens.forgetOld(Date.now())),
      forgetTokensMs,
    ),
  ]
  for (const timer of timers) timer.unref()
  return async () => {
    for (const timer of timers) clearInterval(timer)
    await keys.flushUses()
  }
}
