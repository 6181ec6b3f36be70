import { Destinations } from '../../../core/billing/destinations.ts'
import { RateDeck } from '../../../core/billing/rate-deck.ts'
import { CallBook } from '../../../core/call/call-book.ts'
import { type CallEnvironment, defaultCallTimes } from '../../../core/contract/environment.ts'
import type { ExchangeCommand, Lookup } from '../../../core/contract/exchange-command.ts'
import type { Found } from '../../../core/contract/exchange-event.ts'
import { arrived } from '../../../core/contract/hops.ts'
import type { CallHost } from '../../../core/leg/call-host.ts'
import { Deadlines } from '../../../core/leg/deadlines.ts'
import type { Leg } from '../../../core/leg/leg.ts'
import type { LegOwner } from '../../../core/leg/leg-owner.ts'
import type { CallUuid, Sid, TrunkUuid } from '../../../core/model/ids.ts'
import type { Trunk } from '../../../core/model/trunk.ts'
import type { Change, CommitResult } from '../../../core/ports/store.ts'
import { acme, rate } from './acme.ts'

const unused = (): never => {
  throw new Error('what is dialled asks for nothing of this')
}

export const trunk = (name: string): Trunk => ({
  uuid: name as TrunkUuid,
  name,
  host: `${name}.test`,
  port: 5060,
  transport: 'udp',
  username: '',
  password: '',
  register: false,
  inboundHosts: [],
  prefixes: [''],
  strip: 0,
  prepend: '',
  priority: 1,
  weight: 1,
  maxCalls: 0,
  maxCps: 0,
  codecs: [],
  optionsPingSeconds: 0,
  srtp: 'off',
  mediaHosts: [],
  mediaSource: 'learned',
})

const fromNumber = '+254700000001'

/** A leg, and who acts on what it does. */
interface Adopted {
  readonly leg: Leg
  readonly owner: LegOwner
}

/** A call of which only what dials is real. Time, commits and look-ups are the test's; what is done is written down. */
export class DialHost implements CallHost {
  readonly timers = new Deadlines()
  readonly done: string[] = []
  readonly adopted: Adopted[] = []
  readonly commits: ((result: CommitResult) => void)[] = []
  readonly lookups: ((found: Found) => void)[] = []
  readonly callId = 'call' as CallUuid
  readonly mayRecord = false
  readonly isOver = false
  /** How long a leg waits for its turn to leave the switch. */
  readonly #turnMs: number
  readonly #book: CallBook
  #now = 0
  #ids = 0

  constructor(turnMs: number) {
    this.#turnMs = turnMs
    this.#book = new CallBook({ callId: this.callId, sid: 'CA1' as Sid, uuid: this.env.uuid })
    this.#book.open({
      direction: 'outbound',
      fromNumber,
      toNumber: '+254733333333',
      customPayload: null,
      startedUnix: 0,
      account: acme,
      ownNumber: fromNumber,
      payloadText: undefined,
      hops: arrived(),
    })
  }

  readonly env: CallEnvironment = {
    uuid: () => `id-${++this.#ids}`,
    random: () => 0,
    unixMs: () => this.#now,
    knownOwner: () => undefined,
    isHosted: () => false,
    trunks: () => [trunk('one')],
    destinations: () => new Destinations([], []),
    deck: () => new RateDeck([rate('+254')]),
    bindingsOf: unused,
    sipTarget: unused,
    codecsIn: () => [],
    recordingPlace: unused,
    recordingKeptMs: 0,
    recordingQuota: 0,
    times: defaultCallTimes,
  }

  readonly legs: CallHost['legs'] = {
    lost: leg => {
      if (!leg.step('lost')) return
      const owned = this.adopted.find(({ leg: { uuid } }) => uuid === leg.uuid)
      owned?.owner.signalled(owned.leg, { type: 'leg.ended', legId: leg.uuid, cause: { kind: 'timeout' } })
    },
  }

  readonly trunkLoads: CallHost['trunkLoads'] = {
    take: ({ name }) => {
      this.done.push(`+${name}`)
      return true
    },
    release: ({ name }) => this.done.push(`-${name}`),
  }

  readonly dialCaps: CallHost['dialCaps'] = {
    takeLeg: () => ({ release: () => this.done.push('-place'), giveBack: unused }),
    takeTurn: () => this.#now + this.#turnMs,
    giveTurnBack: () => this.done.push('-turn'),
  }

  ask: CallHost['ask'] = (_unit, then) => {
    this.commits.push(then)
  }

  adopt(leg: Leg, owner: LegOwner): void {
    this.adopted.push({ leg, owner })
  }

  get record() {
    return this.#book.record
  }

  now(): number {
    return this.#now
  }

  unix(): number {
    return this.#now
  }

  emit({ type }: ExchangeCommand): void {
    this.done.push(type)
  }

  commit(unit: readonly Change[], then: (result: CommitResult) => void = () => {}): void {
    this.write('commit', unit)
    this.commits.push(then)
  }

  commitClosing(unit: readonly Change[]): void {
    this.commit(unit)
  }

  write(name: string, unit: readonly Change[]): void {
    const labels = unit.map(change => (change.type === 'event.append' ? change.event.code : change.type))
    if (labels.length > 0) this.done.push(`${name}(${labels.join(',')})`)
  }

  lookup<K extends Lookup['kind']>(
    query: Extract<Lookup, { kind: K }>,
    then: (found: Extract<Found, { kind: K }>) => void,
  ): void {
    this.done.push(`lookup(${query.kind})`)
    this.lookups.push(found => {
      if (found.kind === query.kind) then(found as Extract<Found, { kind: K }>)
    })
  }

  event(...[code, data]: Parameters<CallHost['event']>): Change {
    return this.#book.event(code, data, this.#now)
  }

  addCost(charge: Parameters<CallHost['addCost']>[0]): void {
    this.#book.addCost(charge)
  }

  run(ms: number): void {
    this.#now += ms
    this.timers.expire(this.#now)
  }

  recorded(): void {
    unused()
  }

  finish(): void {
    unused()
  }
}
