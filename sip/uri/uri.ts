import type { Parameter } from '../grammar/parameters.ts'

/** sip: and sips:. Parts stand as written, with their escapes; `userOf` gives the text. */
export interface SipUri {
  readonly kind: 'sip'
  readonly scheme: 'sip' | 'sips'
  readonly user: string | undefined
  readonly password: string | undefined
  /** Without brackets. */
  readonly host: string
  readonly port: number | undefined
  readonly parameters: readonly Parameter[]
  /** `?name=value&…`: they are data, never header fields of a message (RFC 4475 §3.1.2.11). */
  readonly headers: readonly Parameter[]
}

/** tel: (RFC 3966). `number` as written, with its visual separators. */
export interface TelUri {
  readonly kind: 'tel'
  readonly scheme: 'tel'
  readonly number: string
  readonly parameters: readonly Parameter[]
}

/** Any other scheme: what follows the colon. */
export interface OtherUri {
  readonly kind: 'other'
  readonly scheme: string
  readonly rest: string
}

/** A URI of any scheme; `kind` says which. */
export type Uri = SipUri | TelUri | OtherUri

/** Which part of a URI cannot be read. */
export type UriFault = 'bad-scheme' | 'bad-user' | 'bad-host' | 'bad-number' | 'bad-parameter' | 'bad-header'
