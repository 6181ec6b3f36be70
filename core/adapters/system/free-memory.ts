import { giveBackFreeMemory } from '../../../rtp/io/index.ts'

/** Each time takes the thread pool some ms, and then what is used again is fetched from the system again. */
const everyMs = 10_000

/**
 * Gives back to the system what the C library keeps free, again and again. V8's compilers take tens of MB while they compile what the
 * first calls run; between what they free, small things stay, so that the C library by itself gives none of it back. Returns
 * the end of that.
 */
export function keepGivingBackFreeMemory(): () => void {
  const timer = setInterval(giveBackFreeMemory, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
