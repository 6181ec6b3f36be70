import type { NativeCalls } from './libc.ts'

const unknown = -1

/**
 * Which processor the thread that commands media ran on last, in memory that media threads share: they keep off it
 * (`processor-choice.ts`). Where the system tells no thread its processor, none is ever known.
 */
export class CommandingThread {
  readonly memory: SharedArrayBuffer
  readonly #at: Int32Array
  readonly #libc: Pick<NativeCalls['libc'], 'sched_getcpu'> | undefined

  /** `memory`: of the object that the commanding thread has made. */
  constructor(native: NativeCalls | undefined, memory?: SharedArrayBuffer) {
    this.memory = memory ?? new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    this.#at = new Int32Array(this.memory)
    this.#libc = native?.libc
    if (memory === undefined) this.#at[0] = unknown
  }

  /** The calling thread is the one that commands. */
  note(): void {
    if (this.#libc !== undefined) Atomics.store(this.#at, 0, this.#libc.sched_getcpu())
  }

  /** Whether it ran last where the calling thread runs. */
  runsHere(): boolean {
    const processor = Atomics.load(this.#at, 0)
    return processor !== unknown && processor === this.#libc?.sched_getcpu()
  }
}
