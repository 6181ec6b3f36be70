import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}
export interface OpenApi {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

export interface Answered {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly type: string
  readonly body: unknown
}

/** What of an answer is not as the OpenAPI document says; empty when all is. Fields it does not name are a fault too. */
export function conformanceOf(document: OpenApi): { check(answer: Answered): string[]; seen: Set<string> } {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  ajv.addFormat('uuid', /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
  ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) })
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  ajv.addSchema(closed(document) as object, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const seen = new Set<string>()

  const check = ({ method, url, status, type, body }: Answered): string[] => {
    const path = pathOf(document, url)
    if (path === undefined) return [`${url} is not in the document`]
    const operation = document.paths[path]?.[method.toLowerCase()]
    if (operation === undefined) return [`${method} ${path} is not in the document`]
    const response = operation.responses[status]
    if (response === undefined) return [`${method} ${path}: ${status} is not in the document`]
    seen.add(`${method} ${path} ${status}`)
    const media = type.split(';')[0] ?? ''
    if (response.content === undefined && media === '') return []
    if (response.content?.[media] === undefined) return [`${method} ${path} ${status}: ${media} is not in the document`]
    if (media !== 'application/json') return []
    const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', media, 'schema']
      .map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#/${pointer}` })
    compiled.set(pointer, validate)
    return validate(body)
      ? []
      : (validate.errors ?? []).map(error => `${method} ${path} ${status}: ${error.instancePath} ${error.message}`)
  }
  return { check, seen }
}

/** The template that fits; a path without a parameter wins. */
function pathOf(document: OpenApi, url: string): string | undefined {
  const asked = trimmed(url.split('?')[0] ?? '')
  const fits = (template: string) => new RegExp(`^${trimmed(template).replace(/\{[^}]+\}/g, '[^/]+')}$`).test(asked)
  return Object.keys(document.paths)
    .filter(fits)
    .sort((a, b) => (a.match(/\{/g)?.length ?? 0) - (b.match(/\{/g)?.length ?? 0))[0]
}

const trimmed = (path: string): string => (path.length > 1 ? path.replace(/\/$/, '') : path)

/** Every object that lists its fields has no others, unless it says that it may. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]))
  if (copy.type === 'object' && 'properties' in copy && !('additionalProperties' in copy)) {
    return { ...copy, additionalProperties: false }
  }
  return copy
}
