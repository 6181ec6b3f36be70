import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { giveBackFreeMemory } from '../../../rtp/io/index.ts'

/** Each time takes the thread pool some ms, and then what is used again is fetched from the system again. */
const everyMs = 10_000
/** While memory is given back, others wait for the C library: with 300 new calls a second a turn of the event loop took 14 ms for it. */
const mostBusy = 0.1

type Utilization = (before?: EventLoopUtilization) => EventLoopUtilization

/**
 * Gives back to the system what the C library keeps free, again and again, after times in which this thread had little to do. V8's
 * compilers take tens of MB while they compile what the first calls run; between what they free, small things stay, so that the C
 * library by itself gives none of it back. Returns the end of that.
 */
export function keepGivingBackFreeMemory(
  give = giveBackFreeMemory,
  utilization: Utilization = performance.eventLoopUtilization,
): () => void {
  let before = utilization()
  const timer = setInterval(() => {
    const isBusy = utilization(before).utilization > mostBusy
    before = utilization()
    if (!isBusy) give()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
