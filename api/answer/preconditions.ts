import type { IncomingHttpHeaders } from 'node:http'

/** What a file is now: its entity tag, strong, with its quotes, and when it was last written. */
interface Validators {
  readonly tag: string
  readonly modifiedMs: number
}

/** Of a file that is only ever replaced whole. */
export const tagOf = (size: number, modifiedMs: number): string =>
  `"${size.toString(36)}-${Math.floor(modifiedMs).toString(36)}"`

/** If-Modified-Since and Range's own are of GET alone. */
export const hasConditions = (headers: IncomingHttpHeaders): boolean =>
  ['if-match', 'if-none-match', 'if-unmodified-since'].some(name => headers[name] !== undefined)

/**
 * Whether the request's conditions forbid to write a file; `now` undefined: there is none. RFC 9110 §13.1.2: what is 304 for
 * a GET is 412 here; §13.1.3: If-Modified-Since is of GET and HEAD alone.
 */
export function forbidsWrite(headers: IncomingHttpHeaders, now: Validators | undefined): boolean {
  if (now === undefined) return headers['if-match'] !== undefined
  const { 'if-modified-since': _, ...conditions } = headers
  return failedPrecondition(conditions, now) !== undefined
}

/**
 * The status that the request's conditions make of a GET or HEAD, in the order of RFC 9110 §13.2.2; undefined: it is
 * answered as if there were none. A date that is none is no condition.
 */
export function failedPrecondition(headers: IncomingHttpHeaders, now: Validators): 304 | 412 | undefined {
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined) {
    if (!names(ifMatch, tag => tag === now.tag)) return 412
  } else if (isWrittenAfter(now, headers['if-unmodified-since']) === true) return 412
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) return names(ifNoneMatch, tag => tag.replace(/^W\//, '') === now.tag) ? 304 : undefined
  return isWrittenAfter(now, headers['if-modified-since']) === false ? 304 : undefined
}

/** One of the listed tags, or `*`, which is any file that exists. */
const names = (list: string, isSame: (tag: string) => boolean): boolean =>
  list.trim() === '*' || (list.match(/(?:W\/)?"[^"]*"/g) ?? []).some(isSame)

/** Dates in HTTP know seconds. Undefined: no date was given. */
function isWrittenAfter({ modifiedMs }: Validators, date: string | undefined): boolean | undefined {
  const unixMs = Date.parse(date ?? '')
  return Number.isNaN(unixMs) ? undefined : Math.floor(modifiedMs / 1000) * 1000 > unixMs
}
