import { createSocket, type Socket } from 'node:dgram'
import { formatAddress, parseAddress } from '../engine/address.ts'
import {
  type DatagramNetwork,
  type DatagramReceiver,
  type DatagramSocket,
  type NetworkCounters,
  slotBytes,
} from '../engine/network.ts'

/** Packets that wait for the next `receive`, over all sockets; more are dropped as a full socket buffer would. */
const waitingPackets = 4096
const sendSlots = 256

interface Waiting {
  readonly socket: PlainSocket
  readonly packet: Uint8Array
  readonly address: number
  readonly port: number
}

/** The same interface on `node:dgram`, for systems other than Linux. Each packet costs three to four times as much. */
export class DgramNetwork implements DatagramNetwork {
  readonly kind = 'dgram'
  readonly counters: NetworkCounters = { received: 0, sent: 0, unsent: 0, oversized: 0 }
  readonly #address: string
  readonly #sockets = new Set<PlainSocket>()
  readonly #slots: readonly Uint8Array[] = Array.from({ length: sendSlots }, () => new Uint8Array(slotBytes))
  #waiting: Waiting[] = []
  #slotsTaken = 0

  constructor(address: string) {
    if (parseAddress(address) === undefined) throw new TypeError(`media address ${address} is not an IPv4 address`)
    this.#address = address
  }

  bind(port: number, done: (socket: DatagramSocket | undefined) => void, host?: number): void {
    const raw = createSocket('udp4')
    raw.once('error', () => {
      raw.close()
      done(undefined)
    })
    const address = host === undefined ? this.#address : formatAddress(host)
    raw.bind({ port, address, exclusive: true }, () => {
      const socket = new PlainSocket(raw, this.counters, () => this.#sockets.delete(socket))
      raw.removeAllListeners('error')
      // What a send meets is counted where it is sent; anything else about a bound socket is not worth a process.
      raw.on('error', () => {
        this.counters.unsent++
      })
      raw.on('message', (packet, from) => this.#arrived(socket, packet, from.address, from.port))
      this.#sockets.add(socket)
      done(socket)
    })
  }

  slot(): Uint8Array {
    if (this.#slotsTaken === sendSlots) this.#slotsTaken = 0
    return this.#slots[this.#slotsTaken++]!
  }

  receive(): void {
    const arrived = this.#waiting
    if (arrived.length === 0) return
    this.#waiting = []
    for (const { socket, packet, address, port } of arrived) {
      socket.receiver?.(packet, packet.length, address, port)
    }
  }

  flush(): void {
    this.#slotsTaken = 0
  }

  close(): void {
    for (const socket of [...this.#sockets]) socket.close()
  }

  #arrived(socket: PlainSocket, packet: Uint8Array, from: string, port: number): void {
    const address = parseAddress(from)
    this.counters.received++
    if (address === undefined || socket.receiver === undefined || this.#waiting.length >= waitingPackets) return
    if (packet.length > slotBytes) {
      this.counters.oversized++
      return
    }
    this.#waiting.push({ socket, packet, address, port })
  }
}

class PlainSocket implements DatagramSocket {
  readonly port: number
  receiver: DatagramReceiver | undefined = undefined
  readonly #raw: Socket
  readonly #counters: NetworkCounters
  readonly #closed: () => void
  #isOpen = true

  constructor(raw: Socket, counters: NetworkCounters, closed: () => void) {
    this.#raw = raw
    this.#counters = counters
    this.#closed = closed
    this.port = raw.address().port
  }

  /** Copies: dgram sends after it has returned, when the slot may already hold the next packet. */
  send(packet: Uint8Array, length: number, address: number, port: number): void {
    if (!this.#isOpen) return
    this.#raw.send(packet.slice(0, length), port, formatAddress(address), error => {
      if (error) this.#counters.unsent++
      else this.#counters.sent++
    })
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#raw.close()
    this.#closed()
  }
}
