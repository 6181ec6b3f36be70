import { type EventCode, eventCatalogue } from '../events/catalogue.ts'
import { connectionFaults } from '../model/connection-fault.ts'
import { type EndReason, endReasons } from '../model/end-reason.ts'
import { formatMoney } from '../model/money.ts'
import { isQ850Failure, q850Text } from '../model/q850.ts'
import type { Rate } from '../model/rate.ts'
import { isCarriers, withoutCarrier } from './carriers-covered.ts'
import { EarlierProblems } from './earlier-problems.ts'
import type { EndFacts } from './end-facts.ts'
import { endOf } from './explanation.ts'
import { FailedAudio } from './failed-audio.ts'
import { type LegFacts, legsOf, legsOfCustomers } from './leg-facts.ts'
import { isProblemCode } from './problem-explanations.ts'
import { type RecordView, recordKinds } from './record.ts'
import { RtpColumns } from './rtp-columns.ts'
import { readRtpPoint, rtpPointBytes } from './rtp-point.ts'
import { codecsIn } from './sdp-codecs.ts'
import { readSip } from './sip-record.ts'
import { sipText } from './sip-text.ts'
import type {
  Trace,
  TraceCharge,
  TraceEnd,
  TraceEnding,
  TraceEntry,
  TraceKind,
  TracePage,
  TraceReader,
} from './trace.ts'

type Fields = Readonly<Record<string, unknown>>
const decoder = new TextDecoder()
const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value))
const letterOf = (index: number): string | null =>
  index === 0 ? null : index <= 26 ? String.fromCharCode(64 + index) : `L${index}`

interface TimelineExtras {
  /** What else is known of its end. */
  readonly ended?: TraceEnding | undefined
  /** The words of the RFCs for a status, in place of a carrier's own. Default: none. */
  readonly phraseOf?: ((status: number) => string) | undefined
}

/** Reads the records of one call, parts in their order, as the timeline of one reader. Unreadable ones are left out. */
export function timelineOf(
  records: readonly RecordView[],
  reader: TraceReader,
  page: TracePage,
  { ended, phraseOf = () => '' }: TimelineExtras = {},
): Trace {
  const numbered = numberedOf(records)
  const ordered = [...numbered].sort((one, other) => one.unixMs - other.unixMs)
  const first = ordered[0]?.unixMs ?? 0
  const highest = numbered.reduce((found, record) => Math.max(found, record.last), 0)
  const last = Math.max(page.after, Math.min(highest, page.after + page.limit, fittingOf(numbered, page.after)))
  const legs = legsOf(records)
  const seen = reader === 'customer' ? legsOfCustomers(legs) : legs
  const builder = new TimelineBuilder(reader, { after: page.after, last, first }, seen, phraseOf)
  for (const record of ordered) {
    try {
      builder.take(record)
    } catch {
      // Damaged on the disk: the others stay readable.
    }
  }
  if (ended !== undefined) builder.endedAs(ended)
  const isComplete = records[0]?.kind === recordKinds.begin && records.every(({ kind }) => kind !== recordKinds.cut)
  return { ...builder.trace(), isComplete, last, hasMore: highest > last }
}

/**
 * Bytes of messages, documents and notes on a page: a page is made, sent and read in memory. Points of RTP are small, and
 * bounded by their number.
 */
const mostOfPage = 2 * 1024 * 1024

/** The highest number up to which a page may go after `after`: it has one entry at least. */
function fittingOf(numbered: readonly Numbered[], after: number): number {
  let bytes = 0
  let last = after
  for (const { kind, seq, payload } of numbered) {
    if (seq <= after || kind === recordKinds.rtp || kind === recordKinds.packets || kind === recordKinds.audio) continue
    bytes += payload.length
    if (bytes > mostOfPage && last > after) return last
    last = Math.max(last, seq)
  }
  return Number.POSITIVE_INFINITY
}

interface Numbered extends RecordView {
  /** Added to the numbers of RTP points. */
  readonly base: number
  /** The highest number in it. */
  readonly last: number
}

