import { ownText } from '../base/own-text.ts'
import type { HeaderField } from '../message/message.ts'
import type { Flow } from '../network/flow.ts'
import type { IncomingRequest } from '../transaction/incoming.ts'
import { Timer, type TimerQueue } from '../transaction/timer-queue.ts'
import type { TimerOwner } from '../transaction/transaction.ts'
import { formatUri } from '../uri/format.ts'
import { parseUri } from '../uri/parse.ts'
import { type Binding, formatBinding, isSamePlace, isStale } from './binding.ts'
import { FlowSuccessors } from './flow-successors.ts'
import type { PhoneIdentity } from './phone.ts'
import { type RegisterRequest, readRegister, type WantedBinding } from './register-request.ts'

/** How long phones stay registered, and how much is kept of them. */
export interface RegistrarRules {
  /** Shorter ones get 423 (RFC 3261 §10.3 step 7). Default 60. */
  readonly minSeconds: number
  /** Longer ones are cut. Default 3600. */
  readonly maxSeconds: number
  /** For a REGISTER that names none. Default 600. */
  readonly defaultSeconds: number
  /** How long bindings outlive their connection: a phone that changes networks comes back. Default 10 s. */
  readonly graceMs: number
  /** Bindings of one user; a further one takes the place of the oldest. Default 10. */
  readonly bindingsOfUser: number
  /** Bindings of one account; a further one gets 503, those that are there are refreshed. Default 10,000. */
  readonly bindingsOfAccount: number
  /** The same for all accounts. Default 50,000. */
  readonly bindings: number
}

export const defaultRegistrarRules: RegistrarRules = Object.freeze({
  minSeconds: 60,
  maxSeconds: 3600,
  defaultSeconds: 600,
  graceMs: 10_000,
  bindingsOfUser: 10,
  bindingsOfAccount: 10_000,
  bindings: 50_000,
})

interface RegistrarHost {
  readonly timers: TimerQueue<TimerOwner>
  /** A new unguessable name. */
  newId(): string
}

/** A phone that has come back over another connection: what went over `from` goes to its binding now. */
export interface PhoneMove {
  readonly from: Flow
  readonly binding: Binding
}

interface RegisterAnswer {
  readonly status: number
  readonly fields: readonly HeaderField[]
  readonly moved?: readonly PhoneMove[]
}

type Removal = (entry: Entry) => void

/** A binding and its end: the interval that was granted, or the grace after its connection. */
class Entry implements TimerOwner {
  binding: Binding
  isLost = false
  readonly timer = new Timer<TimerOwner>(this, 'binding')
  readonly #remove: Removal

  constructor(binding: Binding, remove: Removal) {
    this.binding = binding
    this.#remove = remove
  }

  expired(): void {
    this.#remove(this)
  }
}

const refused = (status: number, ...fields: HeaderField[]): RegisterAnswer => ({ status, fields })
const flowKey = ({ transport, address, port }: Flow): string => `${transport} ${address} ${port}`

/** The bindings of all phones, in memory: they are worth as much as the connections that they stand on. */
export class Registrar {
  readonly #host: RegistrarHost
  readonly #rules: RegistrarRules
  readonly #byUser = new Map<string, Entry[]>()
  readonly #byId = new Map<string, Entry>()
  readonly #byFlow = new Map<string, Set<Entry>>()
  /** Tokens may be revoked in a loop: one that has registered nothing costs a look-up. */
  readonly #byToken = new Map<string, Set<Entry>>()
  readonly #ofAccount = new Map<string, number>()
  readonly #successors = new FlowSuccessors()

  constructor(host: RegistrarHost, rules: RegistrarRules = defaultRegistrarRules) {
    this.#host = host
    this.#rules = rules
  }

  get size(): number {
    return this.#byId.size
  }

  get userCount(): number {
    return this.#byUser.size
  }

  get graceMs(): number {
    return this.#rules.graceMs
  }

  /** Registered, or about to come back. */
  isRegistered(userId: string): boolean {
    return this.#byUser.has(userId)
  }

