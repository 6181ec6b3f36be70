import { PhoneError } from './base/errors.ts'

const longest = 256
const userAndHost = /^[^\s<>"@;?]+@[\w.-]+(?::\d{1,5})?$/
// RFC 3261 §25.1 keeps + as it is in a user part.
const escaped = (user: string): string => encodeURIComponent(user).replace(/%2B/g, '+')

/** The Request-URI for what a person dials: `1001`, `+254 712 345 678`, `user@host`, or a whole `sip:` URI. */
export function uriOfDestination(destination: string, realm: string): string {
  const text = typeof destination === 'string' ? destination.trim() : ''
  if (text.length <= longest) {
    if (/^sips?:(?:[^\s<>"@]+@)?[\w.[\]:-]+(?:;[^\s<>"?]*)?$/i.test(text)) return text
    if (userAndHost.test(text)) {
      const [user = '', host] = text.split('@')
      return `sip:${escaped(user)}@${host}`
    }
    // People write numbers with spaces, dots, dashes and brackets.
    const digits = text.replace(/^tel:/i, '').replace(/[\s().-]/g, '')
    if (/^\+?[0-9*#]+$/.test(digits)) return `sip:${escaped(digits)}@${realm}`
    if (/^[\w.+*#-]+$/.test(text)) return `sip:${escaped(text)}@${realm}`
  }
  throw new PhoneError(
    'destination.invalid',
    `Cannot call ${JSON.stringify(destination)}: no extension, number or SIP URI.`,
  )
}
