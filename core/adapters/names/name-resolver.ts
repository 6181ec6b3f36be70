import type { NaptrRecord, SrvRecord } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { FairQueue, QueueFull } from '../queue/fair-queue.ts'
import { type Answer, NameCache } from './name-cache.ts'
import { candidatesOf, type Hosts, parseHosts, parseResolvConf, type SearchRules } from './system-files.ts'
import { WatchedFile } from './watched-file.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

interface LookupOptions {
  /** The account that asks: each account has its own places, and takes turns. Default: the operator. */
  readonly owner?: string
  /** Both families are waited for, however long the second takes: nothing may be missing. Default: a moment only. */
  readonly isWhole?: boolean
}

interface NameResolverOptions {
  /** `address` or `address:port`; empty: the system's. */
  readonly servers?: readonly string[]
  /** Default: /etc/hosts. */
  readonly hostsFile?: string
  /** Default: /etc/resolv.conf. */
  readonly resolvConf?: string
}

/** What it was asked and what it said. Plain numbers that only grow. */
export interface NameCounters {
  /** Questions sent to DNS servers. */
  queries: number
  /** Answers that came from memory, or from a query of another caller that was under way. */
  remembered: number
  /** Questions that no server answered in time, or not with an answer. */
  failed: number
  /** Questions not asked, since too many of the same account's wait. */
  refused: number
}

/** Why a name has no addresses, in the words of Node's DNS errors: ENOTFOUND, ENODATA, ETIMEOUT, ESERVFAIL, … */
export class NameFault extends Error {
  override readonly name = 'NameFault'
  readonly code: string

  constructor(host: string, code: string) {
    super(code === 'ENOTFOUND' || code === 'ENODATA' ? `${host} has no address (${code})` : `${host}: DNS says ${code}`)
    this.code = code
  }
}

/** One try; a server that is there needs milliseconds. */
const tryMs = 2000
/** Tries over all servers. */
const triesInAll = 2
/** Over and above what c-ares does by itself: no question lasts longer. */
const questionMs = 5000
/** RFC 8305 §3 speaks of 50 ms; distant name servers take more. */
const secondFamilyMs = 250

const questionsAtOnce = 1024
const questionsOfOwner = 16
/** More in one breath would be lost in the name server's socket. */
const questionsOfOperator = 64
const waitingInAll = 20_000
const waitingOfOwner = 500

