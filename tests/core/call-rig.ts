import { Destinations } from '../../core/billing/destinations.ts'
import { RateDeck } from '../../core/billing/rate-deck.ts'
import type { LegCause } from '../../core/call/end-reason.ts'
import { defaultCallTimes } from '../../core/call/environment.ts'
import { Exchange } from '../../core/call/exchange.ts'
import type { ExchangeCommand, Lookup } from '../../core/call/exchange-command.ts'
import type { ExchangeEvent, Found } from '../../core/call/exchange-event.ts'
import type { OriginateOrder, OriginateResult } from '../../core/call/originate-order.ts'
import type { AccountProfile, EndUserProfile, OwnedNumber } from '../../core/model/account.ts'
import type { AccountUuid, CallUuid, LegUuid, Sid, TrunkUuid } from '../../core/model/ids.ts'
import type { LegMediaStats } from '../../core/model/leg-quality.ts'
import type { PhoneBinding, PhoneCaller } from '../../core/model/phone.ts'
import type { Rate } from '../../core/model/rate.ts'
import type { CodecName, Trunk } from '../../core/model/trunk.ts'
import type { FetchFault } from '../../core/ports/documents.ts'
import type { LegTarget } from '../../core/ports/signaling.ts'
import { seeded } from '../rig/seeded.ts'
import { trunk } from '../rig/trunk.ts'
import { FakeStore } from './fake-store.ts'

/** How a dialled number behaves; delays in ms. */
export interface Peer {
  readonly ringAfter?: number
  readonly earlyAfter?: number
  readonly answerAfter?: number
  readonly byeAfter?: number
  readonly endAfter?: number
  readonly cause?: LegCause
}

export type Document = string | { readonly fault: FetchFault } | 'never'

interface Task {
  readonly at: number
  readonly order: number
  readonly act: () => void
}

interface Session {
  plays: Map<string, { readonly done: () => void }>
  records: Map<string, { readonly since: number; done: boolean }>
  closed: boolean
}

export const acme: AccountProfile = {
  uuid: 'acme' as AccountUuid,
  name: 'Acme',
  status: 'active',
  graceAmount: 0,
  creditLimit: 0,
  maxConcurrentCalls: 50,
  maxCallsPerSecond: 10,
  endpoints: { voice_inbound: 'https://acme.test/in', voice_outbound: '', status: '' },
  fallbackMode: 'drop',
  fallbackValue: '',
}

export const own = (number: string, url = '', isActive = true): OwnedNumber => ({
  uuid: number,
  number,
  isActive,
  webhookUrls: { voice_inbound: url, voice_outbound: '', status: '' },
})

export const rate = (prefix: string, set: Partial<Rate> = {}): Rate => ({
  prefix,
  direction: 'outbound',
  ratePerMinute: 30_000,
  incrementSeconds: 60,
  minimumSeconds: 0,
  connectionFee: 0,
  ...set,
})

const unheard: LegMediaStats = {
  codec: 'PCMU',
  packetsReceived: 0,
  packetsSent: 0,
  packetsLost: 0,
  packetsLate: 0,
  packetsDropped: 0,
  jitterMs: 0,
  roundTripMs: undefined,
  lossPercent: 0,
  burstRatio: 1,
  oneWayMs: 0,
  rFactor: undefined,
  mos: undefined,
  far: undefined,
}

const speechMsPerCharacter = 50

/** Under which name a test has said how the far side behaves. */
function peerName(target: LegTarget): string {
  switch (target.kind) {
    case 'trunk':
      return `${target.trunk.name}:${target.number}`
    case 'uri':
      return target.uri
    case 'phone':
      return target.binding.id
  }
}

