import { Destinations, defaultBlocked } from '../billing/destinations.ts'
import { RateDeck } from '../billing/rate-deck.ts'
import { defaultCallTimes } from '../contract/environment.ts'
import type { ExchangeCommand } from '../contract/exchange-command.ts'
import type { ExchangeEvent } from '../contract/exchange-event.ts'
import { causeOfRefusal, type OriginateResult } from '../contract/originate-order.ts'
import { functionBase } from '../document-builder/call-handler.ts'
import { type Duration, durationMs } from '../document-builder/duration.ts'
import { callView, recordingResource } from '../events/call-data.ts'
import { type StreamEnvelope, streamEnvelope } from '../events/envelope.ts'
import { Exchange } from '../exchange/exchange.ts'
import type { CallRecord } from '../model/call-record.ts'
import { endReasons } from '../model/end-reason.ts'
import type { CallUuid, LegUuid } from '../model/ids.ts'
import { formatMoney } from '../model/money.ts'
import type { PhoneBinding } from '../model/phone.ts'
import { defaultSettings } from '../model/settings.ts'
import type { MediaCommand } from '../ports/media.ts'
import type { LegTarget, SignalingCommand } from '../ports/signaling.ts'
import { readSipTarget } from '../routing/sip-target.ts'
import { accountOf, moneyOf, numberOf, rateOf, simulatedAccount, simulatedTrunk } from './account.ts'
import { courseOf, formatSteps, type SimulatedRequest } from './course.ts'
import { dialledEnd } from './dialled-end.ts'
import type { Heard } from './heard.ts'
import { MemoryStore } from './memory-store.ts'
import type { SimulatedUser, SimulationOptions } from './options.ts'
import { peerOf, type RemoteBehaviour } from './remote.ts'
import { SimulatedAudio } from './simulated-audio.ts'
import { SimulatedDocuments } from './simulated-documents.ts'
import { SimulatedMedia, unheard } from './simulated-media.ts'
import { type CallEnd, SimulatedRemote } from './simulated-remote.ts'
import { SimulatedSignaling } from './simulated-signaling.ts'
import { VirtualTasks } from './virtual-tasks.ts'

/** A call as `GET /calls/{uuid}` shows it. */
export type SimulatedCallRecord = ReturnType<typeof callView>

/** A recording as `GET /recordings/` shows it. */
export type SimulatedRecording = ReturnType<typeof recordingResource>

/** Speech of an ordinary voice. */
const speechMsPerCharacter = 65
const commitMs = 2
const lookupMs = 1
const audioMs = 10
/** Audio shorter than a packet is not received. */
const frameMs = 20
const legEndMs = 3
const defaultAudioMs = 2000
const defaultNumber = '+254700000001'
const defaultCaller = '+254711111111'
/** Events allowed between two steps without a pause in time; more is a loop. */
const maxStepsAtOnce = 100_000

/**
 * The whole switch in virtual time: the same call machine, verbs, routing and billing as in production, with remotes,
 * media, documents and store simulated. Nothing happens until time is run, and an hour takes milliseconds.
 *
 *     const sauti = new Simulation({ documents: response().say('Karibu') })
 *     const caller = sauti.call()
 *     await caller.hears('Karibu')
 *     const { reason, cost } = await caller.ended()
 */
export class Simulation {
  readonly #options: SimulationOptions
  readonly #store = new MemoryStore()
  readonly #tasks = new VirtualTasks()
  readonly #exchange: Exchange
  readonly #signaling: SimulatedSignaling
  readonly #media: SimulatedMedia
  readonly #audio: SimulatedAudio
  readonly #documents: SimulatedDocuments
  readonly #remotes = new Map<LegUuid, SimulatedRemote>()
  readonly #names = new Map<LegUuid, string>()
  readonly #dialled = new Map<string, SimulatedRemote[]>()
  /** How many of those under a name `dials` has given already. */
  readonly #given = new Map<string, number>()
  /** Names of the rooms that calls were led to last. */
  readonly #rooms = new Map<CallUuid, string>()
  readonly #refused = new Map<LegUuid, CallEnd>()
  readonly #over = new Set<CallUuid>()
  readonly #delayed = new Set<LegUuid>()
  readonly #bindings = new Map<string, readonly PhoneBinding[]>()
  readonly #originated = new Map<string, OriginateResult>()
  readonly #requests: SimulatedRequest[] = []
  readonly #startsUnix: number
  #waiting = new Set<Promise<void>>()
  #now = 0
  #ids = 0

