import { arrived } from '../../../core/contract/hops.ts'
import { Hunt } from '../../../core/dial/hunt.ts'
import { Leg } from '../../../core/leg/leg.ts'
import type { OwnedSignal } from '../../../core/leg/leg-owner.ts'
import { SidSequence } from '../../../core/leg/sid.ts'
import type { LegUuid } from '../../../core/model/ids.ts'
import { Party } from '../../../core/talk/party.ts'
import { acme, own } from './acme.ts'
import { DialHost } from './dial-host.ts'

const ringMs = 30_000

/**
 * What can happen to a search. `first`, `second`: of the legs that can still be answered. `confirmed`: a leg that we
 * have cancelled has really ended.
 */
export const huntInputs = [
  'found',
  'ringing',
  'early',
  'first answers',
  'second answers',
  'first busy',
  'second busy',
  'media failed',
  'winner ends',
  'confirmed',
  'ring timeout',
  'confirm timeout',
  'end',
  'stop',
] as const

export type HuntBedInput = (typeof huntInputs)[number]

/** The search of a Dial for two numbers; every side of it is played by the test. */
export class HuntBed {
  readonly hunt: Hunt
  readonly #host = new DialHost(0)

  constructor(sequential: boolean) {
    const report = (what: string) => () => {
      this.#host.done.push(`>${what}`)
    }
    const uuid = 'caller' as LegUuid
    const caller = new Leg(this.#host, {
      uuid,
      role: 'caller',
      direction: 'inbound',
      trunkName: '',
      number: '',
      codecs: [],
    })
    const party = new Party(this.#host, caller, {
      answering() {},
      answered() {},
      changed() {},
      failed() {},
      ended() {},
    })
    const request = {
      targets: [
        { kind: 'number', number: '+254733333333', sendDigits: '' },
        { kind: 'number', number: '+254744444444', sendDigits: '' },
      ],
      timeoutMs: ringMs,
      timeLimitMs: 3_600_000,
      answerOnBridge: false,
      hangupOnStar: false,
      sequential,
      ringTone: 'ke',
      record: 'do-not-record',
    } as const
    const parts = {
      party,
      sids: new SidSequence({ random: () => 0 }),
      ownNumber: '+254700000001',
      endUser: undefined,
      hops: arrived(),
      alarms: { low() {}, warn() {}, cut() {} },
    }
    this.hunt = new Hunt(this.#host, request, parts, {
      ringing: report('ringing'),
      early: report('early'),
      won: report('won'),
      ready: report('ready'),
      retrying: report('retrying'),
      over: () => this.#host.done.push(this.hunt.audible === undefined ? '>over' : '>over,audible'),
      // As a Dial does it.
      failed: reason => {
        this.#host.done.push(`>failed(${reason})`)
        this.hunt.end()
      },
    })
    this.hunt.start()
  }

  /** What it does at the input, in order, with what the database and media answer at once; empty when it is absorbed. */
  give(input: HuntBedInput): string {
    this.#host.done.length = 0
    this.#give(input)
    for (let then = this.#host.commits.shift(); then !== undefined; then = this.#host.commits.shift())
      then({ ok: true })
    for (const { leg, owner } of this.#host.adopted) if (leg.mediaOpened('offer')) owner.opened(leg)
    return this.#host.done.join(' ')
  }

  #give(input: HuntBedInput): void {
    switch (input) {
      case 'found': {
        const found = { account: acme, from: own('+254700000001'), owner: undefined, spendable: 1_000_000 } as const
        for (const then of this.#host.lookups.splice(0)) then({ kind: 'placing', ...found })
        return
      }
      case 'ringing':
        this.#signal(0, { type: 'leg.ringing' })
        return
      case 'early':
        this.#signal(0, { type: 'leg.early', sdp: 'early', ringing: false })
        this.#ready(this.#dialled[0])
        return
      case 'first answers':
      case 'second answers': {
        const at = input === 'first answers' ? 0 : 1
        const owned = this.#dialled[at]
        this.#signal(at, { type: 'leg.answered', sdp: 'answer' })
        this.#ready(owned)
        return
      }
      case 'first busy':
      case 'second busy':
        this.#signal(input === 'first busy' ? 0 : 1, { type: 'leg.ended', cause: { kind: 'response', status: 486 } })
        return
      case 'media failed': {
        const owned = this.#dialled[0]
        owned?.owner.failed(owned.leg, 'END.0488')
        return
      }
      case 'winner ends':
        this.#end('up', { kind: 'bye' })
        return
      case 'confirmed':
        this.#end('ending', { kind: 'response', status: 487 })
        return
      case 'ring timeout':
        this.#host.run(ringMs)
        return
      case 'confirm timeout':
        this.#host.run(this.#host.env.times.cancelConfirmMs)
        return
      case 'end':
        if (this.hunt.end()) this.#host.done.push('ended')
        return
      case 'stop':
        if (!this.hunt.end()) return
        this.hunt.stop('END.0200')
        this.#host.write('last', this.hunt.finalChanges())
    }
  }

  /** Legs that are dialled and have no final response. */
  get #dialled() {
    return this.#host.adopted.filter(({ leg }) => leg.state === 'dialled')
  }

  #ready(owned: DialHost['adopted'][number] | undefined): void {
    if (owned === undefined) return
    owned.leg.isReady = true
    owned.owner.ready(owned.leg)
  }

  #signal(at: number, event: WithoutLeg<OwnedSignal>): void {
    const owned = this.#dialled[at]
    if (owned?.leg.step(event.type) === true) owned.owner.signalled(owned.leg, { ...event, legId: owned.leg.uuid })
  }

  #end(state: 'up' | 'ending', cause: Extract<OwnedSignal, { type: 'leg.ended' }>['cause']): void {
    const owned = this.#host.adopted.find(({ leg }) => leg.state === state)
    if (owned?.leg.step('leg.ended') === true)
      owned.owner.signalled(owned.leg, { type: 'leg.ended', legId: owned.leg.uuid, cause })
  }
}

type WithoutLeg<Event> = Event extends { readonly legId: unknown } ? Omit<Event, 'legId'> : never
