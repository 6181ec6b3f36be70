import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LoadMonitor, type LoadMonitorOptions } from '../../../../core/adapters/load/load-monitor.ts'
import { residentBytes } from '../../../../core/adapters/system/resident-memory.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { OverloadControl } from '../../../../core/admission/overload-control.ts'
import { until } from '../../../rig/wait.ts'

test('memory in use is known where there is /proc', () => {
  assert.ok((residentBytes() ?? 0) > 1_000_000)
})

test('without /proc the load is measured all the same, and the log says what is missing', async () => {
  const { rss } = process.memoryUsage
  process.memoryUsage.rss = () => {
    throw new Error('ENOENT: no such file or directory, uv_resident_set_memory')
  }
  const warnings: string[] = []
  let looks = 0
  const bounds = { loopDelayMs: 0, inviteWaitMs: 0, storeBacklog: 0, mediaLate: 0, mediaBusy: 0, memory: 0.9 }
  const options: LoadMonitorOptions = {
    admission: new OverloadControl(bounds),
    clock: { now: () => performance.now() },
    inviteWaitMs: () => 0,
    invitesDropped: () => 0,
    storeBacklog: () => 0,
    media: () => {
      looks++
      return Promise.resolve({ threads: [], threadsSilent: 0 })
    },
    mediaThreads: 0,
    nameOf: source => source,
    log: { ...silentLog, warn: (_fields, message) => warnings.push(message) },
  }
  const monitor = new LoadMonitor(options)
  // Its timers alone keep no program alive.
  const alive = setInterval(() => {}, 1000)
  try {
    assert.is(residentBytes(), undefined)
    // A look that rejects would end this process.
    await until('two looks', () => looks >= 2)
  } finally {
    clearInterval(alive)
    monitor.stop()
    process.memoryUsage.rss = rss
  }
  assert.match(warnings.join(), /is \/proc mounted/)
})

test.run()
