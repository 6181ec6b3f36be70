import { arrived } from '../../../core/contract/hops.ts'
import { Branch } from '../../../core/dial/branch.ts'
import type { BranchListener } from '../../../core/dial/branch-options.ts'
import type { Leg } from '../../../core/leg/leg.ts'
import type { OwnedSignal } from '../../../core/leg/leg-owner.ts'
import type { Sid } from '../../../core/model/ids.ts'
import { rate } from './acme.ts'
import { DialHost, trunk } from './dial-host.ts'

const turnMs = 500

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
  readonly #host = new DialHost(turnMs)

  /** `isDial`: a child of a Dial, else the leg of a placed call. */
  constructor(isDial: boolean) {
    const reported = (what: string) => () => {
      this.#host.done.push(what)
    }
    const listener: BranchListener<Branch> = {
      ringing: reported('>ringing'),
      early: reported('>early'),
      answered: reported('>answered'),
      ready: reported('>ready'),
      retrying: reported('>retrying'),
      over: reported('>over'),
      released: reported('>released'),
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
    this.branch = new Branch(this.#host, options, listener, { low() {}, warn() {}, cut() {} })
  }

  /** What it does at the input, in order; empty when it is absorbed. */
  give(input: BranchBedInput): string {
    this.#host.done.length = 0
    this.#give(input)
    return this.#host.done.join(' ')
  }

  #give(input: BranchBedInput): void {
    switch (input) {
      case 'start':
        this.branch.start([], result => this.#host.done.push(`admitted:${result}`))
        return
      case 'turn':
        this.#host.run(turnMs)
        return
      case 'placed':
        this.#host.commits.shift()?.({ ok: true })
        return
      case 'refused':
        this.#host.commits.shift()?.({ ok: false, refused: 'insufficient-funds' })
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
        this.#host.write('last', this.branch.finalChanges())
    }
  }

  get #leg(): Leg | undefined {
    return this.#host.adopted.at(-1)?.leg
  }

  #signal(event: WithoutLeg<OwnedSignal>): void {
    const leg = this.#leg
    if (leg?.step(event.type) === true) this.branch.signalled(leg, { ...event, legId: leg.uuid })
  }
}

type WithoutLeg<Event> = Event extends { readonly legId: unknown } ? Omit<Event, 'legId'> : never
