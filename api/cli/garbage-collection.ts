import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/** V8 and Node take these only as the program starts. `scripts/bootstrap.mjs` gives a checkout the same, `scripts/build-binary.ts` the first. */
const youngSpace = '--max-semi-space-size'
const youngSpaceMb = 2
const v8Threads = '--v8-pool-size'
/** Node's own number. */
const mostV8Threads = 4

/** One processor is left to signalling. */
const threadsFor = (processors: number): number => Math.max(1, Math.min(mostV8Threads, processors - 1))

/**
 * Starts the program again in its place, so that collections of garbage stop it for less time: with little space for young
 * objects in each thread, and with no more threads for V8's work than there are processors beside signalling. A flag that
 * was given stays as it is. A collection of that space then takes 2 ms, and by V8's own limit 15, for which each message waits; and
 * a thread of V8 that has begun one, and waits for a processor that another of them has, is waited for less often
 * (docs/garbage.md). The process and what it has open stay (execve(2)); where the system has no such call nothing happens.
 */
export function startForShortPauses(): void {
  const flags: string[] = []
  if (!isGiven(youngSpace)) flags.push(`${youngSpace}=${youngSpaceMb}`)
  if (!isGiven(v8Threads)) flags.push(`${v8Threads}=${threadsFor(availableParallelism())}`)
  const [node, ...words] = process.argv
  if (flags.length > 0) startAgain(node!, [...flags, ...process.execArgv, ...words], process.env)
}

/**
 * The same for the one executable, which takes flags of Node's from NODE_OPTIONS alone, and has the space from its build. What is
 * added to NODE_OPTIONS is taken away from it after the start: children are given what the operator wrote.
 */
export function startExecutableForShortPauses(): void {
  const flag = `${v8Threads}=${threadsFor(availableParallelism())} `
  const given = process.env.NODE_OPTIONS ?? ''
  if (given.startsWith(flag)) {
    process.env.NODE_OPTIONS = given.slice(flag.length)
    return
  }
  // The second word is the executable, too.
  if (!isGiven(v8Threads))
    startAgain(process.execPath, process.argv.slice(2), { ...process.env, NODE_OPTIONS: flag + given })
}

const isGiven = (flag: string): boolean =>
  [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some(words => words.includes(flag))

function startAgain(program: string, words: readonly string[], environment: NodeJS.ProcessEnv): void {
  // A parent that talks to this process over IPC would lose it.
  if (process.execve === undefined || process.platform === 'win32' || process.channel !== undefined) return
  process.removeAllListeners('warning')
  try {
    process.execve(program, [program, ...words], environment)
  } catch {
    // Then calls wait longer for garbage.
  }
}

/**
 * A thread that collects its young objects does so alone, but on two processors. By default V8 shares that among five threads, which
 * together take two to seven times the processor time, and take it from calls. On two processors V8 has one thread of its own (above),
 * which often begins such a collection while ours still reads its roots. Alone means that ours then waits until V8's thread has done
 * all of it; when the two share, ours does a part (docs/garbage.md). Nor does the next collection wait until another thread has freed the buffers of the one
 * before: that thread comes after calls, and may not have had a processor for 10 ms.
 */
export function collectYoungWithFewThreads(): void {
  if (availableParallelism() !== processorsToShare) setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--no-concurrent-array-buffer-sweeping')
}

/** With one there is no other to work beside; with more V8 has more threads, and sharing with these was not measured. */
const processorsToShare = 2

/**
 * The old space is collected once it has grown by so much of what the last collection left. V8 itself takes a quarter at a hundred
 * calls a second, which is a collection every two seconds; calls wait for its steps and its threads (docs/garbage.md).
 */
const growthPercent = 100

export function collectOldRarely(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
}
