import { setFlagsFromString } from 'node:v8'

/** V8 takes it only as the program starts. The other ways of starting give it, too: `bootstrap.mjs`, `build-binary.ts`. */
const youngSpace = '--max-semi-space-size'
const youngSpaceMb = 2

/**
 * Starts the program again in its place, with little space for young objects in each thread, unless it has been given a
 * space. A collection of that space then takes 2 ms, and by V8's own limit 15, for which each message waits
 * (docs/garbage.md). The process and what it has open stay (execve(2)); where the system has no such call
 * nothing happens.
 */
export function limitYoungSpace(): void {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? '']
  // A parent that talks to this process over IPC would lose it.
  if (given.some(words => words.includes(youngSpace)) || process.channel !== undefined) return
  if (process.execve === undefined || process.platform === 'win32') return
  process.removeAllListeners('warning')
  const [node, ...words] = process.argv
  try {
    process.execve(node!, [node!, `${youngSpace}=${youngSpaceMb}`, ...process.execArgv, ...words], process.env)
  } catch {
    // Then calls wait longer for garbage.
  }
}

/**
 * A thread that collects its young objects does so alone. By default V8 shares that among five threads, which together
 * take two to seven times the processor time, and take it from calls. Nor does the next collection wait until another thread has freed
 * the buffers of the one before: that thread comes after calls, and may not have had a processor for 10 ms.
 */
export function collectYoungAlone(): void {
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--no-concurrent-array-buffer-sweeping')
}
