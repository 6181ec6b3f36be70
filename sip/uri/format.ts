import { formatParameters, parameterOf } from '../grammar/parameters.ts'
import { unescapeUri } from './escape.ts'
import { formatHostPort } from './host.ts'
import type { SipUri, TelUri, Uri } from './uri.ts'

/** The URI as text. Its parts stand as they are: escape what comes from people first (`escapeUser`). */
export function formatUri(uri: Uri): string {
  switch (uri.kind) {
    case 'sip': {
      const password = uri.password === undefined ? '' : `:${uri.password}`
      const user = uri.user === undefined ? '' : `${uri.user}${password}@`
      const base = `${uri.scheme}:${user}${formatHostPort(uri.host, uri.port)}${formatParameters(uri.parameters)}`
      if (uri.headers.length === 0) return base
      const headers = uri.headers.map(({ name, value }) => (value === undefined ? name : `${name}=${value}`)).join('&')
      return headers === '' ? base : `${base}?${headers}`
    }
    case 'tel':
      return `tel:${uri.number}${formatParameters(uri.parameters)}`
    case 'other':
      return `${uri.scheme}:${uri.rest}`
  }
}

/**
 * The addressed party, as text with escapes resolved: the user of a SIP URI, the number of a tel URI without its
 * visual separators. Undefined when there is none.
 */
export function userOf(uri: Uri): string | undefined {
  switch (uri.kind) {
    case 'sip':
      return uri.user === undefined ? undefined : unescapeUri(uri.user)
    case 'tel':
      return uri.number.replace(/[().-]/g, '')
    case 'other':
      return undefined
  }
}

/** A telephone number written into a user part, with visual separators and parameters (RFC 3966 §3). */
const telephone = /^(\+?\d[\d().-]*)(?:;.*)?$/

/**
 * `userOf`, but a telephone number stands bare: `+254-700;npdi@host` is `+254700` (RFC 3261 §19.1.6). Carriers add such
 * parameters for ported numbers and calling party categories.
 */
export function subscriberOf(uri: Uri): string | undefined {
  const user = userOf(uri)
  const number = user === undefined ? undefined : telephone.exec(user)?.[1]
  return number === undefined ? user : number.replace(/[().-]/g, '')
}

/** A URI parameter's value (name in lower case) with its escapes resolved; '' for a bare name, undefined = not there. */
export function uriParameterOf(uri: SipUri | TelUri, name: string): string | undefined {
  const value = parameterOf(uri.parameters, name)
  return value === undefined ? undefined : unescapeUri(value)
}

/** A SIP URI from its parts; `user` already escaped (`escapeUser`). */
export const sipUri = (host: string, options?: Partial<Omit<SipUri, 'kind' | 'host'>>): SipUri => ({
  kind: 'sip',
  scheme: 'sip',
  user: undefined,
  password: undefined,
  port: undefined,
  parameters: [],
  headers: [],
  ...options,
  host,
})
