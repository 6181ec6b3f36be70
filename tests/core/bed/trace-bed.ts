import { ringMemory } from '../../../core/trace/item-ring.ts'
import type { Trace, TracePage, TraceReader } from '../../../core/trace/trace.ts'
import { TraceBook, type TraceBookOptions } from '../../../core/trace/trace-book.ts'
import { TraceInlet, TraceOutlet } from '../../../core/trace/trace-inlet.ts'
import { TraceRecorder } from '../../../core/trace/trace-recorder.ts'
import type { TracePart, TraceStore } from '../../../core/trace/trace-store.ts'

/** A recorder as the switch has it, with both sides of its shared memory in one thread. */
export class TraceBed {
  readonly recorder: TraceRecorder
  readonly book: TraceBook
  readonly inlet: TraceInlet
  readonly #outlet: TraceOutlet

  constructor(now: () => number, options: Partial<TraceBookOptions> & { readonly inletBytes?: number } = {}) {
    const memory = ringMemory(options.inletBytes ?? 1 << 20)
    this.book = new TraceBook({ memoryBytes: 4 << 20, ...options })
    this.inlet = new TraceInlet(memory, () => {})
    this.#outlet = new TraceOutlet(memory, this.book, cause => {
      throw cause
    })
    this.recorder = new TraceRecorder(this.inlet, { now })
  }

  drain(): void {
    this.inlet.flush()
    this.#outlet.drain()
  }

  tick(unixMs: number): void {
    this.drain()
    this.book.tick(unixMs)
  }

  close(): void {
    this.drain()
    this.book.close()
  }

  read(id: string, reader: TraceReader, page: TracePage = { after: 0, limit: 10_000 }): Trace | undefined {
    this.drain()
    return this.book.read(id, reader, page)
  }
}

/** A store in memory. */
export class PartsInMemory implements TraceStore {
  readonly kept: (Omit<TracePart, 'pieces'> & { readonly isFailed: boolean; readonly bytes: Uint8Array })[] = []

  put(parts: readonly TracePart[], isFailed: boolean): boolean {
    for (const { pieces, ...part } of parts)
      this.kept.push({ ...part, isFailed, bytes: new Uint8Array(Buffer.concat(pieces)) })
    return true
  }

  partsOf(id: string): readonly Uint8Array[] {
    const parts = this.kept.filter(({ uuid, sid }) => uuid === id || sid === id)
    const whole = parts.findLastIndex(({ isWhole }) => isWhole)
    return parts.slice(Math.max(0, whole)).map(({ bytes }) => bytes)
  }
}
