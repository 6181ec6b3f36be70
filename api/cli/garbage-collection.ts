import { setFlagsFromString } from 'node:v8'

/**
 * A thread that collects its young objects does so alone. By default V8 shares that among five threads, and the one that
 * collects waits until the others have had a processor: on a busy one 8 ms in the mean and 48 at worst, where alone it needs
 * 1.5 and 7. Calls wait as long.
 */
export function collectYoungAlone(): void {
  setFlagsFromString('--no-parallel-scavenge')
}
