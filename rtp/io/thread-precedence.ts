import { setPriority } from 'node:os'
import koffi from 'koffi'

/** Before every thread that is not of real time, or before most others, or as they come. */
type Precedence = 'realtime' | 'nice' | 'usual'

// sched_setscheduler(2): what a thread in real time starts is as everybody else.
const usual = 0
const roundRobin = 2
const resetOnFork = 0x4000_0000
/** The least of the real-time priorities, media before signalling. */
const priorities = { media: 2, signalling: 1 } as const
const callingThread = 0
const niceness = -10

/**
 * Lets the calling thread go before the others of the machine, as far as the system allows it: a packet that is late is
 * lost. Real time takes root, CAP_SYS_NICE or RLIMIT_RTPRIO, a better niceness one of the first two or RLIMIT_NICE.
 * Linux only: elsewhere a thread has no priority of its own.
 */
export const takePrecedence = (): Precedence => {
  if (process.platform !== 'linux') return 'usual'
  if (schedule(roundRobin, priorities.media) || schedule(roundRobin, priorities.signalling)) return 'realtime'
  try {
    setPriority(0, niceness)
    return 'nice'
  } catch {
    return 'usual'
  }
}

/**
 * Lets the calling thread go before all others but media threads, in real time. Returns false, and changes nothing, where the
 * system does not allow both priorities: with one for both, media would wait for signalling.
 */
export const goAfterMedia = (): boolean =>
  process.platform === 'linux' && schedule(roundRobin, priorities.media) && schedule(roundRobin, priorities.signalling)

/** Takes real time back from the calling thread. Its niceness is what it was. */
export const leaveRealTime = (): void => {
  if (process.platform === 'linux') schedule(usual, 0)
}

/** Made once: where the system refuses, signalling asks again each second. */
let setScheduler: ((thread: number, policy: number, param: Int32Array) => number) | undefined

const schedule = (policy: number, priority: number): boolean => {
  try {
    setScheduler ??= koffi.load(null).func('sched_setscheduler', 'int', ['int', 'int', 'const void *'])
    // struct sched_param { int sched_priority; }
    return setScheduler(callingThread, policy | resetOnFork, Int32Array.of(priority)) === 0
  } catch {
    return false
  }
}
