import { PhoneError } from './base/errors.ts'

/** What a sender takes (`,` = a pause of 2 s), in upper case. Throws a PhoneError for anything else. */
export function checkDigits(tone: string | number): string {
  const tones = String(tone).toUpperCase()
  if (/^[0-9A-D*#,]{1,64}$/.test(tones)) return tones
  throw new PhoneError(
    'option.invalid',
    `${JSON.stringify(tone)} is no digit (0-9, A-D, *, #, or a comma for a pause).`,
  )
}
