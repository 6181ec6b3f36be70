import { createSocket, type Socket } from 'node:dgram'
import { freePort } from '../probes/ports.ts'
import { until } from '../probes/wait.ts'

export interface Received {
  readonly at: number
  readonly sequence: number
  readonly timestamp: number
  readonly marker: boolean
  readonly payloadType: number
  readonly ssrc: number
  readonly payload: Buffer
}

/** A plain RTP socket of a test's own making: sends frames on a 20 ms beat and keeps every packet it gets. */
export class RtpEndpoint {
  readonly received: Received[] = []
  readonly #socket: Socket
  readonly #ssrc = Math.floor(Math.random() * 2 ** 32)
  #sequence = Math.floor(Math.random() * 65536)
  #timestamp = Math.floor(Math.random() * 2 ** 32)
  #remote: { address: string; port: number } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('message', (packet, from) => {
      if (packet.length < 12 || packet[0]! >> 6 !== 2) return
      this.#remote ??= { address: from.address, port: from.port }
      this.received.push({
        at: performance.now(),
        sequence: packet.readUInt16BE(2),
        timestamp: packet.readUInt32BE(4),
        marker: packet[1]! >> 7 === 1,
        payloadType: packet[1]! & 0x7f,
        ssrc: packet.readUInt32BE(8),
        payload: packet.subarray(12 + 4 * (packet[0]! & 15)),
      })
    })
  }

  /** Default: at a free port of 127.0.0.1. */
  static async open(wanted?: number, address: '127.0.0.1' | '::1' = '127.0.0.1'): Promise<RtpEndpoint> {
    const port = wanted ?? (await freePort())
    const socket = createSocket(address === '::1' ? 'udp6' : 'udp4')
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.bind(port, address, resolve)
    })
    // Waiting for a packet has a bound; a failed test is not kept alive by what it left open.
    socket.unref()
    return new RtpEndpoint(socket)
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** Where packets go; else the source of the first packet received. */
  aim(port: number, address = this.#socket.address().address): void {
    this.#remote = { address, port }
  }

  get remotePort(): number | undefined {
    return this.#remote?.port
  }

  /** Waits for this many further packets. */
  async more(count: number): Promise<void> {
    const wanted = this.received.length + count
    await until(`${count} more packets`, () => this.received.length >= wanted)
  }

  sendFrame(payload: Uint8Array, options: { payloadType?: number; marker?: boolean; advance?: number } = {}): void {
    const packet = Buffer.alloc(12 + payload.length)
    packet[0] = 0x80
    packet[1] = (options.payloadType ?? 0) | (options.marker === true ? 0x80 : 0)
    packet.writeUInt16BE(this.#sequence, 2)
    packet.writeUInt32BE(this.#timestamp >>> 0, 4)
    packet.writeUInt32BE(this.#ssrc, 8)
    packet.set(payload, 12)
    this.#sequence = (this.#sequence + 1) & 0xffff
    this.#timestamp = (this.#timestamp + (options.advance ?? payload.length)) >>> 0
    this.send(packet)
  }

  /** Sends a packet as it is. */
  send(packet: Uint8Array): void {
    if (this.#remote !== undefined) this.#socket.send(packet, this.#remote.port, this.#remote.address)
  }

  /** Sends µ-law samples as 20 ms packets in real time. Resolves when the last one has left. */
  async stream(samples: Uint8Array, options: { payloadType?: number } = {}): Promise<void> {
    const start = performance.now()
    const frames = Math.ceil(samples.length / 160)
    for (let frame = 0; frame < frames; frame++) {
      const wait = start + frame * 20 - performance.now()
      if (wait > 1) await new Promise(resolve => setTimeout(resolve, wait))
      const payload = new Uint8Array(160).fill(0xff)
      payload.set(samples.subarray(frame * 160, frame * 160 + 160))
      this.sendFrame(payload, { ...options, marker: frame === 0 })
    }
  }

  /** One digit as RFC 4733 events: growing durations and three end packets. */
  async digit(event: number, payloadType = 101, durationMs = 100): Promise<void> {
    const timestamp = this.#timestamp
    const total = durationMs * 8
    for (let elapsed = 160; elapsed <= total; elapsed += 160) {
      this.#timestamp = timestamp
      const payload = new Uint8Array([event, 10, elapsed >> 8, elapsed & 255])
      this.sendFrame(payload, { payloadType, marker: elapsed === 160, advance: 0 })
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    for (let copy = 0; copy < 3; copy++) {
      this.#timestamp = timestamp
      this.sendFrame(new Uint8Array([event, 0x8a, total >> 8, total & 255]), { payloadType, advance: 0 })
    }
    this.#timestamp = (timestamp + total) >>> 0
  }

  /** The payloads of one payload type, in order of sequence number, joined. */
  audio(payloadType = 0): Buffer {
    const packets = this.received.filter(packet => packet.payloadType === payloadType)
    return Buffer.concat(packets.map(packet => packet.payload))
  }

  close(): void {
    this.#socket.close()
  }
}
