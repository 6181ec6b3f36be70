import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** As Node names them; Node 22 gives its threads no names of their own, and there nothing happens. */
const helper = 'node-V8Worker'
const threads = '/proc/self/task'
const usual = 0
/** Where not even root's best is allowed, as in a systemd unit with `LimitNICE=-10`, that one. */
const before: readonly number[] = [-19, -10]

/**
 * Lets V8's threads of this process go before every thread that is not in real time. What they mark of the heap the thread
 * that collects need not mark itself, and where they have begun with a collection it waits until they are done: while
 * another program or the database has the processor, that is each message's delay. Linux only.
 */
export function helpersFollow(): void {
  for (const thread of helpers()) before.some(niceness => isSet(thread, niceness))
}

export function helpersGiveWay(): void {
  for (const thread of helpers()) isSet(thread, usual)
}

function helpers(): readonly number[] {
  if (process.platform !== 'linux') return []
  try {
    return readdirSync(threads)
      .filter(thread => nameOf(thread) === helper)
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
