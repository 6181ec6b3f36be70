import type { LegUuid } from '../model/ids.ts'
import type { Leg } from './leg.ts'
import type { LostLeg } from './leg-host.ts'
import type { LegOwner } from './leg-owner.ts'
import type { Release } from './release.ts'

interface OwnedLeg {
  readonly leg: Leg
  readonly owner: LegOwner
}

/** The legs that a call has and has had, and who acts on what each of them does. */
export class CallLegs {
  readonly #legs = new Map<LegUuid, OwnedLeg>()
  readonly #claim: (leg: Leg) => void

  /** `claim`: what happens to the leg is to come to this call. */
  constructor(claim: (leg: Leg) => void) {
    this.#claim = claim
  }

  get all(): readonly Leg[] {
    return [...this.#legs.values()].map(({ leg }) => leg)
  }

  find(uuid: LegUuid): OwnedLeg | undefined {
    return this.#legs.get(uuid)
  }

  /** Media quality of every leg is known, or nothing ever could be. */
  get areMeasured(): boolean {
    return this.all.every(leg => leg.isMeasured)
  }

  /** No part of these legs is left. */
  get areGone(): boolean {
    return this.all.every(leg => leg.isGone)
  }

  /** From now on the leg belongs to the call, and its events are reported to `owner`. */
  adopt(leg: Leg, owner: LegOwner): void {
    this.#legs.set(leg.uuid, { leg, owner })
    this.#claim(leg)
  }

  /** The signalling has not reported the leg's end in time: it is taken as ended. */
  lost(lost: LostLeg): void {
    if (!lost.step('lost')) return
    const owned = this.find(lost.uuid)
    owned?.owner.signalled(owned.leg, { type: 'leg.ended', legId: lost.uuid, cause: { kind: 'timeout' } })
  }

  end({ reason, more }: Release): void {
    for (const { leg } of this.#legs.values()) leg.end(reason, more)
  }
}
