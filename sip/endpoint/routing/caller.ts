import { parseAssertedIdentity } from '../../header/asserted-identity.ts'
import { parseNameAddr } from '../../header/name-addr.ts'
import { headersOf } from '../../message/headers.ts'
import type { IncomingRequest } from '../../transaction/incoming.ts'
import { subscriberOf } from '../../uri/format.ts'

/** P-Asserted-Identity of a peer that we trust, else From (RFC 3325 §9.1). */
export function callerOf(request: IncomingRequest): { readonly user: string; readonly displayName: string } {
  const asserted = parseAssertedIdentity(headersOf(request.message, 'P-Asserted-Identity'))
  const first = asserted.ok ? asserted.value.find(address => address.uri.kind !== 'other') : undefined
  const from = parseNameAddr(request.from)
  const address = first ?? (from.ok ? from.value : undefined)
  if (address === undefined) return { user: '', displayName: '' }
  const user = subscriberOf(address.uri) ?? ''
  if (!isPlain(user)) return anonymous
  return { user, displayName: isPlain(address.displayName) ? address.displayName : '' }
}

/** As for what a phone dials: it stands in rows, webhooks and the INVITEs of other legs. */
const mostCharacters = 200
const control = /[\u0000-\u001f\u007f]/
const isPlain = (text: string): boolean =>
  text.length <= 2 * mostCharacters && [...text].length <= mostCharacters && !control.test(text)

/** RFC 3323 §4.2, RFC 3325 §9.3: a caller that asks for one of these stays unknown to the callee. */
const withholding: ReadonlySet<string> = new Set(['id', 'user'])

const anonymous = { user: 'anonymous', displayName: '' }

/** The caller as the callee may know it: `anonymous` where Privacy asks for that. */
export function shownCallerOf(request: IncomingRequest): { readonly user: string; readonly displayName: string } {
  const asked = headersOf(request.message, 'Privacy').flatMap(value => value.toLowerCase().split(/[;,\s]+/))
  return asked.some(value => withholding.has(value)) ? anonymous : callerOf(request)
}
