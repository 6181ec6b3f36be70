import { attributeNames, durationAttributes, type ElementName } from './attribute-names.ts'
import { type Duration, formatSeconds } from './duration.ts'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Written as they are, an XML reader turns them into spaces (XML 1.0 §3.3.3).
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Without the characters that XML 1.0 §2.2 does not have, escaped or not. */
const writable = (text: string): string =>
  text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')

/** Text as it stands between tags. */
export const escapeText = (text: string): string =>
  writable(text).replace(/[&<>]/g, character => escapes[character] ?? character)

const escapeAttribute = (text: string): string =>
  writable(text).replace(/[&<>"\t\n\r]/g, character => escapes[character] ?? character)

/** One element; of `options` only what is an attribute of it, in the order of the table. `inside` is markup already. */
export function formatElement(name: ElementName, options: object, inside = ''): string {
  let attributes = ''
  for (const key of attributeNames[name]) {
    const value: unknown = (options as Readonly<Record<string, unknown>>)[key]
    if (value === undefined) continue
    const written = durationAttributes.has(key) ? formatSeconds(value as Duration) : String(value)
    attributes += ` ${key}="${escapeAttribute(written)}"`
  }
  return inside === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${inside}</${name}>`
}
