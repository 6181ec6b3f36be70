import { readdir, readFile } from 'node:fs/promises'

/** What this process holds of the machine's memory, bytes. */
export interface ProcessMemory {
  readonly residentBytes: number
  readonly virtualBytes: number
  /** Private and writable: heaps and buffers. */
  readonly dataBytes: number
  /** What it may hold: its cgroup's limit, or what is available on the machine with what it has already. */
  readonly allowedBytes: number
}

/** The cgroup's limit as it was at the start; a later change is not seen. */
const constrainedBytes = process.constrainedMemory() || Number.POSITIVE_INFINITY

/**
 * Undefined where it cannot be known: on Linux, without /proc. Read by the thread pool: Node's own `process.memoryUsage` and
 * `process.availableMemory` open a dozen files on the thread that asks.
 */
export async function readProcessMemory(procFolder = '/proc'): Promise<ProcessMemory | undefined> {
  try {
    const [status, machine] = await Promise.all([
      readFile(`${procFolder}/self/status`, 'latin1'),
      readFile(`${procFolder}/meminfo`, 'latin1'),
    ])
    const residentBytes = bytesOf(status, 'VmRSS')
    return {
      residentBytes,
      virtualBytes: bytesOf(status, 'VmSize'),
      dataBytes: bytesOf(status, 'VmData'),
      allowedBytes: Math.min(constrainedBytes, bytesOf(machine, 'MemAvailable') + residentBytes),
    }
  } catch {
    return undefined
  }
}

/** Undefined where there is no /proc. */
export async function countDescriptors(): Promise<number | undefined> {
  try {
    // One of them is of this reading.
    return (await readdir('/proc/self/fd')).length - 1
  } catch {
    return undefined
  }
}

/** A line `Name:   1234 kB` (proc(5)). */
function bytesOf(text: string, name: string): number {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]
  if (kilobytes === undefined) throw new Error(`/proc has no ${name}`)
  return Number(kilobytes) * 1024
}
