import { parameterOf } from '../grammar/parameters.ts'
import { type MediaType, parseMediaType } from '../header/content-type.ts'
import { parseHead } from './head.ts'
import { type HeaderKey, headerKey, isHeader } from './header-name.ts'

/** Multiparts within multiparts are looked into so deep. */
const maxDepth = 3
const contentType = headerKey('Content-Type')
const disposition = headerKey('Content-Disposition')
const encoding = headerKey('Content-Transfer-Encoding')
const plain: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary'])

export const isMultipart = ({ type }: MediaType): boolean => type === 'multipart'

/**
 * The session description among the parts of a multipart body (RFC 5621, RFC 2046 §5.1); undefined: it has none. The
 * first one counts. Parts that describe another session (RFC 3959), or are encoded, are not ours to read.
 */
export function sessionPartOf(multipart: MediaType, body: string, depth = 1): string | undefined {
  const boundary = parameterOf(multipart.parameters, 'boundary') ?? ''
  if (boundary === '' || depth > maxDepth) return undefined
  for (const part of partsOf(body, `--${boundary}`)) {
    const end = /\r?\n\r?\n/.exec(part)
    if (end === null) continue
    const { headers } = parseHead(`PART\r\n${part.slice(0, end.index)}`)
    const fieldOf = (key: HeaderKey) => headers.find(({ name }) => isHeader(name, key))?.value
    if (/^early-session\b/i.test(fieldOf(disposition) ?? '')) continue
    if (!plain.has((fieldOf(encoding) ?? '7bit').toLowerCase())) continue
    const type = parseMediaType(fieldOf(contentType) ?? 'text/plain')
    if (!type.ok) continue
    const content = part.slice(end.index + end[0].length)
    const found = isMultipart(type.value) ? sessionPartOf(type.value, content, depth + 1) : undefined
    if (found !== undefined) return found
    if (type.value.type === 'application' && type.value.subtype === 'sdp') return content
  }
  return undefined
}

/** What stands between the delimiter lines; the line end before a delimiter belongs to it. */
function partsOf(body: string, delimiter: string): readonly string[] {
  const parts: string[] = []
  let from = -1
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    const after = /^(--)?[ \t]*(\r?\n|$)/.exec(body.slice(at + delimiter.length, at + delimiter.length + 80))
    if (after === null || (at > 0 && body[at - 1] !== '\n')) continue
    if (from !== -1) parts.push(body.slice(from, Math.max(from, at - (body[at - 2] === '\r' ? 2 : 1))))
    if (after[1] !== undefined) return parts
    from = at + delimiter.length + after[0].length
  }
  // One that never closes was cut on its way: its last part is not whole.
  return parts
}