  /** Where a call to the user goes: what stands on a live flow, newest first. */
  bindingsOf(userId: string): readonly Binding[] {
    const entries = this.#byUser.get(userId) ?? []
    return entries.filter(entry => !entry.isLost).map(entry => entry.binding)
  }

  find(id: string): Binding | undefined {
    const entry = this.#byId.get(id)
    return entry?.isLost === false ? entry.binding : undefined
  }

  /** A phone has registered from just there. */
  isPhone(flow: Flow): boolean {
    return this.#byFlow.size > 0 && this.#byFlow.has(flowKey(flow))
  }

  /** A phone of the user has registered from just there. */
  isPhoneOf(userId: string, flow: Flow): boolean {
    for (const { binding } of this.#byFlow.get(flowKey(flow)) ?? []) if (binding.userId === userId) return true
    return false
  }

  /** The connection on which the phone of `flow` is now. */
  current(flow: Flow): Flow {
    return this.#successors.current(flow)
  }

  /** RFC 3261 §10.3, from step 5 on: the request has been authenticated as `phone`. */
  register(request: IncomingRequest, phone: PhoneIdentity, now: number): RegisterAnswer {
    const read = readRegister(request.message)
    if (read.kind === 'bad') return refused(400)
    // A user registers only its own addresses (RFC 3261 §10.3, step 4).
    if (read.user !== phone.user) return refused(403)
    const moved: PhoneMove[] = []
    const answer =
      read.kind === 'update' ? this.#update(read, request, phone, now, moved) : this.#removeAll(request, phone)
    if (answer !== undefined) return answer
    const entries = this.#byUser.get(phone.userId) ?? []
    const fields = entries.map(({ binding }) => ({ name: 'Contact', value: formatBinding(binding, now) }))
    // RFC 5626 §6: said when a binding was made by its rules.
    const isOutbound = read.kind === 'update' && read.wanted.some(isOutboundContact)
    return { status: 200, fields: isOutbound ? [...fields, { name: 'Require', value: 'outbound' }] : fields, moved }
  }

  /** The connection is gone; its phone may come back within the grace. */
  flowClosed(flow: Flow, now: number): void {
    for (const entry of this.#byFlow.get(flowKey(flow)) ?? []) {
      if (entry.binding.flow.socket !== flow.socket) continue
      entry.isLost = true
      this.#host.timers.set(entry.timer, Math.min(entry.binding.expiresAt, now + this.#rules.graceMs))
    }
  }

  /** What was registered by this token ends at once; the bindings that stood on live flows. */
  revoke(tokenId: string): readonly Binding[] {
    const ended = [...(this.#byToken.get(tokenId) ?? [])]
    for (const entry of ended) this.#remove(entry)
    return ended.filter(({ isLost }) => !isLost).map(({ binding }) => binding)
  }

  #removeAll(request: IncomingRequest, phone: PhoneIdentity): RegisterAnswer | undefined {
    const entries = [...(this.#byUser.get(phone.userId) ?? [])]
    if (entries.some(({ binding }) => isStale(binding, request.callId, request.cseq))) return refused(500)
    for (const entry of entries) this.#remove(entry)
    return undefined
  }

  /** All or nothing: what any Contact lacks refuses the whole request. */
  #update(
    { wanted }: Extract<RegisterRequest, { kind: 'update' }>,
    request: IncomingRequest,
    phone: PhoneIdentity,
    now: number,
    moved: PhoneMove[],
  ): RegisterAnswer | undefined {
    const { minSeconds, defaultSeconds, bindings, bindingsOfAccount } = this.#rules
    let more = 0
    for (const place of wanted) {
      const { seconds = defaultSeconds } = place
      const entry = this.#entryOf(phone.userId, place)
      if (entry !== undefined && isStale(entry.binding, request.callId, request.cseq)) return refused(500)
      if (entry === undefined && seconds > 0) more++
      if (seconds > 0 && seconds < minSeconds) return refused(423, { name: 'Min-Expires', value: String(minSeconds) })
    }
    // What is refreshed or removed takes no room: a full registrar keeps what it has.
    const ofAccount = this.#ofAccount.get(accountOf(phone)) ?? 0
    if (more > 0 && (this.#byId.size + more > bindings || ofAccount + more > bindingsOfAccount))
      return refused(503, { name: 'Retry-After', value: '60' })
    for (const place of wanted) {
      const entry = this.#entryOf(phone.userId, place)
      if (place.seconds === 0) {
        if (entry !== undefined) this.#remove(entry)
      } else {
        const binding = this.#bind(place, entry, request, phone, now)
        const from = entry?.binding.flow
        if (from !== undefined && this.#successors.current(from) === binding.flow && from !== binding.flow)
          moved.push({ from, binding })
      }
    }
    return undefined
  }

  #entryOf(userId: string, place: WantedBinding): Entry | undefined {
    return this.#byUser.get(userId)?.find(({ binding }) => isSamePlace(binding, place))
  }

  #bind(
    { uri, instance, regId, seconds = this.#rules.defaultSeconds }: WantedBinding,
    known: Entry | undefined,
    request: IncomingRequest,
    phone: PhoneIdentity,
    now: number,
  ): Binding {
    // A registration ends with the token that made it.
    const grantedMs = Math.min(1000 * Math.min(seconds, this.#rules.maxSeconds), phone.remainingMs)
    if (known !== undefined) {
      this.#successors.replace(known.binding.flow, request.flow)
      this.#remove(known)
    }
    const contact = ownText(formatUri(uri))
    const own = parseUri(contact)
    const binding: Binding = {
      id: known?.binding.id ?? this.#host.newId(),
      userId: phone.userId,
      accountId: accountOf(phone),
      user: phone.user,
      tokenId: phone.tokenId,
      uri: own.ok && own.value.kind === 'sip' ? own.value : uri,
      contact,
      instance: instance && ownText(instance),
      regId,
      callId: ownText(request.callId),
      cseq: request.cseq,
      flow: request.flow,
      expiresAt: now + grantedMs,
    }
    const entry = new Entry(binding, gone => this.#remove(gone))
    const entries = this.#byUser.get(phone.userId) ?? []
    const oldest = entries.at(-1)
    if (oldest !== undefined && entries.length >= this.#rules.bindingsOfUser) this.#remove(oldest)
    this.#byUser.set(phone.userId, [entry, ...(this.#byUser.get(phone.userId) ?? [])])
    this.#byId.set(binding.id, entry)
    this.#ofAccount.set(binding.accountId, (this.#ofAccount.get(binding.accountId) ?? 0) + 1)
    put(this.#byFlow, flowKey(binding.flow), entry)
    put(this.#byToken, binding.tokenId, entry)
    this.#host.timers.set(entry.timer, binding.expiresAt)
    return binding
  }

  #remove(entry: Entry): void {
    const { id, userId, accountId, tokenId, flow } = entry.binding
    this.#host.timers.stop(entry.timer)
    if (this.#byId.delete(id)) {
      const left = (this.#ofAccount.get(accountId) ?? 0) - 1
      if (left > 0) this.#ofAccount.set(accountId, left)
      else this.#ofAccount.delete(accountId)
    }
    const left = (this.#byUser.get(userId) ?? []).filter(other => other !== entry)
    if (left.length > 0) this.#byUser.set(userId, left)
    else this.#byUser.delete(userId)
    take(this.#byFlow, flowKey(flow), entry)
    take(this.#byToken, tokenId, entry)
  }
}

const accountOf = ({ accountId, userId }: PhoneIdentity): string => accountId ?? userId

function put(entries: Map<string, Set<Entry>>, key: string, entry: Entry): void {
  const there = entries.get(key) ?? new Set()
  entries.set(key, there.add(entry))
}

function take(entries: Map<string, Set<Entry>>, key: string, entry: Entry): void {
  const there = entries.get(key)
  there?.delete(entry)
  if (there?.size === 0) entries.delete(key)
}

const isOutboundContact = ({ instance, regId }: WantedBinding): boolean => instance !== undefined && regId !== undefined
