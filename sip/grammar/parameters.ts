import type { Parsed } from '../base/parsed.ts'
import { quotedEnd, unquote } from './quoted-string.ts'
import { isBlankCode, skipBlanks, tokenEnd } from './token.ts'

/** `;name=value` of a header field or URI. `value` as written, quotes and escapes included; undefined = a bare name. */
export interface Parameter {
  readonly name: string
  readonly value: string | undefined
}

type ParameterFault = 'bad-parameter'

const fault = (at: number): Parsed<never, ParameterFault> => ({ ok: false, reason: 'bad-parameter', at })

/** A host with a port or an IPv6 address may stand as a value, so all is taken but what delimits. */
function valueEnd(text: string, at: number): number {
  let end = at
  while (end < text.length) {
    const code = text.charCodeAt(end)
    if (isBlankCode(code) || code === 0x3b || code === 0x2c || code === 0x22 || code === 0x3c || code === 0x3e) break
    end++
  }
  return end
}

/** `*( SEMI name [ EQUAL value ] )` from `at` to the end of the text, white space around the marks allowed. */
export function parseParameters(text: string, at: number): Parsed<readonly Parameter[], ParameterFault> {
  const parameters: Parameter[] = []
  let next = skipBlanks(text, at)
  while (next < text.length) {
    if (text.charCodeAt(next) !== 0x3b) return fault(next)
    const nameAt = skipBlanks(text, next + 1)
    const nameEnd = tokenEnd(text, nameAt)
    if (nameEnd === nameAt) return fault(nameAt)
    const name = text.slice(nameAt, nameEnd)
    next = skipBlanks(text, nameEnd)
    if (text.charCodeAt(next) !== 0x3d) {
      parameters.push({ name, value: undefined })
      continue
    }
    const valueAt = skipBlanks(text, next + 1)
    const end = text.charCodeAt(valueAt) === 0x22 ? quotedEnd(text, valueAt) : valueEnd(text, valueAt)
    if (end <= valueAt) return fault(valueAt)
    parameters.push({ name, value: text.slice(valueAt, end) })
    next = skipBlanks(text, end)
  }
  return { ok: true, value: parameters }
}

/** The first parameter of that name (in lower case), unquoted; '' for a bare name, undefined when there is none. */
export function parameterOf(parameters: readonly Parameter[], name: string): string | undefined {
  for (const parameter of parameters) {
    if (parameter.name === name || (parameter.name.length === name.length && parameter.name.toLowerCase() === name)) {
      return parameter.value === undefined ? '' : unquote(parameter.value)
    }
  }
  return undefined
}

/** Sets one of these, in its place or at the end. `name` in lower case; `value` is written as it is. */
export function setParameter(parameters: Parameter[], name: string, value: string | undefined): void {
  for (let at = 0; at < parameters.length; at++) {
    const known = parameters[at]!.name
    if (known !== name && (known.length !== name.length || known.toLowerCase() !== name)) continue
    parameters[at] = { name, value }
    return
  }
  parameters.push({ name, value })
}

/** The same parameters with this one set, in its place or at the end. `value` is written as it is. */
export function withParameter(
  parameters: readonly Parameter[],
  name: string,
  value: string | undefined,
): readonly Parameter[] {
  const at = parameters.findIndex(parameter => parameter.name.toLowerCase() === name.toLowerCase())
  return at === -1 ? [...parameters, { name, value }] : parameters.with(at, { name, value })
}

export const withoutParameter = (parameters: readonly Parameter[], name: string): readonly Parameter[] =>
  parameters.filter(parameter => parameter.name.toLowerCase() !== name.toLowerCase())

export function formatParameters(parameters: readonly Parameter[]): string {
  let text = ''
  for (const { name, value } of parameters) text += value === undefined ? `;${name}` : `;${name}=${value}`
  return text
}
