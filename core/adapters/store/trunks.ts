import { randomUUID } from 'node:crypto'
import type { TrunkUuid } from '../../model/ids.ts'
import type { CodecName, Trunk } from '../../model/trunk.ts'
import type { Database } from './database.ts'
import type { Row } from './schema.ts'

export type TrunkFields = Omit<Trunk, 'uuid'>

export const defaultTrunk: Omit<TrunkFields, 'name'> = Object.freeze({
  host: '',
  port: 0,
  transport: 'udp',
  username: '',
  password: '',
  register: false,
  inboundHosts: [],
  prefixes: [],
  strip: 0,
  prepend: '',
  priority: 0,
  weight: 1,
  maxCalls: 0,
  maxCps: 0,
  codecs: [],
  optionsPingSeconds: 0,
  srtp: 'off',
  mediaHosts: [],
  mediaSource: 'learned',
} as const)

/** Carriers' connections. All of them lie in memory too: calls are routed and admitted by `current`. */
export class Trunks {
  readonly #database: Database
  readonly #watchers = new Set<() => void>()
  #current: readonly Trunk[]

  constructor(database: Database) {
    this.#database = database
    this.#current = this.#read()
  }

  /** As they are now, oldest first. */
  current(): readonly Trunk[] {
    return this.#current
  }

  get(uuid: string): Trunk | undefined {
    return this.#current.find(trunk => trunk.uuid === uuid)
  }

  /** Calls `changed` after every change. Returns what stops it. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  async create(fields: Pick<TrunkFields, 'name'> & Partial<TrunkFields>, unixMs: number): Promise<Trunk> {
    const trunk: Trunk = { ...defaultTrunk, ...fields, uuid: randomUUID() as TrunkUuid }
    await this.#database.write(() =>
      this.#database.run(this.#database.sql.insertInto('trunks').values({ ...rowOf(trunk), created_unix: unixMs })),
    )
    this.#changed()
    return trunk
  }

  async change(uuid: string, set: Partial<TrunkFields>): Promise<Trunk | undefined> {
    const before = this.get(uuid)
    if (before === undefined) return undefined
    const { uuid: key, ...row } = rowOf({ ...before, ...set })
    await this.#database.write(() =>
      this.#database.run(this.#database.sql.updateTable('trunks').set(row).where('uuid', '=', key)),
    )
    this.#changed()
    return this.get(uuid)
  }

  async remove(uuid: string): Promise<boolean> {
    const removed = await this.#database.write(() =>
      this.#database.run(this.#database.sql.deleteFrom('trunks').where('uuid', '=', uuid as TrunkUuid)),
    )
    if (removed > 0) this.#changed()
    return removed > 0
  }

  #changed(): void {
    this.#current = this.#read()
    for (const changed of this.#watchers) changed()
  }

  #read(): readonly Trunk[] {
    return this.#database
      .all(this.#database.sql.selectFrom('trunks').selectAll().orderBy('created_unix').orderBy('uuid'))
      .map(trunkOf)
  }
}

const trunkOf = (row: Row<'trunks'>): Trunk =>
  Object.freeze({
    uuid: row.uuid,
    name: row.name,
    host: row.host,
    port: row.port,
    transport: row.transport,
    username: row.username,
    password: row.password,
    register: row.register === 1,
    inboundHosts: JSON.parse(row.inbound_hosts) as string[],
    prefixes: JSON.parse(row.prefixes) as string[],
    strip: row.strip,
    prepend: row.prepend,
    priority: row.priority,
    weight: row.weight,
    maxCalls: row.max_calls,
    maxCps: row.max_cps,
    codecs: JSON.parse(row.codecs) as CodecName[],
    optionsPingSeconds: row.options_ping_seconds,
    srtp: row.srtp,
    mediaHosts: JSON.parse(row.media_hosts) as string[],
    mediaSource: row.media_source,
  })

const rowOf = (trunk: Trunk): Omit<Row<'trunks'>, 'created_unix'> => ({
  uuid: trunk.uuid,
  name: trunk.name,
  host: trunk.host,
  port: trunk.port,
  transport: trunk.transport,
  username: trunk.username,
  password: trunk.password,
  register: trunk.register ? 1 : 0,
  inbound_hosts: JSON.stringify(trunk.inboundHosts),
  prefixes: JSON.stringify(trunk.prefixes),
  strip: trunk.strip,
  prepend: trunk.prepend,
  priority: trunk.priority,
  weight: trunk.weight,
  max_calls: trunk.maxCalls,
  max_cps: trunk.maxCps,
  codecs: JSON.stringify(trunk.codecs),
  options_ping_seconds: trunk.optionsPingSeconds,
  srtp: trunk.srtp,
  media_hosts: JSON.stringify(trunk.mediaHosts),
  media_source: trunk.mediaSource,
})
