import { keptUp, median, medianOf } from '../media/page.ts'
import { loadMedia, type MediaOrder, type MediaReport, type SubjectReport } from '../media/rounds.ts'
import type { GoalOrder } from './goal-order.ts'
import type { GoalRow } from './goal-row.ts'

const packetsPerCall = 100
/** A media thread that works more of its time takes no new calls (`admission.media_busy_percent`). */
const mostBusy = 0.85
/** Calls that keep a core busy. */
const busyCalls = 800
/** The time inside is demanded up to this share of a core: with fewer calls where the busy ones need more. */
const insideShare = 0.8
const insideCalls = [700, 600, 500, 400, 300, 200]

const behind = (report: MediaReport): { readonly unsound?: string } =>
  keptUp(report) ? {} : { unsound: 'the generator fell behind' }

const packetCost = (rounds: readonly SubjectReport[] = []): number => medianOf(rounds, it => it.microsPerPacket)

const measured = ({ rounds, seconds, progress }: GoalOrder, more: Pick<MediaOrder, 'kind' | 'calls' | 'baselines'>) =>
  loadMedia({ ...more, rounds, seconds: Math.min(5, seconds), progress })

export async function relayedPacket(order: GoalOrder): Promise<readonly GoalRow[]> {
  const { command } = order
  const report = await measured(order, { kind: 'relay', calls: 300, baselines: true })
  const own = packetCost(report.subjects.sauti)
  const beside = (what: string, name: string, goal: number): GoalRow => {
    const other = packetCost(report.subjects[name])
    const missing = report.subjects[name] === undefined ? { unsound: `${name} is not installed` } : behind(report)
    return {
      what: `bridged G.711 packet, 300 calls (${own.toFixed(1)} µs), times ${what} (${other.toFixed(1)} µs)`,
      value: own / other,
      unit: '',
      goal,
      ...missing,
      command,
    }
  }
  return [
    beside('node:dgram', 'node:dgram', 0.4),
    beside('rtpengine', 'rtpengine', 0.5),
    {
      what: 'memory of a bridged call, resident, 300 calls from an idle process on',
      value: report.kilobytesPerCall,
      unit: 'KB',
      goal: 40,
      command,
    },
  ]
}

export async function fullCore(order: GoalOrder): Promise<readonly GoalRow[]> {
  const { command } = order
  const report = await measured(order, { kind: 'relay', calls: busyCalls, baselines: false })
  const inside = await withinShare(order, { calls: busyCalls, report })
  // A generator that fell behind has not measured what a packet of so many calls costs.
  const costly = keptUp(report) ? { calls: busyCalls, report } : inside
  const own = medianOf(costly.report.subjects.sauti ?? [], it => it.threads.media ?? it.microsPerPacket)
  const rounds = inside.report.subjects.sauti ?? []
  return [
    {
      what: `bridged calls a core, by the cost of a packet at ${costly.calls} calls (${own.toFixed(1)} µs)`,
      value: Math.floor((1_000_000 * mostBusy) / (packetsPerCall * own)),
      unit: 'calls',
      goal: 3000,
      isLeast: true,
      ...behind(costly.report),
      command,
    },
    {
      what: `time that a relayed packet is inside, p50, ${inside.calls} calls (${(100 * busyOf(inside.report)).toFixed(0)} % of a core)`,
      value: median(rounds.map(it => it.insideMs?.p50 ?? Number.POSITIVE_INFINITY)),
      unit: 'ms',
      goal: 1,
      ...behind(inside.report),
      command,
    },
  ]
}

const busyOf = ({ subjects }: MediaReport): number => medianOf(subjects.sauti ?? [], it => it.busy)

/** The most calls that need at most that share of a core; the fewest, if these need more as well. */
async function withinShare(
  order: GoalOrder,
  begun: { readonly calls: number; readonly report: MediaReport },
): Promise<typeof begun> {
  let found = begun
  for (const calls of insideCalls) {
    if (busyOf(found.report) <= insideShare) break
    // A packet of fewer calls costs more: at least as many calls less as the share says.
    if (calls > (found.calls * insideShare) / busyOf(found.report)) continue
    found = { calls, report: await measured(order, { kind: 'relay', calls, baselines: false }) }
  }
  return found
}

const alone =
  (what: string, kind: 'play' | 'transcode', calls: number, goal: number) =>
  async (order: GoalOrder): Promise<readonly GoalRow[]> => {
    const report = await measured(order, { kind, calls, baselines: false })
    const value = packetCost(report.subjects.sauti)
    return [{ what: `${what}, ${calls} calls`, value, unit: 'µs', goal, ...behind(report), command: order.command }]
  }

export const promptPacket = alone("prompt's packet", 'play', 600, 3)
export const transcodedPacket = alone('packet PCMU ↔ Opus', 'transcode', 50, 60)
