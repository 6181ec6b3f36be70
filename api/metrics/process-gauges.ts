import { Gauge, type Registry } from 'prom-client'
import { countDescriptors, type ProcessMemory, readProcessMemory } from '../../core/index.ts'

const memoryGauges: readonly (readonly [name: string, help: string, of: (memory: ProcessMemory) => number])[] = [
  ['process_resident_memory_bytes', 'Resident memory size in bytes.', ({ residentBytes }) => residentBytes],
  ['process_virtual_memory_bytes', 'Virtual memory size in bytes.', ({ virtualBytes }) => virtualBytes],
  ['process_heap_bytes', 'Process heap size in bytes.', ({ dataBytes }) => dataBytes],
]

/** The default metrics that prom-client reads from /proc on the thread that is asked, read by the thread pool instead. */
export function processGauges(registry: Registry): void {
  const own = (name: string, help: string, read: () => Promise<number | undefined>) => {
    registry.removeSingleMetric(name)
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = await read()
        if (value !== undefined) this.set(value)
      },
    })
  }
  // A scrape asks all gauges at once: one reading serves them.
  let reading: ReturnType<typeof readProcessMemory> | undefined
  const readOnce = () => {
    reading ??= readProcessMemory().finally(() => {
      reading = undefined
    })
    return reading
  }
  for (const [name, help, of] of memoryGauges) {
    own(name, help, async () => {
      const memory = await readOnce()
      return memory === undefined ? undefined : of(memory)
    })
  }
  own('process_open_fds', 'Number of open file descriptors.', countDescriptors)
}
