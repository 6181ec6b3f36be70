import { splitList } from '../grammar/comma-list.ts'
import { headerKey, isHeader } from './header-name.ts'
import type { HeaderField, SipMessage } from './message.ts'

/** The first field of that name as written, in any spelling or its one-letter form; undefined = none. */
export function headerOf(message: SipMessage, name: string): string | undefined {
  const key = headerKey(name)
  for (const header of message.headers) if (header.name === name || isHeader(header.name, key)) return header.value
  return undefined
}

/** The first of `headersOf`. */
export function firstOf(message: SipMessage, name: string): string | undefined {
  const key = headerKey(name)
  for (const header of message.headers) {
    if (header.name !== name && !isHeader(header.name, key)) continue
    if (!key.isList) return header.value
    const value = firstOfList(header.value)
    if (value !== undefined) return value
  }
  return undefined
}

/** The first value of a comma-separated list; undefined: it is empty. */
export function firstOfList(text: string): string | undefined {
  if (text.includes(',')) return splitList(text)[0]
  return text === '' ? undefined : text
}

/** How many fields bear that name; a comma list counts once. */
export function countOf(message: SipMessage, name: string): number {
  const key = headerKey(name)
  let count = 0
  for (const header of message.headers) if (isHeader(header.name, key)) count++
  return count
}

const none: readonly string[] = []

/** All values of that name in the order of the wire; where the header's grammar is a list, split into its values. */
export function headersOf(message: SipMessage, name: string): readonly string[] {
  const key = headerKey(name)
  let values: string[] | undefined
  for (const header of message.headers) {
    if (header.name !== name && !isHeader(header.name, key)) continue
    values ??= []
    if (!key.isList) values.push(header.value)
    else if (header.value.includes(',')) values.push(...splitList(header.value))
    else if (header.value !== '') values.push(header.value)
  }
  return values ?? none
}

const replaced = <M extends SipMessage>(message: M, headers: readonly HeaderField[]): M => ({ ...message, headers })

/** All fields of that name become these, at the place of the first one, else at the end. */
export function withHeaders<M extends SipMessage>(message: M, name: string, values: readonly string[]): M {
  const key = headerKey(name)
  const fields = values.map(value => ({ name, value }))
  const headers: HeaderField[] = []
  let placed = false
  for (const header of message.headers) {
    if (!isHeader(header.name, key)) headers.push(header)
    else if (!placed) {
      headers.push(...fields)
      placed = true
    }
  }
  if (!placed) headers.push(...fields)
  return replaced(message, headers)
}

/** The one field of that name becomes this, in its place or at the end. */
export const withHeader = <M extends SipMessage>(message: M, name: string, value: string): M =>
  withHeaders(message, name, [value])

/** One more field at the top: where a Via or a Record-Route goes. */
export const withHeaderOnTop = <M extends SipMessage>(message: M, name: string, value: string): M =>
  replaced(message, [{ name, value }, ...message.headers])

/** One more field at the end. */
export const withHeaderAdded = <M extends SipMessage>(message: M, name: string, value: string): M =>
  replaced(message, [...message.headers, { name, value }])

/** The message without any field of that name. */
export function withoutHeader<M extends SipMessage>(message: M, name: string): M {
  const key = headerKey(name)
  return replaced(
    message,
    message.headers.filter(header => !isHeader(header.name, key)),
  )
}

/** The body, its type and its length; without a type there is no body. */
export function withBody<M extends SipMessage>(message: M, body?: Uint8Array, contentType?: string): M {
  const bytes = contentType === undefined || body === undefined ? new Uint8Array() : body
  const typed =
    contentType === undefined
      ? withoutHeader(message, 'Content-Type')
      : withHeader(message, 'Content-Type', contentType)
  return { ...withHeader(typed, 'Content-Length', String(bytes.length)), body: bytes }
}