const saysNone: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA'])
/** What no name may hold; DNS would be asked for nothing, or for something else. */
const plausible = /^[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?\.?$/
/** Ends like an IPv4 address, and is none: another spelling of one, which the C library would take. */
const numericEnd = /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/

/** The owner of what no account asks for. */
const operator = ''

type Kind = 'A' | 'AAAA' | 'SRV' | 'NAPTR'
type Found = { readonly address: string } | SrvRecord | NaptrRecord

/**
 * Names to addresses without the thread pool: c-ares asks on the event loop, so names whose servers hang delay no other name
 * but those who asked for them. The hosts file, `localhost`, search domains and ndots are honoured as the C library does;
 * what is known is remembered, a question under way is shared, and accounts take turns.
 */
export class NameResolver {
  readonly counters: NameCounters = { queries: 0, remembered: 0, failed: 0, refused: 0 }
  readonly #fixed: readonly string[]
  readonly #hosts: WatchedFile<Hosts>
  readonly #rules: WatchedFile<SearchRules>
  readonly #cache = new NameCache<Found>()
  readonly #queue = new FairQueue({
    width: questionsAtOnce,
    widthPerOwner: questionsOfOwner,
    maxWaiting: waitingInAll,
    maxWaitingPerOwner: waitingOfOwner,
  })
  readonly #operators = new FairQueue({ width: questionsOfOperator, maxWaiting: Number.POSITIVE_INFINITY })
  #servers = ''
  #resolver: Resolver | undefined
  #isClosed = false

  constructor({ servers = [], hostsFile = '/etc/hosts', resolvConf = '/etc/resolv.conf' }: NameResolverOptions = {}) {
    this.#fixed = servers
    this.#hosts = new WatchedFile(hostsFile, parseHosts)
    this.#rules = new WatchedFile(resolvConf, parseResolvConf)
  }

  /** IPv4 first. Rejects with a `NameFault` where there is none. */
  async addresses(host: string, options: LookupOptions = {}): Promise<readonly ResolvedAddress[]> {
    if (isIP(host) !== 0) return [addressOf(host)]
    const name = host.toLowerCase()
    if (!plausible.test(name) || numericEnd.test(name)) throw new NameFault(host, 'ENOTFOUND')
    await Promise.all([this.#hosts.opened(), this.#rules.opened()])
    const bare = name.replace(/\.$/, '')
    const listed = this.#hosts.current().get(bare)
    if (listed !== undefined) return inOrder(listed)
    // RFC 6761 §6.3: never a question for DNS.
    if (bare === 'localhost' || bare.endsWith('.localhost')) return inOrder(['127.0.0.1', '::1'])
    let code = 'ENOTFOUND'
    for (const candidate of candidatesOf(name, this.#rules.current())) {
      const answer = await this.#bothFamilies(candidate, options)
      if (answer.kind === 'found') return inOrder(answer.records)
      code = answer.code
      if (answer.kind === 'failed') break
    }
    throw new NameFault(host, code)
  }

  /** Rejects where it is not known; empty where there is none. */
  async srv(name: string, owner = operator): Promise<readonly SrvRecord[]> {
    return this.#records<SrvRecord>(name, 'SRV', owner)
  }

  async naptr(name: string, owner = operator): Promise<readonly NaptrRecord[]> {
    return this.#records<NaptrRecord>(name, 'NAPTR', owner)
  }

  /** Callers that still wait get ECANCELLED. */
  close(): void {
    this.#isClosed = true
    this.#resolver?.cancel()
  }

  async #records<Record>(name: string, kind: 'SRV' | 'NAPTR', owner: string): Promise<readonly Record[]> {
    const plain = name.toLowerCase().replace(/\.$/, '')
    if (!plausible.test(plain)) return []
    await this.#rules.opened()
    const answer = await this.#ask(kind, plain, owner)
    if (answer.kind === 'failed') throw new NameFault(name, answer.code)
    return answer.kind === 'found' ? (answer.records as readonly Record[]) : []
  }

  /** The first family that has addresses waits a moment for the other. */
  async #bothFamilies(name: string, { owner = operator, isWhole = false }: LookupOptions): Promise<Answer<string>> {
    const asked = (['A', 'AAAA'] as const).map(kind => this.#ask(kind, name, owner))
    const answers: Answer<Found>[] = []
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      for (const each of asked)
        void each.then(answer => {
          answers.push(answer)
          if (answers.length === asked.length) resolve()
          else if (answer.kind === 'found' && !isWhole) timer = setTimeout(resolve, secondFamilyMs)
        })
    })
    clearTimeout(timer)
    const failed = answers.find(answer => answer.kind === 'failed')
    if (isWhole && failed !== undefined) return failed
    const records = answers.flatMap(answer =>
      answer.kind === 'found' ? answer.records.flatMap(found => ('address' in found ? [found.address] : [])) : [],
    )
    if (records.length > 0) return { kind: 'found', records, ttlMs: 0 }
    // NODATA in one family says more than NXDOMAIN in the other: the name is there.
    const [first, second] = answers
    return failed ?? (first?.kind === 'none' && first.code === 'ENODATA' ? first : (second as Answer<string>))
  }

  async #ask(kind: Kind, name: string, owner: string): Promise<Answer<Found>> {
    const question = `${kind} ${name}`
    const known = this.#known(question)
    if (known !== undefined) return known
    try {
      // The operator's names are as many as its trunks: none is too much.
      const queue = owner === operator ? this.#operators : this.#queue
      return await queue.run(owner, () => this.#askInTurn(kind, name, question))
    } catch (fault) {
      if (!(fault instanceof QueueFull)) throw fault
      this.counters.refused++
      return { kind: 'failed', code: 'EBUSY' }
    }
  }

  /** While it waited for its turn, another caller may have asked. */
  async #askInTurn(kind: Kind, name: string, question: string): Promise<Answer<Found>> {
    return (
      this.#known(question) ??
      this.#cache.ask(
        question,
        () => performance.now(),
        () => this.#query(kind, name),
      )
    )
  }

  #known(question: string): Answer<Found> | Promise<Answer<Found>> | undefined {
    const known = this.#cache.find(question, performance.now()) ?? this.#cache.underWay(question)
    if (known !== undefined) this.counters.remembered++
    return known
  }

  async #query(kind: Kind, name: string): Promise<Answer<Found>> {
    if (this.#isClosed) return { kind: 'failed', code: 'ECANCELLED' }
    this.counters.queries++
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Answer<Found>>(resolve => {
      timer = setTimeout(() => resolve({ kind: 'failed', code: 'ETIMEOUT' }), questionMs)
    })
    const answer = await Promise.race([this.#send(kind, name), late])
    clearTimeout(timer)
    if (answer.kind === 'failed') this.counters.failed++
    return answer
  }

  async #send(kind: Kind, name: string): Promise<Answer<Found>> {
    try {
      const { records, ttlSeconds } = await recordsOf(this.#channel(), kind, name)
      if (records.length === 0) return { kind: 'none', code: 'ENODATA' }
      return { kind: 'found', records, ttlMs: ttlSeconds * 1000 }
    } catch (fault) {
      const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'EBADRESP'
      return saysNone.has(code) ? { kind: 'none', code } : { kind: 'failed', code }
    }
  }

  /** One c-ares channel for all; another one where the system's servers have changed. */
  #channel(): Resolver {
    const servers = this.#fixed.length > 0 ? this.#fixed : this.#rules.current().servers
    const written = servers.join(' ')
    if (this.#resolver !== undefined && written === this.#servers) return this.#resolver
    const tries = Math.max(1, Math.floor(triesInAll / Math.max(1, servers.length)))
    const resolver = new Resolver({ timeout: tryMs, tries, maxTimeout: tryMs })
    if (this.#fixed.length > 0) resolver.setServers(this.#fixed)
    this.#servers = written
    this.#resolver = resolver
    return resolver
  }
}

interface Records {
  readonly records: readonly Found[]
  readonly ttlSeconds: number
}

/** Node does not say how long these are valid. */
const servicesHoldSeconds = 60

async function recordsOf(resolver: Resolver, kind: Kind, name: string): Promise<Records> {
  switch (kind) {
    case 'A':
    case 'AAAA': {
      const ask = kind === 'A' ? resolver.resolve4(name, { ttl: true }) : resolver.resolve6(name, { ttl: true })
      const records = await ask
      return { records, ttlSeconds: Math.min(...records.map(({ ttl }) => ttl)) }
    }
    case 'SRV':
      return { records: await resolver.resolveSrv(name), ttlSeconds: servicesHoldSeconds }
    case 'NAPTR':
      return { records: await resolver.resolveNaptr(name), ttlSeconds: servicesHoldSeconds }
  }
}

const addressOf = (address: string): ResolvedAddress => ({ address, family: isIP(address) === 6 ? 6 : 4 })

/** Node's connections try the families in turn, beginning with the first. */
const inOrder = (addresses: readonly string[]): readonly ResolvedAddress[] =>
  addresses.map(addressOf).sort((a, b) => a.family - b.family)
