import { roundOf } from '../calls.bench.ts'
import { LoadedSwitch } from '../load/loaded-switch.ts'
import { residentMb, threadTimes, usedBetween } from '../load/thread-times.ts'
import { median } from '../media/page.ts'
import { keptRate, percentile } from '../overload/burst.ts'
import type { GoalOrder } from './goal-order.ts'
import type { GoalRow } from './goal-row.ts'

/** Compilers have done most of their work after this many calls. */
const warmUp = { callsPerSecond: 100, seconds: 40 }
/** The rate at which a call's cost is measured, and the steps up to where a core is full. */
const costAt = 200
const climb = [100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600, 650, 700, 750, 800]
const talkMs = 500
/** What fails once may be the machine's, not ours. */
const attempts = 2
/** Of a rate that is borne, p99 of the set-up, ms. */
const borneP99Ms = 100
/** Nothing is kept of ended calls: what collections and the flight recorder's bounded memory move is within this. */
const flatMemory = 1.1
const failedCalls = (failed: number) => (failed === 0 ? undefined : `${failed} calls failed`)

/** A full call: a trunk calls, a hosted document dials on to a trunk; hold, settlement, rows and events, all durable. */
export async function fullCall({ rounds, seconds, command, progress }: GoalOrder): Promise<readonly GoalRow[]> {
  const loaded = await LoadedSwitch.open('full', { SAUTI_MEDIA_PORTS: '12000-19999' })
  try {
    progress('full call: warming up')
    await loaded.offer(warmUp.callsPerSecond, Math.min(warmUp.seconds, 10 * seconds), talkMs)
    const own: number[] = []
    const bare: number[] = []
    let failed = 0
    const memoryBefore = residentMb(loaded.on.pid)
    for (let round = 1; round <= rounds; round++) {
      progress(`full call: round ${round} of ${rounds}, ${costAt} a second`)
      const before = threadTimes(loaded.on.pid)
      const raw = await loaded.offer(costAt, seconds, talkMs)
      const used = usedBetween(before, threadTimes(loaded.on.pid)).reduce((sum, [, ms]) => sum + ms, 0)
      own.push(used / raw.offered)
      failed += raw.unanswered + raw.refusedMs.length
      bare.push((await roundOf('plain-dgram', Math.min(3, seconds))).cpuMicros / 1000)
    }
    const memoryAfter = residentMb(loaded.on.pid)
    const { most, halfP99Ms, unsound } = await climbed(loaded, rounds, seconds, progress)
    const broken = failedCalls(failed)
    return [
      {
        what: 'full call, processor time of the process',
        value: median(own),
        unit: 'ms',
        goal: 1.4,
        baseline: { name: 'the same datagrams passed on', value: median(bare) },
        ...(broken === undefined ? {} : { unsound: broken }),
        command,
      },
      {
        what: `… calls a second that a core bears, p99 of the set-up below ${borneP99Ms} ms`,
        value: most,
        unit: '/s',
        goal: 700,
        isLeast: true,
        ...(unsound === undefined ? {} : { unsound }),
        command,
      },
      {
        what: '… p99 of the set-up at half of that',
        value: halfP99Ms,
        unit: 'ms',
        goal: 10,
        ...(unsound === undefined ? {} : { unsound }),
        command,
      },
      {
        what: `… memory of the process after ${rounds * seconds * costAt} more ended calls, times before (${memoryBefore.toFixed(0)} MB)`,
        value: memoryAfter / memoryBefore,
        unit: '',
        goal: flatMemory,
        ...(broken === undefined ? {} : { unsound: broken }),
        command,
      },
    ]
  } finally {
    await loaded.close()
  }
}

async function climbed(
  loaded: LoadedSwitch,
  rounds: number,
  seconds: number,
  progress: (line: string) => void,
): Promise<{ readonly most: number; readonly halfP99Ms: number; readonly unsound: string | undefined }> {
  let most = 0
  let unsound: string | undefined
  for (const rate of climb) {
    let isBorne = false
    for (let attempt = 1; attempt <= attempts && !isBorne && unsound === undefined; attempt++) {
      progress(`full call: ${rate} a second`)
      const raw = await loaded.offer(rate, seconds, talkMs)
      if (!keptRate(raw, seconds)) unsound = `sipp could not offer ${rate} calls a second`
      isBorne = raw.unanswered + raw.refusedMs.length === 0 && percentile(raw.answeredMs, 0.99) <= borneP99Ms
    }
    if (!isBorne || unsound !== undefined) break
    most = rate
  }
  if (most === 0) return { most, halfP99Ms: Number.POSITIVE_INFINITY, unsound }
  const halves: number[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`full call: round ${round} of ${rounds}, ${most / 2} a second`)
    const { answeredMs } = await loaded.offer(most / 2, seconds, talkMs)
    halves.push(percentile(answeredMs, 0.99))
  }
  return { most, halfP99Ms: median(halves), unsound }
}

/** SIP alone, as a back-to-back user agent. */
export async function backToBack({ rounds, seconds, command, progress }: GoalOrder): Promise<readonly GoalRow[]> {
  const [own, bare]: [number[], number[]] = [[], []]
  let failed = 0
  for (let round = 1; round <= rounds; round++) {
    progress(`SIP alone: round ${round} of ${rounds}`)
    const mine = await roundOf('switch', seconds)
    failed += mine.failed
    own.push(mine.cpuMicros)
    bare.push((await roundOf('plain-dgram', seconds)).cpuMicros)
  }
  const broken = failedCalls(failed)
  const [value, baseline] = [median(own), median(bare)]
  return [
    {
      what: `SIP alone as a B2BUA (${value.toFixed(0)} µs a call), times the datagrams passed on (${baseline.toFixed(0)} µs)`,
      value: value / baseline,
      unit: '',
      goal: 2.2,
      ...(broken === undefined ? {} : { unsound: broken }),
      command,
    },
  ]
}
