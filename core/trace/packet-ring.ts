/** One RTP packet: where it went, and its first bytes. */
export interface CapturedPacket {
  readonly unixMs: number
  readonly isSent: boolean
  /** IPv4, as a number. */
  readonly remoteAddress: number
  readonly remotePort: number
  readonly localPort: number
  /** Of the whole packet. */
  readonly length: number
  /** Its header; of a telephone-event its payload as well. */
  readonly bytes: Uint8Array
}

/**
 *     0 f64 Unix ms   8 u8 sent   9 u8 bytes kept   10 u16 length   12 u32 remote address   16 u16 its port
 *    18 u16 our port   20 its first bytes
 */
export const capturedBytes = 40
const most = capturedBytes - 20

export function writeCaptured(into: Uint8Array, at: number, packet: CapturedPacket): void {
  const view = new DataView(into.buffer, into.byteOffset + at, capturedBytes)
  const kept = Math.min(most, packet.bytes.length)
  view.setFloat64(0, packet.unixMs, true)
  view.setUint8(8, packet.isSent ? 1 : 0)
  view.setUint8(9, kept)
  view.setUint16(10, packet.length, true)
  view.setUint32(12, packet.remoteAddress, true)
  view.setUint16(16, packet.remotePort, true)
  view.setUint16(18, packet.localPort, true)
  for (let index = 0; index < kept; index++) into[at + 20 + index] = packet.bytes[index]!
}

const captureHeadBytes = 20
/** A datagram holds no more (RFC 791). */
export const longestCapture = captureHeadBytes + 65_535

/** A whole packet, as one record has it; returns its length. */
export function writeWhole(into: Uint8Array, packet: CapturedPacket): number {
  const kept = packet.bytes
  writeCaptured(into, 0, { ...packet, bytes: kept.subarray(0, 0) })
  into.set(kept, captureHeadBytes)
  return captureHeadBytes + kept.length
}

export function readWhole(payload: Uint8Array): CapturedPacket {
  const head = new Uint8Array(capturedBytes)
  head.set(payload.subarray(0, captureHeadBytes))
  const [packet] = readCaptured(head)
  return { ...packet!, bytes: payload.slice(captureHeadBytes) }
}

export function readCaptured(payload: Uint8Array): readonly CapturedPacket[] {
  const packets: CapturedPacket[] = []
  for (let at = 0; at + capturedBytes <= payload.length; at += capturedBytes) {
    const view = new DataView(payload.buffer, payload.byteOffset + at, capturedBytes)
    packets.push({
      unixMs: view.getFloat64(0, true),
      isSent: view.getUint8(8) === 1,
      remoteAddress: view.getUint32(12, true),
      remotePort: view.getUint16(16, true),
      localPort: view.getUint16(18, true),
      length: view.getUint16(10, true),
      bytes: payload.slice(at + 20, at + 20 + Math.min(most, view.getUint8(9))),
    })
  }
  return packets
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
    writeCaptured(this.#bytes, (this.#count % this.#capacity) * capturedBytes, packet)
    this.#count++
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
