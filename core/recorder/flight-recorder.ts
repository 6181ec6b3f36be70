import type { ExchangeCommand } from '../contract/exchange-command.ts'
import type { ExchangeEvent } from '../contract/exchange-event.ts'
import type { CallUuid, LegUuid } from '../model/ids.ts'
import type { LegMediaStats } from '../model/leg-quality.ts'
import { noteOfCommand, noteOfEvent, notesOfUnit } from './notes.ts'
import { PendingDialogs, type WaitingMessage } from './pending-dialogs.ts'
import { type RecordView, readRecord, recordHeadBytes, recordKinds } from './record.ts'
import { coverSecrets } from './redaction.ts'
import { maxPayloadBytes, type TraceRing } from './ring.ts'
import { rtpBytes, writeRtp } from './rtp-sample.ts'
import { readSip, type SipAddresses, type SipRecord, sipHeadBytes, writeSipHead } from './sip-record.ts'
import { timelineOf } from './timeline.ts'
import type { Trace, TracePage, TraceReader } from './trace.ts'

/** Ended calls that still take late messages and callbacks as their own. */
const endedCalls = 2000
const maxLegs = 255

interface Track {
  readonly uuid: CallUuid
  readonly number: number
  readonly legs: LegUuid[]
  readonly dialogs: string[]
  sid: string | undefined
  last: number
}

interface LegPlace {
  readonly track: Track
  readonly index: number
}

/** Sees every SIP message of a call, with secrets covered; the bytes are a view. */
export type Mirror = (sip: SipRecord, unixMs: number) => void

export interface RecorderCounters {
  /** Records written. */
  records: number
  /** What was larger than a record may be and was cut. */
  cut: number
}

/**
 * Writes what happens in calls into a ring: SIP messages as bytes with secrets covered, all else as short notes. It never
 * waits and keeps nothing of what it is shown. Times are Unix milliseconds with fractions, from `now`.
 */
export class FlightRecorder {
  readonly counters: RecorderCounters = { records: 0, cut: 0 }
  readonly ring: TraceRing
  readonly #now: () => number
  readonly #mirror: Mirror | undefined
  readonly #calls = new Map<CallUuid, Track>()
  readonly #sids = new Map<string, CallUuid>()
  readonly #legs = new Map<LegUuid, LegPlace>()
  readonly #dialogs = new Map<string, LegPlace>()
  readonly #pending = new PendingDialogs()
  #ended: Track[] = []
  #numbers = 0

