import { TextMap } from '../../sip/base/text-map.ts'
import type { CallUuid, LegUuid } from '../model/ids.ts'
import { type CallTrack, type LegPlace, newTrack } from './call-track.ts'
import {
  carrierCovered,
  carrierPacketCovered,
  isCarriers,
  type LegMessage,
  type LegPacket,
} from './carriers-covered.ts'
import { CoveredTexts } from './covered-texts.ts'
import { explanations } from './explanation.ts'
import { legsOf, legsOfCustomers } from './leg-facts.ts'
import {
  type CapturedPacket,
  capturedBytes,
  longestCapture,
  PacketRing,
  readCaptured,
  readWhole,
  writeCaptured,
  writeWhole,
} from './packet-ring.ts'
import { PendingDialogs } from './pending-dialogs.ts'
import { maxPayloadBytes, type RecordView, recordKinds, recordLength, recordsIn } from './record.ts'
import { SparePages } from './record-pages.ts'
import { coverSecrets, hasSecretSign, mayHoldSecret, withoutCutTag } from './redaction.ts'
import type { RtpFigures } from './rtp-point.ts'
import { RtpSeries } from './rtp-series.ts'
import { readSip, type SipRecord, sipMessageAt } from './sip-record.ts'
import { timelineOf } from './timeline.ts'
import type { Trace, TraceEnding, TracePage, TraceReader } from './trace.ts'
import { longestBody, type Note, redacted } from './trace-notes.ts'
import type { OverFields, TraceIntake } from './trace-sink.ts'
import type { TracePart, TraceStore } from './trace-store.ts'

/** Ended calls that still take late messages and callbacks as their own. */
const endedCalls = 2000
const maxLegs = 255
/** An ended call is put into the store after this, with what comes late. */
const settledMs = 5000
/** What is older than this is put into the store while the call lives: a crash loses no more. */
const unstoredMs = 60_000
/** A live call that holds more is put into the store at once. */
const unstoredBytes = 256 * 1024
/** Calls are put into the store together, which packs them better, up to this. */
const storedTogetherBytes = 512 * 1024
/**
 * Messages, documents and notes that are kept of one call. What comes then is left out, but for what its end and cost are
 * explained by, which has an eighth of it besides, and the end. Points of RTP and audio have bounds of their own.
 */
