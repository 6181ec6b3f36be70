import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LoadMonitor, type LoadMonitorOptions } from '../../../../core/adapters/load/load-monitor.ts'
import { countDescriptors, readProcessMemory } from '../../../../core/adapters/system/process-memory.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { OverloadControl } from '../../../../core/admission/overload-control.ts'
import { until } from '../../../rig/probes/wait.ts'

const bounds = { loopDelayMs: 0, inviteWaitMs: 0, storeBacklog: 0, mediaLate: 0, mediaBusy: 0, memory: 0.9 }

const optionsOf = (more: Partial<LoadMonitorOptions>): LoadMonitorOptions => ({
  admission: new OverloadControl(bounds),
  clock: { now: () => performance.now() },
  inviteWaitMs: () => 0,
  invitesDropped: () => 0,
  storeBacklog: () => 0,
  media: () => Promise.resolve({ threads: [], threadsSilent: 0 }),
  memory: readProcessMemory,
  mediaThreads: 0,
  nameOf: source => source,
  log: silentLog,
  ...more,
})

/** Its timers alone keep no program alive. */
async function whileMeasuring(options: LoadMonitorOptions, work: () => Promise<unknown>): Promise<void> {
  const monitor = new LoadMonitor(options)
  const alive = setInterval(() => {}, 1000)
  try {
    await work()
  } finally {
    clearInterval(alive)
    monitor.stop()
  }
}

test('memory in use is what Node says', async () => {
  const found = await readProcessMemory()
  const { rss } = process.memoryUsage()
  assert.ok(found !== undefined && Math.abs(found.residentBytes / rss - 1) < 0.2, `${found?.residentBytes} of ${rss}`)
  assert.ok(found.virtualBytes > found.residentBytes && found.dataBytes > 1_000_000)
  const allowed = Math.min(process.constrainedMemory() || Infinity, process.availableMemory() + rss)
  assert.ok(Math.abs(found.allowedBytes / allowed - 1) < 0.2, `${found.allowedBytes} of ${allowed}`)
})

test('open descriptors are counted', async () => {
  assert.ok(Number(await countDescriptors()) > 3)
})

test('without /proc the load is measured all the same, and the log says what is missing', async () => {
  const warnings: string[] = []
  let looks = 0
  const media = () => {
    looks++
    return Promise.resolve({ threads: [], threadsSilent: 0 })
  }
  const memory = () => readProcessMemory('/nonexistent')
  assert.is(await memory(), undefined)
  const log = { ...silentLog, warn: (_fields: unknown, message: string) => void warnings.push(message) }
  // A look that rejects would end this process.
  await whileMeasuring(optionsOf({ media, memory, log }), () => until('two looks', () => looks >= 2))
  assert.match(warnings.join(), /is \/proc mounted/)
})

test('memory that is nearly used up counts as pressure', async () => {
  const admission = new OverloadControl(bounds)
  const full = { residentBytes: 99e6, virtualBytes: 1e9, dataBytes: 99e6, allowedBytes: 100e6 }
  const options = optionsOf({ admission, memory: () => Promise.resolve(full) })
  await whileMeasuring(options, () => until('pressure by memory', () => admission.load.pressure > 1))
  assert.is(admission.load.of, 'memory')
})

test.run()
