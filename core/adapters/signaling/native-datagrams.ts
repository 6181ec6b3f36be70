import { isIPv4 } from 'node:net'
import { type FixedMemory, loadLibC, MessageBatch, type NativeCalls } from '../../../rtp/io/index.ts'
import type { Datagrams, OpenDatagrams, UnsentDatagram } from '../../../sip/transport/index.ts'

const inet = 2
/** SOCK_DGRAM, SOCK_NONBLOCK, SOCK_CLOEXEC. */
const datagramNonBlocking = 2 | 0o4000 | 0o2000000
const dontWait = 0x40
const socketLevel = 1
const receiveBufferForced = 33
/** A tenth of a second of ten thousand datagrams, as the kernel counts them. */
const receiveBufferBytes = 4 * 1024 * 1024
/** Datagrams of one recvmmsg, and of one sendmmsg. */
const burst = 32
/** No UDP datagram is longer. */
const longestDatagram = 65_536
const addressBytes = 16
/** Addresses of peers, as text. */
const rememberedAddresses = 10_000

const none: readonly UnsentDatagram[] = []

/** SIP's UDP sockets by the C library's calls. Undefined where those are not to be had. */
export function nativeDatagrams(): OpenDatagrams | undefined {
  const native = loadLibC()
  if (native === undefined) return undefined
  // All sockets are read by one thread, each batch to its end.
  const incoming = new MessageBatch(native, burst, longestDatagram)
  const addresses = new AddressTexts()
  // Held by this function for as long as the kernel is given its address.
  const name = native.allocate(addressBytes)
  return (address, port) => {
    const descriptor = isIPv4(address) ? bind(native, address, port, name) : undefined
    return descriptor === undefined ? undefined : new NativeDatagrams(native, descriptor, incoming, addresses)
  }
}

function bind({ libc }: NativeCalls, address: string, port: number, name: FixedMemory): number | undefined {
  const descriptor = libc.socket(inet, datagramNonBlocking, 0)
  if (descriptor < 0) return undefined
  const view = new DataView(name.buffer)
  for (let at = 0; at < addressBytes; at++) view.setUint8(at, 0)
  view.setUint16(0, inet, true)
  view.setUint16(2, port, false)
  view.setInt32(4, hostOf(address), false)
  if (libc.bind(descriptor, name.address, addressBytes) === 0) {
    // A process that may goes beyond the system's ceiling; node:dgram asks for the same within it.
    view.setUint32(0, receiveBufferBytes, true)
    libc.setsockopt(descriptor, socketLevel, receiveBufferForced, name.address, 4)
    return descriptor
  }
  libc.close(descriptor)
  return undefined
}

class NativeDatagrams implements Datagrams {
  readonly descriptor: number
  readonly mostQueued = burst
  readonly #native: NativeCalls
  readonly #incoming: MessageBatch
  readonly #outgoing: MessageBatch
  readonly #lengths = new Uint16Array(burst)
  readonly #addresses: AddressTexts
  #queued = 0

  constructor(native: NativeCalls, descriptor: number, incoming: MessageBatch, addresses: AddressTexts) {
    this.#native = native
    this.descriptor = descriptor
    this.#incoming = incoming
    this.#outgoing = new MessageBatch(native, burst, longestDatagram)
    this.#addresses = addresses
  }

  receive(most: number, received: (bytes: Uint8Array, address: string, port: number) => void): number {
    const { libc } = this.#native
    const incoming = this.#incoming
    let taken = 0
    while (taken < most) {
      const asked = Math.min(burst, most - taken)
      const count = libc.recvmmsg(this.descriptor, incoming.pointers[0]!, asked, dontWait, 0n)
      // An error of an earlier send is reported here once.
      if (count <= 0) break
      for (let at = 0; at < count; at++) {
        const bytes = incoming.slots[at]!.subarray(0, incoming.lengthOf(at))
        received(bytes, this.#addresses.of(incoming.hostOf(at)), incoming.portOf(at))
      }
      taken += count
      if (count < asked) break
    }
    return taken
  }

  queue(bytes: Uint8Array, address: string, port: number): boolean {
    const host = this.#addresses.hostOf(address)
    if (host === undefined || bytes.length >= longestDatagram || this.#queued === burst) return false
    const at = this.#queued++
    const slot = this.#outgoing.slots[at]!
    slot.set(bytes)
    this.#lengths[at] = bytes.length
    this.#outgoing.point(at, this.#outgoing, slot, bytes.length, host, port)
    return true
  }

  flush(): readonly UnsentDatagram[] {
    const { libc } = this.#native
    const { pointers } = this.#outgoing
    let unsent: UnsentDatagram[] | undefined
    for (let at = 0; at < this.#queued; ) {
      const sent = libc.sendmmsg(this.descriptor, pointers[at]!, this.#queued - at, dontWait)
      if (sent > 0) at += sent
      // The first of them is the one that is refused.
      else {
        unsent ??= []
        unsent.push(this.#queuedAt(at++))
      }
    }
    this.#queued = 0
    return unsent ?? none
  }

  #queuedAt(at: number): UnsentDatagram {
    const outgoing = this.#outgoing
    const bytes = outgoing.slots[at]!.slice(0, this.#lengths[at])
    return { at, bytes, address: this.#addresses.of(outgoing.hostOf(at)), port: outgoing.portOf(at) }
  }
}

/** IPv4 addresses as the kernel has them and as text, both ways, without making the text again. */
class AddressTexts {
  readonly #texts = new Map<number, string>()
  readonly #hosts = new Map<string, number>()

  of(host: number): string {
    const known = this.#texts.get(host)
    if (known !== undefined) return known
    const text = `${host >>> 24}.${(host >>> 16) & 255}.${(host >>> 8) & 255}.${host & 255}`
    this.#remember(host, text)
    return text
  }

  /** Undefined: it is no IPv4 address. */
  hostOf(text: string): number | undefined {
    const known = this.#hosts.get(text)
    if (known !== undefined) return known
    if (!isIPv4(text)) return undefined
    const host = hostOf(text)
    this.#remember(host, text)
    return host
  }

  #remember(host: number, text: string): void {
    if (this.#texts.size >= rememberedAddresses) {
      this.#texts.clear()
      this.#hosts.clear()
    }
    this.#texts.set(host, text)
    this.#hosts.set(text, host)
  }
}

const hostOf = (address: string): number => address.split('.').reduce((host, part) => (host << 8) | Number(part), 0)
