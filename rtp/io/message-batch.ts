import { ipv6Addresses, isIpv6 } from '../address/address.ts'
import { slotBytes } from '../net/network.ts'
import type { NativeCalls } from './libc.ts'

// struct mmsghdr on 64-bit Linux, little endian (glibc and musl alike):
//   0 name*   8 namelen   16 iov*   24 iovlen   32 control*   40 controllen   48 flags   56 len   → 64 bytes
const headerBytes = 64
const atNameLength = 8
const atFlags = 48
const atLength = 56
const vectorBytes = 16
// struct sockaddr_in: 0 family   2 port   4 address; sockaddr_in6: 0 family   2 port   4 flow   8 address   24 scope   → 28 bytes
export const nameBytes = 28
const nameStride = 32
const addressFamilyInet = 2
const addressFamilyInet6 = 10
const noFamily = 0xffff
// struct cmsghdr with an in_pktinfo: 0 length   8 level   12 type   16 interface   20 source address   24 –   → 28 bytes, 32 with padding
const controlBytes = 32
const controlLength = 28
const levelIp = 0
const packetInfo = 8
const truncated = 0x20
/**
 * Distance between slots beyond their length: at a whole power of two the beginnings of all packets would share a few
 * sets of the processor's caches, and displace one another.
 */
const cacheLineBytes = 64

/**
 * An array of mmsghdr with an iovec, a socket address and a slot of its own each, in one block of fixed memory.
 * Entry `i` always uses name `i`; its iovec points at slot `i` until `point` lets it point elsewhere.
 */
export class MessageBatch {
  readonly slots: readonly Uint8Array[]
  /** The address of entry `i`, as a call takes it: made once, since a bigint is an allocation. */
  readonly pointers: readonly bigint[]
  /** The addresses of slot `i`, of the socket address of entry `i`, and of the length of that. */
  readonly slotPointers: readonly bigint[]
  readonly namePointers: readonly bigint[]
  readonly nameLengthPointers: readonly bigint[]
  /** The addresses of the places of a run. */
  readonly runPointers: readonly bigint[]
  readonly #view: DataView
  /** All headers, and those of a run. */
  readonly #words: Uint32Array
  readonly #buffer: ArrayBuffer
  readonly #base: bigint
  /** The same as a number: user space ends below 2^48, where numbers are exact. */
  readonly #baseNumber: number
  readonly #vectorsAt: number
  readonly #namesAt: number
  readonly #controlsAt: number
  readonly #runAt: number
  readonly #slotsAt: number
  readonly #stride: number

