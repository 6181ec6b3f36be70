import { maxTries, retryDelayMs } from './retry.ts'

/** What the schedule knows of a callback. Times are monotonic ms. */
export interface Delivery {
  readonly id: number
  readonly account: string
  /** The unit of delivery: one URL of one account. */
  readonly endpoint: string
  /** Callbacks of one call keep their order; null = about no call. */
  readonly call: string | null
  /** Tries finished. */
  readonly tries: number
  readonly dueAt: number
}

export type DeliveryInput =
  /** New ones in the order of their events. */
  | { readonly type: 'added'; readonly delivery: Delivery }
  | { readonly type: 'finished'; readonly id: number; readonly delivered: boolean }

export type DeliveryOutput =
  /** Send it now, and report `finished`. */
  | { readonly type: 'attempt'; readonly id: number; readonly tryNumber: number }
  | { readonly type: 'delivered'; readonly id: number; readonly tries: number }
  | { readonly type: 'retry'; readonly id: number; readonly tries: number; readonly delayMs: number }
  | { readonly type: 'gave-up'; readonly id: number; readonly tries: number }

export interface DeliveryLimits {
  /** Attempts that run at once, in all. Default 256. */
  readonly total: number
  /** At once for one account, however many endpoints it has. Default 64. */
  readonly perAccount: number
  /** At once to one endpoint that works. Default 16. */
  readonly perEndpoint: number
  /** At once to an endpoint whose last attempt failed: it may only hang a few of our connections. Default 4. */
  readonly perFailingEndpoint: number
  /** At once to all such endpoints of one account. Default 16. */
  readonly failingPerAccount: number
}

export const defaultDeliveryLimits: DeliveryLimits = Object.freeze({
  total: 256,
  perAccount: 64,
  perEndpoint: 16,
  perFailingEndpoint: 4,
  failingPerAccount: 16,
})

interface Account {
  readonly name: string
  /** How many of its endpoints are known. */
  endpoints: number
  running: number
  /** Of these, to endpoints that fail. */
  runningToFailing: number
  /** Endpoints of it whose turn has come while it had no room. */
  readonly parked: Endpoint[]
  /** The same while it had no room for endpoints that fail. */
  readonly parkedFailing: Endpoint[]
}

interface Endpoint {
  readonly name: string
  readonly account: Account
  /** Due, and first of their call: what may be sent as soon as there is room. */
  readonly ready: number[]
  /** Callbacks to it that have not ended. */
  pending: number
  running: number
  failing: boolean
  /** In the round of endpoints that have work and room, or parked until its account has room. */
  queued: boolean
}

interface Entry {
  readonly delivery: Delivery
  tries: number
}

/**
 * Which callback is sent when. One endpoint's trouble stays its own: it has its own share of the attempts, and
 * endpoints take turns. The first try of a call's next event waits until that of the one before has finished, so that
 * a healthy endpoint sees a call's events in order; retries do not hold later events back.
 */
export class DeliverySchedule {
  readonly #limits: DeliveryLimits
  readonly #entries = new Map<number, Entry>()
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #accounts = new Map<string, Account>()
  /** Endpoints that have something ready and room for it, in turn. */
  readonly #round: Endpoint[] = []
  /** First tries of a call at an endpoint; the head is ready or running, the others wait for it. */
  readonly #chains = new Map<string, number[]>()
  /** By number of finished tries, so each list is in the order of its deadlines: a pause has one length. */
  readonly #waiting: { readonly id: number; readonly dueAt: number }[][] = Array.from({ length: maxTries }, () => [])
  #running = 0

  constructor(limits: DeliveryLimits = defaultDeliveryLimits) {
    this.#limits = limits
  }

  /** Callbacks known and not finished. */
  get size(): number {
    return this.#entries.size
  }

  get running(): number {
    return this.#running
  }

  handle(input: DeliveryInput, now: number): readonly DeliveryOutput[] {
    switch (input.type) {
      case 'added':
        return this.#add(input.delivery, now)
      case 'finished':
        return this.#finish(input.id, input.delivered, now)
    }
  }

  /** Makes ready whose pause is over. */
  timeout(now: number): readonly DeliveryOutput[] {
    for (const list of this.#waiting) {
      let due = 0
      for (; due < list.length && list[due]!.dueAt <= now; due++) this.#ready(list[due]!.id)
      if (due > 0) list.splice(0, due)
    }
    return this.#start()
  }

  /** When `timeout` is to be called; undefined = nothing waits. */
  deadline(): number | undefined {
    let first: number | undefined
    for (const list of this.#waiting) {
      const head = list[0]
      if (head !== undefined && (first === undefined || head.dueAt < first)) first = head.dueAt
    }
    return first
  }

  #add(delivery: Delivery, now: number): readonly DeliveryOutput[] {
    if (this.#entries.has(delivery.id)) return []
    this.#entries.set(delivery.id, { delivery, tries: delivery.tries })
    this.#endpoint(delivery).pending++
    if (delivery.tries > 0 && delivery.dueAt > now) {
      this.#wait(delivery.id, delivery.tries, delivery.dueAt)
      return []
    }
    const chain = chainOf(delivery)
    if (delivery.tries > 0 || chain === undefined) {
      this.#ready(delivery.id)
      return this.#start()
    }
    const waiting = this.#chains.get(chain)
    if (waiting !== undefined) {
      waiting.push(delivery.id)
      return []
    }
    this.#chains.set(chain, [delivery.id])
    this.#ready(delivery.id)
    return this.#start()
  }

