/**
 * E.164 numbers as people and carriers write them. Only `+` and 7 to 15 digits is a number here; anything else that
 * is in a SIP user part (parameters, spaces, letters) is no number and matches nothing.
 */
const e164 = /^\+[1-9]\d{6,14}$/
const dialled = /^\+?\d{3,20}$/
const extension = /^[1-9]\d{2,9}$/

/** What precedes a national number (`0712 345 678`): this is a service of Kenya. */
const homeCountryCode = '254'

export const isE164 = (text: string): boolean => e164.test(text)

/** A softphone's short number: 3 to 10 digits, no leading zero. */
export const isExtension = (text: string): boolean => extension.test(text)

/**
 * The E.164 number that a dialled or delivered user part means: `+254…`, `00254…`, `254…`, and national `0…`.
 * Undefined for what is no number.
 */
export function e164Of(user: string): string | undefined {
  if (!dialled.test(user)) return undefined
  const number = international(user)
  return isE164(number) ? number : undefined
}

function international(user: string): string {
  if (user.startsWith('+')) return user
  if (user.startsWith('00')) return `+${user.slice(2)}`
  return user.startsWith('0') ? `+${homeCountryCode}${user.slice(1)}` : `+${user}`
}

/** A caller's number for records and webhooks: E.164 where it can be read as such, else as received. */
export const presentedNumber = (user: string): string => e164Of(user) ?? user

/** A prefix as `+254`; `254` means the same. The empty prefix fits every number. */
const normalPrefix = (prefix: string): string => (prefix === '' || prefix.startsWith('+') ? prefix : `+${prefix}`)

/** Length of the longest of the prefixes that fits; undefined when none does. No prefixes at all fit nothing. */
export function longestPrefix(number: string, prefixes: readonly string[]): number | undefined {
  let longest: number | undefined
  for (const written of prefixes) {
    const prefix = normalPrefix(written)
    if (number.startsWith(prefix) && (longest === undefined || prefix.length > longest)) longest = prefix.length
  }
  return longest
}
