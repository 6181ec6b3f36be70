import type { SipMessage, SipRequest } from './message.ts'

/** Why bytes are not a message, and the status that a request of that kind is answered with. */
export const parseFaults = {
  empty: undefined,
  'bad-start-line': 400,
  'bad-version': 505,
  'bad-header': 400,
  'head-unfinished': 400,
  'too-many-headers': 400,
  'bad-content-length': 400,
  'no-content-length': 400,
  'body-too-short': 400,
  'message-too-large': 513,
} as const satisfies Record<string, number | undefined>

/** What is wrong with a message, as a word that stays. */
export type ParseFault = keyof typeof parseFaults

/**
 * `at`: how far into the head. `status` and `partial`: what to answer, and with which Via, From, To, Call-ID and CSeq,
 * when the bytes were a request; what is wrong is missing from `partial`. Without them it cannot be answered.
 */
export interface MessageFault {
  readonly ok: false
  readonly reason: ParseFault
  readonly at: number
  readonly status?: number
  readonly partial?: SipRequest
}

/** A message, or why its bytes are none. */
export type ParsedMessage = { readonly ok: true; readonly value: SipMessage } | MessageFault
