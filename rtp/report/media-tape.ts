import { ipv6Addresses, isIpv6 } from '../address/address.ts'
import { codecNumbers } from '../codec/codec-name.ts'

/**
 * What media threads note for another thread, over shared memory: one writer, one reader, slots of 64 bytes, and no
 * thread is woken. Positions count slots, unsigned 32-bit; their number is a power of two. A slot, little endian:
 *
 *     0 u8 kind   4 u32 number of the session
 *     name:   1 u8 length   8 its id
 *     point:  1 u8 codec   8 f64 Unix ms   16 u32 received   20 u32 sent   24 u32 lost   28 f32 jitter ms   32 f32 delay ms
 *             36 f32 round trip ms   40 f32 MOS   44 f32 remote loss %   48 f32 concealed ms   52 f32 level dBov; NaN: not known
 *     packet: 1 u8 sent   2 u8 bytes kept   8 f64 Unix ms   16 u32 remote address   20 u16 its port   22 u16 our port
 *             24 u16 length of the packet   28 its first bytes
 *     audio:  as packet, whole: its bytes go on in the slots that follow
 *     more:   1 u8 bytes   8 the next of them
 *     address: 4 u32 the number that packets have of an IPv6 address   8 its 16 bytes
 */
const slotBytes = 64
const controlBytes = 64
const writtenAt = 0
const readAt = 1
const droppedAt = 2
const kinds = { name: 1, point: 2, packet: 3, audio: 4, more: 5, address: 6 } as const
const moreBytes = slotBytes - 8
const firstBytes = slotBytes - 28
const longestId = slotBytes - 8
const headerBytes = 12
/** Header, and the payload of a telephone-event (RFC 4733 §2.3). */
export const tapedBytes = headerBytes + 4
const numbers: Readonly<Record<string, number>> = codecNumbers
const codecs: string[] = []
for (const [name, number] of Object.entries(numbers)) codecs[number] = name
const slotCount = 16_384

export const tapeMemory = (): SharedArrayBuffer => new SharedArrayBuffer(controlBytes + slotCount * slotBytes)

/** A session's figures: counts since its beginning, all else of the last second; NaN: not known. */
export interface TapePoint {
  readonly codec: string | undefined
  readonly received: number
  readonly sent: number
  readonly lost: number
  readonly jitterMs: number
  readonly delayMs: number
  readonly roundTripMs: number
  readonly mos: number
  readonly remoteLossPercent: number
  readonly concealedMs: number
  readonly levelDbov: number
}

export interface TapePacket {
  readonly isSent: boolean
  /** IPv4, as a number; 0: see `remoteIpv6`. */
  readonly remoteAddress: number
  /** The 16 bytes of an IPv6 address. */
  readonly remoteIpv6?: Uint8Array
  readonly remotePort: number
  readonly localPort: number
  readonly length: number
  /** Its first bytes; a view. */
  readonly bytes: Uint8Array
}

/** The writer's side. What finds no room is dropped and counted. */
export class MediaTape {
  /** Headers of all packets are wanted, not of telephone-events alone. */
  readonly wantsHeaders: boolean
  readonly #control: Int32Array
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #head: number
  #sessions = 0
  /** IPv6 addresses whose numbers the reader knows. */
  readonly #announced = new Set<number>()

  constructor(memory: SharedArrayBuffer, wantsHeaders: boolean) {
    this.wantsHeaders = wantsHeaders
    this.#control = new Int32Array(memory, 0, controlBytes / 4)
    this.#bytes = new Uint8Array(memory, controlBytes)
    this.#view = new DataView(memory, controlBytes)
    // A thread that takes another's place goes on where that was.
    this.#head = Atomics.load(this.#control, writtenAt) >>> 0
  }

  /** Gives the session its number. */
  name(id: string): number {
    const number = ++this.#sessions
    const at = this.#slot(kinds.name, number)
    if (at === -1) return number
    const length = Math.min(longestId, id.length)
    this.#bytes[at + 1] = length
    for (let index = 0; index < length; index++) this.#bytes[at + 8 + index] = id.charCodeAt(index)
    this.#commit()
    return number
  }

  point(session: number, unixMs: number, point: TapePoint): void {
    const at = this.#slot(kinds.point, session)
    if (at === -1) return
    const view = this.#view
    this.#bytes[at + 1] = numbers[point.codec ?? ''] ?? 0
    view.setFloat64(at + 8, unixMs, true)
    view.setUint32(at + 16, point.received, true)
    view.setUint32(at + 20, point.sent, true)
    view.setUint32(at + 24, point.lost, true)
    view.setFloat32(at + 28, point.jitterMs, true)
    view.setFloat32(at + 32, point.delayMs, true)
    view.setFloat32(at + 36, point.roundTripMs, true)
    view.setFloat32(at + 40, point.mos, true)
    view.setFloat32(at + 44, point.remoteLossPercent, true)
    view.setFloat32(at + 48, point.concealedMs, true)
    view.setFloat32(at + 52, point.levelDbov, true)
    this.#commit()
  }

