import type { NativeCalls } from './libc.ts'

/** cpu_set_t: 1024 processors. */
const maskBytes = 128
const callingThread = 0

/**
 * Moves the calling thread to another of the processors that it may run on, and leaves it free to run on any of them
 * (sched_setaffinity(2)). Returns false where there is no other.
 */
export const otherProcessor = (native: NativeCalls): (() => boolean) => {
  const { libc } = native
  const memory = native.allocate(2 * maskBytes)
  const allowed = new Uint8Array(memory.buffer, 0, maskBytes)
  const others = new Uint8Array(memory.buffer, maskBytes, maskBytes)
  const othersAt = memory.address + BigInt(maskBytes)
  return () => {
    const processor = libc.sched_getcpu()
    if (processor < 0 || processor >= 8 * maskBytes) return false
    // Read each time: an operator may change it (taskset(1)).
    if (libc.sched_getaffinity(callingThread, maskBytes, memory.address) < 0) return false
    others.set(allowed)
    others[processor >> 3]! &= ~(1 << (processor & 7))
    if (libc.sched_setaffinity(callingThread, maskBytes, othersAt) < 0) return false
    libc.sched_setaffinity(callingThread, maskBytes, memory.address)
    return true
  }
}

/**
 * How many processors the calling thread may run on now (sched_getaffinity(2)); 0: not known. `availableParallelism()` reads files
 * at each call, and this is asked while calls run.
 */
export const allowedProcessors = (native: NativeCalls): (() => number) => {
  const { libc } = native
  const memory = native.allocate(maskBytes)
  const allowed = new Uint8Array(memory.buffer)
  return () => {
    allowed.fill(0)
    if (libc.sched_getaffinity(callingThread, maskBytes, memory.address) < 0) return 0
    let count = 0
    for (const byte of allowed) for (let bits = byte; bits > 0; bits >>= 1) count += bits & 1
    return count
  }
}
