interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
}

export type Schemas = Readonly<Record<string, Schema>>

const maxDepth = 8

/** What a value of the schema looks like: made of the examples of its fields, so it cannot differ from them. */
export function exampleOf(schema: Schema, schemas: Schemas, depth = 0): unknown {
  const named = schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').pop() ?? ''] ?? {})
  const { examples, enum: values, anyOf, properties, items, minimum } = named
  if (examples !== undefined && examples.length > 0) return examples[0]
  if (named.default !== undefined) return named.default
  if (values !== undefined) return values[0]
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0], schemas, depth)
  switch ([named.type].flat()[0]) {
    case 'object':
      if (properties === undefined || depth > maxDepth) return {}
      return Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, exampleOf(field, schemas, depth + 1)]),
      )
    case 'array':
      return items === undefined || depth > maxDepth ? [] : [exampleOf(items, schemas, depth + 1)]
    case 'integer':
    case 'number':
      return minimum ?? 0
    case 'boolean':
      return true
    case 'string':
      return ''
    default:
      return null
  }
}
