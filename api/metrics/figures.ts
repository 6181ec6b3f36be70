import { statfs } from 'node:fs/promises'
import { readProcessMemory } from '../../core/index.ts'
import type { SwitchDoor } from '../base/door.ts'

const stepMs = 10_000
const places = 360

interface Sample {
  readonly liveCalls: number
  readonly began: number
  readonly failed: number
  readonly reasons: ReadonlyMap<string, number>
  readonly mediaSessions: number
  readonly mediaBusy: number
  readonly loopDelayMs: number
  readonly loopBusy: number
  readonly callbacks: number
  readonly diskUsed: number
  readonly memoryMb: number
}

/** The last hour of the switch in memory, a sample every ten seconds, for operators without Prometheus. */
export class HourlyFigures {
  readonly #door: SwitchDoor
  readonly #samples: Sample[] = []
  readonly #unsubscribe: () => void
  readonly #timer: NodeJS.Timeout
  #began = 0
  #reasons = new Map<string, number>()

  constructor(door: SwitchDoor) {
    this.#door = door
    this.#unsubscribe = door.repositories.events.subscribe(({ event }) => {
      if (event.code === 'CALL.0100') this.#began++
      if (event.code !== 'CALL.0400') return
      const reason = String(event.data.reason_code ?? '')
      this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1)
    })
    this.#timer = setInterval(() => void this.sample(), stepMs)
    this.#timer.unref()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#unsubscribe()
  }

  async sample(): Promise<void> {
    const [began, reasons] = [this.#began, this.#reasons]
    this.#began = 0
    this.#reasons = new Map()
    const [counters, disk, memory] = await Promise.all([
      this.#door.counters?.().catch(() => undefined),
      statfs(this.#door.settings.dataFolder).catch(() => undefined),
      readProcessMemory(),
    ])
    const measures = counters?.admission.measures
    this.#samples.push({
      liveCalls: this.#door.calls.live().length,
      began,
      failed: [...reasons.values()].reduce((sum, calls) => sum + calls, 0),
      reasons,
      mediaSessions: counters?.media.threads.reduce((sum, thread) => sum + thread.sessions, 0) ?? 0,
      mediaBusy: measures?.mediaBusy ?? 0,
      loopDelayMs: measures?.loopDelayMs ?? 0,
      loopBusy: measures?.loopBusy ?? 0,
      callbacks: counters?.callbacks.backlog ?? 0,
      diskUsed: disk === undefined || disk.blocks === 0 ? 0 : 1 - disk.bavail / disk.blocks,
      memoryMb: (memory?.residentBytes ?? 0) / 1024 ** 2,
    })
    if (this.#samples.length > places) this.#samples.shift()
  }

  /** As the API shows it. */
  rendered(unixMs: number) {
    const all = this.#samples
    const series = (of: (sample: Sample) => number) => all.map(sample => Math.round(1000 * of(sample)) / 1000)
    const reasons = new Map<string, number>()
    for (const sample of all)
      for (const [reason, calls] of sample.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + calls)
    const seconds = stepMs / 1000
    return {
      step_seconds: seconds,
      from: new Date(unixMs - all.length * stepMs).toISOString(),
      live_calls: series(({ liveCalls }) => liveCalls),
      calls_per_second: series(({ began }) => began / seconds),
      failed_per_second: series(({ failed }) => failed / seconds),
      media_sessions: series(({ mediaSessions }) => mediaSessions),
      media_busy: series(({ mediaBusy }) => mediaBusy),
      loop_delay_ms: series(({ loopDelayMs }) => loopDelayMs),
      loop_busy: series(({ loopBusy }) => loopBusy),
      callbacks_waiting: series(({ callbacks }) => callbacks),
      disk_used: series(({ diskUsed }) => diskUsed),
      memory_mb: series(({ memoryMb }) => memoryMb),
      failures: [...reasons].sort((a, b) => b[1] - a[1]).map(([reason, calls]) => ({ reason_code: reason, calls })),
    }
  }
}
