import type { ExchangeCommand } from '../contract/exchange-command.ts'
import type { ExchangeEvent } from '../contract/exchange-event.ts'
import { type EventCode, eventCatalogue } from '../events/catalogue.ts'
import type { VoiceEvent } from '../events/voice-event.ts'
import type { Change } from '../ports/store.ts'
import type { CoveredTexts } from './covered-texts.ts'
import { dataWithoutSecrets, withoutSecrets, withoutSecretsUpTo } from './redaction.ts'

/** What is written of an event or a command: small, `kind` first. Times and legs are in the record. */
export interface Note {
  readonly kind: string
  readonly [field: string]: unknown
}

/** Longest text that a note keeps of what others wrote. */
const longestText = 1000
const longestFields = 4000
export const longestBody = 64 * 1024

const clipped = (text: string, length = longestText): string => withoutSecretsUpTo(text, length)

const clippedIfAny = (text: string | undefined): string | undefined => (text === undefined ? undefined : clipped(text))

const direction = /^a=(sendrecv|sendonly|recvonly|inactive)\s*$/m

export function noteOfEvent(event: ExchangeEvent): Note | undefined {
  switch (event.type) {
    case 'leg.ended':
      return { kind: 'leg-ended', cause: event.cause }
    case 'leg.ringing':
      return { kind: 'leg-rings' }
    case 'leg.answered':
      return { kind: 'leg-answered' }
    case 'leg.reoffered': {
      const found = direction.exec(event.sdp ?? '')?.[1] ?? 'sendrecv'
      return { kind: 'hold', direction: found }
    }
    case 'media.digit':
    case 'leg.digit': {
      const by = event.type === 'leg.digit' ? 'INFO' : 'RTP'
      return { kind: 'digit', digit: event.digit, durationMs: event.durationMs, by }
    }
    case 'media.ready':
      return { kind: 'media-ready', codec: event.codec }
    case 'media.failed':
      return { kind: 'media-failed', fault: event.fault, reoffer: event.reoffer }
    case 'media.timeout':
      return { kind: 'media-timeout', fault: event.fault, from: event.awaited?.from, seen: event.awaited?.seen }
    case 'media.played':
      return { kind: 'played', id: event.playId, completed: event.completed, fault: event.fault }
    case 'media.recorded': {
      const { recordId, durationMs, sizeBytes, endedBy } = event
      return { kind: 'recorded', id: recordId, durationMs, sizeBytes, endedBy }
    }
    case 'document.fetched':
      return { kind: 'document-answer', id: event.requestId }
    case 'document.failed': {
      const { requestId, fault, cause, detail } = event
      return { kind: 'document-failed', id: requestId, fault, cause, detail: clipped(detail) }
    }
    case 'audio.ready':
      return {
        kind: 'audio-ready',
        id: event.requestId,
        durationMs: event.durationMs,
        unknownVoice: clippedIfAny(event.unknownVoice),
      }
    case 'audio.failed':
      return { kind: 'audio-failed', id: event.requestId, code: event.code, detail: clipped(event.detail) }
    case 'store.committed':
      return event.result.ok ? undefined : { kind: 'money-refused', refused: event.result.refused }
    case 'store.commit-failed':
      return { kind: 'store-failed', detail: clipped(event.detail) }
    case 'call.hangup':
      return { kind: 'hangup', reason: event.reason ?? 'END.0201' }
    default:
      return undefined
  }
}

