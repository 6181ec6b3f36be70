import { Destinations } from '../../../core/billing/destinations.ts'
import { RateDeck } from '../../../core/billing/rate-deck.ts'
import { CallBook } from '../../../core/call/call-book.ts'
import { type CallEnvironment, defaultCallTimes } from '../../../core/contract/environment.ts'
import { arrived } from '../../../core/contract/hops.ts'
import { Branch } from '../../../core/dial/branch.ts'
import type { BranchListener } from '../../../core/dial/branch-options.ts'
import { begunRow } from '../../../core/leg/call-row.ts'
import { Deadlines } from '../../../core/leg/deadlines.ts'
import type { Host } from '../../../core/leg/host.ts'
import type { Leg } from '../../../core/leg/leg.ts'
import type { OwnedSignal } from '../../../core/leg/leg-owner.ts'
import type { CallUuid, Sid, TrunkUuid } from '../../../core/model/ids.ts'
import type { Trunk } from '../../../core/model/trunk.ts'
import type { Change, CommitResult } from '../../../core/ports/store.ts'
import { acme, rate } from './acme.ts'

const unused = (): never => {
  throw new Error('a branch asks for nothing of this')
}

const trunk = (name: string): Trunk => ({
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
})

const turnMs = 500
const row = begunRow(
  {
    uuid: 'call' as CallUuid,
    sid: 'CA1' as Sid,
    accountUuid: acme.uuid,
    direction: 'outbound',
    fromNumber: '+254700000001',
    toNumber: '+254733333333',
    customPayload: null,
  },
  0,
)

/** What can happen to a branch. `503` is an end that another trunk may do better than, `486` one that it may not. */
export const branchInputs = [
  'start',
  'turn',
  'placed',
  'refused',
  'opened',
  'ringing',
  'early',
  'answer',
  'ready',
  '486',
  '503',
  'media failed',
  'cancel',
  'stop',
  'last unit',
] as const

export type BranchBedInput = (typeof branchInputs)[number]

/** One branch with two trunks and a rate, and every side of it played by the test. Time is virtual. */
export class BranchBed {
  readonly branch: Branch
  readonly #done: string[] = []
  readonly #commits: ((result: CommitResult) => void)[] = []
  readonly #timers = new Deadlines()
  #leg: Leg | undefined
  #now = 0
  #ids = 0

  /** `isDial`: a child of a Dial, else the leg of a placed call. */
  constructor(isDial: boolean) {
    const told = (what: string) => () => {
      this.#done.push(what)
    }
    const listener: BranchListener<Branch> = {
      ringing: told('>ringing'),
      early: told('>early'),
      answered: told('>answered'),
      ready: told('>ready'),
      retrying: told('>retrying'),
      over: told('>over'),
      released: told('>released'),
    }
    const options = {
      sid: 'CA2' as Sid,
      kind: 'number',
      to: '+254733333333',
      from: { user: '+254700000001', displayName: '' },
      routes: [
        { kind: 'trunk', trunk: trunk('one'), srtp: 'off' },
        { kind: 'trunk', trunk: trunk('two'), srtp: 'off' },
      ],
      rate: rate('+254'),
      hops: arrived(),
      isDial,
    } as const
    this.branch = new Branch(this.#host(), options, listener, { low() {}, warn() {}, cut() {} })
  }

  /** What it does at the input, in order; empty when it is absorbed. */
  give(input: BranchBedInput): string {
    this.#done.length = 0
    this.#give(input)
    return this.#done.join(' ')
  }

  #give(input: BranchBedInput): void {
    switch (input) {
      case 'start':
        this.branch.start([], result => this.#done.push(`admitted:${result}`))
        return
      case 'turn':
        this.#now += turnMs
        this.#timers.expire(this.#now)
        return
      case 'placed':
        this.#commits.shift()?.({ ok: true })
        return
      case 'refused':
        this.#commits.shift()?.({ ok: false, refused: 'insufficient-funds' })
        return
      case 'opened':
        if (this.#leg?.mediaOpened('offer') === true) this.branch.opened(this.#leg)
        return
      case 'ringing':
        this.#signal({ type: 'leg.ringing' })
        return
      case 'early':
        this.#signal({ type: 'leg.early', sdp: 'early', ringing: false })
        return
      case 'answer':
        this.#signal({ type: 'leg.answered', sdp: 'answer' })
        return
      case 'ready':
        if (this.#leg?.isOpen !== true) return
        this.#leg.isReady = true
        this.branch.ready(this.#leg)
        return
      case '486':
      case '503':
        this.#signal({ type: 'leg.ended', cause: { kind: 'response', status: Number(input) } })
        return
      case 'media failed':
        if (this.#leg !== undefined) this.branch.failed(this.#leg, 'END.0488')
        return
      case 'cancel':
        this.branch.cancel('END.0487')
        return
      case 'stop':
        this.branch.stop('END.0200')
        return
      case 'last unit':
        this.#write('last', this.branch.finalChanges())
    }
  }

  #signal(event: WithoutLeg<OwnedSignal>): void {
    const leg = this.#leg
    if (leg?.step(event.type) === true) this.branch.signalled(leg, { ...event, legId: leg.uuid })
  }

  #write(name: string, unit: readonly Change[]): void {
    const labels = unit.map(change => (change.type === 'event.append' ? change.event.code : change.type))
    if (labels.length > 0) this.#done.push(`${name}(${labels.join(',')})`)
  }

  #host(): Host {
    const did = (what: string) => {
      this.#done.push(what)
    }
    const now = () => this.#now
    const uuid = () => `id-${++this.#ids}`
    const book = new CallBook(uuid, now)
    book.open({ record: row, account: acme, ownNumber: row.fromNumber, payloadText: undefined, hops: arrived() })
    const env: CallEnvironment = {
      uuid,
      random: unused,
      unixMs: now,
      trunks: unused,
      destinations: () => new Destinations([], []),
      deck: () => new RateDeck([]),
      bindingsOf: unused,
      sipTarget: unused,
      codecsIn: unused,
      recordingPlace: unused,
      recordingKeptMs: 0,
      recordingQuota: 0,
      times: defaultCallTimes,
    }
    return {
      env,
      timers: this.#timers,
      legs: {
        adopt: leg => {
          this.#leg = leg
        },
        lost: unused,
      },
      callId: row.uuid,
      get record() {
        return book.record
      },
      now,
      unix: now,
      emit: command => did(command.type),
      trunkLoads: {
        take: ({ name }) => {
          did(`+${name}`)
          return true
        },
        release: ({ name }) => did(`-${name}`),
      },
      dialCaps: {
        takeLeg: () => ({ release: () => did('-place'), giveBack: unused }),
        takeTurn: () => this.#now + turnMs,
        giveTurnBack: () => did('-turn'),
      },
      mayRecord: false,
      recorded: unused,
      isOver: false,
      commit: (unit, then = () => {}) => {
        this.#write('commit', unit)
        this.#commits.push(then)
      },
      lookup: unused,
      event: (code, data) => book.event(code, data),
      addCost: charge => book.addCost(charge),
      finish: unused,
    }
  }
}

type WithoutLeg<Event> = Event extends { readonly legId: unknown } ? Omit<Event, 'legId'> : never
