import { Destinations } from '../../../core/billing/destinations.ts'
import { RateDeck } from '../../../core/billing/rate-deck.ts'
import { defaultCallTimes } from '../../../core/contract/environment.ts'
import type { ExchangeCommand } from '../../../core/contract/exchange-command.ts'
import type { ExchangeEvent } from '../../../core/contract/exchange-event.ts'
import type { OriginateOrder, OriginateResult } from '../../../core/contract/originate-order.ts'
import { Exchange } from '../../../core/exchange/exchange.ts'
import type { EndUserProfile, OwnedNumber } from '../../../core/model/account.ts'
import type { LegCause } from '../../../core/model/end-reason.ts'
import type { AccountUuid, CallUuid, LegUuid, Sid, TrunkUuid } from '../../../core/model/ids.ts'
import type { LegMediaStats } from '../../../core/model/leg-quality.ts'
import type { PhoneBinding, PhoneCaller } from '../../../core/model/phone.ts'
import type { Rate } from '../../../core/model/rate.ts'
import type { CodecName, Trunk } from '../../../core/model/trunk.ts'
import type { DocumentEvent, FetchFault } from '../../../core/ports/documents.ts'
import type { MediaCommand } from '../../../core/ports/media.ts'
import type { SignalingCommand } from '../../../core/ports/signaling.ts'
import { readSipTarget } from '../../../core/routing/sip-target.ts'
import { MemoryStore } from '../../../core/testing/memory-store.ts'
import { SimulatedMedia, unheard } from '../../../core/testing/simulated-media.ts'
import { SimulatedSignaling } from '../../../core/testing/simulated-signaling.ts'
import { VirtualTasks } from '../../../core/testing/virtual-tasks.ts'
import type { TraceRecorder } from '../../../core/trace/trace-recorder.ts'
import { trunk } from '../../rig/beds/trunk.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { acme, own, rate } from './acme.ts'
import { audioFor } from './fake-audio.ts'

type Failed = Partial<Pick<Extract<DocumentEvent, { type: 'document.failed' }>, 'detail' | 'cause'>>
export type Document = string | ({ readonly fault: FetchFault } & Failed) | 'never'

/** The whole switch above its ports, in virtual time, with a world that answers for SIP, media, HTTP and the store. */
export class CallBed {
  now = 1000
  /** What records the calls, if anything does. */
  recorder: TraceRecorder | undefined
  readonly store = new MemoryStore()
  readonly exchange: Exchange
  readonly commands: ExchangeCommand[] = []
  readonly documents = new Map<string, Document>()
  readonly posts: { readonly at: number; readonly url: string; readonly fields: Readonly<Record<string, unknown>> }[] =
    []
  readonly over: { readonly sid: Sid; readonly at: number }[] = []
  readonly logged: string[] = []
  trunks: Trunk[] = [trunk('t1')]
  rates: Rate[] = [rate('+')]
  /** Hosts of trunks, of this switch and of private networks, as a URI shows them. */
  refusedHosts: string[] = []
  destinations = new Destinations([], [])
  /** The softphones that end-users have registered. */
  readonly bindings = new Map<string, readonly PhoneBinding[]>()
  /** The report of a session at its end; undefined: it never reports its end. */
  endedMedia: LegMediaStats | undefined = unheard
  /** Which SIP answers a leg.end gets, and when. */
  endLatencyMs = 3
  fetchLatencyMs = 20
  commitLatencyMs = 2
  mediaFault: ((legId: LegUuid) => boolean) | undefined
  failCommits = false
  /** Real timers fire a little after their deadline. */
  timerLateMs = 0
  /** What callers offer. */
  offeredCodecs: readonly CodecName[] = []
  /** Owners of numbers are in memory: calls do not look them up. */
  knowsOwners = false
  /** Documents are the switch's own. */
  hostsDocuments = false
  /** Media can use no answer of a remote. */
  answersAreUseless = false
  readonly #tasks: VirtualTasks
  readonly #signaling = new SimulatedSignaling(this)
  readonly #media = new SimulatedMedia(this)
  #ids = 0
  /** How numbers that are dialled behave, by `trunk:number`, number, URI or softphone. */
  readonly peers = this.#signaling.peers
  /** Legs of signalling that are not over: 'in' for callers. */
  readonly sipLegs = this.#signaling.legs
  readonly sessions = this.#media.sessions
  readonly replies = new Map<string, OriginateResult>()

