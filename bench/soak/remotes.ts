import { linearOfMuLaw } from '../../rtp/codec/g711-tables.ts'
import type { NativeCalls } from '../../rtp/io/libc.ts'
import { MessageBatch } from '../../rtp/io/message-batch.ts'
import { TimedReceiver } from '../../rtp/io/timed-receiver.ts'
import { Histogram } from './histogram.ts'
import { isOpusLeg, opusPayloadType, type SoakPorts } from './soak-plan.ts'
import { framesPerLoop, HumFollower } from './sounds.ts'

/** A socket's buffer holds some 250 packets: this many legs send into one. */
const legsPerSocket = 16
const beatMs = 5
const beatsPerFrame = 4
const loopback = 0x7f00_0001
const dontWait = 0x40

/** What a leg keeps in hand of a remote that is on time; what comes later is missed for a while. */
export const inHandMs = 20
/** A tick and a beat less: a sender that is repeatedly late from here on may miss it. */
const missedFromMs = 10
const missedForMs = 1000

/** In these a stream may begin with a skip. */
const beginningFrames = 10

/** What one remote has received. */
class ReceivedStream {
  packets = 0
  /** Sequence numbers that were left out, and steps of the timestamp that were no frame. */
  holes = 0
  timeJumps = 0
  #sequence = 0
  #timestamp = 0
  #units = 0
  #lastMs = 0
  readonly hum = new HumFollower()
  readonly #lates: number[] = []

