import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type PlacedCall, RtpLoad, SipLoad } from '../../core/index.ts'
import { MeasuredSwitch } from './measured-switch.ts'
import { type Found, search, type Wall } from './search.ts'

/** A step fails beyond these; they are what a caller notices, or what the switch itself refuses calls for. */
const mostSetUpMs = 100
const mostLostShare = 0.001
const mostBusy = 0.85
/** The timer that offers calls may be late by this. */
const mostLateMs = 200
const settingUp = 10
const warmUpMs = 700
const caller = '+254722000111'

interface MachineOrder {
  readonly mostCalls: number
  /** Duration of each step. */
  readonly seconds: number
  readonly refinements: number
  /** `part`: of the whole, as far as it is known. */
  readonly progress: (part: string, done: number) => void
}

interface MachineReport {
  readonly processors: number
  readonly bridgedCalls: Found
  readonly callsPerSecond: Found
  /** Processor time of a relayed packet on its media thread, µs, at the most calls that held. */
  readonly microsPerPacket: number
  readonly insideMs: { readonly p50: number; readonly p99: number }
}

/** Measures this machine with its own switch and its own callers, all on the loopback. */
export async function measureMachine(order: MachineOrder): Promise<MachineReport> {
  order.progress('start', 0)
  const load = RtpLoad.open({ kind: 'stamped' }, { kind: 'stamped' })
  if (load === undefined) throw new Error('this works on Linux only, on x64 and arm64')
  const sink = RtpLoad.open({ kind: 'none' })
  const measured = await MeasuredSwitch.start()
  const rtcpPort = sink?.sides[0]?.port ?? 9
  const [near, far] = [load.sides[0]!, load.sides[1]!]
  const sip = await SipLoad.open(
    measured.sipPort,
    measured.carrierPort,
    { port: near.port, rtcpPort, codec: 'PCMU' },
    { port: far.port, rtcpPort, codec: 'PCMU' },
  )
  try {
    let steps = 0
    const callsPerSecond = await search({ first: 10, limit: 640, refinements: order.refinements }, async rate => {
      order.progress(`${rate} calls a second`, Math.min(0.45, 0.06 * ++steps))
      return offer(sip, measured.number, rate, order.seconds)
    })
    // Calls of the ramp end before others begin.
    await pause(1000)
    steps = 0
    let figures = { microsPerPacket: 0, insideMs: { p50: 0, p99: 0 } }
    const open: PlacedCall[] = []
    sip.onDialled = port => far.add(port)
    const bridgedCalls = await search(
      { first: Math.min(50, order.mostCalls), limit: order.mostCalls, refinements: order.refinements },
      async calls => {
        order.progress(`${calls} calls`, Math.min(0.97, 0.5 + 0.07 * ++steps))
        // After a step that did not hold fewer are wanted: the others stay, and are sent nothing.
        const wall = await bridge(sip, measured.number, open, calls - open.length, port => near.add(port))
        if (wall !== undefined) return wall
        near.speaking = calls
        far.speaking = calls
        const step = await speak(load, measured, order.seconds)
        if (step.wall === undefined) figures = step
        return step.wall
      },
    )
    order.progress('done', 1)
    return { processors: availableParallelism(), bridgedCalls, callsPerSecond, ...figures }
  } finally {
    sip.close()
    load.close()
    sink?.close()
    measured.close()
  }
}

/** Calls at one rate, each hung up as soon as it is answered. */
async function offer(sip: SipLoad, number: string, rate: number, seconds: number): Promise<Wall> {
  const times: number[] = []
  const refusals: number[] = []
  const began = performance.now()
  const total = Math.max(1, Math.round(rate * seconds))
  const one = async () => {
    const call = await sip.call(number, caller)
    if (call.status !== 200) {
      refusals.push(call.status)
      return
    }
    times.push(call.setUpMs)
    await call.hangUp()
  }
  const all: Promise<void>[] = []
  let latestMs = 0
  while (all.length < total) {
    const passedMs = performance.now() - began
    const due = Math.min(total, Math.floor((passedMs * rate) / 1000) + 1)
    latestMs = Math.max(latestMs, passedMs - (all.length * 1000) / rate)
    while (all.length < due) all.push(one())
    await pause(2)
  }
  await Promise.all(all)
  const p99 = times.sort((a, b) => a - b)[Math.floor(0.99 * times.length)] ?? 0
  if (refusals.length > mostLostShare * total)
    return `${refusals.length} of ${total} calls at ${rate} a second were answered ${refusals[0]}`
  if (latestMs > mostLateMs) return `the call generator itself, at ${rate} a second: add a processor to measure further`
  if (p99 > mostSetUpMs) return `signalling: set-up p99 ${p99.toFixed(0)} ms at ${rate} calls a second`
  return undefined
}

async function bridge(
  sip: SipLoad,
  number: string,
  open: PlacedCall[],
  more: number,
  answered: (port: number) => void,
): Promise<Wall> {
  let left = more
  let refused = 0
  const next = async (): Promise<void> => {
    while (left-- > 0 && refused === 0) {
      const call = await sip.call(number, caller)
      if (call.status === 200) {
        open.push(call)
        answered(call.remotePort)
      } else refused = call.status
    }
  }
  await Promise.all(Array.from({ length: settingUp }, next))
  return refused === 0 ? undefined : `call ${open.length + 1} was answered ${refused}`
}

interface Step {
  readonly wall: Wall
  readonly microsPerPacket: number
  readonly insideMs: { readonly p50: number; readonly p99: number }
}

async function speak(load: RtpLoad, measured: MeasuredSwitch, seconds: number): Promise<Step> {
  let before: ReadonlyMap<string, number> = new Map()
  let after: ReadonlyMap<string, number> = new Map()
  const report = await load.run(warmUpMs, 1000 * seconds, {
    began: () => {
      before = measured.threadTimes()
    },
    ended: () => {
      after = measured.threadTimes()
    },
  })
  const used = [...after].map(([name, ms]) => ({ name, ms: ms - (before.get(name) ?? 0) }))
  const media = used.filter(({ name }) => name.startsWith('media '))
  const busiest = Math.max(0, ...media.map(({ ms }) => ms)) / (1000 * report.seconds)
  const mediaMs = media.reduce((sum, { ms }) => sum + ms, 0)
  const { p50 = 0, p99 = 0 } = report.insideMs ?? {}
  const figures = { microsPerPacket: (1000 * mediaMs) / Math.max(1, report.sent), insideMs: { p50, p99 } }
  return { ...figures, wall: wallOf() }

  function wallOf(): Wall {
    if (busiest > mostBusy) return `a media thread: it works ${(100 * busiest).toFixed(0)} % of its time`
    const share = report.lost / Math.max(1, report.expected)
    if (!report.generatorKeptUp) return 'the packet generator itself: add a processor to measure further'
    if (share > mostLostShare) return `packets: ${(100 * share).toFixed(2)} % were lost`
    return undefined
  }
}
