import { loadLibC, MessageBatch, type NativeCalls, TimedReceiver, takePrecedence } from '../../../rtp/io/index.ts'
import { Histogram } from './histogram.ts'

const loopback = 0x7f000001
/** Legs with an address each have one of these, after a byte for their side: 127.1.0.0, 127.2.0.0. */
const addressesOfSide = 0x1_0000
const firstAddress = 0x7f01_0000
const headerBytes = 12
const usualPacketMs = 20
/** The first bytes of a payload that says after them when it was sent. */
const stampMark = 0x5a07_1c0d
const stampAt = headerBytes + 4
const pcmuBytesPerMs = 8
const batchPackets = 256
const dontWait = 0x40
/** A generator that is this late sends bursts of its own. */
const lateBeatMs = 10
const mostLateShare = 0.01
/** What is still on its way when the measurement ends. */
const drainMs = 300
const calibrations = 200
/** A packet that is later than the fastest of its stream by more than this was held up. */
export const latePacketMs = 5

/**
 * What the legs of one side send. `stamped`: PCMU whose payload says when it was sent; it must be relayed untouched.
 * `packetMs`: how much of it a packet has (20).
 */
export type Speech =
  | { readonly kind: 'stamped'; readonly packetMs?: number }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'frames'
      readonly payloadType: number
      /** Frames of 20 ms, repeated over and over. */
      readonly frames: readonly Uint8Array[]
      readonly samplesPerFrame: number
    }

export interface RtpLoadReport {
  readonly sent: number
  readonly received: number
  /** Lost packets, of those we sent when they are relayed, else by the sequence numbers received. */
  readonly lost: number
  readonly expected: number
  /** Packets later than the fastest of their stream by more than `latePacketMs`. */
  readonly late: number
  readonly lateP99Ms: number
  /** From our send call to the kernel's time of arrival; undefined where packets do not come through untouched. */
  readonly insideMs: { readonly p50: number; readonly p99: number; readonly max: number } | undefined
  /** How late the median and the 99th percentile of our own packets left. */
  readonly generatorLateMs: { readonly p50: number; readonly p99: number }
  /** Packets that came to it and that it was too late to read. */
  readonly droppedAtGenerator: number
  /** It sent its packets in time, and read all that came. */
  readonly generatorKeptUp: boolean
  /** Datagrams that the kernel dropped at our sockets. */
  readonly seconds: number
}

/**
 * One side of the calls: all its legs share one socket, and packets are assigned to legs by their source, or by their
 * destination where each leg has an address of its own.
 */
class RtpSide {
  readonly port: number
  /** The address of the first leg, each has the next one; undefined = all have that of the loopback. */
  readonly #addresses: number | undefined
  readonly speech: Speech
  /** Time between two packets of a leg, ms. */
  readonly packetMs: number
  /** Number of legs that speak. */
  speaking = Number.POSITIVE_INFINITY
  /** Where each leg's remote is. */
  readonly remotes: number[] = []
  /** Leg that receives from a port; −1 = none. */
  readonly legOf = new Int32Array(65_536).fill(-1)
  readonly receiver: TimedReceiver
  readonly sequences: number[] = []
  readonly times: number[] = []
  readonly firsts: number[] = []
  readonly highests: number[] = []
  readonly bases: number[] = []
  readonly fastest: number[] = []
  /** Timestamps of what comes count so many a millisecond. */
  unitsPerMs = 8

  constructor(native: NativeCalls, speech: Speech, addresses: number | undefined) {
    this.receiver = new TimedReceiver(native, addresses !== undefined)
    this.#addresses = addresses
    this.port = this.receiver.port
    this.speech = speech
    this.packetMs = (speech.kind === 'stamped' ? speech.packetMs : undefined) ?? usualPacketMs
  }

  addressOf(leg: number): number {
    return this.#addresses === undefined ? loopback : this.#addresses + leg
  }

