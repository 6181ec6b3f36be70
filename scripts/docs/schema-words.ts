import { anchor, code } from './markdown.ts'

/** What the reference reads of a JSON schema. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/** A longer list stands where its values are explained: [errors](errors.md), [events](events.md). */
const mostValuesShown = 20

export const nameOf = (schema: Schema): string | undefined => schema.$ref?.split('/').pop()

/** The type in words; a resource is a link to its section. */
export function typeOf(schema: Schema): string {
  const name = nameOf(schema)
  if (name !== undefined) return `[${name}](#${anchor(name)})`
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.enum !== undefined && schema.enum.length > mostValuesShown) {
    const first = schema.enum.find(value => value !== '')
    return `one of ${schema.enum.length} codes, as ${code(String(first))}`
  }
  if (schema.enum !== undefined)
    return schema.enum.map(value => (value === null ? 'or null' : code(String(value)))).join(' ')
  if (schema.const !== undefined) return code(String(schema.const))
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`
  if (schema.format === 'date-time') return 'timestamp'
  return [schema.type ?? 'any'].flat().join(' or ')
}

/** A value that may be null is described by what it is otherwise. */
function withoutNull(schema: Schema): Schema {
  const option = schema.anyOf?.find(each => each.type !== 'null')
  if (option === undefined) return schema
  const { anyOf: _options, ...own } = schema
  const description = own.description ?? option.description ?? ''
  return { ...option, ...own, description }
}

/** What a value must keep to, in words; empty when there is nothing. */
export function limitsOf(given: Schema): string {
  const schema = withoutNull(given)
  const { minimum, maximum, minLength, maxLength, maxItems } = schema
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  if (minimum !== undefined) return `from ${minimum}`
  if (maximum !== undefined) return `to ${maximum}`
  if (maxItems !== undefined) return `at most ${maxItems} entries`
  if (maxLength === undefined) return (minLength ?? 0) > 0 ? 'not empty' : ''
  return `${(minLength ?? 0) > 0 ? `${minLength} to` : 'at most'} ${maxLength} characters`
}

/** The default is in the schema, or as the last sentence of the description. */
export function defaultOf(given: Schema): { readonly fallback: string; readonly description: string } {
  const schema = withoutNull(given)
  const { description = '' } = schema
  const match = /^(.*?)\s*\bDefault ([^.]+(?:\.\d+)?)\.$/s.exec(description)
  if (match !== null) return { fallback: (match[2] ?? '').replaceAll(/^`|`$/g, ''), description: match[1] ?? '' }
  return { fallback: schema.default === undefined ? '' : String(schema.default), description }
}

export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly isNeeded: boolean
}

/** The fields of an object, those of objects within it as `outer.inner`. */
export function fieldsOf(schema: Schema, before = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isNeeded = schema.required?.includes(name) ?? false
    const own = { name: `${before}${name}`, schema: field, isNeeded }
    const options = field.anyOf ?? [field]
    const inner = options.flatMap(option => [
      ...fieldsOf(option, `${before}${name}.`),
      ...fieldsOf(option.type === 'array' ? (option.items ?? {}) : {}, `${before}${name}[].`),
    ])
    return [own, ...inner]
  })
}
