import { escapeUser, isHostName, isIpv4, parseUri } from '../sip/index.ts'
import { PhoneError } from './errors.ts'

const longest = 256

/** The Request-URI for what a person dials: `1001`, `+254 712 345 678`, `user@host`, or a whole `sip:` URI. */
export function uriOfDestination(destination: string, realm: string): string {
  const refuse = (why: string) =>
    new PhoneError('destination.invalid', `Cannot call ${JSON.stringify(destination)}: ${why}.`)
  if (typeof destination !== 'string') throw refuse('a number, an extension or a SIP URI is wanted')
  const text = destination.trim()
  if (text === '' || text.length > longest) throw refuse('it is empty or too long')
  if (/^sips?:/i.test(text)) {
    const uri = parseUri(text)
    if (!uri.ok || /[\s<>"]/.test(text)) throw refuse('it is not a SIP URI')
    return text
  }
  const at = text.lastIndexOf('@')
  if (at > 0) {
    const host = text.slice(at + 1)
    if (!isHostName(host) && !isIpv4(host)) throw refuse('the part behind @ is no host')
    return `sip:${escapeUser(text.slice(0, at))}@${host}`
  }
  // People write numbers with spaces, dots, dashes and brackets; names have none of it.
  const digits = text.replace(/^tel:/i, '').replace(/[\s().-]/g, '')
  if (/^\+?[0-9*#]+$/.test(digits)) return `sip:${escapeUser(digits)}@${realm}`
  if (!/^[\w.+*#-]+$/.test(text)) throw refuse('a number, an extension or a SIP URI is wanted')
  return `sip:${escapeUser(text)}@${realm}`
}
