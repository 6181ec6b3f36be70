import { setTimeout as sleep } from 'node:timers/promises'

/** Polls until `probe` gives something, or throws with `what` after `timeoutMs`. */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  timeoutMs = 10_000,
): Promise<T> {
  const end = Date.now() + timeoutMs
  for (;;) {
    const value = await probe()
    if (value !== undefined && value !== false && value !== null) return value
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms for ${what}`)
    await sleep(20)
  }
}

export { sleep }