/** The whole switch above its ports, in virtual time, with a world that answers for SIP, media, HTTP and the store. */
export class CallRig {
  now = 1000
  readonly store = new FakeStore()
  readonly exchange: Exchange
  readonly commands: ExchangeCommand[] = []
  readonly documents = new Map<string, Document>()
  readonly peers = new Map<string, Peer>()
  readonly posts: { readonly at: number; readonly url: string; readonly fields: Readonly<Record<string, unknown>> }[] =
    []
  readonly over: { readonly sid: Sid; readonly at: number }[] = []
  readonly logged: string[] = []
  trunks: Trunk[] = [trunk('t1')]
  rates: Rate[] = [rate('+')]
  destinations = new Destinations([], [])
  /** End-users by uuid and by extension, and the softphones that they have registered. */
  readonly users = new Map<string, EndUserProfile>()
  readonly bindings = new Map<string, readonly PhoneBinding[]>()
  /** What a session tells of itself at its end; undefined: it never tells its end. */
  endedMedia: LegMediaStats | undefined = unheard
  /** Which SIP answers a leg.end gets, and when. */
  endLatencyMs = 3
  fetchLatencyMs = 20
  commitLatencyMs = 2
  mediaFault: ((legId: LegUuid) => boolean) | undefined
  failCommits = false
  readonly #tasks: Task[] = []
  readonly #random: () => number
  readonly #jitter: boolean
  #order = 0
  #ids = 0
  #lastCommitAt = 0
  readonly sessions = new Map<LegUuid, Session>()
  /** Legs of signalling that are not over: 'in' for callers. */
  readonly sipLegs = new Map<LegUuid, 'in' | 'out'>()
  readonly #answered = new Set<LegUuid>()
  readonly replies = new Map<string, OriginateResult>()

  constructor(options: { readonly seed?: number; readonly jitter?: boolean } = {}) {
    this.#random = seeded(options.seed ?? 1)
    this.#jitter = options.jitter ?? false
    this.exchange = new Exchange({
      uuid: () => `id-${++this.#ids}`,
      random: this.#random,
      unixMs: () => 1_800_000_000_000 + Math.round(this.now),
      trunks: () => this.trunks,
      destinations: () => this.destinations,
      deck: () => new RateDeck(this.rates),
      bindingsOf: uuid => this.bindings.get(uuid) ?? [],
      codecsIn: () => this.offeredCodecs,
      recordingPlace: (sid, uuid, _unixMs, format) => ({
        path: `2026/11/${sid}-${uuid}.${format}`,
        file: `/rec/2026/11/${sid}-${uuid}.${format}`,
      }),
      recordingKeptMs: 90 * 86_400_000,
      times: defaultCallTimes,
    })
    this.store.addAccount(acme, 10_000_000)
    this.store.numbers.set('+254700000001', { account: acme.uuid, number: own('+254700000001') })
  }

  own(number: OwnedNumber, account: AccountUuid = acme.uuid): void {
    this.store.numbers.set(number.number, { account, number })
  }

  at(delayMs: number, act: () => void): void {
    const jitter = this.#jitter ? this.#random() * 5 : 0
    this.#tasks.push({ at: this.now + delayMs + jitter, order: this.#order++, act })
  }

