import type { CallUuid, LegUuid } from '../model/ids.ts'
import { maxPayloadBytes } from './record.ts'
import { type SipAddresses, sipHeadBytes, writeSipHead } from './sip-record.ts'
import { isPlain, type Note } from './trace-notes.ts'
import type { OverFields, TraceSink } from './trace-sink.ts'

/**
 * One writer and one reader in two threads, over shared memory: what is written waits there until the reader drains it.
 * Positions are unsigned 32-bit and wrap; the size is a power of two. Each item, a multiple of 8 bytes:
 *
 *     0 u32 length   4 u8 kind   5 u8 flags   6 u16 unused   8 f64 Unix ms   16 payload
 */
const headBytes = 16
const controlBytes = 64
const writtenAt = 0
const readAt = 1
const droppedAt = 2

const kinds = { skip: 0, leg: 1, note: 2, document: 3, over: 4, dialog: 5, sip: 6, plain: 7 } as const

export const inletMemory = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(controlBytes + bytes)

class Inlet {
  readonly control: Int32Array
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly size: number

  constructor(memory: SharedArrayBuffer) {
    this.control = new Int32Array(memory, 0, controlBytes / 4)
    this.bytes = new Uint8Array(memory, controlBytes)
    this.view = new DataView(memory, controlBytes)
    this.size = this.bytes.length
  }
}

/** The writer's side. What finds no room is dropped and counted: it never waits. */
export class TraceInlet implements TraceSink {
  readonly #inlet: Inlet
  readonly #encoder = new TextEncoder()
  #head = 0
  #tail = 0

  constructor(memory: SharedArrayBuffer) {
    this.#inlet = new Inlet(memory)
  }

  get dropped(): number {
    return Atomics.load(this.#inlet.control, droppedAt) >>> 0
  }

  leg(unixMs: number, callId: CallUuid, legId: LegUuid, facts: Readonly<Record<string, unknown>>): void {
    this.#json(kinds.leg, unixMs, [callId, legId, facts])
  }

  note(unixMs: number, callId: CallUuid | '', legId: LegUuid | '', note: Note): void {
    if (isPlain(note)) this.#plain(unixMs, callId, legId, JSON.stringify(note))
    else this.#json(kinds.note, unixMs, [callId, legId, note])
  }

  plainNote(unixMs: number, callId: CallUuid | '', legId: LegUuid | '', json: Uint8Array): void {
    this.#plain(unixMs, callId, legId, new TextDecoder().decode(json.slice()))
  }

  document(unixMs: number, callId: CallUuid, note: Note, body: Uint8Array): void {
    this.#json(kinds.document, unixMs, [callId, note], body)
  }

  over(unixMs: number, callId: CallUuid, record: OverFields): void {
    this.#json(kinds.over, unixMs, [callId, record])
  }

  dialog(legId: LegUuid, callId: string): void {
    this.#json(kinds.dialog, 0, [legId, callId])
  }

  sip(unixMs: number, bytes: Uint8Array, addresses: SipAddresses, isSent: boolean): void {
    const head = sipHeadBytes(addresses)
    const size = Math.min(bytes.length, maxPayloadBytes - head)
    const at = this.#reserve(head + size)
    if (at === -1) return
    const from = writeSipHead(this.#inlet.bytes, at + headBytes, addresses, isSent)
    this.#inlet.bytes.set(size === bytes.length ? bytes : bytes.subarray(0, size), from)
    this.#commit(at, kinds.sip, unixMs, head + size)
  }

  /** It is kept as it is: two lengths, two ids, and the JSON. */
  #plain(unixMs: number, callId: string, legId: string, json: string): void {
    const text = callId + legId + json
    const at = this.#reserve(2 + text.length * 3)
    if (at === -1) return
    const { bytes } = this.#inlet
    const from = at + headBytes
    bytes[from] = callId.length
    bytes[from + 1] = legId.length
    const { written } = this.#encoder.encodeInto(text, bytes.subarray(from + 2, from + 2 + text.length * 3))
    this.#commit(at, kinds.plain, unixMs, 2 + written)
  }

  sipRecord(unixMs: number, payload: Uint8Array): void {
    const at = this.#reserve(payload.length)
    if (at === -1) return
    this.#inlet.bytes.set(payload, at + headBytes)
    this.#commit(at, kinds.sip, unixMs, payload.length)
  }

  #json(kind: number, unixMs: number, value: readonly unknown[], rest?: Uint8Array): void {
    const text = JSON.stringify(value)
    const more = rest === undefined ? 0 : rest.length
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    const at = this.#reserve(4 + text.length * 3 + more)
    if (at === -1) return
    const { bytes, view } = this.#inlet
    const from = at + headBytes + 4
    const { written } = this.#encoder.encodeInto(text, bytes.subarray(from, from + text.length * 3))
    view.setUint32(at + headBytes, written, true)
    if (rest !== undefined) bytes.set(rest, from + written)
    this.#commit(at, kind, unixMs, 4 + written + more)
  }

