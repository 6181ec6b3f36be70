import { accepts, type MediaType, parseMediaType } from './content-type.ts'

/** RFC 3261 §20.1. `values` of all Accept fields; undefined = there is no such header, and SDP is meant. */
export function acceptsType(values: readonly string[] | undefined, type: string): boolean {
  const wanted = parseMediaType(type)
  if (!wanted.ok) return false
  const ranges: readonly MediaType[] =
    values === undefined
      ? [{ type: 'application', subtype: 'sdp', parameters: [] }]
      : values.map(parseMediaType).flatMap(range => (range.ok ? [range.value] : []))
  return ranges.some(range => accepts(range, wanted.value))
}
