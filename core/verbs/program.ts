import type { EventCode } from '../events/catalogue.ts'
import type { DialCallStatus, EndReason } from '../model/end-reason.ts'
import type { FetchFault } from '../ports/documents.ts'
import type { Place } from './problem.ts'

/**
 * The seam between a running document (core/verbs, the interpreter) and its call (core/call). The program asks in
 * the words of docs/verbs.md; the call knows legs, media, money and the database, and answers with events.
 * Ids are chosen by the program and unique within the call.
 */
export type ProgramCommand =
  /** Call-control or action request: the call adds the base fields (CallSid, From, …) to `extras`. */
  | {
      readonly type: 'fetch'
      readonly requestId: string
      /** Absolute. */
      readonly url: string
      readonly extras: Readonly<Record<string, unknown>>
      /** The caller has gone: the request is still posted, its answer is ignored. */
      readonly ignoreReply: boolean
    }
  /** Answers the caller when it is not answered yet. `answered` follows, at once when it already was. */
  | { readonly type: 'answer' }
  | {
      readonly type: 'say'
      readonly playId: string
      /** Plain words. */
      readonly text: string
      /** The same with markup that passed the document's rules, when it holds any: for `audio.speak`. */
      readonly ssml?: string
      readonly voice?: string
      readonly language?: string
      /** 0 = until stopped. */
      readonly loop: number
    }
  | {
      readonly type: 'play'
      readonly playId: string
      readonly source: { readonly asset: string } | { readonly url: string }
      readonly loop: number
    }
  | { readonly type: 'beep'; readonly playId: string }
  | { readonly type: 'stop'; readonly playId: string }
  | { readonly type: 'send-digits'; readonly playId: string; readonly digits: string }
  | { readonly type: 'record'; readonly recordId: string; readonly options: RecordOptions }
  | { readonly type: 'stop-record'; readonly recordId: string }
  /** Recorded beside the document; its end is not reported. */
  | { readonly type: 'record-session'; readonly order: SessionRecordOrder }
  | { readonly type: 'dial'; readonly dialId: string; readonly dial: DialRequest }
  | { readonly type: 'report'; readonly code: EventCode; readonly data: Readonly<Record<string, unknown>> }
  /** A verb of a document begins, for people who read the trace. */
  | { readonly type: 'began'; readonly verb: BegunVerb }
  /** The program is over: hang up, or reject with the reason's SIP status when the call is unanswered. */
  | { readonly type: 'end'; readonly reason: EndReason; readonly rejectWith?: 486 | 603 }

/** Where a verb is that begins. */
export interface BegunVerb {
  readonly name: string
  readonly line: number
  readonly column: number
  readonly url: string
}

/** What a Say or a Play will send to the caller. */
export type SoundCommand = Extract<ProgramCommand, { readonly type: 'say' | 'play' }>

export interface RecordOptions {
  readonly silenceMs: number
  readonly maxLengthMs: number
  readonly trimSilence: boolean
  readonly format: 'wav' | 'ogg'
}

export type SessionRecordOrder =
  | { readonly state: 'start'; readonly options: SessionRecordOptions; readonly playBeep: boolean }
  | { readonly state: 'pause' | 'resume' | 'stop' }

/** Both sides of the call, as the caller lives it. */
export interface SessionRecordOptions {
  /** `dual`: the caller left, what it is sent right. */
  readonly channels: 'dual' | 'mono'
  /** `inbound`: only the caller; `outbound`: only what it is sent. */
  readonly track: 'both' | 'inbound' | 'outbound'
  readonly maxLengthMs: number
  readonly format: 'wav' | 'ogg'
}

export interface DialRequest {
  readonly targets: readonly DialChild[]
  /** A room to enter, instead of targets to ring. */
  readonly conference?: ConferenceOrder
  readonly timeoutMs: number
  readonly timeLimitMs: number
  /** As the document wrote it; the call checks that the account may present it. */
  readonly callerId?: string
  /** The problem that is reported, as DOC.0422, when it may not. */
  readonly callerIdProblem?: { readonly url: string } & Place
  readonly answerOnBridge: boolean
  readonly hangupOnStar: boolean
  readonly sequential: boolean
  /** Country code or asset slug. */
  readonly ringTone: string
  readonly record: 'do-not-record' | 'record-from-answer' | 'record-from-answer-dual'
}

export type DialChild =
  | { readonly kind: 'number'; readonly number: string; readonly sendDigits: string }
  | { readonly kind: 'client'; readonly client: string }
  | { readonly kind: 'sip'; readonly uri: string; readonly username?: string; readonly password?: string }

export interface ConferenceOrder {
  readonly kind: 'conference'
  /** Name of the room, within the account. */
  readonly name: string
  readonly muted: boolean
  readonly startOnEnter: boolean
  readonly endOnExit: boolean
  readonly beepOnEnter: boolean
  readonly beepOnExit: boolean
  /** Country code, asset slug or `silence`; missing = the switch's own. */
  readonly wait?: string
  readonly maxMembers: number
}

export type ProgramEvent =
  | {
      readonly type: 'fetched'
      readonly requestId: string
      readonly bytes: Uint8Array
      /** Many calls get these bytes. Default false. */
      readonly isConstant?: boolean
    }
  | { readonly type: 'fetch-failed'; readonly requestId: string; readonly fault: FetchFault; readonly detail: string }
  | { readonly type: 'answered' }
  /**
   * Ended, stopped, or could not be played (the call has reported why): the program goes on. `spokenMs`: what was played
   * of a Say or a Play, in ms.
   */
  | { readonly type: 'played'; readonly playId: string; readonly spokenMs: number }
  | {
      readonly type: 'recorded'
      readonly recordId: string
      readonly recordingUuid: string
      readonly path: string
      readonly durationMs: number
      readonly endedBy: 'silence' | 'max-length' | 'stopped' | 'closed' | 'failed'
    }
  /** A key has gone down; its `digit` may follow. Not reported of every key. */
  | { readonly type: 'key-down' }
  | { readonly type: 'digit'; readonly digit: string }
  | {
      readonly type: 'dialled'
      readonly dialId: string
      readonly status: DialCallStatus
      readonly durationSeconds: number
      readonly reason: EndReason
      readonly sid: string
    }
  /** The caller hung up, or the call is ended from outside: run what must still be posted, then be silent. */
  | { readonly type: 'caller-gone' }

/** What the call knows and a running verb may ask. */
export interface ProgramContext {
  readonly answered: boolean
  readonly fallbackMode: 'message' | 'play' | 'drop'
  readonly fallbackValue: string
}
