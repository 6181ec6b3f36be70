import type { VerbDocument } from './response.ts'

/** A call that asks for a document, as a function sees it. */
export interface CallContext {
  /** Unique id of the call. */
  readonly sid: string
  /** The account's uuid. */
  readonly account: string
  readonly direction: 'inbound' | 'outbound'
  /** The caller's number, or the presented caller id of an outbound call. */
  readonly from: string
  /** The number that was dialled. */
  readonly to: string
  readonly status: 'ringing' | 'in-progress' | 'completed'
  /** What is asked for: `/` at first, then the path of an `action` or `<Redirect>`, with its query. */
  readonly path: string
  /** The whole URL; a document that a function gives has one below `https://function.invalid/`. */
  readonly url: string
  /** After a Gather or Record: the digits. */
  readonly digits?: string
  /** After a Dial. `seconds`: how long the dialled leg was connected. */
  readonly dial?: {
    readonly status: 'completed' | 'busy' | 'no-answer' | 'failed'
    readonly seconds: number
    readonly reason: string
    readonly sid: string
  }
  /** After a Record. */
  readonly recording?: { readonly uuid: string; readonly path: string; readonly seconds: number }
  /** As attached at originate, or by a browser phone. */
  readonly customPayload?: string
  /** Set when an end-user's phone placed the call. */
  readonly endUser?: {
    readonly uuid: string
    readonly email: string
    readonly displayName: string
    readonly extension: string
  }
  /** The fields as a webhook would carry them. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** A document, as the builder or XML gives it; undefined: there is none, and the account's fallback runs. */
export type CallAnswer = VerbDocument | string | undefined

/** Answers every request for a document of a call. It has 10 s, as a webhook has. */
export type CallHandler = (call: CallContext) => CallAnswer | Promise<CallAnswer>

/** Base of the URLs of documents that a function gives: a name that DNS never has (RFC 2606 §2). */
export const functionBase = 'https://function.invalid/'

/** The call of a request for a document; `url` is where an `action` led, below `functionBase` or anywhere. */
export function callContext(url: string, fields: Readonly<Record<string, unknown>>): CallContext {
  const { pathname, search } = new URL(url)
  const { Digits, DialCallStatus, RecordingUuid, customPayload } = fields
  const endUser = fields.endUser as Readonly<Record<string, string>> | undefined
  const path = `${pathname}${search}`
  return {
    sid: text(fields.CallSid),
    account: text(fields.AccountSid),
    direction: fields.Direction === 'outbound' ? 'outbound' : 'inbound',
    from: text(fields.From),
    to: text(fields.To),
    status: text(fields.CallStatus) as CallContext['status'],
    path,
    url,
    fields,
    ...(Digits === undefined ? {} : { digits: text(Digits) }),
    ...(DialCallStatus === undefined
      ? {}
      : {
          dial: {
            status: DialCallStatus as NonNullable<CallContext['dial']>['status'],
            seconds: Number(fields.DialCallDuration),
            reason: text(fields.DialReasonCode),
            sid: text(fields.DialCallSid),
          },
        }),
    ...(RecordingUuid === undefined
      ? {}
      : {
          recording: {
            uuid: text(RecordingUuid),
            path: text(fields.RecordingPath),
            seconds: Number(fields.RecordingDuration),
          },
        }),
    ...(customPayload === undefined ? {} : { customPayload: text(customPayload) }),
    ...(endUser === undefined
      ? {}
      : {
          endUser: {
            uuid: text(endUser.uuid),
            email: text(endUser.email),
            displayName: text(endUser.display_name),
            extension: text(endUser.extension_number),
          },
        }),
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
