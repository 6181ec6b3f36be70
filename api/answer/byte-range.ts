/** Bytes `first` to `last`, both inclusive. */
interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * What a Range header asks of `size` bytes (RFC 9110 §14.1.2). Undefined: the whole, because the header is missing, is
 * no range of bytes, or asks for several at once, which a server may ignore (§14.2).
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '')
  if (match === null) return undefined
  const [, from = '', to = ''] = match
  if (from === '' && to === '') return undefined
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  const last = to === '' ? Number.POSITIVE_INFINITY : Number(to)
  if (last < first) return undefined
  return first >= size ? 'unsatisfiable' : { first, last: Math.min(last, size - 1) }
}
