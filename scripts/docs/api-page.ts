import { anchor, code, generated, page, table } from './markdown.ts'
import { defaultOf, type Field, fieldsOf, limitsOf, nameOf, type Schema, typeOf } from './schema-words.ts'

interface Content {
  readonly [type: string]: { readonly schema?: Schema }
}
interface Header {
  readonly schema?: Schema
  readonly description?: string
}
interface Response {
  readonly description?: string
  readonly content?: Content
  readonly headers?: Readonly<Record<string, Header>>
}
interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}
interface Operation {
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}
interface Document {
  readonly info: { readonly description: string; readonly version: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
const json = 'application/json'

/** `docs/api.md`: every endpoint and resource of the OpenAPI document. */
export function apiPage(given: unknown): string {
  const document = given as Document
  return page(
    '# API',
    generated,
    [
      document.info.description,
      'The same as a file: `GET /openapi.json` (OpenAPI 3.1); to read and to try: `/docs` of a running switch.',
      'What the codes mean: [errors](errors.md). Tasks with code: [examples](examples.md).',
    ].join(' '),
    rules,
    ...document.tags.map(({ name, description }) => section(document, name, description)),
    '## Resources',
    ...Object.entries(document.components.schemas).map(([name, schema]) => resource(name, schema)),
    errorTable(document),
  )
}

const rules = `## Rules

- \`Authorization: Bearer <API key>\` on every request, but where "no key" stands below; operator endpoints take the operator key.
- Bodies are JSON in UTF-8 of at most 1 MB (assets and the rate deck excepted), and beyond 64 KB of at most 10,000 values; more is 413. More than 64 levels of objects and lists within one another are 422. Unknown fields are ignored, wrong types are 422 and never coerced.
- Money is a decimal string of KES with at most four decimals; timestamps are ISO-8601 in UTC. \`/calls\` and \`/calls/\` are the same.
- Long lists take \`limit\` (1 to 200, default 50) and \`offset\`, and answer \`{ <name>, total, limit, offset }\`, \`/recordings/\` an array; where they differ, the table says so.
- 3000 requests a minute an account over all its keys; 20 a minute an address with keys that are not valid. Over it 429 with \`Retry-After\`, one every 20 ms.
- \`Idempotency-Key\` where it is named: kept 24 hours an account; the same request again is answered from the first, byte for byte; 409 while the
  first still runs, 422 with another body or path; any answer but 2xx frees the key.`

function section(document: Document, tag: string, description: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const operation = item[method]
      return operation?.tags?.includes(tag) ? [endpoint(method.toUpperCase(), path, operation)] : []
    }),
  )
  return [`## ${tag}`, description, ...operations].join('\n\n')
}

function endpoint(method: string, path: string, operation: Operation): string {
  const { parameters = [], requestBody, responses, security = [] } = operation
  const isOpen = security.length === 0
  const sentences = [
    `**${operation.summary}${/[.?]$/.test(operation.summary ?? '') ? '' : '.'}**`,
    operation.description ?? '',
    isOpen ? 'No key.' : '',
  ]
  const rows = [
    ...parameters.map(parameter => row({ ...parameter, isNeeded: parameter.required ?? false }, placeOf(parameter))),
    ...bodyFields(requestBody?.content ?? {}).map(field => row(field, 'body')),
  ]
  return [
    `### ${code(`${method} ${path}`)}`,
    sentences.filter(sentence => sentence !== '').join(' '),
    rows.length === 0 ? '' : table(['Field', 'In', 'Type', 'Limits', 'Default', 'Meaning'], rows),
    answers(responses),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

const placeOf = (parameter: Parameter): string => parameter.in

function bodyFields(content: Content): Field[] {
  const schema = content[json]?.schema
  if (schema !== undefined) return fieldsOf(schema)
  const types = Object.keys(content)
  return types.length === 0
    ? []
    : [{ name: '(bytes)', schema: { type: types.join(' or '), description: 'The file itself.' }, isNeeded: true }]
}

function row(field: Field & { readonly description?: string }, place: string): string[] {
  const schema = field.description === undefined ? field.schema : { description: field.description, ...field.schema }
  const { fallback, description } = defaultOf(schema)
  return [
    `${code(field.name)}${field.isNeeded ? ' *' : ''}`,
    place,
    typeOf(schema),
    limitsOf(schema),
    fallback === '' ? '' : code(fallback),
    description,
  ]
}

/** Good answers by themselves, errors in one line: what they mean stands once, at the end. */
function answers(responses: Readonly<Record<string, Response>>): string {
  const all = Object.entries(responses)
  const good = all.filter(([status]) => Number(status) < 400)
  const own = all.filter(([status, answer]) => Number(status) >= 400 && !isError(answer))
  const bad = all.filter(([status, answer]) => Number(status) >= 400 && isError(answer))
  const lines = [...good, ...own].map(([status, answer]) => `- **${status}** ${answerOf(answer)}`)
  const errors = bad.map(([status]) => status).join(' ')
  return [...lines, ...(errors === '' ? [] : [`- [Errors](#statuses): ${errors}`])].join('\n')
}

const isError = (answer: Response): boolean => {
  const schema = answer.content?.[json]?.schema
  return schema !== undefined && nameOf(schema) === 'Error'
}

function answerOf({ description = '', content = {} }: Response): string {
  const shapes = Object.entries(content).map(([type, { schema = {} }]) =>
    type === json ? shapeOf(schema) : code(type),
  )
  return [shapes.filter(shape => shape !== 'any').join(', '), description].filter(part => part !== '').join(': ')
}

function shapeOf(schema: Schema): string {
  if (schema.properties === undefined) return typeOf(schema)
  const fields = Object.entries(schema.properties).map(([name, field]) => `${code(name)} ${typeOf(field)}`)
  return `{ ${fields.join(', ')} }`
}

function resource(name: string, schema: Schema): string {
  const rows = fieldsOf(schema).map(field => {
    const { description } = defaultOf(field.schema)
    return [`${code(field.name)}${field.isNeeded ? '' : ' ?'}`, typeOf(field.schema), description]
  })
  return [
    `### ${name}`,
    schema.description ?? '',
    rows.length === 0 ? typeOf(schema) : table(['Field', 'Type', 'Meaning'], rows),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

function errorTable(document: Document): string {
  const met = new Map<string, { meaning: string; headers: string }>()
  for (const item of Object.values(document.paths)) {
    for (const method of methods) {
      for (const [status, answer] of Object.entries(item[method]?.responses ?? {})) {
        if (!isError(answer) || met.has(status)) continue
        met.set(status, {
          meaning: answer.description ?? '',
          headers: Object.entries(answer.headers ?? {})
            .map(([name, { schema, description }]) => `${code(name)}: ${schema?.description ?? description ?? ''}`)
            .join(' '),
        })
      }
    }
  }
  const rows = [...met]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, it]) => [status, it.meaning, it.headers])
  return [
    '## Statuses',
    `Every answer that is not 2xx holds [Error](#${anchor('Error')}), but those of \`/health/\`.`,
    table(['Status', 'Meaning', 'Headers'], rows),
  ].join('\n\n')
}
