import { readdirSync, readFileSync } from 'node:fs'

/** The kernel's clock tick of /proc, which is 10 ms on every Linux that we run on. */
const tickMs = 10

/** What Node calls its threads, in our words. */
const nameOf: Readonly<Record<string, string>> = {
  WorkerThread: 'media and store threads',
  'node-V8Worker': 'compiler and collector',
  libuv_worker: 'thread pool',
  'libuv-worker': 'thread pool',
}

interface ThreadTime {
  readonly name: string
  readonly cpuMs: number
}

/** Processor time of each thread of a process since its start, by the system's accounting (proc(5), /proc/pid/task/tid/stat). */
export function threadTimes(pid: number): ReadonlyMap<string, ThreadTime> {
  const times = new Map<string, ThreadTime>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    let text: string
    try {
      text = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')
    } catch {
      // It ended meanwhile.
      continue
    }
    // The name may hold spaces and brackets; after its last bracket the fields are separated by one space.
    const end = text.lastIndexOf(')')
    const fields = text.slice(end + 2).split(' ')
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * tickMs
    const command = text.slice(text.indexOf('(') + 1, end)
    const name = Number(id) === pid ? 'signalling' : (nameOf[command] ?? command)
    times.set(id, { name, cpuMs })
  }
  return times
}

/** Milliseconds that each kind of thread has used between two readings, most first. */
export function usedBetween(
  before: ReadonlyMap<string, ThreadTime>,
  after: ReadonlyMap<string, ThreadTime>,
): readonly (readonly [name: string, cpuMs: number])[] {
  const sums = new Map<string, number>()
  for (const [id, { name, cpuMs }] of after) {
    const used = cpuMs - (before.get(id)?.cpuMs ?? 0)
    if (used > 0) sums.set(name, (sums.get(name) ?? 0) + used)
  }
  return [...sums].sort((one, other) => other[1] - one[1])
}

/** Resident memory, MB. */
export function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) / 1024
}
