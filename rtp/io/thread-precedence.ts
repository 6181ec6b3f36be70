import { setPriority } from 'node:os'
import koffi from 'koffi'

/** Before every thread that is not of real time, or before most others, or as they come. */
type Precedence = 'realtime' | 'nice' | 'usual'

// sched_setscheduler(2): what a thread in real time starts is as everybody else.
const usual = 0
const roundRobin = 2
const resetOnFork = 0x4000_0000
/**
 * Real-time priorities, the least that there are. Each goes before those below it: media is late at once; each message waits for
 * signalling, each call for the database, and signalling for V8's threads where these have begun a collection of its garbage.
 */
const priorities = { media: 4, signalling: 3, store: 2, v8: 1 } as const
/** Where the system allows fewer, the database and V8 have none: one of these alone would take the processor from the other. */
const fewer = { media: 2, signalling: 1 } as const
const callingThread = 0
const niceness = -10

/** What a thread does, by which it goes before others. */
type Rank = keyof typeof priorities

/**
 * Lets the calling thread go before the others of the machine, as far as the system allows it: a packet that is late is
 * lost. Real time takes root, CAP_SYS_NICE or RLIMIT_RTPRIO, a better niceness one of the first two or RLIMIT_NICE.
 * Linux only: elsewhere a thread has no priority of its own.
 */
export const takePrecedence = (): Precedence => {
  if (process.platform !== 'linux') return 'usual'
  if ([priorities.media, fewer.media, fewer.signalling].some(priority => schedule(roundRobin, priority)))
    return 'realtime'
  try {
    setPriority(0, niceness)
    return 'nice'
  } catch {
    return 'usual'
  }
}

/**
 * Lets a thread of this process go in real time after media threads. Returns false, and changes nothing, where the system does not
 * allow priorities enough: with one for both, media would wait for the thread.
 */
export const goInRealTime = (rank: Exclude<Rank, 'media'>, thread = callingThread): boolean => {
  if (process.platform !== 'linux') return false
  // Whether media may be before it is asked by trying.
  if (schedule(roundRobin, priorities.media, thread)) return schedule(roundRobin, priorities[rank], thread)
  return (
    rank === 'signalling' && schedule(roundRobin, fewer.media, thread) && schedule(roundRobin, fewer.signalling, thread)
  )
}

/** Takes real time back from a thread. Its niceness is what it was. */
export const leaveRealTime = (thread = callingThread): void => {
  if (process.platform === 'linux') schedule(usual, 0, thread)
}

/** Made once: where the system refuses, signalling asks again each second. */
let setScheduler: ((thread: number, policy: number, param: Int32Array) => number) | undefined

const schedule = (policy: number, priority: number, thread = callingThread): boolean => {
  try {
    setScheduler ??= koffi.load(null).func('sched_setscheduler', 'int', ['int', 'int', 'const void *'])
    // struct sched_param { int sched_priority; }
    return setScheduler(thread, policy | resetOnFork, Int32Array.of(priority)) === 0
  } catch {
    return false
  }
}
