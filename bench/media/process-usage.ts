import { readdirSync, readFileSync } from 'node:fs'

/** What Node calls its threads, in our words; ours have names of their own. */
const nameOf: Readonly<Record<string, string>> = {
  'node-V8Worker': 'compiler and collector',
  libuv_worker: 'thread pool',
  'libuv-worker': 'thread pool',
}

/** Processor time of each kind of thread of a process since its start, µs, to the nanosecond of the scheduler's own count. */
export function threadMicros(pid: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    try {
      const command = readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim()
      const [onProcessor = '0'] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')
      const name = Number(id) === pid ? 'signalling' : (nameOf[command] ?? command)
      times.set(name, (times.get(name) ?? 0) + Number(onProcessor) / 1000)
    } catch {
      // It ended meanwhile.
    }
  }
  return times
}

export const sumOf = (times: ReadonlyMap<string, number>): number => [...times.values()].reduce((a, b) => a + b, 0)

/** Datagrams that the kernel dropped, for want of room, at UDP sockets with these local ports. */
export function droppedDatagrams(ports: (port: number) => boolean): number {
  let drops = 0
  for (const line of readFileSync('/proc/net/udp', 'utf8').split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/)
    const port = Number.parseInt(fields[1]?.split(':')[1] ?? '', 16)
    if (ports(port)) drops += Number(fields.at(-1))
  }
  return drops
}

export const openDescriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
