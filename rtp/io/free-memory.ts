import koffi from 'koffi'

type Trim = (keptBytes: number, done: () => void) => void

/** Undefined with another C library than glibc, or on another system. */
function loadTrim(): Trim | undefined {
  try {
    return koffi.load(null).func('malloc_trim', 'int', ['size_t']).async as Trim
  } catch {
    return undefined
  }
}

let trim: Trim | 'unknown' | undefined = 'unknown'

/**
 * Gives back to the system what the C library keeps free, malloc_trim(3): its arenas hold the memory of a thread that has
 * ended for the next ones, and they would only grow. By the thread pool, since it walks through all of them. Elsewhere than
 * with glibc nothing happens.
 */
export function giveBackFreeMemory(): void {
  if (trim === 'unknown') trim = loadTrim()
  trim?.(0, () => {})
}
