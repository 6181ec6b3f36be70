import { readdirSync, readFileSync } from 'node:fs'

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

/** Processor time of each thread of a process since its start, by the scheduler's accounting (/proc/pid/task/tid/schedstat, ns). */
export function threadTimes(pid: number): ReadonlyMap<string, ThreadTime> {
  const times = new Map<string, ThreadTime>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    let command: string
    let cpuMs: number
    try {
      command = readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim()
      cpuMs = Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6
    } catch {
      // It ended meanwhile.
      continue
    }
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
