import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadLibC } from '../../rtp/io/libc.ts'
import { Subject } from '../subject.ts'
import { checkRecording, type FileCheck } from './recordings.ts'
import { Remotes, type RemotesReport } from './remotes.ts'
import { recordingOf, type SoakEnd, type SoakPorts, type SoakQuestion } from './soak-plan.ts'
import { humLoop, speechLoop } from './sounds.ts'
import type { StillnessAnswer, StillnessQuestion } from './stillness.ts'

interface SoakOptions {
  readonly calls: number
  readonly seconds: number
  /** Called now and then with the share that is done. */
  readonly progress?: (done: number) => void
}

interface SoakResult extends RemotesReport, SoakEnd {
  readonly files: readonly FileCheck[]
  /** Processor time of the measured program, in shares of one core. */
  readonly cpu: number
  readonly seconds: number
  /** What the machine did to a thread that did the same work over and over, before the run. */
  readonly machine: StillnessAnswer
}

const loadedAfterMs = 3000
const mostStillnessSeconds = 20
const workMs = 2

/** How still the machine is. */
async function stillness(seconds: number): Promise<StillnessAnswer> {
  const thread = new Subject(new URL('./stillness.ts', import.meta.url))
  try {
    return await thread.ask<StillnessAnswer>({ seconds, workMs } satisfies StillnessQuestion)
  } finally {
    thread.stop()
  }
}

/** Calls on one media thread for a time: PCMU on one side, Opus on the other, both in one recording. */
export async function soak({ calls, seconds, progress }: SoakOptions): Promise<SoakResult> {
  const native = loadLibC()
  if (native === undefined) throw new Error('the remotes need the kernel’s own times of packets: Linux on x64 or arm64')
  const machine = await stillness(Math.min(mostStillnessSeconds, seconds / 4))
  const folder = mkdtempSync(join(tmpdir(), 'sauti-soak-'))
  const speech = speechLoop()
  const remotes = new Remotes(native, calls, speech, await humLoop())
  const measured = new Subject(new URL('./switch.ts', import.meta.url))
  const ask = <Answer>(question: SoakQuestion) => measured.ask<Answer>(question)
  try {
    remotes.start(await ask<SoakPorts>({ type: 'open', calls, peerPorts: remotes.ports, folder }))
    await ask<true>({ type: 'begin' })
    const begun = performance.now()
    await sleep(Math.min(loadedAfterMs, seconds * 500))
    const from = performance.now()
    const before = await measured.cpuMicros()
    for (;;) {
      const done = (performance.now() - begun) / (seconds * 1000)
      progress?.(Math.min(1, done))
      if (done >= 1) break
      await sleep(500)
    }
    const cpu = ((await measured.cpuMicros()) - before) / 1000 / (performance.now() - from)
    remotes.stop()
    await sleep(300)
    const received = remotes.report
    const end = await ask<SoakEnd>({ type: 'stop' })
    const files = Array.from({ length: calls }, (_, call) => checkRecording(recordingOf(folder, call), speech))
    return { ...received, ...end, files, cpu, seconds, machine }
  } finally {
    remotes.close()
    measured.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
