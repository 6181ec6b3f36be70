/**
 * A record of a call's trace, as it is in memory and on the disk. Little endian, a multiple of 8 bytes:
 *
 *     0 u32 length   4 u8 kind   5 u8 leg (0 = the call)   6 u16 unused
 *     8 f64 Unix ms   16 u32 sequence number within the call   20 u32 bytes of payload
 *    24 payload
 */
export const recordHeadBytes = 24

/** Longest payload: a SIP message or a document of 64 KB, with room for its addresses. */
export const maxPayloadBytes = 72 * 1024

export const recordKinds = {
  /** First record of a call: JSON. */
  begin: 1,
  /** One SIP message: addresses, then its bytes. */
  sip: 2,
  /** Points of a leg's RTP, one after another; their sequence numbers are in them. */
  rtp: 3,
  /** Anything else: JSON, with `kind`. */
  note: 4,
  /** The call is over: JSON. */
  over: 5,
  /** What came before was given up for lack of memory. */
  cut: 6,
  /** Captured RTP packets, one after another. */
  packets: 7,
  /** One whole RTP packet. */
  audio: 8,
} as const

interface RecordHead {
  readonly kind: number
  readonly leg: number
  readonly unixMs: number
  readonly seq: number
}

export interface RecordView extends RecordHead {
  readonly payload: Uint8Array
}

export const recordLength = (payloadBytes: number): number => (recordHeadBytes + payloadBytes + 7) & ~7

export function writeRecordHead(
  view: DataView,
  at: number,
  kind: number,
  leg: number,
  unixMs: number,
  seq: number,
  payloadBytes: number,
): void {
  view.setUint32(at, recordLength(payloadBytes), true)
  view.setUint32(at + 4, kind | (leg << 8), true)
  view.setFloat64(at + 8, unixMs, true)
  view.setUint32(at + 16, seq, true)
  view.setUint32(at + 20, payloadBytes, true)
}

/** The records that are in `bytes`, as far as they are whole. Payloads are views. */
export function* recordsIn(bytes: Uint8Array): Iterable<RecordView> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at + recordHeadBytes <= bytes.length; ) {
    const length = view.getUint32(at, true)
    const size = view.getUint32(at + 20, true)
    if (length < recordHeadBytes || length % 8 !== 0 || at + length > bytes.length) return
    if (size > length - recordHeadBytes) return
    const from = at + recordHeadBytes
    yield {
      kind: view.getUint8(at + 4),
      leg: view.getUint8(at + 5),
      unixMs: view.getFloat64(at + 8, true),
      seq: view.getUint32(at + 16, true),
      payload: bytes.subarray(from, from + size),
    }
    at += length
  }
}