  /** `kept`: bytes of it that may be kept, `tapedBytes` at most. */
  packet(
    session: number,
    unixMs: number,
    isSent: boolean,
    packet: Uint8Array,
    length: number,
    kept: number,
    remoteAddress: number,
    remotePort: number,
    localPort: number,
  ): void {
    if (isIpv6(remoteAddress)) this.#announce(remoteAddress)
    const at = this.#slot(kinds.packet, session)
    if (at === -1) return
    const count = Math.min(kept, length, tapedBytes)
    this.#writePacket(at, unixMs, isSent, packet, length, count, remoteAddress, remotePort, localPort)
    this.#commit()
  }

  /** All of it: it takes several slots, and is dropped when it does not find them. */
  audio(
    session: number,
    unixMs: number,
    isSent: boolean,
    packet: Uint8Array,
    length: number,
    remoteAddress: number,
    remotePort: number,
    localPort: number,
  ): void {
    if (isIpv6(remoteAddress)) this.#announce(remoteAddress)
    const more = Math.max(0, Math.ceil((length - firstBytes) / moreBytes))
    const at = this.#slot(kinds.audio, session, more)
    if (at === -1) return
    const first = Math.min(length, firstBytes)
    this.#writePacket(at, unixMs, isSent, packet, length, first, remoteAddress, remotePort, localPort)
    const bytes = this.#bytes
    for (let from = first; from < length; from += moreBytes) {
      this.#head = (this.#head + 1) >>> 0
      const next = (this.#head & (slotCount - 1)) * slotBytes
      const count = Math.min(moreBytes, length - from)
      bytes[next] = kinds.more
      bytes[next + 1] = count
      for (let index = 0; index < count; index++) bytes[next + 8 + index] = packet[from + index]!
    }
    this.#commit()
  }

  #announce(address: number): void {
    if (this.#announced.has(address)) return
    const at = this.#slot(kinds.address, address >>> 0)
    if (at === -1 || !ipv6Addresses.write(address, this.#view, at + 8)) return
    if (this.#announced.size >= addressesKept) this.#announced.clear()
    this.#announced.add(address)
    this.#commit()
  }

  #writePacket(
    at: number,
    unixMs: number,
    isSent: boolean,
    packet: Uint8Array,
    length: number,
    count: number,
    remoteAddress: number,
    remotePort: number,
    localPort: number,
  ): void {
    const view = this.#view
    const bytes = this.#bytes
    bytes[at + 1] = isSent ? 1 : 0
    bytes[at + 2] = count
    view.setFloat64(at + 8, unixMs, true)
    view.setUint32(at + 16, remoteAddress, true)
    view.setUint16(at + 20, remotePort, true)
    view.setUint16(at + 22, localPort, true)
    view.setUint16(at + 24, length, true)
    for (let index = 0; index < count; index++) bytes[at + 28 + index] = packet[index]!
  }

  /** `more`: slots that are needed after it. */
  #slot(kind: number, session: number, more = 0): number {
    if (((this.#head - Atomics.load(this.#control, readAt)) >>> 0) + more >= slotCount) {
      Atomics.add(this.#control, droppedAt, 1)
      return -1
    }
    const at = (this.#head & (slotCount - 1)) * slotBytes
    this.#bytes[at] = kind
    this.#view.setUint32(at + 4, session, true)
    return at
  }

  #commit(): void {
    this.#head = (this.#head + 1) >>> 0
    Atomics.store(this.#control, writtenAt, this.#head | 0)
  }
}

const noAddress = new Uint8Array(16)

interface TapeListener {
  point(session: string, unixMs: number, point: TapePoint): void
  packet(session: string, unixMs: number, packet: TapePacket): void
  /** All of a packet. */
  audio(session: string, unixMs: number, packet: TapePacket): void
}

/** A datagram holds no more (RFC 791). */
const longestPacket = 65_535

/** More are forgotten, the oldest first: sessions say nothing when they end. */
const namesKept = 20_000
/** The writer announces them once more before the reader has forgotten them. */
const addressesKept = 4096

/** The reader's side. */
export class MediaTapeReader {
  readonly #control: Int32Array
  readonly #bytes: Uint8Array
  readonly #view: DataView
  /** The same bytes, for texts. */
  readonly #text: Buffer
  readonly #listener: TapeListener
  readonly #whole = new Uint8Array(longestPacket)
  readonly #names = new Map<number, string>()
  readonly #addresses = new Map<number, Uint8Array>()

  constructor(memory: SharedArrayBuffer, listener: TapeListener) {
    this.#control = new Int32Array(memory, 0, controlBytes / 4)
    this.#bytes = new Uint8Array(memory, controlBytes)
    this.#view = new DataView(memory, controlBytes)
    this.#text = Buffer.from(memory, controlBytes)
    this.#listener = listener
  }

  get dropped(): number {
    return Atomics.load(this.#control, droppedAt) >>> 0
  }

  /** The part of the slots that is full, 0 to 1. */
  get fill(): number {
    return ((Atomics.load(this.#control, writtenAt) - Atomics.load(this.#control, readAt)) >>> 0) / slotCount
  }

  /** All that is there now. */
  drain(): void {
    const head = Atomics.load(this.#control, writtenAt) >>> 0
    let tail = Atomics.load(this.#control, readAt) >>> 0
    while (tail !== head) {
      this.#take(tail)
      tail = (tail + 1) >>> 0
      Atomics.store(this.#control, readAt, tail | 0)
    }
  }

  #take(tail: number): void {
    const view = this.#view
    const at = (tail & (slotCount - 1)) * slotBytes
    const kind = this.#bytes[at]
    if (kind === kinds.more) return
    const session = view.getUint32(at + 4, true)
    if (kind === kinds.name) {
      this.#names.delete(session)
      this.#names.set(session, this.#text.toString('latin1', at + 8, at + 8 + this.#bytes[at + 1]!))
      if (this.#names.size > namesKept) this.#names.delete(this.#names.keys().next().value!)
      return
    }
    if (kind === kinds.address) {
      this.#addresses.delete(session)
      this.#addresses.set(session, this.#bytes.slice(at + 8, at + 24))
      if (this.#addresses.size > 2 * addressesKept) this.#addresses.delete(this.#addresses.keys().next().value!)
      return
    }
    const id = this.#names.get(session)
    if (id === undefined) return
    const unixMs = view.getFloat64(at + 8, true)
    if (kind === kinds.point) this.#listener.point(id, unixMs, this.#pointAt(at))
    else if (kind === kinds.packet) this.#listener.packet(id, unixMs, this.#packetAt(at))
    else this.#listener.audio(id, unixMs, { ...this.#packetAt(at), bytes: this.#wholeAt(tail) })
  }

  /** The bytes of a packet that goes on in later slots, which are there when its first is. */
  #wholeAt(tail: number): Uint8Array {
    const bytes = this.#bytes
    const first = (tail & (slotCount - 1)) * slotBytes
    const length = this.#view.getUint16(first + 24, true)
    let written = bytes[first + 2]!
    this.#whole.set(bytes.subarray(first + 28, first + 28 + written))
    for (let slot = tail + 1; written < length; slot++) {
      const at = (slot & (slotCount - 1)) * slotBytes
      const count = bytes[at + 1]!
      this.#whole.set(bytes.subarray(at + 8, at + 8 + count), written)
      written += count
    }
    return this.#whole.subarray(0, length)
  }

  #pointAt(at: number): TapePoint {
    const view = this.#view
    return {
      codec: codecs[this.#bytes[at + 1]!],
      received: view.getUint32(at + 16, true),
      sent: view.getUint32(at + 20, true),
      lost: view.getUint32(at + 24, true),
      jitterMs: view.getFloat32(at + 28, true),
      delayMs: view.getFloat32(at + 32, true),
      roundTripMs: view.getFloat32(at + 36, true),
      mos: view.getFloat32(at + 40, true),
      remoteLossPercent: view.getFloat32(at + 44, true),
      concealedMs: view.getFloat32(at + 48, true),
      levelDbov: view.getFloat32(at + 52, true),
    }
  }

  #packetAt(at: number): TapePacket {
    const view = this.#view
    const remoteAddress = view.getUint32(at + 16, true)
    const remoteIpv6 = isIpv6(remoteAddress) ? (this.#addresses.get(remoteAddress) ?? noAddress) : undefined
    return {
      isSent: this.#bytes[at + 1] === 1,
      remoteAddress: remoteIpv6 === undefined ? remoteAddress : 0,
      ...(remoteIpv6 === undefined ? undefined : { remoteIpv6 }),
      remotePort: view.getUint16(at + 20, true),
      localPort: view.getUint16(at + 22, true),
      length: view.getUint16(at + 24, true),
      bytes: this.#bytes.subarray(at + 28, at + 28 + this.#bytes[at + 2]!),
    }
  }
}