/** A call that was forgotten in between has begun its numbers again: they go on from those before. */
function numberedOf(records: readonly RecordView[]): readonly Numbered[] {
  let [base, highest] = [0, 0]
  return records.map((record, at) => {
    if (record.kind === recordKinds.begin && at > 0) base = highest
    const seq = base + record.seq
    const last = record.kind === recordKinds.rtp ? Math.max(seq, base + lastPointOf(record.payload)) : seq
    highest = Math.max(highest, last)
    return { ...record, seq, base, last }
  })
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

const lastPointOf = (payload: Uint8Array): number =>
  payload.length < rtpPointBytes ? 0 : viewOf(payload).getUint32(payload.length - rtpPointBytes, true)

/** What of the call the reader asked for. */
interface Shown {
  readonly after: number
  readonly last: number
  /** Unix ms of the call's first record. */
  readonly first: number
}

/** A challenge is answered, and 487 only confirms our CANCEL (RFC 3261 §9.2): neither is why a leg ended. */
const saysWhy = (status: number): boolean => status >= 300 && status !== 401 && status !== 407 && status !== 487

class TimelineBuilder {
  readonly #reader: TraceReader
  readonly #shown: Shown
  readonly #phraseOf: (status: number) => string
  readonly #entries: TraceEntry[] = []
  readonly #legs: ReadonlyMap<number, LegFacts>
  /** The number of each leg that has begun so far; empty: not known yet. */
  readonly #begun = new Map<number, string>()
  readonly #rtp = new Map<number, RtpColumns>()
  readonly #charges: TraceCharge[] = []
  readonly #requests = new Map<string, { readonly url: string; readonly unixMs: number }>()
  readonly #holds = new Map<string, { readonly rate: Rate; readonly leg: number }>()
  /** Numbers that led into a circle of numbers that dial one another. */
  readonly #circles = new Set<string>()
  /** Legs that we have ended. */
  readonly #endedByUs = new Set<number>()
  readonly #problems = new EarlierProblems()
  readonly #audio = new FailedAudio()
  /** The last response that refused each number, and what it had been offered. */
  readonly #refusals = new Map<string, Pick<EndFacts, 'response' | 'offered'>>()
  /** The codecs of our last SDP to each leg. */
  readonly #offers = new Map<number, readonly string[]>()
  /** Whom a Dial did not reach, if no leg came after: for want of a route or of money it may have had none. */
  #unplaced: string | undefined
  #facts: { -readonly [K in keyof EndFacts]: EndFacts[K] } = {}
  #call: Fields = {}
  #over: Fields | undefined
  #cost = 0

  constructor(
    reader: TraceReader,
    shown: Shown,
    legs: ReadonlyMap<number, LegFacts>,
    phraseOf: (status: number) => string,
  ) {
    this.#reader = reader
    this.#phraseOf = phraseOf
    this.#shown = shown
    this.#legs = legs
  }

  take(record: Numbered): void {
    const { kind, leg, unixMs, seq } = record
    const isOnPage = this.#isShown(seq)
    const ms = unixMs - this.#shown.first
    const add: Add = (entryKind, sentence, data = {}, of = leg) => {
      if (!isOnPage) return
      const at = { seq, unixMs, ms: Math.round(ms * 1000) / 1000 }
      this.#entries.push({ ...at, kind: entryKind, leg: letterOf(of), text: sentence, data })
    }
    if (kind === recordKinds.sip) this.#sip(record, add)
    else if (kind === recordKinds.rtp) this.#points(record)
    else if (kind === recordKinds.packets || kind === recordKinds.audio) return
    else {
      const note = JSON.parse(decoder.decode(record.payload)) as Fields
      if (kind === recordKinds.begin) this.#call = { ...note, ...this.#call }
      else if (kind === recordKinds.over) this.#ended(note, add)
      else if (kind === recordKinds.note) this.#note(note, leg, unixMs, add)
    }
  }

  /** An end that could not be recorded. */
  endedAs(ended: TraceEnding): void {
    this.#over ??= { ...ended }
  }

  trace(): Omit<Trace, 'isComplete' | 'last' | 'hasMore'> {
    const call = { ...this.#call, ...this.#over }
    const reason = text(this.#over?.reasonCode) as EndReason
    return {
      uuid: text(call.uuid),
      sid: text(call.sid),
      account: text(call.accountUuid),
      direction: text(call.direction),
      fromNumber: text(call.fromNumber),
      toNumber: text(call.toNumber),
      isOver: this.#over !== undefined,
      legs: [...this.#legs].map(([index, { uuid, role, via, number, trunk }]) => {
        const name = this.#reader === 'operator' ? trunk : null
        const shown = number || this.#callerOnNet({ role, via })
        return { id: letterOf(index) ?? '', uuid, role, via: via ?? 'uri', number: shown, trunk: name }
      }),
      entries: this.#entries,
      rtp: [...this.#rtp].map(([index, columns]) => columns.read(letterOf(index) ?? '')),
      charges: this.#charges,
      cost: formatMoney(this.#cost),
      end: reason in endReasons ? this.#end(reason, call) : null,
    }
  }

  #end(reason: EndReason, call: Fields): TraceEnd {
    const number = this.#endNumber(call)
    const isUnanswered = this.#over?.status === 'failed'
    const facts: EndFacts = { ...this.#facts, ...this.#numberFacts(number), isUnanswered }
    const end = endOf(reason, facts)
    return { ...end, problems: this.#problems.beside(end, { ...facts, number: this.#dialledAs(number) }) }
  }

  /** A call that came in and dials the number that it came to would come in again. */
  #numberFacts(number: string): Pick<EndFacts, 'number' | 'isOwnNumber' | 'dialsBack' | 'isCircle'> {
    const { direction, toNumber } = this.#call
    const isCircle = this.#circles.has(number)
    if (direction !== 'inbound' || number === '') return { number, isCircle }
    const isCaller = [...this.#legs.values()].some(({ dialledBy }) => dialledBy === number)
    return { number, isCircle, isOwnNumber: number === toNumber, ...(isCaller && { dialsBack: text(toNumber) }) }
  }

  #endNumber(call: Fields): string {
    return text(this.#dialledNumber(call))
  }

  /** Whom the account dialled by a leg; the trunk may have got another number. */
  #dialled(leg: number): string {
    const { dialled, number = '' } = this.#legs.get(leg) ?? {}
    return dialled ?? number
  }

  /** The number of a leg as the account dialled it. */
  #dialledAs(number: string): string {
    return [...this.#legs.values()].find(leg => leg.number === number)?.dialled ?? number
  }

  #dialledNumber(call: Fields): unknown {
    const dialled = [...this.#legs.values()].findLast(leg => leg.role === 'callee' && leg.number !== '')
    // A call that came in and dialled no one: its own number would mislead.
    return this.#unplaced ?? dialled?.number ?? (call.direction === 'inbound' ? '' : call.toNumber)
  }

  #sip(record: RecordView, add: Add): void {
    const sip = readSip(record.payload)
    const message = decoder.decode(sip.message)
    const leg = this.#legs.get(record.leg)
    const isHidden = this.#reader === 'customer' && isCarriers(leg)
    const shown = isHidden ? withoutCarrier(message, sip.isSent, leg, this.#phraseOf) : message
    const { line, status, method } = sipText(shown)
    if (status !== undefined && method === 'INVITE' && !sip.isSent && saysWhy(status)) {
      this.#facts.response = line
      const offered = this.#offers.get(record.leg)
      if (offered !== undefined) this.#facts.offered = offered
      this.#refusals.set(this.#dialled(record.leg), { response: line, ...(offered && { offered }) })
    }
    add('sip', line, {
      direction: sip.isSent ? 'sent' : 'received',
      transport: sip.transport,
      method,
      ...(status === undefined ? {} : { status }),
      ...(this.#reader === 'operator'
        ? { remote: `${sip.address}:${sip.port}`, local: `${sip.localHost}:${sip.localPort}` }
        : {}),
      message: shown,
    })
    this.#codecs(message, record.leg, sip.isSent)
  }

  /** What the remote named last, and what each leg was offered, for the sentence of a call without a common codec. */
  #codecs(message: string, leg: number, isSent: boolean): void {
    const codecs = codecsIn(message)
    if (codecs.length === 0) return
    if (isSent) this.#offers.set(leg, codecs)
    else this.#facts.codecs = codecs
  }

  #points({ leg, payload, base, unixMs }: Numbered): void {
    const columns = this.#rtp.get(leg) ?? new RtpColumns()
    this.#rtp.set(leg, columns)
    const view = viewOf(payload)
    for (let at = 0; at + rtpPointBytes <= payload.length; at += rtpPointBytes) {
      const point = readRtpPoint(view, at, unixMs)
      columns.add(point, point.unixMs - this.#shown.first, this.#isShown(base + point.seq))
    }
  }

  #isShown(seq: number): boolean {
    return seq > this.#shown.after && seq <= this.#shown.last
  }

  /** Where media was awaited is a carrier's address: the operator's alone. */
  #mediaTimeout({ fault, from, seen }: Fields, add: Add): void {
    const isNamed = from !== undefined && this.#reader === 'operator'
    const other = seen === undefined ? '' : `; ${text(seen)} has sent there instead`
    const where = isNamed ? ` from ${text(from)}, the only source by media_source${other}` : ''
    const what = fault === undefined ? `no RTP for the media timeout${where}` : `${text(fault).toUpperCase()} failed`
    add('media', what, isNamed ? { fault, from, seen } : { fault })
  }

  /** The last BYE counts: after that of a dialled leg the document may have gone on. */
  #hungUp(leg: number, q850: unknown): void {
    this.#facts.hungUp = this.#legs.get(leg)?.number ?? ''
    if (typeof q850 === 'number' && isQ850Failure(q850)) this.#facts.cut = q850
    else delete this.#facts.cut
  }

  #note(note: Fields, leg: number, unixMs: number, add: Add): void {
    const { kind, id: _id, ...rest } = note
    this.#audio.note(note)
    switch (kind) {
      case 'leg-begins':
        this.#legBegins(note, leg, add)
        return
      case 'leg-ended': {
        const cause = (note.cause ?? {}) as Fields
        // The answer to our BYE or CANCEL only confirms it.
        if (this.#endedByUs.has(leg)) {
          add('leg', `the leg has ended: ${causeText(cause)}`, cause)
          return
        }
        if (cause.kind === 'bye') this.#hungUp(leg, cause.q850)
        add('leg', `the remote ended the leg: ${causeText(cause)}`, cause)
        return
      }
      case 'leg-end':
        this.#endedByUs.add(leg)
        add('leg', `we end the leg: ${text(note.reason)} ${labelOf(note.reason)}`, rest)
        return
      case 'leg-rings':
        add('leg', 'rings', rest)
        return
      case 'leg-answered':
        add('leg', 'answered', rest)
        return
      case 'call':
        this.#call = { ...this.#call, ...rest }
        add('call', `${text(note.direction)} call from ${text(note.fromNumber)} to ${text(note.toNumber)}`, {
          sid: note.sid,
        })
        return
      case 'document-request':
        this.#requests.set(text(note.id), { url: text(note.url), unixMs })
        delete this.#facts.verb
        add('document', `request to ${text(note.url)}`, { url: note.url, fields: note.fields })
        return
      case 'document-answer': {
        const request = this.#requests.get(text(note.id))
        const ms = request === undefined ? null : Math.round(unixMs - request.unixMs)
        this.#facts.document = { url: request?.url ?? '', detail: '', ms: ms ?? 0 }
        delete this.#facts.problem
        add('document', `answer after ${ms ?? '?'} ms, ${text(note.body).length} characters`, {
          url: request?.url ?? '',
          ms,
          body: note.body,
        })
        return
      }
      case 'document-failed': {
        const request = this.#requests.get(text(note.id))
        const ms = request === undefined ? 0 : Math.round(unixMs - request.unixMs)
        const { fault, cause } = note as Pick<NonNullable<EndFacts['document']>, 'fault' | 'cause'>
        this.#facts.document = {
          url: request?.url ?? '',
          detail: text(note.detail),
          ms,
          ...(fault && { fault }),
          ...(cause && { cause }),
        }
        add('document', `failed after ${ms} ms: ${whyNoAnswer(note)}`, {
          url: request?.url ?? '',
          ms,
          fault: note.fault,
          detail: note.detail,
        })
        return
      }
      case 'circle': {
        const number = text(note.number)
        this.#circles.add(number)
        // The call may have been answered, and end as one that someone hung up.
        this.#problems.dialFailed('END.3482', this.#numberFacts(number))
        return
      }
      case 'verb':
        this.#facts.verb = {
          name: text(note.name),
          url: text(note.url),
          line: Number(note.line),
          column: Number(note.column),
        }
        add('verb', `<${text(note.name)}> at line ${text(note.line)}, column ${text(note.column)}`, rest)
        return
      case 'say':
        add('say', `says "${text(note.text)}"`, rest)
        return
      case 'load':
        add('play', `fetches ${text(note.source)}`, rest)
        return
      case 'audio-ready':
        add('play', `audio of ${text(note.durationMs)} ms is ready`, rest)
        return
      case 'audio-failed':
        add('play', `${text(note.code)}: ${text(note.detail)}`, rest)
        return
      case 'play':
        add('play', `plays ${text(note.source)}`, rest)
        return
      case 'played':
        add(
          'play',
          note.completed === true
            ? 'played to its end'
            : `stopped${note.fault === undefined ? '' : `: ${text(note.fault)}`}`,
          rest,
        )
        return
      case 'digit':
        add('digit', `digit ${text(note.digit)} received by ${text(note.by)}`, rest)
        return
      case 'digits-sent':
        add('digit', `sends digits ${text(note.digits)}`, rest)
        return
      case 'bridge':
        add('bridge', `bridged with ${this.#letter(note.other)}`, rest)
        return
      case 'unbridge':
        add('bridge', 'no longer bridged', rest)
        return
      case 'join':
        add('bridge', 'joins a conference', rest)
        return
      case 'leave':
        add('bridge', 'leaves the conference', rest)
        return
      case 'hold':
        add('hold', note.direction === 'sendrecv' ? 'new offer' : `put on hold (${text(note.direction)})`, rest)
        return
      case 'record':
        add('recording', 'recording begins', rest)
        return
      case 'recorded':
        add('recording', `recorded ${text(note.durationMs)} ms, ended by ${text(note.endedBy)}`, rest)
        return
      case 'capture': {
        const { seconds } = note
        add('media', seconds === 0 ? 'capture of audio ends' : `audio is captured for ${text(seconds)} s`, rest)
        return
      }
      case 'capture-full':
        add('media', 'no more audio is captured: the room for one call is used up', rest)
        return
      case 'media-ready':
        add('media', `audio flows: ${text(note.codec)}`, rest)
        return
      case 'media-failed':
        add('media', `media failed: ${text(note.fault)}`, rest)
        return
      case 'media-timeout':
        if (note.fault === undefined) this.#facts.silent = this.#legs.get(leg)?.number ?? ''
        this.#mediaTimeout(note, add)
        return
      case 'hangup':
        add('call', `hang-up asked for: ${text(note.reason)} ${labelOf(note.reason)}`, rest)
        return
      case 'webhook': {
        const after = note.ms === undefined ? '' : ` after ${text(note.ms)} ms`
        const outcome =
          note.status === undefined ? `failed${after}: ${whyNoAnswer(note)}` : `${text(note.status)}${after}`
        add(
          'webhook',
          `${text(note.event) || 'callback'} to ${text(note.url)}: try ${text(note.tries)}: ${outcome}`,
          rest,
        )
        return
      }
      case 'event': {
        const data = (note.data ?? {}) as Fields
        if (typeof data.line === 'number' && this.#facts.problem === undefined)
          this.#facts.problem = { line: data.line, column: Number(data.column), message: text(data.message) }
        const where =
          typeof data.line === 'number'
            ? ` at line ${data.line}, column ${text(data.column)}: ${text(data.message)}`
            : ''
        this.#problem(text(note.code), data)
        add('event', `${text(note.code)} ${nameOf(note.code)}${where}`, rest)
        return
      }
      default:
        this.#money(note, leg, add)
    }
  }

  /** A leg is told of twice where its number is known later than that it is there. */
  #legBegins(note: Fields, leg: number, add: Add): void {
    const facts = this.#legs.get(leg)
    this.#unplaced = undefined
    const written = text(note.number)
    const number = written !== '' && written === facts?.sent ? facts.number : written
    if (facts === undefined || (number === '' && facts.number !== '') || this.#begun.get(leg) === number) return
    this.#begun.set(leg, number)
    const trunk = facts.trunk !== null && this.#reader === 'operator' ? ` by trunk ${facts.trunk}` : ''
    const what = facts.role === 'caller' ? 'calls' : 'is dialled'
    const { uuid, via = 'uri' } = facts
    add('leg', `${number || this.#callerOnNet(facts) || `a leg (${via})`} ${what}${trunk}`, { uuid, via })
  }

  /** Another call of this switch calls: with the number that the call is from. */
  #callerOnNet({ role, via }: Pick<LegFacts, 'role' | 'via'>): string {
    return role === 'caller' && via === 'on-net' ? text(this.#call.fromNumber) : ''
  }

  #problem(code: string, data: Fields): void {
    if (code === 'DIAL.0200') this.#problems.dialAnswered()
    else if (code === 'DIAL.0400') {
      const number = text(data.to_number)
      this.#unplaced = number
      this.#problems.dialFailed(text(data.reason_code), { ...this.#numberFacts(number), ...this.#refusals.get(number) })
    } else if (isProblemCode(code) && code !== 'SAY.0413') this.#problems.sound(code, this.#soundFacts(data))
    else this.#problems.document(code, data, this.#facts)
  }

  #soundFacts({ detail, voice }: Fields): EndFacts {
    const { verb } = this.#facts
    return {
      ...this.#audio.reported(text(detail)),
      ...(detail === undefined ? {} : { detail: text(detail) }),
      ...(voice === undefined ? {} : { voice: text(voice) }),
      ...(verb && { verb }),
    }
  }

  #money(note: Fields, leg: number, add: Add): void {
    const { kind, ...rest } = note
    const hold = this.#holds.get(text(note.hold))
    const amount = formatMoney(Number(note.amount ?? note.charge ?? 0))
    switch (kind) {
      case 'hold-opened': {
        const rate = note.rate as Rate
        // Money is held before the leg begins.
        const of = leg === 0 ? this.#numberOf(note.legId) : leg
        this.#holds.set(text(note.hold), { rate, leg: of })
        const sentence = `holds ${amount} KES at ${formatMoney(rate.ratePerMinute)} KES/min`
        add('money', sentence, { amount, prefix: rate.prefix }, of)
        return
      }
      case 'hold-grown':
        add('money', `holds ${amount} KES more`, { amount }, hold?.leg)
        return
      case 'settled':
        this.#settle(note, hold, amount, add)
        return
      case 'money-refused':
        add('money', 'the balance does not cover it', rest)
        return
      case 'store-failed':
        add('call', 'the database failed', this.#reader === 'operator' ? rest : {})
        return
      default:
      // Another kind of note is not about money.
    }
  }

  #settle(
    note: Fields,
    hold: { readonly rate: Rate; readonly leg: number } | undefined,
    charge: string,
    add: Add,
  ): void {
    this.#cost += Number(note.charge)
    if (hold === undefined) {
      add('money', `settled: ${charge} KES`, { charge })
      return
    }
    const { rate, leg } = hold
    const billed = Number(note.billedSeconds)
    const fee =
      rate.connectionFee === 0 || billed === 0 ? '' : ` + ${formatMoney(rate.connectionFee)} KES connection fee`
    const explained = `${text(note.talkSeconds)} s of talk, ${billed} s billed (increments of ${rate.incrementSeconds} s, at least ${rate.minimumSeconds} s): ${billed} s × ${formatMoney(rate.ratePerMinute)} KES / 60 s${fee} = ${charge} KES`
    this.#charges.push({
      leg: letterOf(leg),
      number: this.#legs.get(leg)?.number ?? '',
      prefix: rate.prefix,
      rate_per_minute: formatMoney(rate.ratePerMinute),
      increment_seconds: rate.incrementSeconds,
      minimum_seconds: rate.minimumSeconds,
      connection_fee: formatMoney(rate.connectionFee),
      talk_seconds: Number(note.talkSeconds),
      billed_seconds: billed,
      charge,
      explained,
    })
    add('money', `settled: ${explained}`, { charge }, leg)
  }

  #ended(note: Fields, add: Add): void {
    this.#over = note
    add('call', `${text(note.status)}: ${text(note.reasonCode)} ${labelOf(note.reasonCode)}`, {
      reason_code: note.reasonCode,
    })
  }

  #letter(uuid: unknown): string {
    return letterOf(this.#numberOf(uuid)) ?? 'a leg'
  }

  /** 0: not known. */
  #numberOf(uuid: unknown): number {
    for (const [index, leg] of this.#legs) if (leg.uuid === uuid) return index
    return 0
  }
}

/** `of`: number of the leg, where it is another than the record's. */
type Add = (kind: TraceKind, sentence: string, data?: Fields, of?: number) => void

const nameOf = (code: unknown): string => eventCatalogue[text(code) as EventCode]?.event ?? ''
const labelOf = (reason: unknown): string => endReasons[text(reason) as EndReason]?.label ?? ''

/** In plain words where they are known, else as what failed has put it. */
function whyNoAnswer({ fault, cause, detail }: Fields): string {
  const known: Readonly<Record<string, string>> = connectionFaults
  return known[text(cause)] ?? (text(detail) || text(fault))
}

const causeText = (cause: Fields): string =>
  cause.kind === 'response'
    ? `response ${text(cause.status)}`
    : `${text(cause.kind).replaceAll('-', ' ')}${typeof cause.q850 === 'number' ? `, ${q850Text(cause.q850)}` : ''}`
