import { createSocket, type Socket } from 'node:dgram'
import { formatAddress, isIpv6, isUnicast, parseAddress } from '../address/address.ts'
import {
  type DatagramFlow,
  type DatagramNetwork,
  type DatagramReceiver,
  type DatagramSocket,
  type NetworkCounters,
  slotBytes,
} from '../net/network.ts'

/** Packets that wait for the next `receive`, over all sockets; more are dropped as a full socket buffer would. */
const waitingPackets = 4096
const sendSlots = 256

/** A packet, and where it came from or is to go. */
interface Waiting {
  readonly socket: PlainSocket
  readonly packet: Uint8Array
  readonly address: number
  readonly port: number
}

interface Held extends Waiting {
  readonly flow: DatagramFlow
}

/** The same interface on `node:dgram`, for systems other than Linux. Each packet costs three to four times as much. */
export class DgramNetwork implements DatagramNetwork {
  readonly kind = 'dgram'
  readonly counters: NetworkCounters = { received: 0, sent: 0, unsent: 0, oversized: 0 }
  readonly #address: string
  readonly #sockets = new Set<PlainSocket>()
  readonly #slots: readonly Uint8Array[] = Array.from({ length: sendSlots }, () => new Uint8Array(slotBytes))
  #waiting: Waiting[] = []
  #held: Held[] = []
  #isHolding = false
  #slotsTaken = 0

  constructor(address: string) {
    const host = parseAddress(address)
    if (host === undefined || isIpv6(host)) throw new TypeError(`media address ${address} is not an IPv4 address`)
    this.#address = address
  }

  bind(port: number, done: (socket: DatagramSocket | undefined) => void, host?: number): void {
    const isSix = host !== undefined && isIpv6(host)
    const raw = createSocket({ type: isSix ? 'udp6' : 'udp4', ipv6Only: isSix })
    raw.once('error', () => {
      raw.close()
      done(undefined)
    })
    const address = host === undefined ? this.#address : formatAddress(host)
    raw.bind({ port, address, exclusive: true }, () => {
      const socket = new PlainSocket(this, raw)
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

  hold(isHolding: boolean): void {
    this.#isHolding = isHolding
  }

  release(): void {
    const held = this.#held
    if (held.length === 0) return
    this.#held = []
    for (const { socket, packet, address, port } of held) socket.sendNow(packet, address, port)
  }

  close(): void {
    this.release()
    for (const socket of [...this.#sockets]) socket.close()
  }

  /** For a socket of ours. `packet`: its own from now on. */
  take(socket: PlainSocket, packet: Uint8Array, address: number, port: number, flow: DatagramFlow): void {
    if (this.#isHolding) this.#held.push({ socket, packet, address, port, flow })
    else socket.sendNow(packet, address, port)
  }

  /** For a socket of ours. */
  takeBack(flow: DatagramFlow): number {
    const before = this.#held.length
    this.#held = this.#held.filter(held => held.flow !== flow)
    return before - this.#held.length
  }

  /** For a socket of ours. */
  forget(socket: PlainSocket): void {
    this.#sockets.delete(socket)
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

class PlainSocket implements DatagramSocket, DatagramFlow {
  readonly port: number
  receiver: DatagramReceiver | undefined = undefined
  heldRound = -1
  readonly #network: DgramNetwork
  readonly #raw: Socket
  isShared = false
  #isOpen = true

  constructor(network: DgramNetwork, raw: Socket) {
    this.#network = network
    this.#raw = raw
    this.port = raw.address().port
  }

  /** Copies: dgram sends after it has returned, when the slot may already hold the next packet. */
  send(packet: Uint8Array, length: number, address: number, port: number, flow: DatagramFlow = this): void {
    this.#network.take(this, packet.slice(0, length), address, port, flow)
  }

  /** For the network. `packet` is not written any more. */
  sendNow(packet: Uint8Array, address: number, port: number): void {
    if (!this.#isOpen) return
    const { counters } = this.#network
    if (isIpv6(address) && !isUnicast(address)) {
      counters.unsent++
      return
    }
    this.#raw.send(packet, port, formatAddress(address), error => {
      if (error) counters.unsent++
      else counters.sent++
    })
  }

  takeBack(flow: DatagramFlow = this): number {
    return this.isShared && flow === this ? 0 : this.#network.takeBack(flow)
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#raw.close()
    this.#network.forget(this)
  }
}
