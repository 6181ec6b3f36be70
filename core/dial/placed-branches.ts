import type { CallHost } from '../leg/call-host.ts'
import type { Leg } from '../leg/leg.ts'
import type { MeterAlarms } from '../leg/meter.ts'
import type { HoldDump } from '../model/call-dump.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Change } from '../ports/store.ts'
import { Branch } from './branch.ts'
import type { BranchListener, BranchOptions, Route } from './branch-options.ts'
import { mostTelling } from './dial-outcome.ts'

/**
 * The destination of a call placed by the API that is in several places, as the softphones of one end-user: all ring, the
 * first answer wins. One in a single place is a `Branch` alone. Children of a Dial ring by `Hunt`, several phones of one
 * end-user too.
 */
export class PlacedBranches implements BranchListener<Branch> {
  readonly #host: CallHost
  readonly #branches: readonly Branch[]
  readonly #listener: BranchListener<Branch>
  #winner: Branch | undefined

  /** `places`: the routes to each place. */
  constructor(
    host: CallHost,
    options: Omit<BranchOptions, 'routes'>,
    places: readonly (readonly Route[])[],
    listener: BranchListener<Branch>,
    alarms: MeterAlarms,
  ) {
    this.#host = host
    this.#listener = listener
    this.#branches = places.map(routes => new Branch(host, { ...options, routes }, this, alarms))
  }

  /** `prelude` is committed in the same unit as the first leg. */
  start(prelude: readonly Change[], admitted: (result: 'placed' | 'refused' | 'no-route') => void): void {
    const [first, ...others] = this.#branches
    if (first === undefined) {
      admitted('no-route')
      return
    }
    first.start(prelude, result => {
      admitted(result)
      if (result !== 'placed' || this.#host.isOver) return
      for (const branch of others) branch.start([])
    })
  }

  /** End of the last paid second of a leg that was answered: it ends there at the latest. */
  get paidUntilUnix(): number | undefined {
    return this.#winner?.paidUntilUnix
  }

  get holds(): readonly HoldDump[] {
    return this.#branches.flatMap(branch => branch.holds)
  }

  /** The call ends. */
  stop(reason: EndReason): void {
    for (const branch of this.#branches) branch.stop(reason)
  }

  finalChanges(): readonly Change[] {
    return this.#branches.flatMap(branch => branch.finalChanges())
  }

  ringing(branch: Branch): void {
    if (this.#winner === undefined) this.#listener.ringing(branch)
  }

  early(branch: Branch): void {
    if (this.#winner === undefined) this.#listener.early(branch)
  }

  answered(branch: Branch): void {
    if (this.#winner !== undefined) {
      branch.answeredElsewhere()
      return
    }
    this.#winner = branch
    for (const other of this.#branches) if (other !== branch) other.answeredElsewhere()
    this.#listener.answered(branch)
  }

  ready(branch: Branch): void {
    if (branch === this.#winner) this.#listener.ready(branch)
  }

  retrying(branch: Branch, failed: Leg): void {
    this.#listener.retrying(branch, failed)
  }

  over(branch: Branch): void {
    if (this.#winner !== undefined) {
      if (branch === this.#winner) this.#listener.over(branch)
      return
    }
    if (!this.#branches.every(each => each.isOver)) return
    const told = mostTelling(this.#branches.map(({ reason, options }) => ({ reason, sid: options.sid })))
    this.#listener.over(this.#branches.find(each => each.reason === told?.reason) ?? branch)
  }

  released(branch: Branch): void {
    this.#listener.released(branch)
  }
}
