/** One field of what was changed; undefined: it was not there. */
export interface ChangedField {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

/** Deeper than this, values are compared as a whole. */
const deepest = 4

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The fields in which two answers of the API differ, in the order of the later one. */
export function changedFields(before: unknown, after: unknown, path = '', depth = 0): readonly ChangedField[] {
  if (isSame(before, after)) return []
  const isDeep = depth < deepest && (isRecord(before) || before == null) && (isRecord(after) || after == null)
  if (!isDeep || (before == null && after == null)) return [{ path, before, after }]
  const [was, is] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
  return [...new Set([...Object.keys(is), ...Object.keys(was)])].flatMap(name =>
    changedFields(was[name], is[name], path === '' ? name : `${path}.${name}`, depth + 1),
  )
}

/** Lists of words, as prefixes are: what came and what went. Undefined: it is no such list. */
export function listChange(
  before: unknown,
  after: unknown,
): { readonly removed: readonly string[]; readonly added: readonly string[] } | undefined {
  const wordsOf = (value: unknown): readonly string[] | undefined =>
    value == null ? [] : Array.isArray(value) && value.every(each => !isRecord(each)) ? value.map(String) : undefined
  const [was, is] = [wordsOf(before), wordsOf(after)]
  if (was === undefined || is === undefined || (before == null && after == null)) return undefined
  return { removed: was.filter(each => !is.includes(each)), added: is.filter(each => !was.includes(each)) }
}
