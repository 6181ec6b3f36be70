import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

/** A sender of RTP at any address of loopback, whose audio is one byte over and over: distinguished from all others by it. */
export class RtpSource {
  readonly socket: Socket
  /** Datagrams that came to it. */
  received = 0
  ssrc = Math.floor(Math.random() * 2 ** 32)
  sequence = Math.floor(Math.random() * 60_000)
  #timestamp = 0
  readonly #byte: number

  private constructor(socket: Socket, byte: number) {
    this.socket = socket
    this.#byte = byte
    socket.on('message', () => {
      this.received++
    })
    socket.unref()
  }

  static async open(address: string, byte: number, port = 0): Promise<RtpSource> {
    const socket = createSocket('udp4')
    socket.bind(port, address)
    await once(socket, 'listening')
    return new RtpSource(socket, byte)
  }

  get port(): number {
    return this.socket.address().port
  }

  /** One frame of 20 ms. */
  send(to: number): void {
    const packet = Buffer.alloc(172, this.#byte)
    packet.writeUInt16BE(0x8000, 0)
    packet.writeUInt16BE(this.sequence, 2)
    packet.writeUInt32BE(this.#timestamp >>> 0, 4)
    packet.writeUInt32BE(this.ssrc, 8)
    this.sequence = (this.sequence + 1) & 0xffff
    this.#timestamp += 160
    this.socket.send(packet, to, '127.0.0.1')
  }

  /** An empty receiver report. */
  report(to: number): void {
    const packet = Buffer.from([0x80, 201, 0, 1, 0, 0, 0, 0])
    packet.writeUInt32BE(this.ssrc, 4)
    this.socket.send(packet, to, '127.0.0.1')
  }

  close(): void {
    this.socket.close()
  }
}
