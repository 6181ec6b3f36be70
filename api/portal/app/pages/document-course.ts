import type { TraceEntry } from './trace.ts'

/** A place in a document, as the switch counts: from 1. */
interface DocumentPlace {
  readonly line: number
  readonly column: number
}

/** One request for a document: what came of it, and what of it ran. */
export interface DocumentCourse {
  readonly seq: number
  readonly url: string
  readonly ms: number | null
  /** Why there is no document. */
  readonly fault: string | undefined
  /** Undefined: none came. */
  readonly body: string | undefined
  /** In the order in which they began. */
  readonly verbs: readonly (DocumentPlace & { readonly name: string; readonly seq: number })[]
  readonly problems: readonly (DocumentPlace & { readonly message: string })[]
}

type Growing = DocumentCourse & {
  readonly verbs: DocumentCourse['verbs'][number][]
  readonly problems: DocumentCourse['problems'][number][]
}
type Fields = Readonly<Record<string, unknown>>

const placeOf = ({ line, column }: Fields): DocumentPlace | undefined =>
  typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined

/** The documents of a call, the oldest first. One URL may be asked for several times: what ran is of its last answer. */
export function documentCourses(entries: readonly TraceEntry[]): readonly DocumentCourse[] {
  const courses: Growing[] = []
  for (const { kind, seq, data, text } of entries) {
    if (kind === 'document') {
      const { url, ms, body, fault } = data
      if (body === undefined && fault === undefined) continue
      courses.push({
        seq,
        url: String(url),
        ms: typeof ms === 'number' ? ms : null,
        fault: fault === undefined ? undefined : text.replace(/^failed after \d+ ms: /, ''),
        body: typeof body === 'string' && body !== '' ? body : undefined,
        verbs: [],
        problems: [],
      })
    } else if (kind === 'verb') {
      const place = placeOf(data)
      const of = courses.findLast(({ url, body }) => url === data.url && body !== undefined)
      if (place !== undefined) of?.verbs.push({ ...place, name: String(data.name), seq })
    } else if (kind === 'event') {
      const { message, ...rest } = (data.data ?? {}) as Fields
      const place = placeOf(rest)
      if (place !== undefined) courses.at(-1)?.problems.push({ ...place, message: String(message) })
    }
  }
  return courses
}

/** A piece of a line: text, or the start tag of a verb that ran. */
interface Piece {
  readonly text: string
  /** Of the verb, the last time it began; undefined: it did not run. */
  readonly seq?: number
}

/** A line of the document in pieces. What was cut, or covered as a secret, no longer has its place: nothing is marked there. */
export function piecesOf(text: string, verbs: DocumentCourse['verbs']): readonly Piece[] {
  const lastRun = new Map(verbs.map(verb => [verb.column, verb] as const))
  const pieces: Piece[] = []
  let from = 0
  for (const { column, name, seq } of [...lastRun.values()].sort((one, other) => one.column - other.column)) {
    const start = column - 1
    if (start < from || !text.startsWith(`<${name}`, start)) continue
    const end = text.indexOf('>', start)
    const after = end === -1 ? text.length : end + 1
    if (start > from) pieces.push({ text: text.slice(from, start) })
    pieces.push({ text: text.slice(start, after), seq })
    from = after
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}
