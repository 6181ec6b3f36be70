import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { kindOf } from '../../rtp/packet/demux.ts'
import { payloadTypeOf, sequenceOf, ssrcOf, timestampOf } from '../../rtp/packet/header.ts'
import { sequenceDelta, timestampDelta } from '../../rtp/packet/sequence.ts'
import { until } from '../../tests/rig/probes/wait.ts'
import { Histogram } from '../soak/histogram.ts'
import { fileHeaderBytes, linkBytes, networkBytes, recordHeaderBytes, transportBytes } from './capture-format.ts'

const sourcePortAt = linkBytes + networkBytes
const headersBytes = sourcePortAt + transportBytes
const snappedBytes = 96
const staticPayloadTypes = 96
const packetMs = 20
/** The kernel hands packets over in blocks, up to a second after they went. */
const handedOverMs = 1500
const listeningTimeoutMs = 10_000
const unitsPerMsOf = (payloadType: number): number => (payloadType < staticPayloadTypes ? 8 : 48)

class Stream {
  /** When each packet went against its timestamp, ms; known up to a constant. */
  readonly lates: number[] = []
  holes = 0
  timeJumps = 0
  #sequence = 0
  #timestamp = 0
  #placeMs = 0

  take(packet: Uint8Array, atMs: number): void {
    const sequence = sequenceOf(packet)
    const timestamp = timestampOf(packet)
    if (this.lates.length > 0) {
      const unitsPerMs = unitsPerMsOf(payloadTypeOf(packet))
      const step = timestampDelta(timestamp, this.#timestamp)
      if (sequenceDelta(sequence, this.#sequence) !== 1) this.holes++
      if (step !== packetMs * unitsPerMs) this.timeJumps++
      this.#placeMs += step / unitsPerMs
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
  #stderr = ''

  /** Of the packets that come from this range of ports. */
  constructor([first, last]: readonly [number, number]) {
    const filter = `udp and src portrange ${first}-${last}`
    const args = ['-i', 'lo', '-n', '-s', String(snappedBytes), '-B', '65536', '-U', '-w', '-', filter]
    this.#dump = spawn('tcpdump', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#dump.stdout?.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#dump.stderr?.on('data', chunk => {
      this.#stderr += chunk
    })
    this.#dump.on('error', fault => {
      this.#stderr += String(fault)
    })
  }

  /** Resolves when nothing is missed any more. */
  async listening(): Promise<void> {
    await until('tcpdump to listen', () => this.#stderr.includes('listening') || this.#hasEnded, listeningTimeoutMs)
    if (this.#hasEnded) throw new Error(`tcpdump: ${this.#stderr.trim()}`)
  }

  async end(): Promise<DeparturesReport> {
    await pause(handedOverMs)
    if (this.#hasEnded) throw new Error(`tcpdump ended: ${this.#stderr.trim()}`)
    const closed = once(this.#dump, 'close')
    this.#dump.kill('SIGINT')
    await closed
    const missed = Number(/(\d+) packets? dropped by kernel/.exec(this.#stderr)?.[1] ?? Number.NaN)
    if (missed !== 0) throw new Error(`tcpdump has missed packets: ${this.#stderr.trim()}`)
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

  stop(): void {
    this.#dump.kill('SIGKILL')
  }

  get #hasEnded(): boolean {
    return this.#dump.exitCode !== null || this.#dump.signalCode !== null || this.#dump.pid === undefined
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
    if (kindOf(packet) !== 'rtp') return
    const name = `${frame.readUInt16BE(sourcePortAt)} ${ssrcOf(packet)}`
    let stream = this.#streams.get(name)
    if (stream === undefined) {
      stream = new Stream()
      this.#streams.set(name, stream)
    }
    stream.take(packet, atMs)
  }
}