  constructor(ring: TraceRing, options: { readonly now: () => number; readonly mirror?: Mirror }) {
    this.ring = ring
    this.#now = options.now
    this.#mirror = options.mirror
    this.ring.reserve(0)
    this.ring.commit(recordKinds.start, 0, 0, -1, this.#now(), 0)
  }

  get liveCalls(): number {
    return this.#calls.size - this.#ended.length
  }

  // What the exchange receives and what it asks for.

  /** `callOf`: whose leg that is, after the event was handled. */
  event(event: ExchangeEvent, callOf: (legId: LegUuid) => CallUuid | undefined): void {
    if (event.type === 'leg.offered') {
      const callId = callOf(event.legId)
      if (callId === undefined) return
      const via = event.endUser === undefined ? 'trunk' : 'phone'
      this.#leg(this.#track(callId), event.legId, { role: 'caller', via, number: event.from.user })
      return
    }
    const note = noteOfEvent(event)
    if (note === undefined) return
    if ('legId' in event) {
      const place = this.#legs.get(event.legId)
      if (place !== undefined) this.#note(place.track, place.index, note)
    } else if ('callId' in event) this.#note(this.#track(event.callId), 0, note)
  }

  command(command: ExchangeCommand): void {
    switch (command.type) {
      case 'media.open':
        this.#legOf(command.callId, command.legId, { role: 'callee', via: command.onNet === true ? 'on-net' : 'uri' })
        return
      case 'store.commit':
        for (const note of notesOfUnit(command.unit)) {
          const leg = 'legId' in note ? (this.#legs.get(note.legId as LegUuid)?.index ?? 0) : 0
          const track = this.#track(command.callId)
          if (note.kind === 'call') this.#named(track, String(note.sid))
          this.#note(track, leg, note)
        }
        return
      case 'call.over': {
        const track = this.#calls.get(command.callId)
        if (track !== undefined) this.#over(track, command.record)
        return
      }
      case 'leg.dial': {
        const { target } = command
        const track = this.#track(command.callId)
        const number = target.kind === 'trunk' ? target.number : target.kind === 'uri' ? target.uri : ''
        const trunk = target.kind === 'trunk' ? target.trunk.name : undefined
        this.#leg(track, command.legId, { role: 'callee', via: target.kind, number, trunk })
        return
      }
      default: {
        const note = noteOfCommand(command)
        if (note === undefined) return
        if ('legId' in command) {
          const place = this.#legs.get(command.legId)
          if (place !== undefined) this.#note(place.track, place.index, note)
        } else if ('callId' in command) this.#note(this.#track(command.callId), 0, note)
      }
    }
  }

  /** A verb of a document begins. */
  verb(
    callId: CallUuid,
    verb: { readonly name: string; readonly line: number; readonly column: number; readonly url: string },
  ): void {
    this.#note(this.#track(callId), 0, { kind: 'verb', ...verb })
  }

  /** One try of a status callback. */
  callback(callId: CallUuid, tried: Readonly<Record<string, unknown>>): void {
    this.#note(this.#track(callId), 0, { kind: 'webhook', ...tried })
  }

  /** Figures of a leg's RTP, once a second. */
  rtp(legId: LegUuid, stats: LegMediaStats): void {
    const place = this.#legs.get(legId)
    if (place === undefined) return
    const at = this.ring.reserve(rtpBytes)
    writeRtp(this.ring.bytes, at, stats)
    this.#commit(recordKinds.rtp, place.track, place.index, rtpBytes, this.#now())
  }

  /** Legs that may have RTP. */
  liveLegs(): Iterable<LegUuid> {
    return this.#legs.keys()
  }

  // What the transport sees.

  /** The leg's dialog has this Call-ID: messages that were seen before belong to it. */
  dialog(legId: LegUuid, callId: string): void {
    const place = this.#legs.get(legId)
    if (place === undefined) this.#pending.named(legId, callId)
    else this.#attach(place, callId)
  }

  sip(bytes: Uint8Array, addresses: SipAddresses, isSent: boolean): void {
    const size = Math.min(bytes.length, maxPayloadBytes - sipHeadBytes(addresses))
    if (size < bytes.length) this.counters.cut++
    const { ring } = this
    const at = ring.reserve(sipHeadBytes(addresses) + size)
    const from = writeSipHead(ring.bytes, at, addresses, isSent)
    ring.bytes.set(size === bytes.length ? bytes : bytes.subarray(0, size), from)
    const found = coverSecrets(ring.bytes, from, from + size)
    if (found === -1) return
    const callId = textOf(ring.bytes, from + Math.floor(found / 65536), found % 65536)
    const place = this.#dialogs.get(callId)
    if (place !== undefined) this.#commit(recordKinds.sip, place.track, place.index, from - at + size, this.#now())
    // What is not written is overwritten by the next record.
    else if (this.#pending.has(callId) || beginsCall(bytes))
      this.#pending.add(callId, { unixMs: this.#now(), payload: ring.bytes.slice(at, from + size) })
  }

  #attach(place: LegPlace, callId: string): void {
    this.#dialogs.set(callId, place)
    place.track.dialogs.push(callId)
    for (const { unixMs, payload } of this.#pending.take(callId)) this.#write(place, payload, unixMs)
  }

  #write(place: LegPlace, payload: WaitingMessage['payload'], unixMs: number): void {
    const at = this.ring.reserve(payload.length)
    this.ring.bytes.set(payload, at)
    this.#commit(recordKinds.sip, place.track, place.index, payload.length, unixMs)
  }

  #track(uuid: CallUuid): Track {
    const known = this.#calls.get(uuid)
    if (known !== undefined) return known
    const track: Track = { uuid, number: ++this.#numbers, legs: [], dialogs: [], sid: undefined, last: -1 }
    this.#calls.set(uuid, track)
    this.#json(recordKinds.begin, track, 0, { uuid })
    return track
  }

  #named(track: Track, sid: string): void {
    track.sid = sid
    this.#sids.set(sid, track.uuid)
  }

  #legOf(callId: CallUuid, legId: LegUuid, facts: Readonly<Record<string, unknown>>): void {
    if (!this.#legs.has(legId)) this.#leg(this.#track(callId), legId, facts)
  }

  #leg(track: Track, legId: LegUuid, facts: Readonly<Record<string, unknown>>): void {
    let place = this.#legs.get(legId)
    if (place === undefined) {
      if (track.legs.length >= maxLegs) return
      track.legs.push(legId)
      place = { track, index: track.legs.length }
      this.#legs.set(legId, place)
    }
    this.#note(track, place.index, { kind: 'leg-begins', uuid: legId, ...facts })
    const callId = this.#pending.nameOf(legId)
    if (callId !== undefined) this.#attach(place, callId)
  }