  /**
   * `gathers`: entries can be gathered into a run, to be sent by one call. `namesSources`: each entry says which
   * address of ours it goes out from, by `from`.
   */
  constructor(
    native: NativeCalls,
    count: number,
    bytesOfSlot = slotBytes,
    { gathers = false, namesSources = false }: { readonly gathers?: boolean; readonly namesSources?: boolean } = {},
  ) {
    const stride = bytesOfSlot + cacheLineBytes
    this.#stride = stride
    this.#vectorsAt = count * headerBytes
    this.#namesAt = this.#vectorsAt + count * vectorBytes
    this.#controlsAt = this.#namesAt + count * nameStride
    this.#runAt = this.#controlsAt + (namesSources ? count * controlBytes : 0)
    this.#slotsAt = this.#runAt + (gathers ? count * headerBytes : 0)
    const memory = native.allocate(this.#slotsAt + count * stride)
    const bytes = new Uint8Array(memory.buffer, 0, this.#slotsAt)
    bytes.fill(0)
    this.#view = new DataView(memory.buffer)
    this.#words = new Uint32Array(memory.buffer, 0, this.#slotsAt / 4)
    this.#buffer = memory.buffer
    this.#base = memory.address
    this.#baseNumber = Number(memory.address)
    const slots: Uint8Array[] = []
    const pointers: bigint[] = []
    const runPointers: bigint[] = []
    const slotPointers: bigint[] = []
    const namePointers: bigint[] = []
    const nameLengthPointers: bigint[] = []
    for (let i = 0; i < count; i++) {
      const at = i * headerBytes
      slots.push(new Uint8Array(memory.buffer, this.#slotsAt + i * stride, bytesOfSlot))
      pointers.push(this.#base + BigInt(at))
      if (gathers) runPointers.push(this.#base + BigInt(this.#runAt + at))
      slotPointers.push(this.#base + BigInt(this.#slotsAt + i * stride))
      namePointers.push(this.#base + BigInt(this.#namesAt + i * nameStride))
      nameLengthPointers.push(this.#base + BigInt(at + atNameLength))
      this.#writePointer(at, this.#base + BigInt(this.#namesAt + i * nameStride))
      this.#view.setUint32(at + atNameLength, nameBytes, true)
      this.#writePointer(at + 16, this.#base + BigInt(this.#vectorsAt + i * vectorBytes))
      this.#view.setUint32(at + 24, 1, true)
      const vector = this.#vectorsAt + i * vectorBytes
      this.#writePointer(vector, this.#base + BigInt(this.#slotsAt + i * stride))
      this.#view.setUint32(vector + 8, bytesOfSlot, true)
      this.#view.setUint16(this.#namesAt + i * nameStride, addressFamilyInet, true)
      if (namesSources) this.#writeControl(at, this.#controlsAt + i * controlBytes)
    }
    this.slots = slots
    this.pointers = pointers
    this.runPointers = runPointers
    this.slotPointers = slotPointers
    this.namePointers = namePointers
    this.nameLengthPointers = nameLengthPointers
  }

  get count(): number {
    return this.slots.length
  }

  /** True for a slot of this batch. */
  owns(packet: Uint8Array): boolean {
    return packet.buffer === this.#buffer
  }

  /** Which one a slot of this batch is. */
  indexOf(slot: Uint8Array): number {
    return (slot.byteOffset - this.#slotsAt) / this.#stride
  }

  lengthOf(entry: number): number {
    return this.#view.getUint32(entry * headerBytes + atLength, true)
  }

  isTruncated(entry: number): boolean {
    return (this.#view.getUint32(entry * headerBytes + atFlags, true) & truncated) !== 0
  }

  /** An IPv4 address of class E, whose numbers are those of IPv6 addresses, is 0. */
  hostOf(entry: number): number {
    const name = this.#namesAt + entry * nameStride
    if (this.#view.getUint16(name, true) === addressFamilyInet6) return ipv6Addresses.read(this.#view, name + 8)
    const host = this.#view.getInt32(name + 4, false)
    return isIpv6(host) ? 0 : host
  }

  portOf(entry: number): number {
    return this.#view.getUint16(this.#namesAt + entry * nameStride + 2, false)
  }

  /** Entries `from` up to `end` have room for an IPv6 address again: the kernel notes how long the one was that it wrote. */
  widenNames(from: number, end: number): void {
    for (let entry = from; entry < end; entry++)
      this.#view.setUint32(entry * headerBytes + atNameLength, nameBytes, true)
  }

  /** Makes entry `entry` the first `length` bytes of `packet`, a slot of batch `from`, to go to `host`:`port`. */
  point(entry: number, from: MessageBatch, packet: Uint8Array, length: number, host: number, port: number): void {
    const vector = this.#vectorsAt + entry * vectorBytes
    const name = this.#namesAt + entry * nameStride
    const address = from.#baseNumber + packet.byteOffset
    const low = address >>> 0
    this.#view.setUint32(vector, low, true)
    this.#view.setUint32(vector + 4, (address - low) / 0x1_0000_0000, true)
    this.#view.setUint32(vector + 8, length, true)
    this.#view.setUint16(name + 2, port, false)
    if (isIpv6(host)) this.#nameSix(name, host)
    else {
      this.#view.setUint16(name, addressFamilyInet, true)
      this.#view.setInt32(name + 4, host, false)
    }
  }

  /** The kernel refuses what goes to an address that is forgotten. */
  #nameSix(name: number, host: number): void {
    const isKnown = ipv6Addresses.write(host, this.#view, name + 8)
    this.#view.setUint16(name, isKnown ? addressFamilyInet6 : noFamily, true)
    this.#view.setUint32(name + 4, 0)
    this.#view.setUint32(name + 24, 0)
  }

  /** Entry `entry` is at that place of the run, of a batch that gathers. */
  gather(entry: number, place: number): void {
    const from = (entry * headerBytes) / 4
    this.#words.copyWithin((this.#runAt + place * headerBytes) / 4, from, from + headerBytes / 4)
  }

  /** Entry `entry` goes out from that address, of a batch that names sources. */
  from(entry: number, address: number): void {
    this.#view.setInt32(this.#controlsAt + entry * controlBytes + 20, address, false)
  }

  #writeControl(header: number, control: number): void {
    this.#writePointer(header + 32, this.#base + BigInt(control))
    this.#view.setBigUint64(header + 40, BigInt(controlBytes), true)
    this.#view.setBigUint64(control, BigInt(controlLength), true)
    this.#view.setInt32(control + 8, levelIp, true)
    this.#view.setInt32(control + 12, packetInfo, true)
  }

  #writePointer(at: number, address: bigint): void {
    this.#view.setBigUint64(at, address, true)
  }
}
