import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LoadMonitor } from '../../../../core/adapters/load/load-monitor.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { OverloadControl } from '../../../../core/admission/overload-control.ts'
import type { MediaCounters } from '../../../../rtp/worker/index.ts'
import { until } from '../../../rig/probes/wait.ts'

const bounds = { loopDelayMs: 0, inviteWaitMs: 0, storeBacklog: 0, mediaLate: 0, mediaBusy: 0, memory: 0 }

test('a media thread that is still being loaded is no reason to refuse calls; one that does not answer is', async () => {
  const admission = new OverloadControl(bounds)
  let leapMs = 0
  let looks = 0
  let threads: readonly MediaCounters[] = []
  let threadsSilent = 1
  const monitor = new LoadMonitor({
    admission,
    clock: { now: () => performance.now() + leapMs },
    inviteWaitMs: () => 0,
    invitesDropped: () => 0,
    storeBacklog: () => 0,
    media: () => {
      looks++
      return Promise.resolve({ threads, threadsSilent })
    },
    memory: () => Promise.resolve(undefined),
    mediaThreads: 1,
    nameOf: source => source,
    log: silentLog,
  })
  // The monitor's own timers alone keep no program alive.
  const alive = setInterval(() => {}, 1000)
  const decided = () => admission.decide('api', performance.now() + leapMs)
  try {
    await until('two looks at a thread that has never answered', () => looks >= 2)
    assert.is(decided(), undefined, 'what a call needs waits for the thread')
    leapMs = 10_000
    await until('no thread after ten seconds', () => decided() === 'no-media')
    threads = [{ ticks: 1, missed: 0, workedMs: 0 } as MediaCounters]
    threadsSilent = 0
    await until('an answer', () => decided() === undefined)
    threadsSilent = 1
    await until('a thread that answers no more', () => decided() === 'no-media')
  } finally {
    clearInterval(alive)
    monitor.stop()
  }
})

test.run()
