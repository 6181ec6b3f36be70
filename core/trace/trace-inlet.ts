import type { CallUuid, LegUuid } from '../model/ids.ts'
import { RingReader, RingWriter, type TakeItem } from './item-ring.ts'
import { maxPayloadBytes } from './record.ts'
import { type SipAddresses, sipHeadBytes, writeSipHead } from './sip-record.ts'
import { isPlain, type Note } from './trace-notes.ts'
import type { OverFields, TraceIntake, TraceSink } from './trace-sink.ts'

/**
 * What goes through the ring. SIP is as a record has it; the payload of all others:
 *
 *     0 u8 length of the call's id   1 u8 of the leg's   4 u32 bytes of text   8 both ids, the text, and bytes of others
 */
const kinds = { leg: 1, note: 2, document: 3, over: 4, dialog: 5, sip: 6, lines: 7 } as const
const textHeadBytes = 8
const openedFlag = 1
const sentFlag = 1
/** An id is ASCII. */
const longestId = 255
const none = new Uint8Array(0)

/** Entries that wait to be written together, and bytes of their messages, at most. */
const mostGathered = 256
const gatheredBytes = 256 * 1024

/** An entry as it was given, until it is written. */
interface Gathered {
  readonly kind: number
  readonly unixMs: number
  readonly callId: string
  readonly legId: string
  /** What becomes its text; of a message where it came from or went to. */
  readonly value: object | string
  readonly more: Uint8Array
  readonly flags: number
  /** Of a message: where its bytes are among those that were gathered. */
  readonly from: number
  readonly size: number
}

/**
 * The signalling thread's side: it never waits. Entries become text some hundred at a time, when the code for it is in the
 * processor's cache: one by one, between other work, that takes twice as long. The bytes of a message are copied at once, since
 * they are not kept for it.
 */
export class TraceInlet implements TraceSink {
  readonly #ring: RingWriter
  readonly #flushLater: () => void
  readonly #messages = Buffer.allocUnsafeSlow(gatheredBytes)
  #messageBytes = 0
  #gathered: Gathered[] = []

  /** `flushLater`: something waits, and `flush` is to be called within a fraction of a second. */
  constructor(memory: SharedArrayBuffer, flushLater: () => void) {
    this.#ring = new RingWriter(memory)
    this.#flushLater = flushLater
  }

  /** What found no room. */
  get dropped(): number {
    return this.#ring.dropped
  }

  leg(unixMs: number, callId: CallUuid, legId: LegUuid, facts: Readonly<Record<string, unknown>>): void {
    const note = { kind: 'leg-begins', uuid: legId, ...facts }
    this.#gather(kinds.leg, unixMs, callId, legId, note, none, facts.opened === true ? openedFlag : 0)
  }

  note(unixMs: number, callId: CallUuid | '', legId: LegUuid | '', note: Note): void {
    this.#gather(isPlain(note) ? kinds.lines : kinds.note, unixMs, callId, legId, note)
  }

  lines(unixMs: number, callId: CallUuid, lines: string): void {
    this.#gather(kinds.lines, unixMs, callId, '', lines)
  }

  document(unixMs: number, callId: CallUuid, note: Note, body: Uint8Array): void {
    this.#gather(kinds.document, unixMs, callId, '', note, body)
  }

  over(unixMs: number, callId: CallUuid, record: OverFields): void {
    this.#gather(kinds.over, unixMs, callId, '', record)
  }

  dialog(legId: LegUuid, callId: string): void {
    this.#gather(kinds.dialog, 0, '', legId, callId)
  }

  sip(unixMs: number, bytes: Uint8Array, addresses: SipAddresses, isSent: boolean): void {
    const size = Math.min(bytes.length, maxPayloadBytes - sipHeadBytes(addresses))
    if (this.#messageBytes + size > gatheredBytes) this.flush()
    const from = this.#messageBytes
    this.#messages.set(size === bytes.length ? bytes : bytes.subarray(0, size), from)
    this.#messageBytes += size
    this.#gather(kinds.sip, unixMs, '', '', addresses, none, isSent ? sentFlag : 0, from, size)
  }

  /** Writes what waits. */
  flush(): void {
    const gathered = this.#gathered
    if (gathered.length === 0) return
    this.#gathered = []
    this.#messageBytes = 0
    for (const entry of gathered) {
      if (entry.kind === kinds.sip) this.#sip(entry)
      else this.#text(entry)
    }
  }

  #gather(
    kind: number,
    unixMs: number,
    callId: string,
    legId: string,
    value: object | string,
    more: Uint8Array = none,
    flags = 0,
    from = 0,
    size = 0,
  ): void {
    const gathered = this.#gathered
    gathered.push({ kind, unixMs, callId, legId, value, more, flags, from, size })
    if (gathered.length === 1) this.#flushLater()
    else if (gathered.length >= mostGathered) this.flush()
  }