  constructor(options: { readonly seed?: number; readonly jitter?: boolean } = {}) {
    const random = seeded(options.seed ?? 1)
    this.#tasks = new VirtualTasks(options.jitter === true ? random : undefined)
    this.exchange = new Exchange({
      uuid: () => `id-${++this.#ids}`,
      random,
      unixMs: () => 1_800_000_000_000 + Math.round(this.now),
      knownOwner: number => (this.knowsOwners ? this.store.ownerOf(number) : undefined),
      isHosted: () => this.hostsDocuments,
      trunks: () => this.trunks,
      destinations: () => this.destinations,
      deck: () => new RateDeck(this.rates),
      bindingsOf: uuid => this.bindings.get(uuid) ?? [],
      sipTarget: uri => readSipTarget(uri, host => this.refusedHosts.includes(host)),
      codecsIn: () => this.offeredCodecs,
      recordingPlace: (sid, uuid, _unixMs, format) => ({
        path: `2026/11/${sid}-${uuid}.${format}`,
        file: `/rec/2026/11/${sid}-${uuid}.${format}`,
      }),
      recordingKeptMs: 90 * 86_400_000,
      recordingQuota: 1_000_000,
      times: defaultCallTimes,
    })
    this.store.addAccount(acme, 10_000_000)
    this.store.numbers.set('+254700000001', { account: acme.uuid, number: own('+254700000001') })
  }

  own(number: OwnedNumber, account: AccountUuid = acme.uuid): void {
    this.store.numbers.set(number.number, { account, number })
  }

  at(delayMs: number, act: () => void): void {
    this.#tasks.add(this.now + delayMs, act)
  }

  run(forMs: number): void {
    const until = this.now + forMs
    for (let guard = 0; ; guard++) {
      if (guard > 200_000) throw new Error('the world does not come to rest')
      const next = this.#tasks.next()
      const deadline = this.exchange.deadline()
      if (deadline !== undefined && deadline <= until && (next === undefined || deadline <= next.at)) {
        this.now = Math.max(this.now, deadline + this.timerLateMs)
        this.#execute(this.exchange.timeout(this.now))
        continue
      }
      if (next === undefined || next.at > until) break
      this.#tasks.take(next)
      this.now = Math.max(this.now, next.at)
      next.act()
    }
    this.now = until
  }

  send(event: ExchangeEvent): void {
    if (event.type !== 'leg.offered') this.recorder?.event(event, () => undefined)
    const commands = this.exchange.handle(event, this.now)
    if (event.type === 'leg.offered') this.recorder?.event(event, legId => this.exchange.callOfLeg(legId)?.callId)
    this.#execute(commands)
  }

  isDelayedOffer(legId: LegUuid): boolean {
    return this.commands.some(
      command => command.type === 'media.open' && command.legId === legId && command.offer === undefined,
    )
  }

  /** A caller from a trunk. */
  call(
    to: string,
    options: { from?: string; sdp?: string | undefined; legId?: string; maxForwards?: number; source?: string } = {},
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
      ...(options.source === undefined ? {} : { source: options.source }),
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
    for (const key of [user.uuid, user.extensionNumber, user.email]) this.store.users.set(key, user)
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

  /** The remote of a leg ends it. */
  endLeg(legId: LegUuid, cause: LegCause): void {
    this.#signaling.end(legId, cause)
  }

  hangUpCaller(legId: LegUuid): void {
    this.#signaling.hangUp(legId)
  }

  /** Legs that we dialled by SIP and that are not over, oldest first. */
  get dialled(): readonly LegUuid[] {
    return this.#signaling.dialled
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

  #execute(commands: readonly ExchangeCommand[]): void {
    for (const command of commands) {
      this.commands.push(command)
      this.recorder?.command(command)
      this.#perform(command)
    }
  }

  #perform(command: ExchangeCommand): void {
    switch (command.type) {
      case 'store.commit':
        // Units commit in the order in which they were given, however long each takes.
        this.#tasks.addInOrder(this.now + this.commitLatencyMs, () => {
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
          this.send({ type: 'store.found', callId, lookupId, found: this.store.lookUp(query) })
        })
        return
      case 'document.fetch':
        this.#fetch(command)
        return
      case 'audio.speak':
      case 'audio.load':
        for (const { afterMs, event } of audioFor(command)) this.at(afterMs, () => this.send(event))
        return
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
      case 'audio.abandon':
      case 'loop.dial':
      case 'room.enter':
      case 'room.attend':
      case 'room.leave':
      case 'verb.began':
      case 'caller.dialled':
      case 'circle.found':
        return
      default:
        if (isMedia(command)) this.#media.execute(command)
        else this.#signaling.execute(command)
    }
  }

  #fetch({ callId, requestId, url, fields }: Extract<ExchangeCommand, { type: 'document.fetch' }>): void {
    this.posts.push({ at: this.now, url, fields })
    const document = this.documents.get(url) ?? { fault: 'not-found' as const }
    if (document === 'never') return
    this.at(this.fetchLatencyMs, () => {
      if (typeof document === 'string') {
        const bytes = new TextEncoder().encode(document)
        this.send({ type: 'document.fetched', callId, requestId, bytes, isConstant: true })
      } else this.send({ type: 'document.failed', callId, requestId, detail: 'made so', ...document })
    })
  }
}

const isMedia = (command: MediaCommand | SignalingCommand): command is MediaCommand => command.type.startsWith('media.')
