import { setPriority } from 'node:os'
import koffi from 'koffi'

/** Before every thread that is not of real time, or before most others, or as they come. */
type Precedence = 'realtime' | 'nice' | 'usual'

// sched_setscheduler(2): the least of the real-time priorities; what this thread starts is as everybody else.
const roundRobin = 2
const resetOnFork = 0x4000_0000
const leastPriority = 1
const callingThread = 0
const niceness = -10

/**
 * Lets the calling thread go before the others of the machine, as far as the system allows it: a packet that is late is
 * lost. Real time takes root, CAP_SYS_NICE or RLIMIT_RTPRIO, a better niceness one of the first two or RLIMIT_NICE.
 * Linux only: elsewhere a thread has no priority of its own.
 */
export const takePrecedence = (): Precedence => {
  if (process.platform !== 'linux') return 'usual'
  if (isRealtime()) return 'realtime'
  try {
    setPriority(0, niceness)
    return 'nice'
  } catch {
    return 'usual'
  }
}

const isRealtime = (): boolean => {
  try {
    const schedule = koffi.load(null).func('sched_setscheduler', 'int', ['int', 'int', 'const void *'])
    // struct sched_param { int sched_priority; }
    return schedule(callingThread, roundRobin | resetOnFork, Int32Array.of(leastPriority)) === 0
  } catch {
    return false
  }
}
