import type {
  DatagramFlow,
  DatagramNetwork,
  DatagramReceiver,
  DatagramSocket,
  NetworkCounters,
} from '../../../rtp/net/network.ts'
import { slotBytes } from '../../../rtp/net/network.ts'

export const home = (127 << 24) | 1

export interface Sent {
  readonly at: number
  readonly from: number
  readonly address: number
  readonly port: number
  readonly bytes: Uint8Array
}

class VirtualSocket implements DatagramSocket, DatagramFlow {
  readonly port: number
  receiver: DatagramReceiver | undefined = undefined
  heldRound = -1
  isShared = false
  readonly #network: VirtualNetwork

  constructor(network: VirtualNetwork, port: number) {
    this.#network = network
    this.port = port
  }

  send(packet: Uint8Array, length: number, address: number, port: number, flow: DatagramFlow = this): void {
    this.#network.queue(this.port, packet, length, address, port, flow)
  }

  takeBack(flow: DatagramFlow = this): number {
    return this.isShared && flow === this ? 0 : this.#network.takeBack(flow)
  }

  close(): void {
    this.#network.sockets.delete(this.port)
  }
}

/**
 * A network without sockets: what is sent is kept, what arrives is put there by the test. Packets are reported with the time
 * when they were made, and in that order, unless `isHeld`: when they went.
 */
export class VirtualNetwork implements DatagramNetwork {
  readonly kind = 'virtual'
  readonly counters: NetworkCounters = { received: 0, sent: 0, unsent: 0, oversized: 0 }
  readonly sockets = new Map<number, VirtualSocket>()
  readonly sent: Sent[] = []
  readonly taken = new Set<number>()
  now = 0
  isHeld = false
  slotTaken = (): void => {}
  #isHolding = false
  readonly #arrived: {
    readonly to: number
    readonly bytes: Uint8Array
    readonly address: number
    readonly port: number
  }[] = []
  readonly #queued: { readonly packet: Uint8Array; readonly length: number; readonly to: Omit<Sent, 'bytes'> }[] = []
  #held: { readonly sent: Sent; readonly flow: DatagramFlow }[] = []

  bind(port: number, done: (socket: DatagramSocket | undefined) => void): void {
    if (this.taken.has(port) || this.sockets.has(port)) {
      done(undefined)
      return
    }
    const socket = new VirtualSocket(this, port)
    this.sockets.set(port, socket)
    done(socket)
  }

  slot(): Uint8Array {
    this.slotTaken()
    return new Uint8Array(slotBytes)
  }

  queue(from: number, packet: Uint8Array, length: number, address: number, port: number, flow: DatagramFlow): void {
    if (this.isHeld && this.#isHolding) {
      this.#held.push({ sent: { at: this.now, from, address, port, bytes: packet.slice(0, length) }, flow })
      return
    }
    this.#queued.push({ packet, length, to: { at: this.now, from, address, port } })
  }

  arrive(to: number, bytes: Uint8Array, address: number, port: number): void {
    this.#arrived.push({ to, bytes, address, port })
  }

  receive(): void {
    for (const { to, bytes, address, port } of this.#arrived.splice(0)) {
      this.counters.received++
      const packet = new Uint8Array(slotBytes)
      packet.set(bytes.subarray(0, slotBytes))
      if (bytes.length > slotBytes) this.counters.oversized++
      else this.sockets.get(to)?.receiver?.(packet, bytes.length, address, port)
    }
  }

  flush(): void {
    for (const { packet, length, to } of this.#queued.splice(0)) {
      this.counters.sent++
      this.sent.push({ ...to, bytes: packet.slice(0, length) })
    }
  }

  takeBack(flow: DatagramFlow): number {
    const before = this.#held.length
    this.#held = this.#held.filter(held => held.flow !== flow)
    return before - this.#held.length
  }

  hold(isHolding: boolean): void {
    this.#isHolding = isHolding
  }

  release(): void {
    for (const { sent } of this.#held.splice(0)) {
      this.counters.sent++
      this.sent.push({ ...sent, at: this.now })
    }
  }

  close(): void {
    this.sockets.clear()
  }
}
