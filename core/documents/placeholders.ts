type Fields = Readonly<Record<string, unknown>>

/** What a hosted document may hold in double braces, and where its text comes from. */
const placeholders: Readonly<Record<string, (fields: Fields) => unknown>> = {
  CallSid: fields => fields.CallSid,
  From: fields => fields.From,
  To: fields => fields.To,
  Direction: fields => fields.Direction,
  CallStatus: fields => fields.CallStatus,
  AccountSid: fields => fields.AccountSid,
  customPayload: fields => fields.customPayload,
  'endUser.display_name': fields => endUserOf(fields).display_name,
  'endUser.extension_number': fields => endUserOf(fields).extension_number,
}

function endUserOf(fields: Fields): Fields {
  const { endUser } = fields
  return typeof endUser === 'object' && endUser !== null ? (endUser as Fields) : {}
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** As text or inside an attribute; characters that XML 1.0 §2.2 cannot hold at all are left out. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, character => escapes[character] ?? '')

const written = /\{\{\s*([A-Za-z_.]{1,40})\s*\}\}/g

/** The text has a placeholder: its value is known only in a call. */
export const holdsPlaceholder = (text: string): boolean =>
  [...text.matchAll(written)].some(([, name = '']) => Object.hasOwn(placeholders, name))

/**
 * Fills `{{From}}` and its like from the fields of the call-control request, XML-escaped. What the request does not
 * have becomes empty; a name that is no placeholder stays as it is written. One pass: what is filled in is not read.
 * Undefined: it would have more than `maxLength` characters. A short body can name a long value thousands of times, so
 * each value is escaped once, and nothing is added to a text that is too long already.
 */
export function fillPlaceholders(body: string, fields: Fields, maxLength: number): string | undefined {
  if (!body.includes('{{')) return body.length <= maxLength ? body : undefined
  const values = new Map<string, string>()
  const parts: string[] = []
  let length = 0
  let at = 0
  const add = (part: string) => {
    parts.push(part)
    length += part.length
    return length <= maxLength
  }
  for (const { index, 0: asWritten, 1: name = '' } of body.matchAll(written)) {
    if (!Object.hasOwn(placeholders, name)) continue
    const value = values.get(name) ?? escapedValue(name, fields)
    values.set(name, value)
    if (!add(body.slice(at, index)) || !add(value)) return undefined
    at = index + asWritten.length
  }
  return add(body.slice(at)) ? parts.join('') : undefined
}

function escapedValue(name: string, fields: Fields): string {
  const value = placeholders[name]?.(fields)
  return typeof value === 'string' ? escapeXml(value) : ''
}
