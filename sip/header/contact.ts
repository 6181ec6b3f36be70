import type { Parsed } from '../base/parsed.ts'
import { parameterOf } from '../grammar/parameters.ts'
import { clampedNumber, max32 } from '../grammar/token.ts'
import { formatNameAddr, type NameAddr, type NameAddrFault, parseNameAddr } from './name-addr.ts'

/** RFC 3261 §20.10: `*` stands in a REGISTER that removes all bindings. */
export type Contact = '*' | NameAddr

/** Parses one value of Contact: `*`, or an address with its parameters. */
export const parseContact = (text: string): Parsed<Contact, NameAddrFault> =>
  text.trim() === '*' ? { ok: true, value: '*' } : parseNameAddr(text)

/** One value of Contact, in angle brackets, or `*`. */
export const formatContact = (contact: Contact): string => (contact === '*' ? '*' : formatNameAddr(contact))

/** Seconds, at most 2^32 − 1; undefined = none, or not a number (§10.3 has a default for both). */
export const contactExpiresOf = (contact: NameAddr): number | undefined =>
  clampedNumber(parameterOf(contact.parameters, 'expires') ?? '', max32)

/** 0 to 1, default 1. */
export function contactPreferenceOf(contact: NameAddr): number {
  const q = parameterOf(contact.parameters, 'q')
  return q !== undefined && /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 1
}