  /** The call's trace as `reader` sees it, by uuid or sid; undefined: nothing is kept of it. */
  read(id: string, reader: TraceReader, page: TracePage): Trace | undefined {
    const kept = this.#recordsOf(id)
    return kept && timelineOf(kept.records, kept.isComplete, reader, page)
  }

  /** The call's SIP messages, oldest first, for an export. */
  messages(id: string): readonly (SipRecord & { readonly unixMs: number })[] | undefined {
    return this.#recordsOf(id)
      ?.records.filter(({ kind }) => kind === recordKinds.sip)
      .map(record => ({ ...readSip(record.payload), unixMs: record.unixMs }))
      .sort((one, other) => one.unixMs - other.unixMs)
  }

  #recordsOf(id: string): { readonly records: readonly RecordView[]; readonly isComplete: boolean } | undefined {
    const track = this.#calls.get((this.#sids.get(id) ?? id) as CallUuid)
    if (track === undefined || !this.ring.holds(track.last)) return undefined
    const records: RecordView[] = []
    let position = track.last
    while (this.ring.holds(position)) {
      const record = readRecord(this.ring.bytes, position % this.ring.size, position)
      if (record === undefined || record.call !== track.number) break
      records.push(record)
      position = record.previous
    }
    return { records: records.reverse(), isComplete: position === -1 }
  }

  #over(track: Track, record: Extract<ExchangeCommand, { type: 'call.over' }>['record']): void {
    const { uuid, sid, accountUuid, direction, fromNumber, toNumber, status, reasonCode, cost } = record
    const call = { uuid, sid, accountUuid, direction, fromNumber, toNumber, status, reasonCode, cost }
    this.#json(recordKinds.over, track, 0, call)
    this.#ended.push(track)
    const late = this.#ended[this.#ended.length - endedCalls]
    if (late !== undefined) this.#release(late)
    // What is overwritten cannot be read any more; two at a time keep up with one that ends.
    for (let count = 0; count < 2; count++) {
      const [oldest] = this.#ended
      if (oldest === undefined || oldest === track || this.ring.holds(oldest.last)) return
      this.#ended.shift()
      this.#release(oldest)
      this.#calls.delete(oldest.uuid)
      if (oldest.sid !== undefined) this.#sids.delete(oldest.sid)
    }
  }

  #release(track: Track): void {
    for (const leg of track.legs) this.#legs.delete(leg)
    for (const dialog of track.dialogs) this.#dialogs.delete(dialog)
    track.legs.length = 0
    track.dialogs.length = 0
  }

  #note(track: Track, leg: number, note: object): void {
    this.#json(recordKinds.note, track, leg, note)
  }

  #json(kind: number, track: Track, leg: number, value: object): void {
    const text = JSON.stringify(value)
    const at = this.ring.reserve(maxPayloadBytes)
    const size = this.ring.writeText(text, at, maxPayloadBytes)
    this.#commit(kind, track, leg, size, this.#now())
  }

  #commit(kind: number, track: Track, leg: number, size: number, unixMs: number): void {
    track.last = this.ring.commit(kind, leg, track.number, track.last, unixMs, size)
    this.counters.records++
    if (kind === recordKinds.sip && this.#mirror !== undefined) {
      const place = (track.last % this.ring.size) + recordHeadBytes
      this.#mirror(readSip(this.ring.bytes.subarray(place, place + size)), unixMs)
    }
  }
}

const invite = [0x49, 0x4e, 0x56, 0x49, 0x54, 0x45, 0x20]
const beginsCall = (bytes: Uint8Array): boolean => invite.every((byte, at) => bytes[at] === byte)

function textOf(bytes: Uint8Array, at: number, length: number): string {
  let text = ''
  for (let index = at; index < at + length; index++) text += String.fromCharCode(bytes[index]!)
  return text
}
