import { openApiDocument } from './openapi-document.ts'

// api/portal/app/api-types.ts: the API's operations as `openapi-fetch` reads them, made of /openapi.json. openapi-typescript
// does the same by a compiler API that the TypeScript of this project does not have.

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly additionalProperties?: unknown
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses?: Readonly<Record<string, Content>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const head = '// Made of /openapi.json by `npm run docs`. Do not edit.\n'

/** The whole file. */
export async function apiTypes(): Promise<string> {
  const { paths, components } = (await openApiDocument()) as Document
  const schemas = Object.entries(components.schemas)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`)
  const operations = Object.entries(paths).map(([path, methods]) => `  '${path}': ${pathOf(methods)}\n`)
  return `${head}\n${schemas.join('\n')}\nexport interface paths {\n${operations.join('')}}\n`
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const
const none = '{ query?: never; header?: never; path?: never; cookie?: never }'

const pathOf = (operations: Readonly<Record<string, Operation>>): string =>
  `{ parameters: ${none}; ${methods
    .map(method => {
      const operation = operations[method]
      return operation === undefined ? `${method}?: never` : `${method}: ${operationOf(operation)}`
    })
    .join('; ')} }`

function operationOf({ parameters = [], requestBody, responses = {} }: Operation): string {
  const of = (where: string): string => {
    const those = parameters.filter(parameter => parameter.in === where)
    if (those.length === 0) return `${where}?: never`
    const fields = those.map(({ name, required, schema }) => `'${name}'${required ? '' : '?'}: ${typeOf(schema ?? {})}`)
    return `${where}${those.some(({ required }) => required) ? '' : '?'}: { ${fields.join('; ')} }`
  }
  const body = requestBody?.content
  const answers = Object.entries(responses).map(
    ([status, { content }]) =>
      `${status}: { headers: { [name: string]: unknown }; ${content === undefined ? 'content?: never' : `content: ${contentOf(content)}`} }`,
  )
  return `{ parameters: { ${['query', 'header', 'path', 'cookie'].map(of).join('; ')} }; ${
    body === undefined ? 'requestBody?: never' : `requestBody: { content: ${contentOf(body)} }`
  }; responses: { ${answers.join('; ')} } }`
}

const contentOf = (content: NonNullable<Content['content']>): string =>
  `{ ${Object.entries(content)
    .map(([type, { schema }]) => `'${type}': ${typeOf(schema ?? {})}`)
    .join('; ')} }`

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').pop() ?? 'unknown'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(each => `(${typeOf(each)})`).join(' | ')
  if (schema.allOf !== undefined) return schema.allOf.map(each => `(${typeOf(each)})`).join(' & ')
  const types = [schema.type ?? []].flat()
  if (types.length > 1) return types.map(type => `(${typeOf({ ...schema, type })})`).join(' | ')
  switch (types[0]) {
    case 'object':
      return objectOf(schema)
    case 'array':
      return `(${typeOf(schema.items ?? {})})[]`
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
      return 'string'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    default:
      return 'unknown'
  }
}

function objectOf({ properties, required = [], additionalProperties }: Schema): string {
  const open = '{ readonly [name: string]: unknown }'
  if (properties === undefined) return open
  const fields = Object.entries(properties).map(
    ([name, schema]) => `readonly '${name}'${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  return additionalProperties === true ? open : `{ ${fields.join('; ')} }`
}
