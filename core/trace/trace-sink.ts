import type { CallUuid, LegUuid } from '../model/ids.ts'
import type { SipAddresses } from './sip-record.ts'
import type { Note } from './trace-notes.ts'

/** What a call's record keeps for its trace. */
export type OverFields = Readonly<Record<string, unknown>> & { readonly sid: string }

/** Takes what happens in calls, secrets included. Times are Unix milliseconds with fractions. */
export interface TraceSink {
  /** A leg of the call begins, or more is known of it. */
  leg(unixMs: number, callId: CallUuid, legId: LegUuid, facts: Readonly<Record<string, unknown>>): void
  /** About a leg, about a call, or about the leg of a call: an empty id is not known. */
  note(unixMs: number, callId: CallUuid | '', legId: LegUuid | '', note: Note): void
  /** Notes about a call that hold no text of others: each a line of JSON. */
  lines(unixMs: number, callId: CallUuid, lines: string): void
  /** A note about a call with a foreign text. */
  document(unixMs: number, callId: CallUuid, note: Note, body: Uint8Array): void
  over(unixMs: number, callId: CallUuid, record: OverFields): void
  /** The leg's dialog has this Call-ID: messages that were seen before belong to it. */
  dialog(legId: LegUuid, callId: string): void
  /** One SIP message. */
  sip(unixMs: number, bytes: Uint8Array, addresses: SipAddresses, isSent: boolean): void
}

/**
 * The same on the other thread, as it left the shared memory: what is from `from` to `to` in `bytes`, which may be written to
 * there. A view of each would cost more than to copy it. Of secrets it keeps none.
 */
export interface TraceIntake {
  /** The note that the leg begins, as JSON. `isOpened`: said of every leg, and nothing new of one that is known. */
  leg(
    unixMs: number,
    callId: CallUuid,
    legId: LegUuid,
    isOpened: boolean,
    bytes: Buffer,
    from: number,
    to: number,
  ): void
  note(unixMs: number, callId: CallUuid | '', legId: LegUuid | '', note: Note): void
  /** Notes that nothing but a reader looks into: each a line of JSON. */
  lines(unixMs: number, callId: CallUuid | '', legId: LegUuid | '', bytes: Buffer, from: number, to: number): void
  document(unixMs: number, callId: CallUuid, note: Note, body: Uint8Array): void
  over(unixMs: number, callId: CallUuid, record: OverFields): void
  dialog(legId: LegUuid, callId: string): void
  /** One SIP message as a record has it: addresses, then its bytes. */
  sip(unixMs: number, bytes: Buffer, from: number, to: number): void
}