export function noteOfCommand(command: ExchangeCommand): Note | undefined {
  switch (command.type) {
    case 'document.fetch':
      return {
        kind: 'document-request',
        id: command.requestId,
        url: clipped(command.url),
        fields: clipped(JSON.stringify(command.fields), longestFields),
      }
    case 'audio.speak':
      return {
        kind: 'say',
        id: command.requestId,
        text: clipped(command.text),
        voice: clippedIfAny(command.voice),
        language: clippedIfAny(command.language),
      }
    case 'audio.load': {
      const source = 'asset' in command.source ? command.source.asset : clipped(command.source.url)
      return { kind: 'load', id: command.requestId, source }
    }
    case 'media.play': {
      const { source, loop, playId: id } = command
      return { kind: 'play', id, source: source.kind === 'tone' ? source.tone : 'prompt', loop }
    }
    case 'media.record':
    case 'media.record-session':
      return { kind: 'record', id: command.recordId }
    case 'media.capture':
      return { kind: 'capture', seconds: Math.round(command.forMs / 1000) }
    case 'media.bridge':
      return { kind: 'bridge', other: command.otherLegId }
    case 'media.unbridge':
      return { kind: 'unbridge' }
    case 'media.join':
      return { kind: 'join', muted: command.muted }
    case 'media.leave':
      return { kind: 'leave' }
    case 'media.send-digits':
      return { kind: 'digits-sent', digits: command.digits }
    case 'leg.end':
      return { kind: 'leg-end', reason: command.reason }
    default:
      return undefined
  }
}

/** A row, an event or money of a unit of work. A string is the JSON of a note about the call that holds no text of others. */
export function noteOfChange(change: Change): Note | string | undefined {
  switch (change.type) {
    case 'call.insert': {
      const { sid, accountUuid, direction, fromNumber, toNumber } = change.call
      return { kind: 'call', sid, accountUuid, direction, fromNumber, toNumber }
    }
    case 'hold.open': {
      const { uuid, legUuid, rate, amount } = change.hold
      return { kind: 'hold-opened', hold: uuid, legId: legUuid, rate, amount }
    }
    case 'hold.grow':
      return { kind: 'hold-grown', hold: change.uuid, amount: change.amount }
    case 'hold.settle': {
      const { uuid: hold, charge, talkSeconds, billedSeconds } = change
      return { kind: 'settled', hold, charge, talkSeconds, billedSeconds }
    }
    case 'event.append':
      return noteOfVoiceEvent(change.event)
    default:
      return undefined
  }
}

/** Digits and settlements have entries of their own. */
const notedElsewhere: ReadonlySet<string> = new Set(['DTMF.0100', 'BILL.0200'] satisfies EventCode[])
/** Problems and a low balance; what else an event says, the call's record repeats. */
const notedWhole: ReadonlySet<string> = new Set(
  Object.keys(eventCatalogue).filter(code => /^(?:DOC|PLAY|SAY)\.|^BILL\.0100$/.test(code)),
)

function noteOfVoiceEvent({ code, data, uuid: event }: VoiceEvent): Note | string | undefined {
  if (notedElsewhere.has(code)) return undefined
  if (notedWhole.has(code)) return { kind: 'event', code, event, data }
  if (code === 'DIAL.0400')
    return { kind: 'event', code, event, data: { to_number: data.to_number, reason_code: data.reason_code } }
  // Why it was not begun; undefined: it broke off.
  if (code === 'REC.0400') return { kind: 'event', code, event, data: { detail: data.detail } }
  // Most notes are these: JSON.stringify takes many times as long.
  return `{"kind":"event","code":"${code}","event":"${event}"}`
}

/**
 * Texts that others wrote, or that name what they wrote. `<Say>` holds voice and language to patterns that no secret's form
 * passes (`core/verbs/say.ts`); they are here so that the recorder does not depend on it.
 */
const openTexts = [
  'url',
  'detail',
  'source',
  'fields',
  'body',
  'number',
  'text',
  'voice',
  'language',
  'unknownVoice',
] as const

/** Nothing of it is looked at but by readers, and none of its names says that a value is a secret, as those of `data` may. */
export const isPlain = (note: Note): boolean =>
  note.data === undefined && note.kind !== 'call' && note.kind !== 'webhook'

/** The note without what is secret in its texts. `bodies` knows documents that came before. */
export function redacted(note: Note, bodies: CoveredTexts): Note {
  const found = openTexts.filter(name => typeof note[name] === 'string')
  if (found.length === 0 && note.data === undefined) return note
  const covered: Record<string, unknown> = { ...note }
  for (const name of found)
    covered[name] = name === 'body' ? bodies.of(String(note[name])) : withoutSecrets(String(note[name]))
  if (note.data !== undefined) covered.data = dataWithoutSecrets(note.data)
  return covered as Note
}
