import { getPriority, setPriority } from 'node:os'

const usual = 0
/** Signalling and the database's thread of a served switch: behind media threads that have no real time, before all else. */
export const servedNiceness = -9

/**
 * Lets the calling thread go behind others: its niceness becomes `niceness`, or stays where it is higher already, as of a
 * program that was started with `nice`, since only root may take it back. Linux only: elsewhere a thread has none of its own,
 * and this would be the whole process's.
 */
export function giveWay(niceness: number): void {
  if (process.platform !== 'linux' || getPriority(0) >= niceness) return
  setPriority(0, niceness)
}

/**
 * Lets the calling thread go before others where the system allows it (root, CAP_SYS_NICE, RLIMIT_NICE): returns whether it does.
 * A program that was started with `nice` stays as it was asked to be. What the thread starts later goes before others, too, unless it gives way.
 */
export function goBefore(niceness: number): boolean {
  if (process.platform !== 'linux' || getPriority(0) !== usual) return false
  try {
    setPriority(0, niceness)
    return true
  } catch {
    return false
  }
}

/** A process that a thread with precedence has started has none. */
export function takeBack(processId: number | undefined): void {
  if (processId === undefined || process.platform !== 'linux' || getPriority(0) >= usual) return
  try {
    setPriority(processId, usual)
  } catch {
    // It has ended.
  }
}
