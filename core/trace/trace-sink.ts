import type { CallUuid, LegUuid } from '../model/ids.ts'
import type { SipAddresses } from './sip-record.ts'
import type { Note } from './trace-notes.ts'

/** What a call's record keeps for its trace. */
export type OverFields = Readonly<Record<string, unknown>> & { readonly sid: string }

/** Takes what happens in calls, secrets included: it keeps none of them. Times are Unix milliseconds with fractions. */
export interface TraceSink {
  /** A leg of the call begins, or more is known of it. */
  leg(unixMs: number, callId: CallUuid, legId: LegUuid, facts: Readonly<Record<string, unknown>>): void
  /** About a leg, about a call, or about the leg of a call: an empty id is not known. */
  note(unixMs: number, callId: CallUuid | '', legId: LegUuid | '', note: Note): void
  /** A note that holds no text of others, as its JSON; the bytes are a view. */
  plainNote(unixMs: number, callId: CallUuid | '', legId: LegUuid | '', json: Uint8Array): void
  /** A note about a call with a foreign text; the bytes are a view. */
  document(unixMs: number, callId: CallUuid, note: Note, body: Uint8Array): void
  over(unixMs: number, callId: CallUuid, record: OverFields): void
  /** The leg's dialog has this Call-ID: messages that were seen before belong to it. */
  dialog(legId: LegUuid, callId: string): void
  /** One SIP message as a record has it: addresses, then its bytes; a view. */
  sipRecord(unixMs: number, payload: Uint8Array): void
  /** One SIP message; the bytes are a view. */
  sip(unixMs: number, bytes: Uint8Array, addresses: SipAddresses, isSent: boolean): void
}
