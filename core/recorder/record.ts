/**
 * A record of the recorder, as it lies in the ring and on the disk. Little endian, a multiple of 8 bytes:
 *
 *     0 u32 length   4 u8 kind   5 u8 leg (0 = the call)   6 u16 unused
 *     8 f64 position of the call's record before it (-1: none)
 *    16 f64 Unix ms   24 u32 bytes of payload   28 u32 number of the call within this run
 *    32 payload
 */
export const recordHeadBytes = 32

export const recordKinds = {
  /** Fills the ring's end; its head may be cut to 8 bytes. */
  pad: 0,
  /** First record of a call's chain: JSON. */
  begin: 1,
  /** One SIP message: addresses, then its bytes. */
  sip: 2,
  /** Figures of a leg's RTP. */
  rtp: 3,
  /** Anything else: JSON, with `kind`. */
  note: 4,
  /** The call is over: JSON. */
  over: 5,
  /** The switch has started: numbers of calls begin again. */
  start: 6,
} as const

export interface RecordView {
  readonly position: number
  readonly length: number
  readonly kind: number
  readonly leg: number
  readonly previous: number
  readonly unixMs: number
  readonly call: number
  readonly payload: Uint8Array
}

/** The record at `at` of `bytes`; undefined where none can be. The payload is a view. */
export function readRecord(bytes: Uint8Array, at: number, position: number): RecordView | undefined {
  if (at + 8 > bytes.length) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, bytes.length - at)
  const length = view.getUint32(0, true)
  const kind = view.getUint8(4)
  if (length < 8 || length % 8 !== 0 || at + length > bytes.length || kind > recordKinds.start) return undefined
  if (kind === recordKinds.pad || length < recordHeadBytes) {
    if (kind !== recordKinds.pad) return undefined
    return { position, length, kind, leg: 0, previous: -1, unixMs: 0, call: 0, payload: bytes.subarray(at, at) }
  }
  const size = view.getUint32(24, true)
  if (size > length - recordHeadBytes) return undefined
  return {
    position,
    length,
    kind,
    leg: view.getUint8(5),
    previous: view.getFloat64(8, true),
    unixMs: view.getFloat64(16, true),
    call: view.getUint32(28, true),
    payload: bytes.subarray(at + recordHeadBytes, at + recordHeadBytes + size),
  }
}
