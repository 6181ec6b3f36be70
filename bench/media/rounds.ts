import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { RtpLoad, type RtpLoadReport, type Speech } from '../../core/adapters/benchmark/rtp-load.ts'
import { SipLoad } from '../../core/adapters/benchmark/sip-load.ts'
import { formatAddress } from '../../rtp/address/address.ts'
import { Scrape } from '../load/scrape.ts'
import { residentMb } from '../load/thread-times.ts'
import { droppedDatagrams, openDescriptors, sumOf, threadMicros } from './process-usage.ts'
import { cRelay, dgramRelay, type Relay, type RelayOrder, rtpengineRelay } from './relays.ts'
import { type MediaKind, type MediaSource, roomMembers, type ServedSwitch, serveSwitch } from './served-switch.ts'
import { opusSpeech, pcmuSpeech } from './speech.ts'

/** Calls that are being set up at once. */
const settingUp = 10
export const usualPacketMs = 20
const warmUpMs = 2000
/** Before one subject's round its caches are the other's. */
const relayWarmUpMs = 1000
/**
 * A round whose generator fell behind says nothing about its subject: it is measured so often at most. Where several take
 * turns it is not, since the others would stand still meanwhile: their calls end after a minute without media.
 */
const mostAttempts = 3

export interface MediaOrder {
  readonly kind: MediaKind
  readonly calls: number
  /** How much PCMU a relayed packet has, ms (20). */
  readonly packetMs?: number
  readonly seconds: number
  readonly rounds: number
  readonly baselines: boolean
  /**
   * Switches whose trunks have these for `media_source` take turns, and each leg's remote has an address of its own.
   * Default: one switch, and all remotes have one address.
   */
  readonly sources?: readonly MediaSource[]
  readonly progress: (line: string) => void
}

export interface SubjectReport extends RtpLoadReport {
  readonly name: string
  /** By the system's accounting, of the whole process and of each kind of thread, for each packet. */
  readonly microsPerPacket: number
  readonly threads: Readonly<Record<string, number>>
  /** Share of one processor. */
  readonly busy: number
  /** Datagrams that the kernel dropped for want of room at the subject's sockets, since the warm-up began. */
  readonly dropped: number
  readonly residentMb: number
}

export interface MediaReport {
  readonly kind: MediaKind
  readonly calls: number
  readonly packetMs: number
  /** The switch's, one a round; then each baseline's. */
  readonly subjects: Readonly<Record<string, readonly SubjectReport[]>>
  readonly kilobytesPerCall: number
  readonly descriptors: number
  /** The same of each switch, where several take turns. */
  readonly descriptorsOf: Readonly<Record<string, number>>
  readonly eventLoopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number }
  readonly worstTickMs: number
  /** Baselines that this machine cannot run, and why. */
  readonly left: readonly string[]
}

export const otherProcessors = (): string | undefined => (cpus().length > 1 ? `1-${cpus().length - 1}` : undefined)

const pin = (pid: number, processors: string): void => {
  if (otherProcessors() !== undefined) execFileSync('taskset', ['-acp', processors, String(pid)], { stdio: 'ignore' })
}

/** The least of the real-time priorities, as our media threads take it: those that are held against them get the same. */
function giveFirstTurn(pid: number): void {
  try {
    execFileSync('chrt', ['-a', '-r', '-p', '1', String(pid)], { stdio: 'ignore' })
  } catch {
    // It needs privileges.
  }
}

/** A switch with its calls. */
interface Subject {
  readonly name: string
  readonly served: ServedSwitch
  readonly load: RtpLoad
  readonly sip: SipLoad
  readonly kilobytesPerCall: number
  readonly descriptors: number
}

/**
 * A number of calls of a kind at the switch as it is served, on the first processor; baselines of a relay, or a second
 * switch, take turns with it.
 */