  /** The leg that a packet is for; −1 = none. */
  legFor(fromPort: number, to: number): number {
    if (this.#addresses === undefined) return this.legOf[fromPort]!
    const leg = to - this.#addresses
    return this.remotes[leg] === fromPort ? leg : -1
  }

  /** A leg whose remote sends from, and is sent to, this port. */
  add(remotePort: number, leg = this.remotes.length): void {
    this.remotes[leg] = remotePort
    this.legOf[remotePort] = leg
    this.sequences[leg] = Math.floor(Math.random() * 0x7fff)
    this.times[leg] = Math.floor(Math.random() * 0x7fff_ffff)
    this.forget(leg)
  }

  /** Forgets what was received so far. */
  forget(leg: number): void {
    this.firsts[leg] = -1
    this.highests[leg] = -1
    this.bases[leg] = -1
    this.fastest[leg] = Number.POSITIVE_INFINITY
  }

  clear(): void {
    for (const port of this.remotes) this.legOf[port] = -1
    this.remotes.length = 0
  }
}

/**
 * Speaks RTP for many legs and listens to what comes back, in one thread: packets are sent and received in batches, and
 * those that come carry the kernel's own time. Linux only.
 */
export class RtpLoad {
  readonly sides: readonly RtpSide[]
  readonly #native: NativeCalls
  readonly #hasAddresses: boolean
  readonly #batch: MessageBatch
  readonly #views: readonly DataView[]
  /** Added to `performance.now()` for the kernel's clock. */
  readonly #clockOffsetMs: number
  readonly #inside = new Histogram(0.01, 20_000)
  readonly #lateness = new Histogram(0.05, 20_000)
  readonly #beats = new Histogram(0.05, 20_000)
  #queued = 0
  #isMeasuring = false
  #measuredFrom = 0
  #sent = 0
  #received = 0
  #stamped = 0
  #unsent = 0
  /** What had been dropped when the measurement began. */
  #droppedBefore = 0

  private constructor(native: NativeCalls, speeches: readonly Speech[], hasAddresses: boolean) {
    this.#native = native
    this.#hasAddresses = hasAddresses
    this.sides = speeches.map(
      (speech, at) => new RtpSide(native, speech, hasAddresses ? firstAddress + at * addressesOfSide + 1 : undefined),
    )
    this.#batch = new MessageBatch(native, batchPackets, undefined, { namesSources: hasAddresses })
    this.#views = this.#batch.slots.map(slot => new DataView(slot.buffer, slot.byteOffset, slot.byteLength))
    this.#clockOffsetMs = kernelClockOffset(native)
  }

  /** Undefined where the C library cannot be called. */
  static open(...speeches: readonly Speech[]): RtpLoad | undefined {
    return RtpLoad.#open(speeches, false)
  }

  /** The same, each leg with an address of its own: distinguished from others by it. */
  static openWithAddresses(...speeches: readonly Speech[]): RtpLoad | undefined {
    return RtpLoad.#open(speeches, true)
  }

  static #open(speeches: readonly Speech[], hasAddresses: boolean): RtpLoad | undefined {
    const native = loadLibC()
    // As a media thread does where it may: on a machine that does other things, too, it is those that wait.
    if (native !== undefined) takePrecedence()
    return native && new RtpLoad(native, speeches, hasAddresses)
  }

  /** Datagrams that the system would not take. */
  get unsent(): number {
    return this.#unsent
  }

