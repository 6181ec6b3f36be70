import koffi from 'koffi'

/**
 * Gives back to the system what the C library keeps free, malloc_trim(3): its arenas hold the memory of a thread that has
 * ended for the next ones, and they would only grow. By the thread pool, since it walks through all of them. Elsewhere than
 * with glibc nothing happens.
 */
export function giveBackFreeMemory(): void {
  try {
    const trim = koffi.load(null).func('malloc_trim', 'int', ['size_t'])
    trim.async(0, () => {})
  } catch {
    // Another C library, or another system.
  }
}
