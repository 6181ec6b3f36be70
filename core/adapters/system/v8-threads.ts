import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { goInRealTime, leaveRealTime } from '../../../rtp/io/index.ts'

/** As Node names them; Node 22 gives its threads no names of their own, and there nothing happens. */
const v8Thread = 'node-V8Worker'
const threads = '/proc/self/task'
const usual = 0
/** The first that the system allows: a systemd unit may have `LimitNICE=-10`. */
const nicenesses: readonly number[] = [-19, -10]

/**
 * Lets V8's threads of this process go before every thread that is not in real time. What they mark of the heap, signalling
 * need not mark itself; and where one of them has begun a collection of signalling's garbage, signalling waits until it is
 * done. While the database or another program has the processor, all messages wait for that. Linux only.
 */
export function v8GoesBefore(): void {
  for (const thread of v8Threads()) nicenesses.some(niceness => isSet(thread, niceness))
}

export function v8GivesWay(): void {
  for (const thread of v8Threads()) {
    leaveRealTime(thread)
    isSet(thread, usual)
  }
}

/** Lets them go before other programs' threads at once, wherever Linux has put them: a niceness is a share of one processor. */
export function v8InRealTime(): void {
  for (const thread of v8Threads()) goInRealTime('v8', thread)
}

/** Their niceness is what it was. */
export function v8LeavesRealTime(): void {
  for (const thread of v8Threads()) leaveRealTime(thread)
}

/** Whether they can be told from the others of this process. */
export function areV8ThreadsKnown(): boolean {
  return v8Threads().length > 0
}

function v8Threads(): readonly number[] {
  if (process.platform !== 'linux') return []
  try {
    return readdirSync(threads)
      .filter(thread => nameOf(thread) === v8Thread)
      .map(Number)
  } catch {
    // There is no /proc: calls wait longer for garbage.
    return []
  }
}

/** Empty for a thread that has ended meanwhile. */
function nameOf(thread: string): string {
  try {
    return readFileSync(`${threads}/${thread}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

function isSet(thread: number, niceness: number): boolean {
  try {
    setPriority(thread, niceness)
    return true
  } catch {
    return false
  }
}
