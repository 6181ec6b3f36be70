/** One RTP packet: where it went, and its first bytes. */
export interface CapturedPacket {
  readonly unixMs: number
  readonly isSent: boolean
  /** IPv4, as a number; 0: see `remoteIpv6`. */
  readonly remoteAddress: number
  /** The 16 bytes of an IPv6 address. */
  readonly remoteIpv6?: Uint8Array | undefined
  readonly remotePort: number
  readonly localPort: number
  /** Of the whole packet. */
  readonly length: number
  /** Its header; of a telephone-event its payload as well. */
  readonly bytes: Uint8Array
}

/**
 *     0 f64 Unix ms   8 u8 flags   9 u8 bytes kept   10 u16 length   12 u32 remote address   16 u16 its port
 *    18 u16 our port   20 its first bytes
 *
 * Where the remote is of IPv6, so much more follows: 8 u8 flags   20 its address.
 */
export const capturedBytes = 40
const most = capturedBytes - 20

const flags = { sent: 1, ofIpv6: 2, isAddress: 4 } as const

/** Returns the bytes written: one unit of `capturedBytes`, or two. */
export function writeCaptured(into: Uint8Array, at: number, packet: CapturedPacket): number {
  writePacket(into, at, packet)
  if (packet.remoteIpv6 === undefined) return capturedBytes
  writeAddress(into, at + capturedBytes, packet.remoteIpv6)
  return 2 * capturedBytes
}

function writeAddress(into: Uint8Array, at: number, address: Uint8Array): void {
  into.fill(0, at, at + capturedBytes)
  into[at + 8] = flags.isAddress
  into.set(address, at + 20)
}

function writePacket(into: Uint8Array, at: number, packet: CapturedPacket): void {
  const view = new DataView(into.buffer, into.byteOffset + at, capturedBytes)
  const kept = Math.min(most, packet.bytes.length)
  view.setFloat64(0, packet.unixMs, true)
  view.setUint8(8, (packet.isSent ? flags.sent : 0) | (packet.remoteIpv6 === undefined ? 0 : flags.ofIpv6))
  view.setUint8(9, kept)
  view.setUint16(10, packet.length, true)
  view.setUint32(12, packet.remoteAddress, true)
  view.setUint16(16, packet.remotePort, true)
  view.setUint16(18, packet.localPort, true)
  for (let index = 0; index < kept; index++) into[at + 20 + index] = packet.bytes[index]!
}

const captureHeadBytes = 20
const ipv6Bytes = 16
/** A datagram holds no more (RFC 791). */
export const longestCapture = captureHeadBytes + ipv6Bytes + 65_535

/** A whole packet, as one record has it; returns its length. */
export function writeWhole(into: Uint8Array, packet: CapturedPacket): number {
  const { bytes: kept, remoteIpv6 } = packet
  writePacket(into, 0, { ...packet, bytes: kept.subarray(0, 0) })
  if (remoteIpv6 !== undefined) into.set(remoteIpv6, captureHeadBytes)
  const from = captureHeadBytes + (remoteIpv6 === undefined ? 0 : ipv6Bytes)
  into.set(kept, from)
  return from + kept.length
}

export function readWhole(payload: Uint8Array): CapturedPacket {
  const head = new Uint8Array(capturedBytes)
  head.set(payload.subarray(0, captureHeadBytes))
  const packet = readPacket(head, 0)
  if (((head[8] ?? 0) & flags.ofIpv6) === 0) return { ...packet, bytes: payload.slice(captureHeadBytes) }
  const from = captureHeadBytes + ipv6Bytes
  return { ...packet, remoteIpv6: payload.slice(captureHeadBytes, from), bytes: payload.slice(from) }
}

/** Of an address without its packet, which is older than what was kept, nothing is read. */
export function readCaptured(payload: Uint8Array): readonly CapturedPacket[] {
  const packets: CapturedPacket[] = []
  for (let at = 0; at + capturedBytes <= payload.length; at += capturedBytes) {
    const kind = payload[at + 8]!
    if ((kind & flags.isAddress) !== 0) continue
    const packet = readPacket(payload, at)
    const from = at + capturedBytes + captureHeadBytes
    packets.push(
      (kind & flags.ofIpv6) === 0 ? packet : { ...packet, remoteIpv6: payload.slice(from, from + ipv6Bytes) },
    )
  }
  return packets
}

function readPacket(payload: Uint8Array, at: number): CapturedPacket {
  const view = new DataView(payload.buffer, payload.byteOffset + at, capturedBytes)
  return {
    unixMs: view.getFloat64(0, true),
    isSent: (view.getUint8(8) & flags.sent) !== 0,
    remoteAddress: view.getUint32(12, true),
    remotePort: view.getUint16(16, true),
    localPort: view.getUint16(18, true),
    length: view.getUint16(10, true),
    bytes: payload.slice(at + 20, at + 20 + Math.min(most, view.getUint8(9))),
  }
}

/** The newest packets of a leg. */
export class PacketRing {
  readonly #bytes: Buffer
  readonly #capacity: number
  #count = 0

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#bytes = Buffer.alloc(capacity * capturedBytes)
  }

  add(packet: CapturedPacket): void {
    writePacket(this.#bytes, this.#nextAt(), packet)
    if (packet.remoteIpv6 !== undefined) writeAddress(this.#bytes, this.#nextAt(), packet.remoteIpv6)
  }

  #nextAt(): number {
    return (this.#count++ % this.#capacity) * capturedBytes
  }

  /** Oldest first. */
  read(): Buffer {
    if (this.#count <= this.#capacity) return Buffer.from(this.#bytes.subarray(0, this.#count * capturedBytes))
    const from = (this.#count % this.#capacity) * capturedBytes
    const whole = Buffer.alloc(this.#bytes.length)
    whole.set(this.#bytes.subarray(from))
    whole.set(this.#bytes.subarray(0, from), this.#bytes.length - from)
    return whole
  }
}
