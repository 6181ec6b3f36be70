import { setTimeout as sleep } from 'node:timers/promises'
import { setRates } from '../../tests/rig/beds/account.ts'
import { SwitchProcess } from '../../tests/rig/beds/switch-process.ts'
import { Customer } from '../../tests/rig/peers/customer.ts'
import { Callers } from './callers.ts'
import { collectGarbage, debuggerPort } from './collect-garbage.ts'
import { type Held, heldBy } from './figures.ts'

interface SoakCallsOptions {
  readonly minutes: number
  readonly callsPerSecond: number
  /** A media thread is ended so often. */
  readonly killEverySeconds: number
  readonly onProgress: (line: string) => void
}

interface SoakCallsResult {
  readonly calls: number
  readonly kills: number
  readonly threadsLost: number
  readonly crashed: number
  /** What the switch still holds a minute after the last call, and did not hold before the first; by name. */
  readonly left: Readonly<Record<string, number>>
  /** Calls, legs and holds that the database shows as open. */
  readonly openRows: number
  /**
   * The signalling thread's heap after ten minutes (or a third of the run) and at the end, while calls go on, after a collection
   * of all threads' garbage; and the memory of the whole process at the same moments.
   */
  readonly heapMb: { readonly warm: number; readonly end: number }
  readonly residentMb: { readonly warm: number; readonly end: number }
  readonly check: { readonly code: number | null; readonly output: string }
  readonly refusedPlaced: number
}

const warmMinutes = 10
const sampleSeconds = 5
/** Timer B, F, H and J are 32 s; a leg is given up after 40; idle connections of webhooks close meanwhile. */
const settleSeconds = 60
/** A call whose generator was ended ends after a minute without media (END.0212). */
const silentSeconds = 75
/** Changes that the kernel, the resolver and a pool of connections make by themselves. */
const slack: Readonly<Record<string, number>> = { descriptors: 12, 'Node timers': 6, threads: 6 }
const preload = new URL('./kill-media.ts', import.meta.url).href

/** Calls of every kind for minutes, media threads ended in between; then what is left. */
export async function soakCalls(options: SoakCallsOptions): Promise<SoakCallsResult> {
  const { minutes, callsPerSecond, killEverySeconds, onProgress } = options
  const on = await SwitchProcess.start({
    SAUTI_LOG: 'info',
    SAUTI_MEDIA_PORTS: '9000-11999',
    SAUTI_MEDIA_WORKERS: '2',
    NODE_OPTIONS: `--import=${preload} ${debuggerPort}`,
  })
  const customer = await Customer.open()
  let callers: Callers | undefined
  try {
    await setRates(on)
    callers = await Callers.open(on, customer)
    // Before the first look everything has been used once.
    await callers.start(20, 5)
    await callers.stop()
    await sleep(settleSeconds * 1000)
    const before = await heldBy(on)
    await callers.start(callsPerSecond, Math.round(minutes * 60))
    let kills = 0
    const killer = setInterval(() => {
      process.kill(on.pid, 'SIGUSR2')
      kills++
    }, killEverySeconds * 1000)
    const heaps: number[] = []
    const warm = Math.min(warmMinutes, Math.floor(minutes / 3))
    const collected: Held[] = []
    let minute: Held[] = []
    const began = Date.now()
    for (let second = 0; second < minutes * 60; second += sampleSeconds) {
      await sleep(Math.max(0, began + (second + sampleSeconds) * 1000 - Date.now()))
      const held = await heldBy(on)
      minute.push(held)
      // What the customer keeps is ours, not the switch's.
      customer.posts.length = 0
      on.log.length = 0
      if (minute.length < 60 / sampleSeconds) continue
      heaps.push(Math.min(...minute.map(({ heapMb }) => heapMb)))
      const residentMb = Math.max(...minute.map(({ residentMb }) => residentMb))
      minute = []
      onProgress(lineOf(heaps.length, held, heaps.at(-1)!, residentMb, kills))
      if (heaps.length !== warm && heaps.length !== minutes) continue
      await collectGarbage(on)
      const kept = await heldBy(on)
      collected.push(kept)
      onProgress(`after a collection: heap ${kept.heapMb.toFixed(0)} MB, resident ${kept.residentMb.toFixed(0)} MB`)
    }
    clearInterval(killer)
    const isDone = await callers.stop()
    await sleep((isDone ? settleSeconds : silentSeconds) * 1000)
    const after = await heldBy(on)
    const [first = after] = collected
    const last = collected.at(-1) ?? after
    const left: Record<string, number> = {}
    for (const [name, value] of Object.entries(after.open)) {
      const more = value - (before.open[name] ?? 0)
      if (more > (slack[name] ?? 0)) left[name] = more
    }
    if (left.descriptors !== undefined) onProgress(`descriptors: ${moreOf(before.descriptors, after.descriptors)}`)
    return {
      calls: after.calls - before.calls,
      kills,
      threadsLost: after.threadsLost,
      crashed: after.crashed,
      left,
      openRows: await openRowsOf(on),
      heapMb: { warm: first.heapMb, end: last.heapMb },
      residentMb: { warm: first.residentMb, end: last.residentMb },
      check: await on.cli('check'),
      refusedPlaced: callers.refused,
    }
  } finally {
    callers?.close()
    await customer.close()
    await on.close()
  }
}

const lineOf = (minute: number, held: Held, heapMb: number, residentMb: number, kills: number): string =>
  `minute ${minute}: ${held.calls} calls, heap ${heapMb.toFixed(0)} MB, resident ${residentMb.toFixed(0)} MB, ` +
  `${kills} media threads ended; ` +
  Object.entries(held.open)
    .map(([name, value]) => `${name} ${Math.abs(value)}`)
    .join(', ')

/** Which there are more of, or fewer. */
const moreOf = (before: Held['descriptors'], after: Held['descriptors']): string =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map(kind => `${kind} ${before[kind] ?? 0} → ${after[kind] ?? 0}`)
    .join(', ')

/** Of all accounts: live calls, and money that is held. */
async function openRowsOf(on: SwitchProcess): Promise<number> {
  const { body } = await on.operator('GET', '/accounts?limit=200')
  const accounts = body.accounts as readonly { readonly live_calls: number; readonly held_amount: string }[]
  const live = (await on.operator('GET', '/calls')).body
  const calls = (live.calls ?? live) as readonly unknown[]
  return (
    calls.length + accounts.reduce((sum, each) => sum + each.live_calls + (Number(each.held_amount) > 0 ? 1 : 0), 0)
  )
}