const mostOfCall = 8 * 1024 * 1024
const mostOfFullCall = mostOfCall + mostOfCall / 8
const ofFullCalls = /^\{"kind":"(?:call|leg-begins|hold-opened|settled)"/
/** The longest beginning that `ofFullCalls` looks at. */
const kindBytes = 32
/** The part of the memory that audio of one call may take, where nothing else is said. */
const audioShare = 8

/** Sees every SIP message of a call, with secrets covered; the bytes are a view. */
type Mirror = (sip: SipRecord, unixMs: number) => void

export interface TraceBookOptions {
  /** Bytes for what is not in the store. */
  readonly memoryBytes: number
  /** Default: nothing is kept but in memory. */
  readonly store?: TraceStore
  readonly mirror?: Mirror
  /** The words of the RFCs for a status, which customers see in place of a carrier's own. Default: none. */
  readonly phraseOf?: (status: number) => string
  /** Headers of RTP that are kept of each leg, the newest. Default 0. */
  readonly rtpHeaders?: number
  /** Of audio that is captured of one call. Default an eighth of `memoryBytes`. */
  readonly audioBytes?: number
}

interface TraceBookCounters {
  /** Records written. */
  records: number
  /** What was larger than a record may be and was cut. */
  cut: number
  /** Bytes of calls that are in memory. */
  memoryBytes: number
  /** Bytes that were given up for lack of memory. */
  droppedBytes: number
}

/** Traces of calls: what is recent and of live calls in memory, the others in a store. Secrets are covered before anything is kept. */
export class TraceBook implements TraceIntake {
  readonly counters: TraceBookCounters = { records: 0, cut: 0, memoryBytes: 0, droppedBytes: 0 }
  readonly #options: TraceBookOptions
  readonly #calls = new TextMap<CallUuid, CallTrack>()
  readonly #sids = new TextMap<string, CallUuid>()
  readonly #legs = new TextMap<LegUuid, LegPlace>()
  readonly #dialogs = new TextMap<string, LegPlace>()
  readonly #pending = new PendingDialogs()
  readonly #spare = new SparePages()
  readonly #bodies = new CoveredTexts()
  readonly #encoder = new TextEncoder()
  readonly #decoder = new TextDecoder()
  readonly #scratch = Buffer.alloc(maxPayloadBytes)
  readonly #captured = Buffer.alloc(2 * capturedBytes)
  /** Calls that live, and ended ones that are not in the store, or not all of them: those that `tick` looks at. */
  readonly #held = new Set<CallTrack>()
  /** Made at the first need. */
  #whole: Buffer | undefined
  /** Ended and in memory, oldest first. */
  #ended: CallTrack[] = []

  constructor(options: TraceBookOptions) {
    this.#options = options
  }

  leg(
    unixMs: number,
    callId: CallUuid,
    legId: LegUuid,
    isOpened: boolean,
    bytes: Buffer,
    from: number,
    to: number,
  ): void {
    let place = this.#legs.get(legId)
    if (place !== undefined && isOpened) return
    const track = this.#track(unixMs, callId)
    if (place === undefined) {
      if (track.legs.length >= maxLegs) return
      track.legs.push(legId)
      place = { track, index: track.legs.length }
      this.#legs.set(legId, place)
    }
    this.#plain(place, unixMs, bytes, from, to)
    const dialog = this.#pending.nameOf(legId)
    if (dialog !== undefined) this.#attach(place, dialog)
  }

  note(unixMs: number, callId: CallUuid | '', legId: LegUuid | '', note: Note): void {
    const place = this.#placeOf(unixMs, callId, legId)
    if (place === undefined) return
    // The callback of a call that is forgotten here: it goes to the store after the call's other parts.
    if (note.kind === 'webhook' && place.track.seq === 1 && place.track.endedMs === undefined)
      this.#end(place.track, unixMs)
    if (note.kind === 'call') {
      place.track.sid = String(note.sid)
      this.#sids.set(place.track.sid, place.track.uuid)
    }
    this.#json(recordKinds.note, place, unixMs, redacted(note, this.#bodies))
  }

  lines(unixMs: number, callId: CallUuid | '', legId: LegUuid | '', bytes: Buffer, from: number, to: number): void {
    const place = this.#placeOf(unixMs, callId, legId)
    if (place === undefined) return
    let line = from
    for (let end = from; end <= to; end++) {
      if (end < to && bytes[end] !== lineFeed) continue
      if (end > line) this.#plain(place, unixMs, bytes, line, end)
      line = end + 1
    }
  }

  document(unixMs: number, callId: CallUuid, note: Note, body: Uint8Array): void {
    const text = this.#decoder.decode(body)
    this.note(unixMs, callId, '', { ...note, body: body.length < longestBody ? text : withoutCutTag(text) })
  }

  over(unixMs: number, callId: CallUuid, record: OverFields): void {
    const track = this.#calls.get(callId)
    if (track === undefined || track.endedMs !== undefined) return
    this.#json(recordKinds.over, { track, index: 0 }, unixMs, record)
    this.#end(track, unixMs)
    track.isFailed = (explanations[record.reasonCode as keyof typeof explanations]?.advice ?? '') !== ''
  }

  dialog(legId: LegUuid, callId: string): void {
    const place = this.#legs.get(legId)
    if (place === undefined) this.#pending.named(legId, callId)
    else this.#attach(place, callId)
  }

  sip(unixMs: number, bytes: Buffer, from: number, to: number): void {
    // The writer has left out what is beyond.
    if (to - from === maxPayloadBytes) this.counters.cut++
    const messageAt = sipMessageAt(bytes, from)
    const found = coverSecrets(bytes, messageAt, to)
    if (found === -1) return
    const callIdAt = messageAt + Math.floor(found / 65536)
    const callId = bytes.toString('latin1', callIdAt, callIdAt + (found % 65536))
    const place = this.#dialogs.get(callId)
    if (place !== undefined) this.#write(place, unixMs, bytes, from, to)
    else if (this.#pending.has(callId) || beginsCall(bytes, messageAt)) {
      const payload = Buffer.allocUnsafeSlow(to - from)
      bytes.copy(payload, 0, from, to)
      this.#pending.add(callId, { unixMs, payload })
    }
  }

  /** Figures of a leg's RTP, about once a second. */
  rtp(unixMs: number, legId: LegUuid, figures: RtpFigures): void {
    const place = this.#legs.get(legId)
    if (place === undefined) return
    const { track, index } = place
    let series = track.rtp.get(index)
    if (series === undefined) {
      series = new RtpSeries()
      track.rtp.set(index, series)
    }
    this.#held.add(track)
    if (!series.isDue(unixMs)) return
    series.add(unixMs, ++track.seq, figures)
    if (series.isFull) this.#closeSeries(track, index, series)
  }

  /** A packet of a leg: of telephone-events all are kept, of others the newest. */
  packet(unixMs: number, legId: LegUuid, packet: Omit<CapturedPacket, 'unixMs'>): void {
    const place = this.#legs.get(legId)
    if (place === undefined) return
    const { track, index } = place
    if (packet.bytes.length > rtpHeaderBytes) {
      const length = writeCaptured(this.#captured, 0, { ...packet, unixMs })
      this.#touch(track, unixMs)
      track.pages.add(recordKinds.packets, index, unixMs, ++track.seq, this.#captured, 0, length)
      return
    }
    const { rtpHeaders = 0 } = this.#options
    if (rtpHeaders === 0) return
    let ring = track.packets.get(index)
    if (ring === undefined) {
      ring = new PacketRing(rtpHeaders)
      track.packets.set(index, ring)
      this.#held.add(track)
    }
    ring.add({ ...packet, unixMs })
  }

  /** A whole packet of a leg whose audio is captured. */
  audio(unixMs: number, legId: LegUuid, packet: Omit<CapturedPacket, 'unixMs'>): void {
    const place = this.#legs.get(legId)
    if (place === undefined) return
    const { track, index: leg } = place
    const most = this.#mostAudio
    if (track.audioBytes >= most) return
    this.#whole ??= Buffer.alloc(longestCapture)
    const length = writeWhole(this.#whole, { ...packet, unixMs })
    this.#touch(track, unixMs)
    // No entry of the timeline: it takes no number.
    track.pages.add(recordKinds.audio, leg, unixMs, track.seq, this.#whole, 0, length)
    track.audioBytes += recordLength(length)
    if (track.audioBytes >= most) this.#json(recordKinds.note, { track, index: 0 }, unixMs, { kind: 'capture-full' })
  }

  get #mostAudio(): number {
    const { audioBytes, memoryBytes } = this.#options
    return audioBytes ?? memoryBytes / audioShare
  }

  /** The call's trace as `reader` sees it, by uuid or sid; undefined: nothing is kept of it. `ended`: what else is known of its end. */
  read(id: string, reader: TraceReader, page: TracePage, ended?: TraceEnding): Trace | undefined {
    const records = this.#recordsOf(id)
    return records && timelineOf(records, reader, page, { ended, phraseOf: this.#options.phraseOf })
  }

  /** The call's SIP messages, oldest first, as the reader may have them in a file. */
  messages(id: string, reader: TraceReader): readonly LegMessage[] | undefined {
    const records = this.#recordsOf(id)
    if (records === undefined) return undefined
    const legs = legsOfCustomers(legsOf(records))
    return records
      .filter(({ kind }) => kind === recordKinds.sip)
      .map(({ payload, unixMs, leg }) => {
        const message = { ...readSip(payload), unixMs, leg }
        const facts = legs.get(leg)
        return reader === 'customer' && isCarriers(facts)
          ? carrierCovered(message, facts, this.#options.phraseOf ?? (() => ''))
          : message
      })
      .sort((one, other) => one.unixMs - other.unixMs)
  }

  /** RTP of the call that was captured, oldest first: headers and digits, and whole packets if an operator asks for the audio. */
  packets(id: string, reader: TraceReader, withAudio: boolean): readonly LegPacket[] {
    const isWhole = withAudio && reader === 'operator'
    const packets: LegPacket[] = []
    const records = this.#recordsOf(id) ?? []
    for (const { kind, leg, payload } of records) {
      if (kind === recordKinds.packets) for (const packet of readCaptured(payload)) packets.push({ ...packet, leg })
      if (kind !== recordKinds.audio) continue
      const packet = readWhole(payload)
      packets.push({ ...packet, leg, bytes: isWhole ? packet.bytes : packet.bytes.subarray(0, rtpHeaderBytes) })
    }
    packets.sort((one, other) => one.unixMs - other.unixMs)
    if (reader === 'operator') return packets
    const legs = legsOf(records)
    return packets.map(packet => (isCarriers(legs.get(packet.leg)) ? carrierPacketCovered(packet) : packet))
  }

  /** About once a second: what is settled goes to the store, and what is too much for the memory. */
  tick(unixMs: number): void {
    const due: CallTrack[] = []
    for (const track of this.#held) {
      const { endedMs, pages, sinceMs } = track
      if (pages.length === 0 && track.rtp.size === 0) continue
      const isSettled = endedMs !== undefined && unixMs - Math.max(endedMs, sinceMs) >= settledMs
      if (isSettled || pages.length > unstoredBytes || (pages.length > 0 && unixMs - sinceMs > unstoredMs))
        due.push(track)
    }
    this.#store(due)
    for (const track of due) if (track.endedMs !== undefined && isAllStored(track)) this.#held.delete(track)
    this.#forgetStored()
    this.#makeRoom()
  }

  /** All that is in memory goes to the store. */
  close(): void {
    this.#store([...this.#calls.values()])
  }

  #end(track: CallTrack, unixMs: number): void {
    track.endedMs = unixMs
    this.#ended.push(track)
  }

  #placeOf(unixMs: number, callId: CallUuid | '', legId: LegUuid | ''): LegPlace | undefined {
    const place = legId === '' ? undefined : this.#legs.get(legId)
    if (place !== undefined) return place
    return callId === '' ? undefined : { track: this.#track(unixMs, callId), index: 0 }
  }

  #track(unixMs: number, uuid: CallUuid): CallTrack {
    const known = this.#calls.get(uuid)
    if (known !== undefined) return known
    const track = newTrack(uuid, this.#spare)
    this.#calls.set(uuid, track)
    this.#held.add(track)
    this.#json(recordKinds.begin, { track, index: 0 }, unixMs, { uuid })
    return track
  }

  #attach(place: LegPlace, callId: string): void {
    this.#dialogs.set(callId, place)
    place.track.dialogs.push(callId)
    for (const { unixMs, payload } of this.#pending.take(callId)) this.#write(place, unixMs, payload, 0, payload.length)
  }

  #write(place: LegPlace, unixMs: number, bytes: Buffer, from: number, to: number): void {
    this.#add(recordKinds.sip, place, unixMs, bytes, from, to)
    this.#options.mirror?.(readSip(bytes.subarray(from, to)), unixMs)
  }

  #json(kind: number, place: LegPlace, unixMs: number, value: object): void {
    const text = JSON.stringify(value)
    const { read, written } = this.#encoder.encodeInto(text, this.#scratch)
    if (read === text.length) this.#add(kind, place, unixMs, this.#scratch, 0, written)
    else {
      // A document that JSON writes with many escapes; half of JSON would be none.
      this.counters.cut++
      const { body = '', ...note } = value as { readonly body?: string }
      this.#json(kind, place, unixMs, body === '' ? {} : { ...note, body: body.slice(0, body.length / 2) })
    }
  }

  /** A note as its JSON. */
  #plain(place: LegPlace, unixMs: number, bytes: Buffer, from: number, to: number): void {
    if (mayHoldSecret(bytes, from, to)) {
      const json = bytes.toString('utf8', from, to)
      if (hasSecretSign(json)) {
        this.#json(recordKinds.note, place, unixMs, redacted(JSON.parse(json), this.#bodies))
        return
      }
    }
    this.#add(recordKinds.note, place, unixMs, bytes, from, to)
  }

  #add(kind: number, { track, index }: LegPlace, unixMs: number, bytes: Buffer, from: number, to: number): void {
    const size = to - from
    if (track.textBytes + size > mostOfCall && !this.#isOfFull(track, kind, bytes, from, to)) {
      this.#leaveOut(track, unixMs)
      return
    }
    track.textBytes += recordLength(size)
    this.#touch(track, unixMs)
    track.pages.add(kind, index, unixMs, ++track.seq, bytes, from, to)
    this.counters.records++
  }

  #isOfFull(track: CallTrack, kind: number, bytes: Buffer, from: number, to: number): boolean {
    if (kind === recordKinds.over || kind === recordKinds.cut) return true
    if (kind !== recordKinds.note || track.textBytes + to - from > mostOfFullCall) return false
    return ofFullCalls.test(bytes.toString('latin1', from, Math.min(to, from + kindBytes)))
  }

  /** The first time the trace says so itself: it is not complete. */
  #leaveOut(track: CallTrack, unixMs: number): void {
    this.counters.cut++
    if (track.isFull) return
    track.isFull = true
    this.#json(recordKinds.cut, { track, index: 0 }, unixMs, { uuid: track.uuid, sid: track.sid })
  }

  #touch(track: CallTrack, unixMs: number): void {
    if (track.pages.length === 0) {
      track.sinceMs = unixMs
      this.#held.add(track)
    }
    // A late record of a call that was put away: it is put away again later.
    if (track.endedMs !== undefined && track.isStored && track.pages.length === 0) this.#ended.push(track)
  }

  #closeSeries(track: CallTrack, leg: number, series: RtpSeries): void {
    const { beganMs: unixMs, firstSeq: seq, bytes } = series
    if (bytes.length === 0) return
    this.#touch(track, unixMs)
    track.pages.add(recordKinds.rtp, leg, unixMs, seq, bytes)
    this.counters.records++
    series.clear()
  }

  #closePackets(track: CallTrack): void {
    for (const [leg, ring] of track.packets) {
      track.pages.add(recordKinds.packets, leg, track.endedMs ?? 0, ++track.seq, ring.read())
    }
    track.packets.clear()
  }

  #recordsOf(id: string): RecordView[] | undefined {
    const track = this.#calls.get((this.#sids.get(id) ?? id) as CallUuid)
    const parts = this.#options.store?.partsOf(track?.uuid ?? id) ?? []
    const records = parts.flatMap(part => [...recordsIn(part)])
    if (track !== undefined) {
      for (const piece of track.pages.pieces) records.push(...recordsIn(piece))
      for (const [leg, { beganMs: unixMs, firstSeq: seq, bytes }] of track.rtp)
        if (bytes.length > 0) records.push({ kind: recordKinds.rtp, leg, unixMs, seq, payload: bytes })
      for (const [leg, ring] of track.packets)
        records.push({ kind: recordKinds.packets, leg, unixMs: track.sinceMs, seq: 0, payload: ring.read() })
    }
    return records.length === 0 ? undefined : records
  }

  #store(tracks: readonly CallTrack[]): void {
    for (const track of tracks) {
      for (const [leg, series] of track.rtp) this.#closeSeries(track, leg, series)
      if (track.endedMs !== undefined) this.#closePackets(track)
    }
    const { store } = this.#options
    if (store === undefined) return
    for (const areFailed of [false, true]) {
      let together: CallTrack[] = []
      let bytes = 0
      for (const track of tracks) {
        if (track.isFailed !== areFailed || track.pages.length === 0) continue
        together.push(track)
        bytes += track.pages.length
        if (bytes < storedTogetherBytes) continue
        this.#put(store, together, areFailed)
        together = []
        bytes = 0
      }
      if (together.length > 0) this.#put(store, together, areFailed)
    }
  }

  #put(store: TraceStore, tracks: readonly CallTrack[], areFailed: boolean): void {
    const parts = tracks.map(({ uuid, sid, pages, isStored }): TracePart => {
      // It was stored before the call was known to fail: it is stored again, where it is kept longer.
      const before = areFailed && isStored ? store.partsOf(uuid) : []
      return { uuid, sid, isWhole: before.length > 0, pieces: [...before, ...pages.pieces] }
    })
    if (!store.put(parts, areFailed)) return
    for (const track of tracks) {
      track.isStored = true
      track.pages.clear()
    }
  }

  /** Ended calls that are stored take late records for a while; then they are forgotten here. */
  #forgetStored(): void {
    if (this.#options.store === undefined) {
      // They stay until there is no room; only their legs and dialogs are given back.
      for (let at = this.#ended.length - endedCalls; at >= 0; at--) {
        const track = this.#ended[at]
        if (track === undefined || track.legs.length + track.dialogs.length === 0) return
        this.#release(track)
      }
      return
    }
    while (this.#ended.length > endedCalls) {
      const track = this.#ended.shift()
      if (track === undefined || this.#ended.includes(track)) continue
      this.#store([track])
      this.#forget(track)
    }
  }

  #makeRoom(): void {
    const { memoryBytes } = this.#options
    let used = 0
    for (const { pages } of this.#held) used += pages.capacity
    if (used > memoryBytes) used -= this.#dropEnded(used - memoryBytes)
    if (used > memoryBytes) used -= this.#cutLive(used - memoryBytes)
    this.counters.memoryBytes = used
  }

  /** Good calls first, then failed ones, the oldest first. */
  #dropEnded(bytes: number): number {
    let freed = 0
    for (const failed of [false, true]) {
      const kept: CallTrack[] = []
      for (const track of this.#ended) {
        if (freed >= bytes || track.isFailed !== failed) {
          kept.push(track)
          continue
        }
        const { capacity, length } = track.pages
        freed += capacity
        this.#store([track])
        // It could not be stored.
        if (track.pages.length > 0) this.counters.droppedBytes += length
        this.#forget(track)
      }
      this.#ended = kept
      if (freed >= bytes) break
    }
    return freed
  }

  /** Beginnings of live calls, those with most first. */
  #cutLive(bytes: number): number {
    let freed = 0
    const tracks = [...this.#held].sort((one, other) => other.pages.capacity - one.pages.capacity)
    for (const track of tracks) {
      if (freed >= bytes) break
      freed += track.pages.capacity
      this.#store([track])
      const { length } = track.pages
      if (length === 0) continue
      this.counters.droppedBytes += length
      track.pages.clear()
      this.#json(recordKinds.cut, { track, index: 0 }, track.sinceMs, { uuid: track.uuid, sid: track.sid })
    }
    return freed
  }

  #forget(track: CallTrack): void {
    this.#release(track)
    track.pages.clear()
    this.#held.delete(track)
    if (this.#calls.get(track.uuid) !== track) return
    this.#calls.delete(track.uuid)
    if (track.sid !== '') this.#sids.delete(track.sid)
  }

  #release(track: CallTrack): void {
    for (const leg of track.legs) this.#legs.delete(leg)
    for (const dialog of track.dialogs) this.#dialogs.delete(dialog)
    track.legs.length = 0
    track.dialogs.length = 0
  }
}

function isAllStored({ pages, rtp, packets }: CallTrack): boolean {
  if (pages.length > 0 || packets.size > 0) return false
  for (const series of rtp.values()) if (series.bytes.length > 0) return false
  return true
}

const rtpHeaderBytes = 12
const lineFeed = 0x0a
const invite = [0x49, 0x4e, 0x56, 0x49, 0x54, 0x45, 0x20]

function beginsCall(bytes: Uint8Array, from: number): boolean {
  for (let at = 0; at < invite.length; at++) if (bytes[from + at] !== invite[at]) return false
  return true
}
