import { ipv6Addresses, isIpv6, parseAddress } from '../address/address.ts'
import {
  type DatagramFlow,
  type DatagramNetwork,
  type DatagramReceiver,
  type DatagramSocket,
  type NetworkCounters,
  readAheadOf,
  slotBytes,
} from '../net/network.ts'
import type { FixedMemory, NativeCalls } from './libc.ts'
import { MessageBatch } from './message-batch.ts'
import type { OpenDescriptors } from './open-descriptors.ts'
import { SendQueue } from './send-queue.ts'

const inet = 2
const inet6 = 10
const levelIpv6 = 41
const ipv6Only = 26
const inetBytes = 16
const inet6Bytes = 28
const datagramNonBlocking = 2 | 0o4000 | 0o2000000
const dontWait = 0x40
/** recvfrom returns the whole length of a datagram that was cut. */
const tellLength = 0x20
const closeOnExec = 0o2000000
const epollAdd = 1
const epollIn = 1
/** Packets received between two flushes; the sends that they cause point into their slots. */
const receiveSlots = 256
const sendSlots = 256
/** What was received leaves again at the latest when so many packets are read: a packet does not wait for a thousand others. */
const passedOnAt = 8
/** What a tick makes at most: a thread has no time for frames of more legs. */
const heldSlots = 1024
/** Packets of one recvmmsg: of a leg's socket, and of one that many legs share. */
const burst = 8
const sharedBurst = 16
/** Rounds over the ready sockets in one tick: a flood on one port may not starve the others. */
const roundsPerTick = 8
/** Bursts of one round for a socket that many legs share: a thousand of them send 250 packets a tick. */
const sharedBursts = 4
const readySockets = 512
const socketLevel = 1
const tooManyFiles = 24
const receiveBuffer = 8
const receiveBufferForced = 33
/** Some five thousand packets: a second of a hundred legs. */
const sharedBufferBytes = 4 * 1024 * 1024

/** Sockets in batches on Linux: epoll says which have packets, recvmmsg and sendmmsg move them. */
export class LinuxNetwork implements DatagramNetwork {
  readonly kind = 'mmsg'
  keepsOrder = false
  readonly counters: NetworkCounters = { received: 0, sent: 0, unsent: 0, oversized: 0 }
  readonly #native: NativeCalls
  readonly #descriptors: OpenDescriptors | undefined
  readonly #host: number
  readonly #descriptorCeiling: number
  #hasNoDescriptors = false
  readonly #epoll: number
  readonly #incoming: MessageBatch
  readonly #outgoing: SendQueue
  readonly #held: SendQueue
  readonly #scratch: FixedMemory
  readonly #scratchView: DataView
  readonly #events: DataView
  readonly #eventsAt: bigint
  readonly #eventBytes: number
  readonly #eventDataAt: number
  /** By descriptor. */
  readonly #sockets: (LinuxSocket | undefined)[] = []
  /** What was read ahead last: without a use of it V8 would leave the reading out. */
  read = 0
  #isHolding = false
  /** Counts what was released: a flow of which something is held since then keeps its order. */
  #holdRound = 0
  #slotsReceived = 0