  /**
   * Speaks for a time without counting, then for a time with. `beforeMs` and `afterMs` are called around the measured
   * part.
   */
  async run(
    warmUpMs: number,
    measureMs: number,
    watch: { began(): void; ended(): void; progress?(part: number): void },
  ): Promise<RtpLoadReport> {
    const began = performance.now()
    const measuredFrom = began + warmUpMs
    const until = measuredFrom + measureMs
    let beat = 0
    let reportedAt = 0
    for (;;) {
      const now = performance.now()
      if (!this.#isMeasuring && now >= measuredFrom && now < until) this.#begin(watch.began)
      if (now >= until) break
      const due = Math.floor(now - began)
      for (; beat < due; beat++) {
        if (this.#isMeasuring) this.#beats.add(now - began - beat - 1)
        this.#speak(beat)
      }
      this.#listen()
      if (now - reportedAt > 250) {
        reportedAt = now
        watch.progress?.((now - began) / (warmUpMs + measureMs))
      }
      await new Promise(resolve => setTimeout(resolve, 1))
    }
    watch.ended()
    const seconds = (performance.now() - this.#measuredFrom) / 1000
    const end = performance.now() + drainMs
    const isPassedOn = this.sides.some(({ speech }) => speech.kind === 'stamped')
    // What is generated at the other side goes on: only packets of our own are waited for.
    this.#isMeasuring = isPassedOn
    while (performance.now() < end) {
      this.#listen()
      await new Promise(resolve => setTimeout(resolve, 1))
    }
    this.#isMeasuring = false
    return this.#report(seconds, isPassedOn)
  }

  /** Speaks without counting while work is done: legs that it adds join in. */
  async speakDuring<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    work.then(done, done)
    const began = performance.now()
    for (let beat = 0; !isDone; ) {
      for (const due = performance.now() - began; beat < due; beat++) this.#speak(beat)
      this.#listen()
      await new Promise(resolve => setTimeout(resolve, 1))
    }
    return work
  }

  close(): void {
    for (const { receiver } of this.sides) receiver.close()
  }

  #begin(began: () => void): void {
    this.#listen()
    for (const side of this.sides) for (let leg = 0; leg < side.remotes.length; leg++) side.forget(leg)
    this.#inside.clear()
    this.#lateness.clear()
    // Legs that spoke before they were set up could not be sent to.
    this.#unsent = 0
    this.#droppedBefore = this.#dropped
    this.#beats.clear()
    this.#sent = 0
    this.#received = 0
    this.#stamped = 0
    began()
    this.#measuredFrom = performance.now()
    this.#isMeasuring = true
  }

  get #dropped(): number {
    return this.sides.reduce((sum, { receiver }) => sum + receiver.dropped, 0)
  }

  /** One packet of each leg whose turn it is: a part of them every millisecond, as calls that began at different moments. */
  #speak(beat: number): void {
    for (const side of this.sides) {
      if (side.speech.kind === 'none') continue
      const speaking = Math.min(side.remotes.length, side.speaking)
      for (let leg = beat % side.packetMs; leg < speaking; leg += side.packetMs) {
        if (this.#queued === batchPackets) this.#flush(side)
        this.#write(side, side.speech, leg)
      }
      this.#flush(side)
    }
  }

