import { closeSync } from 'node:fs'

/** More than a thread has sockets; one beyond would stay open when its thread dies. */
const mostDescriptors = 131_072

/**
 * The descriptors that a thread has open and that Node knows nothing of, in memory that outlives the thread: sockets made by
 * libc stay open, and keep their ports, when the thread is ended from outside or dies by a fault.
 */
export class OpenDescriptors {
  readonly memory: SharedArrayBuffer
  readonly #isOpen: Uint8Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(mostDescriptors)) {
    this.memory = memory
    this.#isOpen = new Uint8Array(memory)
  }

  opened(descriptor: number): void {
    this.#isOpen[descriptor] = 1
  }

  /** To be reported before it is closed: its number may be another thread's the moment after. */
  closing(descriptor: number): void {
    this.#isOpen[descriptor] = 0
  }

  /** The thread is gone: closes what it has left. Returns how many. */
  closeAll(): number {
    let closed = 0
    for (let at = this.#isOpen.indexOf(1); at !== -1; at = this.#isOpen.indexOf(1, at + 1)) {
      this.#isOpen[at] = 0
      try {
        closeSync(at)
        closed++
      } catch {
        // It was not open any more.
      }
    }
    return closed
  }
}