  #finish(id: number, delivered: boolean, now: number): readonly DeliveryOutput[] {
    const entry = this.#entries.get(id)
    if (entry === undefined) return []
    const endpoint = this.#endpoint(entry.delivery)
    this.#leave(endpoint)
    this.#judge(endpoint, delivered)
    if (entry.tries === 0) this.#advance(entry.delivery)
    entry.tries++
    const outcome = this.#outcome(id, entry, delivered, now)
    this.#queue(endpoint)
    const started = this.#start()
    this.#forgetIdle(endpoint)
    return [outcome, ...started]
  }

  #outcome(id: number, { tries, delivery }: Entry, delivered: boolean, now: number): DeliveryOutput {
    const delayMs = delivered ? undefined : retryDelayMs(tries)
    if (delayMs !== undefined) {
      this.#wait(id, tries, now + delayMs)
      return { type: 'retry', id, tries, delayMs }
    }
    this.#entries.delete(id)
    this.#endpoint(delivery).pending--
    return { type: delivered ? 'delivered' : 'gave-up', id, tries }
  }

  /** The first try of a call's event is over: the next one's turn. */
  #advance(delivery: Delivery): void {
    const chain = chainOf(delivery)
    const waiting = chain === undefined ? undefined : this.#chains.get(chain)
    if (chain === undefined || waiting === undefined) return
    waiting.shift()
    const next = waiting[0]
    if (next === undefined) this.#chains.delete(chain)
    else this.#ready(next)
  }

  #wait(id: number, tries: number, dueAt: number): void {
    const list = this.#waiting[Math.min(tries, maxTries - 1)]!
    let at = list.length
    // Only what a restart loaded can be later than what comes now.
    while (at > 0 && list[at - 1]!.dueAt > dueAt) at--
    list.splice(at, 0, { id, dueAt })
  }

  #ready(id: number): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    const endpoint = this.#endpoint(entry.delivery)
    endpoint.ready.push(id)
    this.#queue(endpoint)
  }

  #queue(endpoint: Endpoint): void {
    if (endpoint.queued || endpoint.ready.length === 0) return
    const room = endpoint.failing ? this.#limits.perFailingEndpoint : this.#limits.perEndpoint
    if (endpoint.running >= room) return
    endpoint.queued = true
    this.#round.push(endpoint)
  }

  #start(): readonly DeliveryOutput[] {
    const started: DeliveryOutput[] = []
    while (this.#running < this.#limits.total) {
      const endpoint = this.#round.shift()
      if (endpoint === undefined) break
      const { account } = endpoint
      if (account.running >= this.#limits.perAccount) {
        account.parked.push(endpoint)
        continue
      }
      if (endpoint.failing && account.runningToFailing >= this.#limits.failingPerAccount) {
        account.parkedFailing.push(endpoint)
        // The place that it was called for is another's.
        this.#call(account.parked, 1)
        continue
      }
      endpoint.queued = false
      const id = endpoint.ready.shift()
      const entry = id === undefined ? undefined : this.#entries.get(id)
      if (id === undefined || entry === undefined) continue
      endpoint.running++
      account.running++
      if (endpoint.failing) account.runningToFailing++
      this.#running++
      started.push({ type: 'attempt', id, tryNumber: entry.tries + 1 })
      this.#queue(endpoint)
    }
    return started
  }

  /** One of its attempts is over: the next of its account's endpoints that wait for that is in the round again. */
  #leave(endpoint: Endpoint): void {
    const { account } = endpoint
    this.#running--
    endpoint.running--
    account.running--
    if (endpoint.failing) account.runningToFailing--
    this.#call(account.parked, 1)
  }

  /** By its last attempt; those under way count as what the endpoint is now. */
  #judge(endpoint: Endpoint, works: boolean): void {
    const { account } = endpoint
    if (endpoint.failing === works) {
      endpoint.failing = !works
      account.runningToFailing += works ? -endpoint.running : endpoint.running
      const at = works ? account.parkedFailing.indexOf(endpoint) : -1
      if (at >= 0) this.#round.push(...account.parkedFailing.splice(at, 1))
    }
    this.#call(account.parkedFailing, this.#limits.failingPerAccount - account.runningToFailing)
  }

  #call(parked: Endpoint[], most: number): void {
    this.#round.push(...parked.splice(0, Math.max(0, most)))
  }

  #account(name: string): Account {
    const known = this.#accounts.get(name)
    if (known !== undefined) return known
    const account: Account = { name, endpoints: 0, running: 0, runningToFailing: 0, parked: [], parkedFailing: [] }
    this.#accounts.set(name, account)
    return account
  }

  #endpoint({ endpoint: name, account }: Delivery): Endpoint {
    const known = this.#endpoints.get(name)
    if (known !== undefined) return known
    const endpoint: Endpoint = {
      name,
      account: this.#account(account),
      ready: [],
      pending: 0,
      running: 0,
      failing: false,
      queued: false,
    }
    endpoint.account.endpoints++
    this.#endpoints.set(name, endpoint)
    return endpoint
  }

  /** Forgets an endpoint without callbacks; a failing one stays while a callback of it waits for its next try. */
  #forgetIdle({ account, name, pending }: Endpoint): void {
    if (pending > 0 || !this.#endpoints.delete(name)) return
    account.endpoints--
    if (account.endpoints === 0) this.#accounts.delete(account.name)
  }
}

const chainOf = ({ endpoint, call }: Delivery): string | undefined =>
  call === null ? undefined : `${call} ${endpoint}`