  /** `clock`: units a millisecond. Returns how far the interval is from what it should be. */
  receive(sequence: number, timestamp: number, clock: number, atMs: number): number | undefined {
    const isFirst = this.packets++ === 0
    const step = (timestamp - this.#timestamp) >>> 0
    // A coder of Opus takes a moment to be made.
    if (!isFirst && this.packets <= beginningFrames) this.#units += step
    else if (!isFirst) {
      if (sequence !== ((this.#sequence + 1) & 0xffff)) this.holes++
      if (step !== 20 * clock) this.timeJumps++
      this.#units += step
    }
    this.#sequence = sequence
    this.#timestamp = timestamp
    const late = atMs - this.#units / clock
    this.#lates.push(late)
    const off = isFirst ? undefined : Math.abs(atMs - this.#lastMs - step / clock)
    this.#lastMs = atMs
    return off
  }

  /** How late each packet was, against the one that was earliest of all. */
  addLatenessTo(lateness: Histogram, after: number): void {
    let earliest = Number.POSITIVE_INFINITY
    for (let n = after; n < this.#lates.length; n++) earliest = Math.min(earliest, this.#lates[n]!)
    for (let n = after; n < this.#lates.length; n++) lateness.add(this.#lates[n]! - earliest)
  }
}

export interface RemotesReport {
  readonly packets: number
  readonly holes: number
  readonly timeJumps: number
  readonly humJumps: number
  readonly humSilent: number
  /** Of both, those soon after the load itself was late: what was not said in time has to be concealed. */
  readonly humOfLoad: number
  /** Against the earliest packet of the same stream, and from packet to packet. */
  readonly lateness: Histogram
  readonly intervals: Histogram
  /** Beats of ours that came late, ms: what the load itself may have added. */
  readonly ownLateness: Histogram
}

/** Frames at the beginning that are not judged: machine code, coders and buffers are made. */
const settlingFrames = 150

/**
 * The remotes of all calls in one process: they send every 20 ms, spread over beats of 5 ms, and time what they
 * receive.
 */
export class Remotes {
  readonly #native: NativeCalls
  readonly #legs: number
  readonly #speech: Uint8Array
  readonly #hum: readonly Uint8Array[]
  readonly #sockets: readonly TimedReceiver[]
  readonly #batch: MessageBatch
  readonly #streams: readonly ReceivedStream[]
  readonly #byPort = new Map<number, number>()
  readonly #intervals = new Histogram()
  readonly #ownLateness = new Histogram()
  #ports: SoakPorts = []
  #beat = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #begun = 0
  #lateAt = Number.NEGATIVE_INFINITY
  #humOfLoad = 0

  constructor(native: NativeCalls, calls: number, speech: Uint8Array, hum: readonly Uint8Array[]) {
    this.#native = native
    this.#legs = 2 * calls
    this.#speech = speech
    this.#hum = hum
    this.#sockets = Array.from({ length: Math.ceil(this.#legs / legsPerSocket) }, () => new TimedReceiver(native))
    this.#batch = new MessageBatch(native, this.#legs)
    this.#streams = Array.from({ length: this.#legs }, () => new ReceivedStream())
  }

  get ports(): readonly number[] {
    return this.#sockets.map(socket => socket.port)
  }

  start(ports: SoakPorts): void {
    this.#ports = ports
    for (const [leg, port] of ports.entries()) this.#byPort.set(port, leg)
    this.#begun = performance.now()
    this.#timer = setTimeout(this.#fire, beatMs)
  }

  /** Sending stops; packets in transit are still received. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#judgeOwn(performance.now())
    this.#receive()
  }

  close(): void {
    for (const socket of this.#sockets) socket.close()
  }

  get report(): RemotesReport {
    const lateness = new Histogram()
    const sum = { packets: 0, holes: 0, timeJumps: 0, humJumps: 0, humSilent: 0, humOfLoad: this.#humOfLoad }
    for (const [leg, stream] of this.#streams.entries()) {
      stream.addLatenessTo(lateness, settlingFrames)
      sum.packets += stream.packets
      sum.holes += stream.holes
      sum.timeJumps += stream.timeJumps
      if (isOpusLeg(leg)) continue
      sum.humJumps += stream.hum.jumps
      sum.humSilent += stream.hum.silent
    }
    return { ...sum, lateness, intervals: this.#intervals, ownLateness: this.#ownLateness }
  }

  readonly #fire = (): void => {
    const now = performance.now()
    const due = Math.floor((now - this.#begun) / beatMs)
    this.#judgeOwn(now)
    for (; this.#beat < due; this.#beat++) this.#speak(this.#beat)
    this.#receive()
    const next = this.#begun + (this.#beat + 1) * beatMs
    this.#timer = setTimeout(this.#fire, Math.max(1, Math.round(next - performance.now())))
  }

  /** How late the load itself is, before it says what is due. */
  #judgeOwn(now: number): void {
    const late = Math.max(0, now - this.#begun - (this.#beat + 1) * beatMs)
    this.#ownLateness.add(late)
    if (late > missedFromMs) this.#lateAt = now
  }

  /** The legs whose turn it is say their next frame. */
  #speak(beat: number): void {
    const frame = Math.floor(beat / beatsPerFrame)
    for (let socket = 0; socket < this.#sockets.length; socket++) {
      let entries = 0
      for (let leg = socket; leg < this.#legs; leg += this.#sockets.length) {
        if (Math.floor(leg / this.#sockets.length) % beatsPerFrame !== beat % beatsPerFrame) continue
        const packet = this.#batch.slots[entries]!
        this.#batch.point(entries++, this.#batch, packet, this.#write(packet, leg, frame), loopback, this.#ports[leg]!)
      }
      const fd = this.#sockets[socket]!.fd
      if (entries > 0) this.#native.libc.sendmmsg(fd, this.#batch.pointers[0]!, entries, dontWait)
    }
  }

  #write(packet: Uint8Array, leg: number, frame: number): number {
    const isOpus = isOpusLeg(leg)
    const units = (isOpus ? 960 : 160) * frame
    packet[0] = 0x80
    packet[1] = isOpus ? opusPayloadType : 0
    packet[2] = frame >> 8
    packet[3] = frame
    packet[4] = units >> 24
    packet[5] = units >> 16
    packet[6] = units >> 8
    packet[7] = units
    packet[8] = 1
    packet[9] = 2
    packet[10] = leg >> 8
    packet[11] = leg
    const at = frame % framesPerLoop
    const payload = isOpus ? this.#hum[at]! : this.#speech
    const from = isOpus ? 0 : 160 * at
    const length = isOpus ? payload.length : 160
    for (let i = 0; i < length; i++) packet[12 + i] = payload[from + i]!
    return 12 + length
  }

  #receive(): void {
    for (const socket of this.#sockets) socket.read(this.#take)
  }

  readonly #take = (bytes: Uint8Array, length: number, fromPort: number, atMs: number): void => {
    const leg = this.#byPort.get(fromPort)
    const stream = leg === undefined ? undefined : this.#streams[leg]
    if (leg === undefined || stream === undefined || length < 12) return
    const sequence = (bytes[2]! << 8) | bytes[3]!
    const timestamp = ((bytes[4]! << 24) | (bytes[5]! << 16) | (bytes[6]! << 8) | bytes[7]!) >>> 0
    const off = stream.receive(sequence, timestamp, isOpusLeg(leg) ? 48 : 8, atMs)
    if (off !== undefined && stream.packets > settlingFrames) this.#intervals.add(off)
    if (isOpusLeg(leg)) return
    const { hum } = stream
    const before = hum.jumps + hum.silent
    for (let i = 12; i < length; i++) hum.receive(linearOfMuLaw[bytes[i]!]!)
    if (performance.now() - this.#lateAt < missedForMs) this.#humOfLoad += hum.jumps + hum.silent - before
  }
}