  /** Units commit in the order in which they were given, however long each takes. */
  #inOrder(delayMs: number, act: () => void): void {
    const jitter = this.#jitter ? this.#random() * 5 : 0
    this.#lastCommitAt = Math.max(this.#lastCommitAt, this.now + delayMs + jitter)
    this.#tasks.push({ at: this.#lastCommitAt, order: this.#order++, act })
  }

  /** Real timers fire a little behind their deadline. */
  timerLateMs = 0
  /** What callers offer. */
  offeredCodecs: readonly CodecName[] = []
  /** Media can use no answer of a far end. */
  answersAreUseless = false

  run(forMs: number): void {
    const until = this.now + forMs
    for (let guard = 0; ; guard++) {
      if (guard > 200_000) throw new Error('the world does not come to rest')
      let next: Task | undefined
      for (const task of this.#tasks) {
        if (next === undefined || task.at < next.at || (task.at === next.at && task.order < next.order)) next = task
      }
      const deadline = this.exchange.deadline()
      if (deadline !== undefined && deadline <= until && (next === undefined || deadline <= next.at)) {
        this.now = Math.max(this.now, deadline + this.timerLateMs)
        this.#execute(this.exchange.timeout(this.now))
        continue
      }
      if (next === undefined || next.at > until) break
      this.#tasks.splice(this.#tasks.indexOf(next), 1)
      this.now = Math.max(this.now, next.at)
      next.act()
    }
    this.now = until
  }

  send(event: ExchangeEvent): void {
    this.#execute(this.exchange.handle(event, this.now))
  }

  /** A caller from a trunk. */
  call(
    to: string,
    options: { from?: string; sdp?: string | undefined; legId?: string; maxForwards?: number } = {},
  ): LegUuid {
    const legId = (options.legId ?? `caller-${++this.#ids}`) as LegUuid
    this.sipLegs.set(legId, 'in')
    const sdp = 'sdp' in options ? options.sdp : 'offer'
    this.send({
      type: 'leg.offered',
      legId,
      trunkId: 't1' as TrunkUuid,
      from: { user: options.from ?? '+254711111111', displayName: '' },
      to,
      ...(sdp === undefined ? {} : { sdp }),
      ...(options.maxForwards === undefined ? {} : { maxForwards: options.maxForwards }),
    })
    return legId
  }

  /** An end-user of acme, with softphones of these names. */
  user(extension: string, phones: readonly string[] = [], set: Partial<EndUserProfile> = {}): EndUserProfile {
    const user = {
      uuid: `user-${extension}`,
      email: `${extension}@acme.test`,
      displayName: `User ${extension}`,
      extensionNumber: extension,
      isActive: true,
      ...set,
    }
    for (const key of [user.uuid, user.extensionNumber, user.email]) this.users.set(key, user)
    this.bindings.set(
      user.uuid,
      phones.map(id => ({ id, address: '198.51.100.7', isBrowser: true })),
    )
    return user
  }

  /** A call that the end-user's softphone places. */
  dialFrom(user: EndUserProfile, to: string, caller: Partial<PhoneCaller> = {}): LegUuid {
    const legId = `phone-${++this.#ids}` as LegUuid
    this.sipLegs.set(legId, 'in')
    this.send({
      type: 'leg.offered',
      legId,
      endUser: {
        endUserUuid: user.uuid,
        accountUuid: acme.uuid,
        tokenUuid: `token-${user.extensionNumber}`,
        maxConcurrent: 1,
        ...caller,
      },
      from: { user: user.extensionNumber, displayName: '' },
      to,
      sdp: 'offer',
    })
    return legId
  }

  originate(order: Partial<OriginateOrder> = {}): string {
    const requestId = `request-${++this.#ids}`
    this.send({
      type: 'call.originate',
      requestId,
      order: {
        accountId: acme.uuid,
        to: '+254722222222',
        from: '+254700000001',
        url: 'https://acme.test/out',
        ...order,
      },
    })
    return requestId
  }

  /** The far side of a leg ends it. */
  endLeg(legId: LegUuid, cause: LegCause): void {
    if (this.sipLegs.delete(legId)) this.send({ type: 'leg.ended', legId, cause })
  }

  hangUpCaller(legId: LegUuid): void {
    this.endLeg(legId, this.#answered.has(legId) ? { kind: 'bye' } : { kind: 'cancel' })
  }

  /** Legs that we dialled by SIP and that are not over, oldest first. */
  get dialled(): readonly LegUuid[] {
    return [...this.sipLegs].filter(([, side]) => side === 'out').map(([legId]) => legId)
  }

  of<T extends ExchangeCommand['type']>(type: T): readonly Extract<ExchangeCommand, { type: T }>[] {
    return this.commands.filter((command): command is Extract<ExchangeCommand, { type: T }> => command.type === type)
  }

  codes(callId?: CallUuid): readonly string[] {
    return this.store.events.filter(event => callId === undefined || event.callUuid === callId).map(event => event.code)
  }

  press(legId: LegUuid, digit: string): void {
    this.send({ type: 'media.digit', legId, digit, durationMs: 100 })
  }

  /** Media stops recording by itself. */
  #execute(commands: readonly ExchangeCommand[]): void {
    for (const command of commands) {
      this.commands.push(command)
      this.#perform(command)
    }
  }

  #perform(command: ExchangeCommand): void {
    switch (command.type) {
      case 'store.commit':
        this.#inOrder(this.commitLatencyMs, () => {
          const { callId, commitId } = command
          if (this.failCommits) {
            this.send({ type: 'store.commit-failed', callId, commitId, detail: 'disk full' })
            return
          }
          this.send({ type: 'store.committed', callId, commitId, result: this.store.commit(command.unit) })
        })
        return
      case 'store.lookup':
        this.at(1, () => {
          const { callId, lookupId, query } = command
          this.send({ type: 'store.found', callId, lookupId, found: this.#found(query) })
        })
        return
      case 'document.fetch':
        this.#fetch(command)
        return
      case 'audio.speak': {
        const { callId, requestId, text } = command
        const durationMs = text.length * speechMsPerCharacter
        this.at(10, () => this.send({ type: 'audio.ready', callId, requestId, path: `/wav/${durationMs}`, durationMs }))
        return
      }
      case 'audio.load': {
        const { callId, requestId, source } = command
        const name = 'asset' in source ? source.asset : source.url
        this.at(5, () => {
          if (name.includes('missing')) {
            this.send({ type: 'audio.failed', callId, requestId, code: 'PLAY.0404', detail: name })
          } else this.send({ type: 'audio.ready', callId, requestId, path: '/wav/2000', durationMs: 2000 })
        })
        return
      }
      case 'originate.done':
        this.replies.set(command.requestId, command.result)
        return
      case 'call.over':
        this.over.push({ sid: command.record.sid, at: this.now })
        return
      case 'log':
        this.logged.push(`${command.message}: ${JSON.stringify(command.fields)}`)
        return
      case 'document.abandon':
      case 'loop.dial':
      case 'room.enter':
      case 'room.attend':
      case 'room.leave':
        return
      default:
        if (command.type.startsWith('media.'))
          this.#media(command as Extract<ExchangeCommand, { type: `media.${string}` }>)
        else this.#signal(command as Extract<ExchangeCommand, { type: `leg.${string}` }>)
    }
  }

  #found(query: Lookup): Found {
    const ownerOf = (number: string) => {
      const entry = this.store.numbers.get(number)
      return entry === undefined
        ? undefined
        : { account: this.store.accounts.get(entry.account)!.profile, number: entry.number }
    }
    if (query.kind === 'number-owner') {
      return { kind: 'number-owner', owner: query.candidates.map(ownerOf).find(owner => owner !== undefined) }
    }
    if (query.kind === 'softphone') {
      return {
        kind: 'softphone',
        account: this.store.accounts.get(query.accountId)?.profile,
        user: this.users.get(query.endUserUuid),
        number: [...this.store.numbers.values()].find(
          ({ account, number }) => account === query.accountId && number.isActive,
        )?.number,
        spendable: this.#spendable(query.accountId),
      }
    }
    const from = this.store.numbers.get(query.from)
    return {
      kind: 'placing',
      account: this.store.accounts.get(query.accountId)?.profile,
      from: from?.account === query.accountId ? from.number : undefined,
      owner: ownerOf(query.to),
      user: query.user === undefined ? undefined : this.users.get(query.user),
      spendable: this.#spendable(query.accountId),
    }
  }

  #spendable(accountId: AccountUuid): number {
    const { profile, balance = 0, held = 0 } = this.store.accounts.get(accountId) ?? {}
    return balance - held + (profile?.graceAmount ?? 0) + (profile?.creditLimit ?? 0)
  }

  #fetch({ callId, requestId, url, fields }: Extract<ExchangeCommand, { type: 'document.fetch' }>): void {
    this.posts.push({ at: this.now, url, fields })
    const document = this.documents.get(url) ?? { fault: 'not-found' as const }
    if (document === 'never') return
    this.at(this.fetchLatencyMs, () => {
      if (typeof document === 'string') {
        this.send({ type: 'document.fetched', callId, requestId, bytes: new TextEncoder().encode(document) })
      } else this.send({ type: 'document.failed', callId, requestId, fault: document.fault, detail: 'made so' })
    })
  }

  #signal(command: Extract<ExchangeCommand, { type: `leg.${string}` }>): void {
    const { legId } = command
    switch (command.type) {
      case 'leg.dial':
        this.sipLegs.set(legId, 'out')
        this.#behave(
          legId,
          this.peers.get(peerName(command.target)) ??
            this.peers.get(command.target.kind === 'trunk' ? command.target.number : '') ??
            {},
        )
        return
      case 'leg.answer':
        this.#answered.add(legId)
        this.at(4, () => {
          if (!this.sipLegs.has(legId)) return
          const delayed = this.commands.some(
            other => other.type === 'media.open' && other.legId === legId && other.offer === undefined,
          )
          this.send({ type: 'leg.confirmed', legId, ...(delayed ? { sdp: 'answer in ACK' } : {}) })
        })
        return
      case 'leg.end':
        this.at(this.endLatencyMs, () => this.endLeg(legId, { kind: 'bye' }))
        return
      default:
        return
    }
  }

  #behave(legId: LegUuid, peer: Peer): void {
    const alive = (act: () => void) => () => {
      if (this.sipLegs.has(legId)) act()
    }
    const { ringAfter, earlyAfter, answerAfter, byeAfter, endAfter, cause } = peer
    if (ringAfter !== undefined)
      this.at(
        ringAfter,
        alive(() => this.send({ type: 'leg.ringing', legId })),
      )
    if (earlyAfter !== undefined) {
      this.at(
        earlyAfter,
        alive(() => this.send({ type: 'leg.early', legId, sdp: 'early answer', ringing: false })),
      )
    }
    if (answerAfter !== undefined) {
      this.at(
        answerAfter,
        alive(() => this.send({ type: 'leg.answered', legId, sdp: 'answer' })),
      )
      if (byeAfter !== undefined)
        this.at(
          answerAfter + byeAfter,
          alive(() => this.endLeg(legId, { kind: 'bye' })),
        )
    }
    if (endAfter !== undefined)
      this.at(
        endAfter,
        alive(() => this.endLeg(legId, cause ?? { kind: 'response', status: 486 })),
      )
  }

  #media(command: Extract<ExchangeCommand, { type: `media.${string}` }>): void {
    const { legId } = command
    const session = this.sessions.get(legId)
    if (command.type === 'media.open') {
      this.sessions.set(legId, { plays: new Map(), records: new Map(), closed: false })
      this.at(1, () => {
        if (this.sessions.get(legId)?.closed !== false) return
        if (this.mediaFault?.(legId)) {
          this.send({ type: 'media.failed', legId, fault: 'no-common-codec', reoffer: false })
          return
        }
        this.send({ type: 'media.opened', legId, sdp: `sdp of ${legId}` })
        if (command.offer !== undefined) this.send({ type: 'media.ready', legId, codec: 'PCMU' })
      })
      return
    }
    if (session === undefined || session.closed) return
    switch (command.type) {
      case 'media.answered':
        this.at(1, () => {
          if (session.closed) return
          if (this.answersAreUseless)
            this.send({ type: 'media.failed', legId, fault: 'no-common-codec', reoffer: false })
          else this.send({ type: 'media.ready', legId, codec: 'PCMA' })
        })
        return
      case 'media.reoffer':
        this.at(1, () => this.send({ type: 'media.reopened', legId, sdp: 'reanswer' }))
        return
      case 'media.play':
        this.#play(legId, session, command)
        return
      case 'media.stop':
        this.#stopPlay(legId, session, command.playId)
        return
      case 'media.record-session': {
        session.records.set(command.recordId, { since: this.now, done: false })
        this.at(command.rules.maxLengthMs, () => this.#recorded(legId, session, command.recordId, 'max-length'))
        return
      }
      case 'media.record': {
        const record = { since: this.now, done: false }
        session.records.set(command.recordId, record)
        this.at(command.limits.maxLengthMs, () => this.#recorded(legId, session, command.recordId, 'max-length'))
        return
      }
      case 'media.stop-record':
        this.at(1, () => this.#recorded(legId, session, command.recordId, 'stopped'))
        return
      case 'media.send-digits':
        this.at(command.digits.length * 150, () =>
          this.send({ type: 'media.digits-sent', legId, digitsId: command.digitsId }),
        )
        return
      case 'media.close':
        session.closed = true
        this.at(1, () => {
          for (const playId of [...session.plays.keys()]) this.#stopPlay(legId, session, playId)
          for (const recordId of session.records.keys()) this.#recorded(legId, session, recordId, 'closed')
          this.sessions.delete(legId)
          if (this.endedMedia !== undefined) this.send({ type: 'media.closed', legId, stats: this.endedMedia })
        })
        return
      default:
        return
    }
  }

  #play(legId: LegUuid, session: Session, command: Extract<ExchangeCommand, { type: 'media.play' }>): void {
    for (const playId of [...session.plays.keys()]) this.#stopPlay(legId, session, playId)
    let isDone = false
    const end = (completed: boolean) => {
      if (isDone) return
      isDone = true
      session.plays.delete(command.playId)
      this.send({ type: 'media.played', legId, playId: command.playId, completed })
    }
    session.plays.set(command.playId, { done: () => end(false) })
    const onceMs = command.source.kind === 'file' ? Number(command.source.path.split('/').at(-1)) : 200
    if (command.loop > 0) this.at(onceMs * command.loop, () => end(true))
  }

  #stopPlay(legId: LegUuid, session: Session, playId: string): void {
    const play = session.plays.get(playId)
    session.plays.delete(playId)
    if (play !== undefined) this.at(0, () => play.done())
    void legId
  }

  #recorded(legId: LegUuid, session: Session, recordId: string, endedBy: 'max-length' | 'stopped' | 'closed'): void {
    const record = session.records.get(recordId)
    if (record === undefined || record.done) return
    record.done = true
    const durationMs = Math.round(this.now - record.since)
    this.send({ type: 'media.recorded', legId, recordId, durationMs, sizeBytes: 44 + durationMs * 16, endedBy })
  }
}