export async function loadMedia(order: MediaOrder): Promise<MediaReport> {
  const { kind, calls, seconds, rounds, progress, sources } = order
  pin(process.pid, otherProcessors() ?? '0')
  const stops: (() => void | Promise<void>)[] = []
  const switches: Subject[] = []
  try {
    for (const [at, source] of (sources ?? [undefined]).entries()) {
      switches.push(await openSwitch(order, at === 0 ? 0 : 1, source, stops))
      if (at > 0 || (sources ?? []).length > 1) process.kill(switches.at(-1)!.served.on.pid, 'SIGSTOP')
    }
    const [first] = switches
    if (first === undefined) throw new Error('no switch is measured')
    const { on } = first.served
    const subjects: Record<string, SubjectReport[]> = {}
    const { relays, left } = kind === 'relay' && order.baselines ? await openBaselines(order, stops) : noBaselines
    const hasTurns = switches.length + relays.length > 1
    process.kill(on.pid, 'SIGCONT')
    await Scrape.of(on)
    if (hasTurns) process.kill(on.pid, 'SIGSTOP')
    let after: Scrape | undefined
    for (let round = 0; round < rounds; round++) {
      const show = (name: string) => (part: number) =>
        progress(`${kind}, ${calls} calls: round ${round + 1} of ${rounds}, ${name}, ${Math.floor(100 * part)} %`)
      for (const { name, served, load } of switches) {
        const [from, to] = served.mediaPorts
        const own = (port: number) => port >= from && port <= to
        process.kill(served.on.pid, 'SIGCONT')
        const attempt = () => measure(name, served.on.pid, load, own, warmUpMs, seconds, show(name), kind)
        const measured = await sound(attempt, hasTurns ? 1 : mostAttempts, progress)
        if (served === first.served) after = await Scrape.of(on)
        subjects[name] = [...(subjects[name] ?? []), measured]
        if (hasTurns) process.kill(served.on.pid, 'SIGSTOP')
      }
      for (const { relay, load: relayLoad } of relays) {
        process.kill(relay.pid, 'SIGCONT')
        const ports = new Set(relay.ports)
        const has = (port: number) => ports.has(port)
        const run = measure(relay.name, relay.pid, relayLoad, has, relayWarmUpMs, seconds, show(relay.name), kind)
        const earlier = subjects[relay.name] ?? []
        subjects[relay.name] = [...earlier, await run]
        process.kill(relay.pid, 'SIGSTOP')
      }
    }
    const lag = (name: string) => 1000 * (after?.read(`nodejs_eventloop_lag_${name}_seconds`) ?? 0)
    return {
      kind,
      calls,
      packetMs: order.packetMs ?? usualPacketMs,
      subjects,
      kilobytesPerCall: first.kilobytesPerCall,
      descriptors: first.descriptors,
      descriptorsOf: Object.fromEntries(switches.map(({ name, descriptors }) => [name, descriptors])),
      eventLoopDelayMs: { p50: lag('p50'), p99: lag('p99'), max: lag('max') },
      worstTickMs: 1000 * (after?.read('sauti_media_tick_lateness_seconds') ?? 0),
      left,
    }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** The first round whose generator kept up, or the last that was tried. */
async function sound(
  attempt: () => Promise<SubjectReport>,
  most: number,
  progress: (line: string) => void,
): Promise<SubjectReport> {
  for (let tried = 1; ; tried++) {
    const report = await attempt()
    if (report.generatorKeptUp || tried === most) return report
    progress('the generator fell behind: once more')
  }
}

async function openSwitch(
  order: MediaOrder,
  place: 0 | 1,
  source: MediaSource | undefined,
  stops: (() => void | Promise<void>)[],
): Promise<Subject> {
  const { kind, calls, progress } = order
  progress('starting the switch')
  const served = await serveSwitch(kind, place, source)
  const { on } = served
  stops.push(async () => {
    process.kill(on.pid, 'SIGCONT')
    await on.close()
  })
  const load = await openLoad(order, source !== undefined)
  stops.push(() => load.close())
  const sink = opened([{ kind: 'none' }], false, source !== undefined)
  stops.push(() => sink.close())
  pin(on.pid, '0')
  const [idleMb, idleDescriptors] = [residentMb(on.pid), openDescriptors(on.pid)]
  // A leg that hears nothing gets silence from the switch: calls that wait for their turn would be fifty packets a second each way.
  const sip = await load.speakDuring(setUp(order, served, load, sink.sides[0]!.port))
  stops.push(() => sip.close())
  return {
    name: place === 0 ? 'sauti' : `sauti, ${source ?? ''}`,
    served,
    load,
    sip,
    kilobytesPerCall: (1024 * (residentMb(on.pid) - idleMb)) / calls,
    descriptors: (openDescriptors(on.pid) - idleDescriptors) / calls,
  }
}

async function openLoad({ kind, packetMs }: MediaOrder, hasAddresses: boolean): Promise<RtpLoad> {
  const stamped = { kind: 'stamped', packetMs: packetMs ?? usualPacketMs } as const
  const speeches: Record<MediaKind, () => Promise<readonly [near: Speech, far: Speech]>> = {
    relay: async () => [stamped, stamped],
    play: async () => [{ kind: 'none' }, { kind: 'none' }],
    record: async () => [pcmuSpeech(), { kind: 'none' }],
    transcode: async () => [pcmuSpeech(), await opusSpeech()],
    conference: async () => [pcmuSpeech(), { kind: 'none' }],
  }
  return opened(await speeches[kind](), kind === 'transcode', hasAddresses)
}

function opened(speeches: readonly Speech[], isFarOpus = false, hasAddresses = false): RtpLoad {
  const load = hasAddresses ? RtpLoad.openWithAddresses(...speeches) : RtpLoad.open(...speeches)
  if (load === undefined) throw new Error('the generator calls the C library, which it can on Linux only')
  if (isFarOpus) load.sides[1]!.unitsPerMs = 48
  return load
}

async function setUp(order: MediaOrder, served: ServedSwitch, load: RtpLoad, rtcpPort: number): Promise<SipLoad> {
  const { kind, calls, packetMs = usualPacketMs, progress } = order
  const [near, far] = load.sides
  const sip = await SipLoad.open(
    served.on.sipPort,
    served.carrierPort,
    { port: near!.port, rtcpPort, codec: 'PCMU', packetMs, addressOf: call => formatAddress(near!.addressOf(call)) },
    {
      port: far!.port,
      rtcpPort,
      packetMs,
      codec: kind === 'transcode' ? 'opus' : 'PCMU',
      addressOf: call => formatAddress(far!.addressOf(call)),
    },
  )
  sip.onDialled = (port, call) => far!.add(port, call)
  let begun = 0
  const next = async (): Promise<void> => {
    while (begun < calls) {
      const room = Math.floor(begun++ / roomMembers)
      const from = `+2547220${String(room).padStart(5, '0')}`
      const { status, remotePort, call } = await sip.call(served.number, from)
      if (status !== 200) throw new Error(`the switch answered ${status} to call ${begun} of ${calls}`)
      near!.add(remotePort, call)
      if (begun % 50 === 0) progress(`${kind}: ${begun} of ${calls} calls are set up`)
    }
  }
  await Promise.all(Array.from({ length: settingUp }, next))
  return sip
}

interface Baseline {
  readonly relay: Relay
  readonly load: RtpLoad
}
const noBaselines: { readonly relays: readonly Baseline[]; readonly left: readonly string[] } = { relays: [], left: [] }

async function openBaselines(
  { calls }: MediaOrder,
  stops: (() => void | Promise<void>)[],
): Promise<typeof noBaselines> {
  const relays: Baseline[] = []
  const left: string[] = []
  const makers = [
    [dgramRelay, ''],
    [cRelay, 'C relay: there is no cc'],
    [rtpengineRelay, "rtpengine: Debian's rtpengine-daemon is not installed"],
  ] as const
  for (const [make, why] of makers) {
    const load = opened([{ kind: 'stamped' }, { kind: 'stamped' }])
    const [near, far] = load.sides
    const order: RelayOrder = { pairs: calls, nearPort: near!.port, farPort: far!.port }
    const relay = await make(order)
    if (relay === undefined) {
      left.push(why)
      load.close()
      continue
    }
    for (const [leg, port] of relay.ports.entries()) (leg % 2 === 0 ? near! : far!).add(port)
    pin(relay.pid, '0')
    giveFirstTurn(relay.pid)
    process.kill(relay.pid, 'SIGSTOP')
    relays.push({ relay, load })
    stops.push(() => {
      process.kill(relay.pid, 'SIGCONT')
      relay.close()
      load.close()
    })
  }
  return { relays, left }
}

async function measure(
  name: string,
  pid: number,
  load: RtpLoad,
  isOwn: (port: number) => boolean,
  warmMs: number,
  seconds: number,
  progress: (part: number) => void,
  kind: MediaKind,
): Promise<SubjectReport> {
  let [before, after] = [
    new Map<string, number>() as ReadonlyMap<string, number>,
    new Map() as ReadonlyMap<string, number>,
  ]
  // Before the warm-up: with thousands of sockets this takes tenths of a second, in which nothing is sent.
  const dropped = droppedDatagrams(isOwn)
  const report = await load.run(warmMs, 1000 * seconds, {
    began: () => {
      before = threadMicros(pid)
    },
    ended: () => {
      after = threadMicros(pid)
    },
    progress,
  })
  const packets = Math.max(1, kind === 'play' ? report.received : report.sent)
  const threads: Record<string, number> = {}
  for (const [thread, micros] of after) threads[thread] = (micros - (before.get(thread) ?? 0)) / packets
  const used = sumOf(after) - sumOf(before)
  return {
    ...report,
    name,
    microsPerPacket: used / packets,
    threads,
    busy: used / (1_000_000 * report.seconds),
    dropped: droppedDatagrams(isOwn) - dropped,
    residentMb: residentMb(pid),
  }
}