  #sip({ unixMs, value, flags, from, size }: Gathered): void {
    const ring = this.#ring
    const addresses = value as SipAddresses
    const head = sipHeadBytes(addresses)
    const at = ring.reserve(head + size)
    if (at === -1) return
    const to = writeSipHead(ring.bytes, at, addresses, flags === sentFlag)
    this.#messages.copy(ring.text, to, from, from + size)
    ring.commit(at, kinds.sip, 0, unixMs, head + size)
  }

  #text({ kind, unixMs, callId, legId, value, more, flags }: Gathered): void {
    const ring = this.#ring
    const idBytes = callId.length + legId.length
    if (callId.length > longestId || legId.length > longestId) return
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    // UTF-8 takes at most three bytes for a UTF-16 unit.
    const at = ring.reserve(textHeadBytes + idBytes + text.length * 3 + more.length)
    if (at === -1) return
    const from = at + textHeadBytes
    const written = ring.text.write(callId + legId + text, from)
    ring.bytes[at] = callId.length
    ring.bytes[at + 1] = legId.length
    ring.view.setUint32(at + 4, written - idBytes, true)
    if (more.length > 0) ring.bytes.set(more, from + written)
    ring.commit(at, kind, flags, unixMs, textHeadBytes + written + more.length)
  }
}

/** The trace thread's side: hands on what was written, in its order. */
export class TraceOutlet {
  readonly #ring: RingReader
  readonly #intake: TraceIntake
  readonly #failed: (cause: unknown) => void
  readonly #take: TakeItem
  /** Of the entry before: most have the same. */
  #callId = ''
  #legId = ''

  /** `failed`: an entry that the intake could not take; those after it are handed on. */
  constructor(memory: SharedArrayBuffer, intake: TraceIntake, failed: (cause: unknown) => void) {
    this.#ring = new RingReader(memory)
    this.#intake = intake
    this.#failed = failed
    this.#take = (kind, flags, unixMs, from, to) => {
      if (kind === kinds.sip) intake.sip(unixMs, this.#ring.text, from, to)
      else this.#takeText(kind, flags, unixMs, from, to)
    }
  }

  /** The part of the shared memory that is full, 0 to 1. */
  get fill(): number {
    return this.#ring.fill
  }

  /** All that is there now. */
  drain(): void {
    this.#ring.drain(this.#take, this.#failed)
  }

  #takeText(kind: number, flags: number, unixMs: number, from: number, to: number): void {
    const intake = this.#intake
    const { bytes, text, view } = this.#ring
    const idsAt = from + textHeadBytes
    const legAt = idsAt + bytes[from]!
    const textAt = legAt + bytes[from + 1]!
    const end = textAt + view.getUint32(from + 4, true)
    const callId = this.#idAt(idsAt, legAt, this.#callId) as CallUuid
    const legId = this.#idAt(legAt, textAt, this.#legId) as LegUuid
    if (callId !== '') this.#callId = callId
    if (legId !== '') this.#legId = legId
    switch (kind) {
      case kinds.leg:
        intake.leg(unixMs, callId, legId, (flags & openedFlag) !== 0, text, textAt, end)
        return
      case kinds.lines:
        intake.lines(unixMs, callId, legId, text, textAt, end)
        return
      case kinds.note:
        intake.note(unixMs, callId, legId, JSON.parse(text.toString('utf8', textAt, end)))
        return
      case kinds.document:
        intake.document(unixMs, callId, JSON.parse(text.toString('utf8', textAt, end)), bytes.slice(end, to))
        return
      case kinds.over:
        intake.over(unixMs, callId, JSON.parse(text.toString('utf8', textAt, end)))
        return
      case kinds.dialog:
        // As it is read out of a message.
        intake.dialog(legId, text.toString('latin1', textAt, end))
        return
      default:
      // Of another version: nothing is known of it.
    }
  }

  /** `known` where that is written there: a new text costs more, and has to be hashed again. Ids differ at their ends. */
  #idAt(from: number, to: number, known: string): string {
    const { bytes, text } = this.#ring
    const length = to - from
    if (length === 0) return ''
    let at = known.length === length ? length : -1
    while (at > 0 && known.charCodeAt(at - 1) === bytes[from + at - 1]) at--
    return at === 0 ? known : text.toString('latin1', from, to)
  }
}
