import type { Flow } from '../network/flow.ts'
import { sameUri } from '../uri/compare.ts'
import type { SipUri } from '../uri/uri.ts'

/** Where a softphone is reached: a Contact, and the flow over which it came (RFC 3261 §10, RFC 5626 §6). */
export interface Binding {
  readonly id: string
  readonly userId: string
  /** With which it is counted. */
  readonly accountId: string
  readonly user: string
  readonly tokenId: string
  readonly uri: SipUri
  /** The URI as text: the Request-URI of calls to it. */
  readonly contact: string
  /** `+sip.instance` as written, quotes and brackets included. */
  readonly instance: string | undefined
  /** Undefined: the phone does not speak RFC 5626, and its Contact alone identifies the binding. */
  readonly regId: number | undefined
  readonly callId: string
  readonly cseq: number
  readonly flow: Flow
  readonly expiresAt: number
}

type Place = Pick<Binding, 'uri' | 'instance' | 'regId'>

/** RFC 5626 §6: by instance and reg-id where both sides have them, else by the Contact (RFC 3261 §10.3). */
export const isSamePlace = (a: Place, b: Place): boolean =>
  a.instance !== undefined && a.regId !== undefined && b.instance !== undefined && b.regId !== undefined
    ? a.instance === b.instance && a.regId === b.regId
    : sameUri(a.uri, b.uri)

/** RFC 3261 §10.3 step 7: a request of the same Call-ID must be a later one than that which made the binding. */
export const isStale = (binding: Binding, callId: string, cseq: number): boolean =>
  binding.callId === callId && cseq <= binding.cseq

export function formatBinding(binding: Binding, now: number): string {
  // In whole milliseconds: the difference of two fractions may be slightly more than what was granted.
  const seconds = Math.max(1, Math.ceil(Math.round(binding.expiresAt - now) / 1000))
  const instance = binding.instance === undefined ? '' : `;+sip.instance=${binding.instance}`
  const regId = binding.regId === undefined ? '' : `;reg-id=${binding.regId}`
  return `<${binding.contact}>${instance}${regId};expires=${seconds}`
}