  /** `descriptorCeiling`: sockets get descriptors below it; the others are for files, connections and threads. */
  constructor(
    native: NativeCalls,
    address: string,
    descriptors?: OpenDescriptors,
    descriptorCeiling = Number.POSITIVE_INFINITY,
  ) {
    const host = parseAddress(address)
    if (host === undefined || isIpv6(host)) throw new TypeError(`media address ${address} is not an IPv4 address`)
    this.#native = native
    this.#descriptors = descriptors
    this.#host = host
    this.#descriptorCeiling = descriptorCeiling
    this.#epoll = native.libc.epoll_create1(closeOnExec)
    if (this.#epoll < 0) throw new Error(`epoll_create1 failed: errno ${native.errno()}`)
    descriptors?.opened(this.#epoll)
    this.#incoming = new MessageBatch(native, receiveSlots)
    this.#outgoing = new SendQueue(native, this.counters, sendSlots, receiveSlots)
    this.#held = new SendQueue(native, this.counters, heldSlots, 0)
    this.#scratch = native.allocate(64)
    this.#scratchView = new DataView(this.#scratch.buffer)
    // struct epoll_event is packed on x86-64 only.
    this.#eventBytes = process.arch === 'x64' ? 12 : 16
    this.#eventDataAt = process.arch === 'x64' ? 4 : 8
    const events = native.allocate(readySockets * this.#eventBytes)
    this.#events = new DataView(events.buffer)
    this.#eventsAt = events.address
  }

  bind(port: number, done: (socket: DatagramSocket | undefined) => void, address = this.#host): void {
    done(this.#open(port, address))
  }

  get hasNoDescriptors(): boolean {
    return this.#hasNoDescriptors
  }

  slot(): Uint8Array {
    return (this.#isHolding ? this.#held : this.#outgoing).slot()
  }

  /**
   * A leg's socket mostly holds one packet a tick, and for one packet recvfrom is a third cheaper than recvmmsg:
   * the first round takes one packet of each, what is left comes in bursts. A socket that legs share is read in bursts.
   */
  receive(): void {
    for (let round = 0; round < roundsPerTick; round++) {
      const ready = this.#native.libc.epoll_wait(this.#epoll, this.#eventsAt, readySockets, 0)
      for (let i = 0; i < ready; i++) {
        if (i % readAheadOf === 0) this.#readAhead(i, Math.min(ready, i + readAheadOf))
        const socket = this.#readySocket(i)
        if (socket === undefined) continue
        if (socket.isShared) this.#receiveBursts(socket)
        else if (round === 0) this.#receiveOne(socket)
        else this.#receiveBurst(socket, burst)
        if (this.#slotsReceived >= passedOnAt) this.flush()
      }
      if (ready <= 0) return
    }
  }

  flush(): void {
    this.#outgoing.flush()
    this.#slotsReceived = 0
  }

  hold(isHolding: boolean): void {
    this.#isHolding = isHolding
  }

  release(): void {
    this.#holdRound++
    this.#held.flush()
  }

  close(): void {
    this.release()
    this.flush()
    for (const socket of [...this.#sockets]) socket?.close()
    this.#close(this.#epoll)
  }

  /** For a socket of ours. */
  enqueue(
    socket: LinuxSocket,
    packet: Uint8Array,
    length: number,
    host: number,
    port: number,
    flow: DatagramFlow,
  ): void {
    const isHeld = this.#isHolding || (this.keepsOrder && flow.heldRound === this.#holdRound)
    if (isHeld) flow.heldRound = this.#holdRound
    const queue = isHeld ? this.#held : this.#outgoing
    // What was received is only lent until the flush.
    const lender = isHeld ? undefined : this.#incoming
    if (queue.owns(packet) || lender?.owns(packet)) queue.add(socket, flow, packet, length, host, port, lender)
    else queue.addCopy(socket, flow, packet, length, host, port)
  }

  /** For a socket of ours. */
  takeBack(flow: DatagramFlow): number {
    return this.#held.takeBack(flow)
  }

  /** For a socket of ours. */
  forget(socket: LinuxSocket): void {
    if (this.#sockets[socket.fd] !== socket) return
    this.#sockets[socket.fd] = undefined
    this.#close(socket.fd)
  }

  #open(port: number, host: number): LinuxSocket | undefined {
    const { libc } = this.#native
    const isSix = isIpv6(host)
    const fd = libc.socket(isSix ? inet6 : inet, datagramNonBlocking, 0)
    // The system gives the lowest that is free: so many are open at least.
    this.#hasNoDescriptors = fd >= this.#descriptorCeiling || (fd < 0 && this.#native.errno() === tooManyFiles)
    if (fd >= this.#descriptorCeiling) libc.close(fd)
    if (fd < 0 || this.#hasNoDescriptors) return undefined
    this.#descriptors?.opened(fd)
    const view = this.#scratchView
    const nameBytes = isSix ? inet6Bytes : inetBytes
    if (isSix) this.#nameSix(fd, host)
    else {
      view.setUint16(0, inet, true)
      view.setInt32(4, host, false)
    }
    view.setUint16(2, port, false)
    view.setUint32(32, nameBytes, true)
    const length = this.#scratch.address + 32n
    if (
      libc.bind(fd, this.#scratch.address, nameBytes) < 0 ||
      libc.getsockname(fd, this.#scratch.address, length) < 0
    ) {
      this.#close(fd)
      return undefined
    }
    const bound = view.getUint16(2, false)
    view.setUint32(0, epollIn, true)
    view.setBigUint64(this.#eventDataAt, BigInt(fd), true)
    if (libc.epoll_ctl(this.#epoll, epollAdd, fd, this.#scratch.address) < 0) {
      this.#close(fd)
      return undefined
    }
    const socket = new LinuxSocket(this, fd, bound, isSix)
    this.#sockets[fd] = socket
    return socket
  }

  /** Of IPv6 alone: the same port of IPv4 is another socket's. */
  #nameSix(fd: number, host: number): void {
    const view = this.#scratchView
    view.setInt32(0, 1, true)
    this.#native.libc.setsockopt(fd, levelIpv6, ipv6Only, this.#scratch.address, 4)
    for (let at = 0; at < inet6Bytes; at++) view.setUint8(at, 0)
    view.setUint16(0, inet6, true)
    ipv6Addresses.write(host, view, 8)
  }

  #close(descriptor: number): void {
    this.#descriptors?.closing(descriptor)
    this.#native.libc.close(descriptor)
  }

  #readySocket(event: number): LinuxSocket | undefined {
    return this.#sockets[this.#events.getInt32(event * this.#eventBytes + this.#eventDataAt, true)]
  }

  #readAhead(from: number, end: number): void {
    let read = 0
    for (let i = from; i < end; i++) read += this.#readySocket(i)?.readAhead?.() ?? 0
    this.read = read
  }

  #receiveOne(socket: LinuxSocket): void {
    if (this.#slotsReceived === receiveSlots) this.flush()
    const at = this.#slotsReceived
    const { slotPointers, namePointers, nameLengthPointers } = this.#incoming
    if (socket.isSix) this.#incoming.widenNames(at, at + 1)
    const length = this.#native.libc.recvfrom(
      socket.fd,
      slotPointers[at]!,
      slotBytes,
      dontWait | tellLength,
      namePointers[at]!,
      nameLengthPointers[at]!,
    )
    // ICMP errors of earlier sends are reported once here and then gone.
    if (length < 0) return
    this.#slotsReceived++
    this.#deliver(socket, at, length, length > slotBytes)
  }

  #receiveBursts(socket: LinuxSocket): void {
    for (let left = sharedBursts; left > 0; left--) {
      const count = this.#receiveBurst(socket, sharedBurst)
      if (count < sharedBurst) return
      this.flush()
    }
  }

  /** Returns how many came. */
  #receiveBurst(socket: LinuxSocket, most: number): number {
    if (this.#slotsReceived + most > receiveSlots) this.flush()
    const first = this.#slotsReceived
    const incoming = this.#incoming
    if (socket.isSix) incoming.widenNames(first, first + most)
    const count = this.#native.libc.recvmmsg(socket.fd, incoming.pointers[first]!, most, dontWait, 0n)
    if (count <= 0) return 0
    this.#slotsReceived = first + count
    for (let i = first; i < first + count; i++) {
      this.#deliver(socket, i, incoming.lengthOf(i), incoming.isTruncated(i))
    }
    return count
  }

  /** The largest receive buffer that the system lets us have: with privileges as asked for, else up to `rmem_max`. */
  widen(socket: LinuxSocket): void {
    const { libc } = this.#native
    this.#scratchView.setInt32(0, sharedBufferBytes, true)
    if (libc.setsockopt(socket.fd, socketLevel, receiveBufferForced, this.#scratch.address, 4) !== 0)
      libc.setsockopt(socket.fd, socketLevel, receiveBuffer, this.#scratch.address, 4)
  }

  #deliver(socket: LinuxSocket, at: number, length: number, isCut: boolean): void {
    this.counters.received++
    if (isCut) this.counters.oversized++
    else socket.receiver?.(this.#incoming.slots[at]!, length, this.#incoming.hostOf(at), this.#incoming.portOf(at))
  }
}

class LinuxSocket implements DatagramSocket, DatagramFlow {
  readonly fd: number
  readonly port: number
  /** Of IPv6. */
  readonly isSix: boolean
  receiver: DatagramReceiver | undefined = undefined
  readAhead: (() => number) | undefined = undefined
  isOpen = true
  heldRound = -1
  readonly #network: LinuxNetwork
  #isShared = false

  constructor(network: LinuxNetwork, fd: number, port: number, isSix: boolean) {
    this.#network = network
    this.fd = fd
    this.port = port
    this.isSix = isSix
  }

  get isShared(): boolean {
    return this.#isShared
  }

  /** What all its legs are sent while the thread is busy elsewhere waits here, and so does a flood. */
  set isShared(isShared: boolean) {
    this.#isShared = isShared
    if (isShared) this.#network.widen(this)
  }

  send(packet: Uint8Array, length: number, address: number, port: number, flow: DatagramFlow = this): void {
    this.#network.enqueue(this, packet, length, address, port, flow)
  }

  takeBack(flow: DatagramFlow = this): number {
    return this.#isShared && flow === this ? 0 : this.#network.takeBack(flow)
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.#network.forget(this)
  }
}