  #write(side: RtpSide, speech: Exclude<Speech, { readonly kind: 'none' }>, leg: number): void {
    const at = this.#queued++
    const [slot, view] = [this.#batch.slots[at]!, this.#views[at]!]
    const sequence = side.sequences[leg]!
    const isStamped = speech.kind === 'stamped'
    const frame = isStamped ? undefined : speech.frames[(sequence + leg) % speech.frames.length]!
    side.sequences[leg] = (sequence + 1) & 0xffff
    const time = side.times[leg]!
    const stampedBytes = pcmuBytesPerMs * side.packetMs
    side.times[leg] = (time + (isStamped ? stampedBytes : speech.samplesPerFrame)) >>> 0
    view.setUint16(0, 0x8000 | (isStamped ? 0 : speech.payloadType))
    view.setUint16(2, sequence)
    view.setUint32(4, time)
    view.setUint32(8, (0x1000_0000 + side.port * 0x1000 + leg) >>> 0)
    if (frame === undefined) {
      slot.fill(0x55, stampAt + 8, headerBytes + stampedBytes)
      view.setUint32(headerBytes, stampMark)
      view.setFloat64(stampAt, performance.now())
    } else slot.set(frame, headerBytes)
    const length = headerBytes + (frame?.length ?? stampedBytes)
    this.#batch.point(at, this.#batch, slot, length, loopback, side.remotes[leg]!)
    if (this.#hasAddresses) this.#batch.from(at, side.addressOf(leg))
    if (this.#isMeasuring) this.#sent++
  }

  #flush(side: RtpSide): void {
    const { libc } = this.#native
    for (let at = 0; at < this.#queued; ) {
      const sent = libc.sendmmsg(side.receiver.fd, this.#batch.pointers[at]!, this.#queued - at, dontWait)
      if (sent > 0) at += sent
      else {
        this.#unsent++
        at++
      }
    }
    this.#queued = 0
  }

  #listen(): void {
    for (const side of this.sides)
      side.receiver.read((bytes, length, fromPort, atMs, to) =>
        this.#receive(side, bytes, length, side.legFor(fromPort, to), atMs),
      )
  }

  #receive(side: RtpSide, bytes: Uint8Array, length: number, leg: number, atMs: number): void {
    if (!this.#isMeasuring || leg < 0 || length < headerBytes) return
    const view = new DataView(bytes.buffer, bytes.byteOffset, length)
    if (length >= stampAt + 8 && view.getUint32(headerBytes) === stampMark) {
      const sentAt = view.getFloat64(stampAt)
      if (sentAt < this.#measuredFrom) return
      this.#stamped++
      this.#inside.add(atMs - this.#clockOffsetMs - sentAt)
    }
    this.#received++
    const sequence = view.getUint16(2)
    const first = side.firsts[leg]!
    if (first < 0) {
      side.firsts[leg] = sequence
      side.highests[leg] = sequence
      side.bases[leg] = view.getUint32(4)
    } else {
      const highest = side.highests[leg]!
      const step = ((sequence - highest) << 16) >> 16
      if (step > 0) side.highests[leg] = highest + step
    }
    const transit = atMs - ((view.getUint32(4) - side.bases[leg]!) | 0) / side.unitsPerMs
    const fastest = side.fastest[leg]!
    if (transit < fastest) side.fastest[leg] = transit
    else this.#lateness.add(transit - fastest)
  }

  #report(seconds: number, isPassedOn: boolean): RtpLoadReport {
    let numbered = 0
    for (const { firsts, highests } of this.sides)
      firsts.forEach((first, leg) => {
        if (first >= 0) numbered += highests[leg]! - first + 1
      })
    const expected = isPassedOn ? this.#sent : numbered
    const beats = { p50: this.#beats.percentile(0.5), p99: this.#beats.percentile(0.99) }
    const dropped = this.#dropped - this.#droppedBefore
    const isInTime = this.#beats.above(lateBeatMs) <= mostLateShare * this.#beats.count && this.#unsent === 0
    return {
      sent: this.#sent,
      received: this.#received,
      lost: Math.max(0, expected - (isPassedOn ? this.#stamped : this.#received)),
      expected,
      late: this.#lateness.above(latePacketMs),
      lateP99Ms: this.#lateness.percentile(0.99),
      insideMs: isPassedOn
        ? { p50: this.#inside.percentile(0.5), p99: this.#inside.percentile(0.99), max: this.#inside.max }
        : undefined,
      generatorLateMs: beats,
      droppedAtGenerator: dropped,
      generatorKeptUp: isInTime && dropped === 0,
      seconds,
    }
  }
}

/** Between the kernel's clock of arriving packets and ours, by packets to ourselves: the least of many. */
function kernelClockOffset(native: NativeCalls): number {
  const receiver = new TimedReceiver(native)
  const batch = new MessageBatch(native, 1)
  let offset = Number.POSITIVE_INFINITY
  for (let i = 0; i < calibrations; i++) {
    batch.point(0, batch, batch.slots[0]!, headerBytes, loopback, receiver.port)
    const now = performance.now()
    native.libc.sendmmsg(receiver.fd, batch.pointers[0]!, 1, dontWait)
    receiver.read((_bytes, _length, _port, atMs) => {
      offset = Math.min(offset, atMs - now)
    })
  }
  receiver.close()
  return offset
}
