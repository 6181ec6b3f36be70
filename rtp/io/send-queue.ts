import { type DatagramFlow, type NetworkCounters, slotBytes } from '../net/network.ts'
import type { NativeCalls } from './libc.ts'
import { MessageBatch, nameBytes } from './message-batch.ts'

const dontWait = 0x40
const interrupted = 4

/** Where packets of a queue go out. */
interface SendSocket {
  readonly fd: number
  readonly isOpen: boolean
  /** Packets of many legs go out there, among those of other sockets. */
  readonly isShared: boolean
}

/** Packets on their way out, in their order, with room for those that are written here. */
export class SendQueue {
  readonly #native: NativeCalls
  readonly #counters: NetworkCounters
  readonly #batch: MessageBatch
  readonly #slots: number
  /** Undefined = taken back. */
  readonly #sockets: (SendSocket | undefined)[] = []
  readonly #flows: DatagramFlow[] = []
  readonly #packets: bigint[] = []
  readonly #lengths: number[] = []
  #queued = 0
  #slotsTaken = 0

  /** Holds `slots` packets written here, and `lent` more that lie elsewhere. */
  constructor(native: NativeCalls, counters: NetworkCounters, slots: number, lent: number) {
    this.#native = native
    this.#counters = counters
    this.#slots = slots
    this.#batch = new MessageBatch(native, slots + lent, slotBytes, { gathers: true })
  }

  /** Room for a packet, until it was flushed. What is queued goes out first when there is none. */
  slot(): Uint8Array {
    if (this.#slotsTaken === this.#slots) this.flush()
    return this.#batch.slots[this.#slotsTaken++]!
  }

  /** The first `length` bytes of `packet`: a slot of ours, or of `lender`, which keeps it as it is until the flush. */
  add(
    socket: SendSocket,
    flow: DatagramFlow,
    packet: Uint8Array,
    length: number,
    host: number,
    port: number,
    lender: MessageBatch | undefined,
  ): void {
    if (this.#queued === this.#batch.count) this.flush()
    const owner = lender?.owns(packet) ? lender : this.#batch
    const slot = owner.indexOf(packet)
    // Taken before the last flush, it would be given away once more before the next one.
    if (owner === this.#batch && slot >= this.#slotsTaken) {
      this.addCopy(socket, flow, packet, length, host, port)
      return
    }
    const at = this.#queued++
    this.#batch.point(at, owner, packet, length, host, port)
    this.#packets[at] = owner.slotPointers[slot]!
    this.#lengths[at] = length
    this.#sockets[at] = socket
    this.#flows[at] = flow
  }

  /** The same of a packet that lies anywhere else. */
  addCopy(
    socket: SendSocket,
    flow: DatagramFlow,
    packet: Uint8Array,
    length: number,
    host: number,
    port: number,
  ): void {
    const slot = this.slot()
    const bytes = Math.min(length, slotBytes)
    for (let i = 0; i < bytes; i++) slot[i] = packet[i]!
    this.add(socket, flow, slot, bytes, host, port, undefined)
  }

  owns(packet: Uint8Array): boolean {
    return this.#batch.owns(packet)
  }

  /** How many packets of `flow` will not go. */
  takeBack(flow: DatagramFlow): number {
    let taken = 0
    for (let at = 0; at < this.#queued; at++) {
      if (this.#flows[at] !== flow || this.#sockets[at] === undefined) continue
      this.#sockets[at] = undefined
      taken++
    }
    return taken
  }

  flush(): void {
    const sockets = this.#sockets
    for (let at = 0; at < this.#queued; ) {
      const socket = sockets[at]
      let end = at + 1
      if (socket !== undefined) {
        while (end < this.#queued && sockets[end] === socket) end++
        if (socket.isShared) this.#sendAllOf(socket, at, end)
        else this.#send(socket, this.#batch.pointers, at, end)
      }
      at = end
    }
    this.#queued = 0
    this.#slotsTaken = 0
  }

  /** Entries `from` up to `end`, and what else of that socket is queued: by one call, wherever it stands. */
  #sendAllOf(socket: SendSocket, from: number, end: number): void {
    const sockets = this.#sockets
    let count = end - from
    for (let at = end; at < this.#queued; at++) {
      if (sockets[at] !== socket) continue
      if (count === end - from) for (let each = from; each < end; each++) this.#batch.gather(each, each - from)
      this.#batch.gather(at, count++)
      sockets[at] = undefined
    }
    if (count === end - from) this.#send(socket, this.#batch.pointers, from, end)
    else this.#send(socket, this.#batch.runPointers, 0, count)
  }

  /** Sends what is at these places of `pointers`. */
  #send(socket: SendSocket, pointers: readonly bigint[], from: number, end: number): void {
    for (let at = from; at < end; ) {
      const sent = socket.isOpen ? this.#sendRun(socket, pointers, at, end - at) : -1
      if (sent > 0) {
        this.#counters.sent += sent
        at += sent
      } else if (socket.isOpen && this.#native.errno() === interrupted) {
        // Once more.
      } else {
        this.#counters.unsent++
        at++
      }
    }
  }

  /** How many were taken. */
  #sendRun({ fd }: SendSocket, pointers: readonly bigint[], at: number, count: number): number {
    const { libc } = this.#native
    const { namePointers } = this.#batch
    if (count > 1 || pointers !== this.#batch.pointers) return libc.sendmmsg(fd, pointers[at]!, count, dontWait)
    return libc.sendto(fd, this.#packets[at]!, this.#lengths[at]!, dontWait, namePointers[at]!, nameBytes) < 0 ? -1 : 1
  }
}