  /** Offset of an item of at most this many bytes in one piece; −1: there is no room. */
  #reserve(payloadBytes: number): number {
    const needed = (headBytes + payloadBytes + 7) & ~7
    const { size, control, view } = this.#inlet
    let at = this.#head & (size - 1)
    const rest = size - at
    const whole = rest < needed ? rest + needed : needed
    if (whole > this.#free()) {
      this.#tail = Atomics.load(control, readAt)
      if (whole > this.#free()) {
        Atomics.add(control, droppedAt, 1)
        return -1
      }
    }
    if (rest < needed) {
      view.setUint32(at, rest, true)
      view.setUint8(at + 4, kinds.skip)
      this.#head = (this.#head + rest) >>> 0
      at = 0
    }
    return at
  }

  #free(): number {
    return this.#inlet.size - ((this.#head - this.#tail) >>> 0)
  }

  #commit(at: number, kind: number, unixMs: number, payloadBytes: number): void {
    const { view, control } = this.#inlet
    const length = (headBytes + payloadBytes + 7) & ~7
    view.setUint32(at, length, true)
    view.setUint8(at + 4, kind)
    view.setUint16(at + 6, length - headBytes - payloadBytes, true)
    view.setFloat64(at + 8, unixMs, true)
    this.#head = (this.#head + length) >>> 0
    Atomics.store(control, writtenAt, this.#head | 0)
  }
}

/** The reader's side: hands on what was written, in its order. */
export class TraceOutlet {
  readonly #inlet: Inlet
  readonly #sink: TraceSink
  readonly #decoder = new TextDecoder()

  constructor(memory: SharedArrayBuffer, sink: TraceSink) {
    this.#inlet = new Inlet(memory)
    this.#sink = sink
  }

  /** All that is there now. */
  drain(): void {
    const { control, view, size } = this.#inlet
    const head = Atomics.load(control, writtenAt) >>> 0
    let tail = Atomics.load(control, readAt) >>> 0
    while (tail !== head) {
      const at = tail & (size - 1)
      const length = view.getUint32(at, true)
      const kind = view.getUint8(at + 4)
      if (kind !== kinds.skip) this.#take(at, kind, length - headBytes - view.getUint16(at + 6, true))
      tail = (tail + length) >>> 0
      Atomics.store(control, readAt, tail | 0)
    }
  }

  #take(at: number, kind: number, payloadBytes: number): void {
    const sink = this.#sink
    const unixMs = this.#inlet.view.getFloat64(at + 8, true)
    const from = at + headBytes
    const { bytes } = this.#inlet
    if (kind === kinds.sip) {
      sink.sipRecord(unixMs, bytes.subarray(from, from + payloadBytes))
      return
    }
    if (kind === kinds.plain) {
      const callEnd = from + 2 + bytes[from]!
      const legEnd = callEnd + bytes[from + 1]!
      const callId = asciiOf(bytes, from + 2, callEnd) as CallUuid | ''
      const legId = asciiOf(bytes, callEnd, legEnd) as LegUuid | ''
      sink.plainNote(unixMs, callId, legId, bytes.subarray(legEnd, from + payloadBytes))
      return
    }
    // Of shared memory not every version of Node decodes text.
    const payload = bytes.slice(from, from + payloadBytes)
    const size = new DataView(payload.buffer).getUint32(0, true)
    const value = JSON.parse(this.#decoder.decode(payload.subarray(4, 4 + size)))
    switch (kind) {
      case kinds.leg:
        sink.leg(unixMs, value[0], value[1], value[2])
        return
      case kinds.note:
        sink.note(unixMs, value[0], value[1], value[2])
        return
      case kinds.document:
        sink.document(unixMs, value[0], value[1], payload.subarray(4 + size))
        return
      case kinds.over:
        sink.over(unixMs, value[0], value[1])
        return
      case kinds.dialog:
        sink.dialog(value[0], value[1])
        return
      default:
      // Of another version: nothing is known of it.
    }
  }
}

function asciiOf(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]!)
  return text
}
