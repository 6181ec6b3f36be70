import { readFileSync } from 'node:fs'
import { UsageError } from './arguments.ts'
import type { ApiClient, ApiRequest } from './client.ts'
import type { Column } from './table.ts'

/** A flag that becomes a field of the request's body. */
export interface FieldFlag {
  readonly flag: string
  readonly field: string
  /** A list is written with commas; a switch has no value. */
  readonly kind: 'text' | 'integer' | 'list' | 'switch'
  readonly help: string
}

export const text = (flag: string, field: string, help: string): FieldFlag => ({ flag, field, kind: 'text', help })
export const integer = (flag: string, field: string, help: string): FieldFlag => ({
  flag,
  field,
  kind: 'integer',
  help,
})
export const list = (flag: string, field: string, help: string): FieldFlag => ({ flag, field, kind: 'list', help })

export interface Given {
  /** Positional words by the names in `words`. */
  word(name: string): string
  /** Fields of the flags that were given. */
  readonly fields: Readonly<Record<string, unknown>>
  /** `--json` was given. */
  readonly isJson: boolean
}

/** One thing that a group can do: a request to the API, and how its answer is shown. */
export interface Action {
  readonly name: string
  readonly words: readonly string[]
  readonly summary: string
  /** `either`: the account of SAUTI_API_KEY, else the operator; the flag --operator wins. */
  readonly access: 'operator' | 'customer' | 'either'
  readonly flags: readonly FieldFlag[]
  /** `client` is for what the request is made of. */
  readonly request: (given: Given, client: ApiClient) => ApiRequest | Promise<ApiRequest>
  /** Rows as a table; `rows` names the list in the answer, empty when the answer is the list. */
  readonly table?: { readonly rows: string; readonly columns: readonly Column[] }
  /** Where the answer's bytes go instead of to the terminal. */
  readonly saveTo?: (given: Given) => string | undefined
  /** The answer is text, shown as it is. */
  readonly isText?: boolean
  /** Whether what the answer says is well; where it is not, the exit code is 1. Default: every answer is. */
  readonly isWell?: (answer: unknown) => boolean
  /** Goes on after the first answer, and prints; undefined: there is nothing to go on with. */
  readonly follow?: (given: Given, client: ApiClient) => Promise<void> | undefined
}

export interface Group {
  readonly name: string
  readonly summary: string
  readonly examples: readonly string[]
  readonly actions: readonly Action[]
}

export const pageFlags: readonly FieldFlag[] = [
  integer('limit', 'limit', 'rows to show, 1 to 200 (50)'),
  integer('offset', 'offset', 'rows to skip (0)'),
]

/** `/path?limit=…` of the fields that were given. */
export function withQuery(path: string, fields: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return query === '' ? path : `${path}?${query}`
}

export function fieldValue(spec: FieldFlag, written: string | true): unknown {
  switch (spec.kind) {
    case 'switch':
      if (written === true) return true
      if (written === 'true' || written === 'false') return written === 'true'
      throw new UsageError(`--${spec.flag} is true or false`)
    case 'integer':
      if (typeof written === 'string' && /^-?\d{1,15}$/.test(written)) return Number(written)
      throw new UsageError(`--${spec.flag} wants a whole number`)
    case 'list':
      return String(written) === '' ? [] : String(written).split(',')
    case 'text':
      return String(written)
  }
}

/** The bytes of a file; `-` is standard input. */
const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file (ENOENT)',
  EISDIR: 'it is a folder (EISDIR)',
  EACCES: 'this user may not read it (EACCES)',
}

export function readInput(path: string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : path)
  } catch (fault) {
    const { code = String(fault) } = fault as NodeJS.ErrnoException
    throw new UsageError(`${path} cannot be read: ${fileFaults[code] ?? code}`)
  }
}

export const segment = (word: string): string => encodeURIComponent(word)
