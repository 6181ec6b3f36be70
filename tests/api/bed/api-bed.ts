import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type ConnectionLimits, defaultConnectionLimits } from '../../../api/access/http-connections.ts'
import { RequestLimits } from '../../../api/access/request-limits.ts'
import type { SwitchDoor } from '../../../api/base/door.ts'
import type { Api } from '../../../api/base/fastify.ts'
import { buildApi } from '../../../api/server.ts'
import { openDatabase } from '../../../core/adapters/store/database.ts'
import { openRepositories, type Repositories } from '../../../core/adapters/store/repositories.ts'
import { type Store, storeOver } from '../../../core/adapters/store/store.ts'
import { defaultSettings, type Settings } from '../../../core/model/settings.ts'
import type { Log } from '../../../core/ports/log.ts'
import { conformanceOf, type OpenApi } from './conformance.ts'
import { TestCalls } from './test-calls.ts'

export const operatorKey = 'operator-key-of-the-bed'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  /** Parsed JSON; its shape was compared with the OpenAPI document before the test looks into it. */
  readonly body: Body
}
export type Body = any

export interface Ask {
  readonly key?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is. */
  readonly raw?: string | Buffer
}

/** The whole HTTP side over a real database, without telephony. Every answer is compared with /openapi.json. */
export class ApiBed {
  readonly logged: { level: string; fields: Readonly<Record<string, unknown>>; message: string }[] = []
  readonly app: Api
  readonly limits: RequestLimits
  readonly calls: TestCalls
  readonly store: Store
  readonly repositories: Repositories
  readonly document: OpenApi
  /** What the switch says of its health. */
  healthy: () => Promise<boolean> = async () => true
  draining = false
  readonly #conformance
  #key = ''
  #accountUuid = ''

  private constructor(
    app: Api,
    parts: { document: OpenApi; store: Store; repositories: Repositories; calls: TestCalls; limits: RequestLimits },
  ) {
    this.app = app
    this.limits = parts.limits
    this.store = parts.store
    this.repositories = parts.repositories
    this.calls = parts.calls
    this.document = parts.document
    this.#conformance = conformanceOf(this.document)
  }

  static async open(
    given: Partial<Settings> = {},
    extras: Partial<SwitchDoor> = {},
    connections: ConnectionLimits = defaultConnectionLimits,
  ): Promise<ApiBed> {
    const folder = mkdtempSync(join(tmpdir(), 'sauti-api-'))
    const bed: { current?: ApiBed } = {}
    const note = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) => {
      bed.current?.logged.push({ level, fields, message })
    }
    const log: Log = { error: note('error'), warn: note('warn'), info: note('info'), debug: note('debug') }
    const clock = { now: () => performance.now(), unixMs: () => Date.now(), at: () => () => {} }
    const settings = { ...defaultSettings, dataFolder: folder, publicUrl: 'http://voice.test', ...given }
    const store = storeOver(openDatabase(folder), { clock, log, quotas: settings.quotas })
    const repositories = openRepositories(store, settings.publicUrl)
    const calls = new TestCalls(store.calls)
    const door: SwitchDoor = {
      ...extras,
      settings,
      log,
      repositories,
      calls,
      get isDraining() {
        return bed.current?.draining ?? false
      },
      health: async () => (await bed.current?.healthy()) ?? false,
      drain: () => bed.current?.setDraining(true),
      resume: () => bed.current?.setDraining(false),
    }
    const limits = new RequestLimits()
    const app = await buildApi(door, { operatorKey, limits, connections })
    const document = (await app.openApi()) as OpenApi
    const made = new ApiBed(app, { document, store, repositories, calls, limits })
    bed.current = made
    const account = await made.operator('POST', '/operator/accounts', { name: 'Bed', wallet_balance: '1000' })
    made.#key = account.body.key
    made.#accountUuid = account.body.account.uuid
    return made
  }

  get key(): string {
    return this.#key
  }

  get accountUuid(): string {
    return this.#accountUuid
  }

  /** `METHOD path` of the document's operations at paths that fit, of which no success was answered and compared. */
  unanswered(fits: (path: string) => boolean): readonly string[] {
    return Object.entries(this.document.paths)
      .filter(([path]) => fits(path))
      .flatMap(([path, operations]) => Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`))
      .filter(name => ![200, 201].some(status => this.#conformance.seen.has(`${name} ${status}`)))
  }

  /** Those of the secrets, the bed's own keys included, that stand in the log. */
  leaked(secrets: readonly string[]): readonly string[] {
    const text = JSON.stringify(this.logged)
    return [this.key, operatorKey, ...secrets].filter(secret => text.includes(secret))
  }

  setDraining(draining: boolean): void {
    this.draining = draining
  }

  async ask(method: string, url: string, { key = this.#key, body, headers = {}, raw }: Ask = {}): Promise<Reply> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await this.app.inject({
      method: method as 'GET',
      url,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload }),
    })
    const type = String(answer.headers['content-type'] ?? '')
    const parsed = type.startsWith('application/json') && answer.body !== '' ? JSON.parse(answer.body) : undefined
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: parsed }
  }

  /** As `ask`, and the answer must be what the OpenAPI document says. */
  async conforming(method: string, url: string, ask: Ask = {}): Promise<Reply> {
    const reply = await this.ask(method, url, ask)
    const type = String(reply.headers['content-type'] ?? '')
    assert.equal(this.#conformance.check({ method, url, status: reply.status, type, body: reply.body }), [])
    return reply
  }

  customer(method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.conforming(method, url, { body, headers })
  }

  operator(method: string, url: string, body?: unknown): Promise<Reply> {
    return this.conforming(method, url, { body, key: operatorKey })
  }

  async ownNumber(number = `+2547${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`): Promise<Body> {
    const pool = await this.operator('POST', '/operator/numbers', { number })
    return (await this.customer('POST', '/numbers/acquire', { uuid: pool.body.uuid })).body
  }

  async close(): Promise<void> {
    await this.app.close()
    this.store.database.close()
    rmSync(this.store.database.folder, { recursive: true, force: true })
  }
}
