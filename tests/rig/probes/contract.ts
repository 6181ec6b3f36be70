import * as assert from 'uvu/assert'
import { conformanceOf, type OpenApi } from '../../api/bed/conformance.ts'
import type { Answer, SwitchProcess } from '../beds/switch-process.ts'

/** What a field of the API may be: `?` = may be null as well. */
type FieldType =
  | 'string'
  | 'string?'
  | 'integer'
  | 'integer?'
  | 'boolean'
  | 'object'
  | 'object?'
  | 'array'
  | 'money'
  | 'timestamp'
  | 'timestamp?'
export type Shape = Readonly<Record<string, FieldType>>

const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: value => typeof value === 'string',
  integer: value => Number.isInteger(value),
  boolean: value => typeof value === 'boolean',
  object: value => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: value => Array.isArray(value),
  money: value => typeof value === 'string' && /^-?\d+\.\d{2,4}$/.test(value),
  timestamp: value => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value),
}

/** Every field of the API is there, and of its type; more fields are no fault here. */
export function assertShape(value: Record<string, unknown>, shape: Shape, what: string): void {
  for (const [name, type] of Object.entries(shape)) {
    assert.ok(name in value, `${what}: ${name} is missing in ${JSON.stringify(value)}`)
    const isRight = (type.endsWith('?') && value[name] === null) || fits[type.replace('?', '')]?.(value[name]) === true
    assert.ok(isRight, `${what}: ${name} is ${JSON.stringify(value[name])}, not ${type}`)
  }
}

export interface Ask {
  readonly key?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** Real HTTP to a real switch; every answer is held against the document that the switch itself publishes. */
export class ContractWalk {
  readonly document: OpenApi
  readonly #on: SwitchProcess
  readonly #conformance: ReturnType<typeof conformanceOf>

  private constructor(on: SwitchProcess, document: OpenApi) {
    this.#on = on
    this.document = document
    this.#conformance = conformanceOf(document)
  }

  static async open(on: SwitchProcess): Promise<ContractWalk> {
    const { status, body } = await on.request('', 'GET', '/openapi.json')
    assert.is(status, 200)
    return new ContractWalk(on, body)
  }

  /** Every `METHOD path status` that was met. */
  get seen(): ReadonlySet<string> {
    return this.#conformance.seen
  }

  async ask(method: string, path: string, { key = '', body, headers = {} }: Ask = {}): Promise<Answer> {
    const answer = await this.#on.request(key, method, path, body, headers)
    const type = answer.headers.get('content-type') ?? ''
    const exchange = { method, url: path, status: answer.status, type, body: answer.body }
    assert.equal(
      this.#conformance.check(exchange),
      [],
      `${method} ${path}: ${JSON.stringify(answer.body).slice(0, 300)}`,
    )
    this.#checkError(method, path, answer)
    return answer
  }

  /** The API's error body, and the headers that belong to a status. */
  #checkError(method: string, path: string, { status, headers, body }: Answer): void {
    if (status < 400 || path.startsWith('/health')) return
    const what = `${method} ${path} ${status}`
    assert.type(body.detail, 'string', what)
    assert.ok(body.detail.length > 0, what)
    if (body.code !== undefined) assert.ok(body.detail.startsWith(`${body.code}: `), `${what}: ${body.detail}`)
    if (status === 422) assert.ok(body.errors.length > 0, what)
    if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Bearer/, what)
    if (status === 429 || status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, what)
  }
}