  constructor(options: SimulationOptions) {
    this.#options = options
    this.#startsUnix = (options.startsAt ?? new Date('2026-01-01T00:00:00Z')).getTime()
    const { rates, audio = {} } = options
    const deck = new RateDeck(rates === undefined ? [rateOf({ prefix: '+', perMinute: '0' })] : rates.map(rateOf))
    const destinations = new Destinations(defaultBlocked, [])
    const world = {
      at: (delayMs: number, act: () => void) => this.at(delayMs, act),
      send: (event: ExchangeEvent) => this.#send(event),
      endLatencyMs: legEndMs,
      endedMedia: unheard,
      defaultPeer: peerOf(options.otherRemotes ?? 'answer'),
      isDelayedOffer: (legId: LegUuid) => this.#delayed.has(legId),
      silentFrom: (legId: LegUuid) => this.#remotes.get(legId)?.silentFromMs ?? 0,
    }
    // `now` is read when something happens, not once.
    const timed = Object.defineProperty(world, 'now', { get: () => this.#now }) as typeof world & {
      readonly now: number
    }
    this.#signaling = new SimulatedSignaling(timed)
    this.#media = new SimulatedMedia(timed)
    this.#audio = new SimulatedAudio({
      speechMs: text => text.length * speechMsPerCharacter,
      durationMs: source => {
        const wanted = Object.hasOwn(audio, source) ? audio[source] : defaultAudioMs
        return wanted === 'missing' ? undefined : wanted
      },
    })
    this.#documents = new SimulatedDocuments(options.documents)
    this.#exchange = new Exchange({
      uuid: () => this.#newId(),
      random: () => (++this.#ids * 0.618_033_988_749) % 1,
      unixMs: () => this.#startsUnix + Math.round(this.#now),
      knownOwner: () => undefined,
      isHosted: () => false,
      trunks: () => [simulatedTrunk],
      destinations: () => destinations,
      deck: () => deck,
      bindingsOf: uuid => this.#bindings.get(uuid) ?? [],
      sipTarget: uri => readSipTarget(uri, () => false),
      codecsIn: () => ['PCMU'],
      recordingPlace: (sid, uuid, _unixMs, format) => {
        const path = `${sid}-${uuid}.${format}`
        return { path, file: `/recordings/${path}` }
      },
      recordingQuota: Number.POSITIVE_INFINITY,
      recordingKeptMs: defaultSettings.recordingDays * 24 * 3_600_000,
      times: defaultCallTimes,
    })
    this.#store.addAccount(accountOf(options), moneyOf(options.balance ?? '1000.00', 'balance'))
    for (const number of options.numbers ?? [defaultNumber]) {
      this.#store.numbers.set(number, { account: simulatedAccount, number: numberOf(number) })
    }
    for (const user of options.users ?? []) this.#addUser(user)
    for (const [name, behaviour] of Object.entries(options.remotes ?? {})) this.remoteBehaves(name, behaviour)
  }

  /** Virtual time since the start, ms. */
  get nowMs(): number {
    return this.#now
  }

  /** Requests for documents so far, oldest first. */
  get requests(): readonly SimulatedRequest[] {
    return this.#requests
  }

  /** Wall clock at the start. */
  get startsAt(): Date {
    return new Date(this.#startsUnix)
  }

  /** Virtual wall clock, for documents that depend on the time. */
  get now(): Date {
    return new Date(this.#startsUnix + this.#now)
  }

  /** Recordings that have ended, oldest first. */
  get recordings(): readonly SimulatedRecording[] {
    return [...this.#store.recordings.values()].filter(({ durationMs }) => durationMs !== null).map(recordingResource)
  }

  /** The remote receives no prompt, is not bridged, and no Record verb records it. */
  isSilent(remote: SimulatedRemote): boolean {
    return this.#media.isSilent(remote.legId)
  }

  /** A Record verb records what the remote says. */
  isRecording(remote: SimulatedRemote): boolean {
    return this.#media.isRecording(remote.legId)
  }

  /** Events so far, as the stream sends them. */
  get events(): readonly StreamEnvelope[] {
    return this.#store.events.map(streamEnvelope)
  }

  /** All calls so far, oldest first. */
  get calls(): readonly SimulatedCallRecord[] {
    return [...this.#store.calls.values()].map(callView)
  }

  /** The wallet now, decimal KES. */
  get balance(): string {
    return formatMoney(this.#store.accounts.get(simulatedAccount)?.balance ?? 0)
  }

  /** How a number, SIP URI or trunk name behaves from now on when it is dialled. */
  remoteBehaves(name: string, behaviour: RemoteBehaviour): void {
    this.#signaling.peers.set(name, peerOf(behaviour))
  }

  /** The remotes that were dialled under a number, SIP URI or extension, oldest first. */
  dialled(name: string): readonly SimulatedRemote[] {
    return this.#dialled.get(name) ?? []
  }

  /**
   * Runs until the switch dials a number, SIP URI or extension, and resolves with the dialled party; called again,
   * with the next one under that name. Rejects when it is not dialled within the time (default 60 s), and says what
   * happened instead.
   */
  async dials(name: string, within: Duration = '60s'): Promise<SimulatedRemote> {
    const at = this.#given.get(name) ?? 0
    const find = () => this.#dialled.get(name)?.[at]
    await this.runUntil(() => find() !== undefined, durationMs(within))
    const remote = find()
    if (remote === undefined) {
      const others = [...this.#dialled.keys()].join(', ')
      const instead = others === '' ? 'nobody was' : `dialled so far: ${others}`
      const times = at === 0 ? '' : ` more than ${at === 1 ? 'once' : `${at} times`}`
      throw new Error(`${name} was not dialled${times} within ${within}; ${instead}\n${this.describe()}`)
    }
    this.#given.set(name, at + 1)
    return remote
  }

  /** All that happened so far, a line a step, for messages of tests; of one party, with what it heard. */
  describe(remote?: SimulatedRemote): string {
    return formatSteps(courseOf(this, remote))
  }

  /** A call from a trunk to a number of the account. Run time to let something happen. */
  call(
    to: string = this.#options.numbers?.[0] ?? defaultNumber,
    options: { readonly from?: string } = {},
  ): SimulatedRemote {
    const from = options.from ?? defaultCaller
    const remote = this.#addRemote(this.#newId() as LegUuid, from)
    this.#signaling.legs.set(remote.legId, 'in')
    const caller = { user: from, displayName: '' }
    this.#send({
      type: 'leg.offered',
      legId: remote.legId,
      trunkId: simulatedTrunk.uuid,
      from: caller,
      to,
      sdp: 'offer',
    })
    return remote
  }

  /** A call that the phone of an end-user places. */
  callFrom(extension: string, to: string, options: { readonly customPayload?: string } = {}): SimulatedRemote {
    const user = this.#store.users.get(extension)
    if (user === undefined)
      throw new RangeError(`callFrom("${extension}"): there is no such end-user; name it in users`)
    const remote = this.#addRemote(this.#newId() as LegUuid, extension)
    this.#signaling.legs.set(remote.legId, 'in')
    const endUser = {
      endUserUuid: user.uuid,
      accountUuid: simulatedAccount,
      tokenUuid: `token-${extension}`,
      maxConcurrent: 10,
      ...(options.customPayload === undefined ? {} : { customPayload: options.customPayload }),
    }
    const from = { user: extension, displayName: user.displayName }
    this.#send({ type: 'leg.offered', legId: remote.legId, endUser, from, to, sdp: 'offer' })
    return remote
  }

  /**
   * Places a call as `POST /calls/originate` does; `path` is the document, `/` by default. Resolves with the remote that
   * is called. Rejects with the API's sentence when the call is refused.
   */
  async originate(order: {
    readonly to: string
    readonly from?: string
    readonly path?: string
    readonly timeout?: Duration
    readonly customPayload?: string | Readonly<Record<string, unknown>>
  }): Promise<SimulatedRemote> {
    const requestId = this.#newId()
    const { to, from = this.#options.numbers?.[0] ?? defaultNumber, path = '/', timeout, customPayload } = order
    const placed = {
      accountId: simulatedAccount,
      to,
      from,
      url: new URL(path, functionBase).href,
      ...(timeout === undefined ? {} : { timeoutSeconds: durationMs(timeout) / 1000 }),
      ...(customPayload === undefined ? {} : { customPayload }),
    }
    this.#send({ type: 'call.originate', requestId, order: placed })
    const legOf = () => {
      const result = this.#originated.get(requestId)
      if (result?.ok !== true) return undefined
      return [...this.#remotes.values()].find(remote => remote.callId === result.call.uuid)
    }
    await this.runUntil(() => this.#originated.get(requestId)?.ok === false || legOf() !== undefined, 10_000)
    const result = this.#originated.get(requestId)
    if (result?.ok === false) throw new Error(`${causeOfRefusal(result)}: ${result.sentence}`)
    const remote = legOf()
    if (remote === undefined) throw new Error('the call was placed, but nothing was dialled')
    remote.isDialled = false
    return remote
  }

  /** Lets virtual time pass; without a duration until nothing is left to happen. */
  async run(duration?: Duration): Promise<void> {
    await this.runUntil(() => false, duration === undefined ? Number.POSITIVE_INFINITY : durationMs(duration))
  }

  /** Lets virtual time pass until `isDone` holds, or for that time; resolves with whether it holds. */
  async runUntil(isDone: () => boolean, forMs: number): Promise<boolean> {
    const until = this.#now + forMs
    let stepsAtOnce = 0
    while (!isDone()) {
      while (this.#waiting.size > 0) await Promise.all(this.#waiting)
      const before = this.#now
      if (!this.#step(until)) {
        if (Number.isFinite(until)) this.#now = Math.max(this.#now, until)
        return isDone()
      }
      stepsAtOnce = this.#now === before ? stepsAtOnce + 1 : 0
      if (stepsAtOnce > maxStepsAtOnce) throw new Error('the simulation does not come to rest')
    }
    return true
  }

  at(delayMs: number, act: () => void): void {
    this.#tasks.add(this.#now + delayMs, act)
  }

  press(legId: LegUuid, digit: string): void {
    this.#send({ type: 'media.digit', legId, digit, durationMs: 100 })
  }

  hangUp(legId: LegUuid): void {
    this.#signaling.hangUp(legId)
  }

  answer(legId: LegUuid): void {
    this.#signaling.answer(legId)
  }

  refuse(legId: LegUuid, status: number): void {
    this.#signaling.end(legId, { kind: 'response', status })
  }

  endOf(remote: SimulatedRemote): CallEnd | undefined {
    const { legId } = remote
    // A caller that hangs up before there is any media is known to the store alone.
    const callId = remote.callId ?? this.#store.legs.get(legId)?.callUuid
    const dialled = remote.isDialled ? dialledEnd(this.#store, legId) : undefined
    if (dialled !== undefined) return dialled
    if (callId === undefined || !this.#store.calls.has(callId)) return this.#refused.get(legId)
    const record = this.#store.calls.get(callId)
    return record !== undefined && this.#over.has(callId) ? callEnd(record) : undefined
  }

  /** One event or timeout; false when there is none until then. */
  #step(until: number): boolean {
    const next = this.#tasks.next()
    const deadline = this.#exchange.deadline()
    if (deadline !== undefined && deadline <= until && (next === undefined || deadline <= next.at)) {
      this.#now = Math.max(this.#now, deadline)
      this.#execute(this.#exchange.timeout(this.#now))
      return true
    }
    if (next === undefined || next.at > until) return false
    this.#tasks.take(next)
    this.#now = Math.max(this.#now, next.at)
    next.act()
    return true
  }

  #newId(): string {
    return `simulated-${++this.#ids}`
  }

  #addUser({
    extension,
    email = `${extension}@example.test`,
    displayName = `User ${extension}`,
    phone = 'answer',
  }: SimulatedUser): void {
    const user = { uuid: `user-${extension}`, email, displayName, extensionNumber: extension, isActive: true }
    for (const key of [user.uuid, extension, email]) this.#store.users.set(key, user)
    if (phone === null) return
    this.#bindings.set(user.uuid, [{ id: extension, address: '192.0.2.1', isBrowser: true }])
    this.remoteBehaves(extension, phone)
  }

  #addRemote(legId: LegUuid, name: string): SimulatedRemote {
    const remote = new SimulatedRemote(this, legId)
    this.#remotes.set(legId, remote)
    this.#names.set(legId, name)
    return remote
  }

  #send(event: ExchangeEvent): void {
    if (event.type === 'leg.answered') {
      const remote = this.#remotes.get(event.legId)
      if (remote !== undefined) remote.answeredAtMs ??= this.#now
    }
    this.#execute(this.#exchange.handle(event, this.#now))
  }

  #execute(commands: readonly ExchangeCommand[]): void {
    for (const command of commands) this.#perform(command)
  }

  #perform(command: ExchangeCommand): void {
    switch (command.type) {
      case 'store.commit':
        for (const change of command.unit) {
          if (change.type !== 'event.append' || change.event.data.kind !== 'conference') continue
          if (command.callId !== undefined) this.#rooms.set(command.callId, String(change.event.data.to_number))
        }
        this.#tasks.addInOrder(this.#now + commitMs, () => {
          const { callId, commitId, unit } = command
          this.#send({ type: 'store.committed', callId, commitId, result: this.#store.commit(unit) })
        })
        return
      case 'store.lookup':
        this.at(lookupMs, () => {
          const { callId, lookupId, query } = command
          this.#send({ type: 'store.found', callId, lookupId, found: this.#store.lookUp(query) })
        })
        return
      case 'document.fetch': {
        const url = command.url.startsWith(functionBase) ? command.url.slice(functionBase.length - 1) : command.url
        this.#requests.push({ atMs: this.#now, url, fields: command.fields })
        const answered: Promise<void> = this.#documents.answer(command).then(event => {
          this.#waiting.delete(answered)
          this.at(this.#options.documentLatencyMs ?? 20, () => this.#send(event))
        })
        this.#waiting.add(answered)
        return
      }
      case 'audio.speak':
      case 'audio.load':
        this.at(audioMs, () => this.#send(this.#audio.answer(command)))
        return
      case 'originate.done':
        this.#originated.set(command.requestId, command.result)
        return
      case 'call.over':
        this.#over.add(command.callId)
        return
      case 'loop.dial':
        this.#names.set(command.legId, command.to)
        return
      case 'log':
      case 'document.abandon':
      case 'audio.abandon':
      case 'room.enter':
      case 'room.attend':
      case 'room.leave':
      case 'caller.dialled':
      case 'circle.found':
      case 'verb.began':
        return
      default:
        if (isMedia(command)) this.#performMedia(command)
        else this.#performSignaling(command)
    }
  }

  #performSignaling(command: SignalingCommand): void {
    const { legId } = command
    switch (command.type) {
      case 'leg.dial': {
        const name = targetName(command.target)
        const remote = this.#addRemote(legId, name)
        remote.callId = command.callId
        remote.isDialled = true
        remote.callerId = command.from.user
        const known = this.#dialled.get(name)
        if (known === undefined) this.#dialled.set(name, [remote])
        else known.push(remote)
        break
      }
      case 'leg.answer': {
        const remote = this.#remotes.get(legId)
        if (remote !== undefined) remote.answeredAtMs ??= this.#now
        break
      }
      case 'leg.end':
        this.#refused.set(legId, refusedEnd(command.reason))
        break
      default:
        // Nothing of the others is kept for the transcript.
        break
    }
    this.#signaling.execute(command)
  }

  #performMedia(command: MediaCommand): void {
    const { legId } = command
    const remote = this.#remotes.get(legId)
    if (command.type === 'media.open') {
      if (command.offer === undefined) this.#delayed.add(legId)
      if (remote !== undefined) remote.callId ??= command.callId
    }
    const heard = this.#heardOf(command)
    if (remote !== undefined) {
      if (command.type === 'media.play' || command.type === 'media.stop') remote.cut(this.#now - frameMs)
      if (heard !== undefined) remote.add(heard)
    }
    if (command.type === 'media.bridge') {
      this.#remotes.get(command.otherLegId)?.add({ type: 'talk', atMs: this.#now, with: this.#names.get(legId) ?? '' })
    }
    this.#media.execute(command)
  }

  #roomOf(legId: LegUuid): string | undefined {
    const callId = this.#remotes.get(legId)?.callId
    return callId === undefined ? undefined : this.#rooms.get(callId)
  }

  #heardOf(command: MediaCommand): Heard | undefined {
    const atMs = this.#now
    switch (command.type) {
      case 'media.play': {
        if (command.source.kind === 'tone') return { type: 'tone', atMs, tone: command.source.tone }
        const sound = this.#audio.soundAt(command.source.path)
        if (sound === undefined) return undefined
        return command.loop === 1 ? { atMs, ...sound } : { atMs, ...sound, loop: command.loop }
      }
      case 'media.bridge':
        return { type: 'talk', atMs, with: this.#names.get(command.otherLegId) ?? '' }
      case 'media.join':
        return { type: 'room', atMs, room: this.#roomOf(command.legId) ?? command.room }
      case 'media.send-digits':
        return { type: 'digits', atMs, digits: command.digits }
      default:
        return undefined
    }
  }
}

const isMedia = (command: MediaCommand | SignalingCommand): command is MediaCommand => command.type.startsWith('media.')

function targetName(target: LegTarget): string {
  switch (target.kind) {
    case 'trunk':
      return target.number
    case 'uri':
      return target.uri
    case 'phone':
      return target.binding.id
  }
}

const callEnd = (record: CallRecord): CallEnd => {
  const { reason_code, reason_label, status, duration_seconds, talk_seconds, cost } = callView(record)
  return {
    reason: reason_code,
    label: reason_label,
    status: status === 'completed' ? 'completed' : 'failed',
    durationSeconds: duration_seconds ?? 0,
    talkSeconds: talk_seconds ?? 0,
    cost,
  }
}

const refusedEnd = (reason: keyof typeof endReasons): CallEnd => ({
  reason,
  label: endReasons[reason].label,
  status: 'failed',
  durationSeconds: 0,
  talkSeconds: 0,
  cost: formatMoney(0),
})
