import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { isRtp, payloadTypeOf, sequenceOf, ssrcOf, timestampOf } from '../../rtp/packet/header.ts'
import { sequenceDelta, timestampDelta } from '../../rtp/packet/sequence.ts'
import { requirePeers } from '../../tests/rig/debian.ts'
import { Histogram } from '../soak/histogram.ts'

/** A capture in the format of libpcap: its own header, and one before each packet. */
const fileHeaderBytes = 24
const recordHeaderBytes = 16
/** Ethernet, IPv4 without options, UDP. */
const headersBytes = 14 + 20 + 8
const sourcePortAt = 14 + 20
const snappedBytes = 96
const staticPayloadTypes = 96
const unitsPerMsOf = (payloadType: number): number => (payloadType < staticPayloadTypes ? 8 : 48)

class Stream {
  /** When each packet went against its timestamp, ms; known up to a constant. */
  readonly lates: number[] = []
  holes = 0
  timeJumps = 0
  #sequence = 0
  #timestamp = 0
  #placeMs = 0
  #step = 0

  take(packet: Uint8Array, atMs: number): void {
    const sequence = sequenceOf(packet)
    const timestamp = timestampOf(packet)
    if (this.lates.length > 0) {
      if (sequenceDelta(sequence, this.#sequence) !== 1) this.holes++
      const step = timestampDelta(timestamp, this.#timestamp)
      if (this.lates.length > 1 && step !== this.#step) this.timeJumps++
      this.#step = step
      this.#placeMs += step / unitsPerMsOf(payloadTypeOf(packet))
    }
    this.#sequence = sequence
    this.#timestamp = timestamp
    this.lates.push(atMs - this.#placeMs)
  }
}

export interface DeparturesReport {
  readonly streams: number
  readonly packets: number
  /** Numbers and times that skip. */
  readonly holes: number
  readonly timeJumps: number
  /** Against the earliest packet of the same stream. */
  readonly lateness: Histogram
}

/** When each RTP packet of a switch goes, by the kernel's clock, as tcpdump sees it on the loopback. Needs root. */
export class Departures {
  readonly #dump: ChildProcess
  readonly #streams = new Map<string, Stream>()
  #rest: Buffer = Buffer.alloc(0)
  #hasBegun = false

  private constructor(dump: ChildProcess) {
    this.#dump = dump
    dump.stdout?.on('data', (chunk: Buffer) => this.#read(chunk))
  }

  static async of([first, last]: readonly [number, number]): Promise<Departures> {
    requirePeers('tcpdump')
    const filter = `udp and src portrange ${first}-${last}`
    const args = ['-i', 'lo', '-n', '-s', String(snappedBytes), '-B', '65536', '-U', '-w', '-', filter]
    const dump = spawn('tcpdump', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const departures = new Departures(dump)
    // It says that it listens.
    const [told] = (await Promise.race([once(dump.stderr, 'data'), once(dump, 'close')])) as [unknown]
    if (dump.exitCode !== null) throw new Error(`tcpdump ended with ${dump.exitCode}`)
    if (!String(told).includes('listening')) throw new Error(`tcpdump: ${String(told).trim()}`)
    return departures
  }

  async end(): Promise<DeparturesReport> {
    const closed = once(this.#dump, 'close')
    this.#dump.kill('SIGINT')
    await closed
    const lateness = new Histogram()
    const sum = { packets: 0, holes: 0, timeJumps: 0 }
    for (const { lates, holes, timeJumps } of this.#streams.values()) {
      const earliest = lates.reduce((least, late) => Math.min(least, late))
      for (const late of lates) lateness.add(late - earliest)
      sum.packets += lates.length
      sum.holes += holes
      sum.timeJumps += timeJumps
    }
    return { streams: this.#streams.size, ...sum, lateness }
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    if (!this.#hasBegun && bytes.length >= fileHeaderBytes) {
      this.#hasBegun = true
      at = fileHeaderBytes
    }
    while (this.#hasBegun && bytes.length - at >= recordHeaderBytes) {
      const length = bytes.readUInt32LE(at + 8)
      const end = at + recordHeaderBytes + length
      if (end > bytes.length) break
      const atMs = bytes.readUInt32LE(at) * 1000 + bytes.readUInt32LE(at + 4) / 1000
      this.#take(bytes.subarray(at + recordHeaderBytes, end), atMs)
      at = end
    }
    this.#rest = bytes.subarray(at)
  }

  #take(frame: Buffer, atMs: number): void {
    const packet = frame.subarray(headersBytes)
    if (!isRtp(packet)) return
    const name = `${frame.readUInt16BE(sourcePortAt)} ${ssrcOf(packet)}`
    let stream = this.#streams.get(name)
    if (stream === undefined) {
      stream = new Stream()
      this.#streams.set(name, stream)
    }
    stream.take(packet, atMs)
  }
}
