import { getPriority, setPriority } from 'node:os'

/**
 * Lets the calling thread go behind others: its niceness becomes `niceness`, or stays where it is higher already, as of a
 * program that was started with `nice`, since only root may take it back. Linux only: elsewhere a thread has none of its own,
 * and this would be the whole process's.
 */
export function giveWay(niceness: number): void {
  if (process.platform !== 'linux' || getPriority(0) >= niceness) return
  setPriority(0, niceness)
}
