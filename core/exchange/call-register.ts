import { TextMap } from '../../sip/base/text-map.ts'
import type { Call } from '../call/call.ts'
import type { AccountUuid, CallUuid, LegUuid, Sid } from '../model/ids.ts'

/** The calls of an exchange by their id, their sid and any of their legs, until nothing is left of them. */
export class CallRegister {
  readonly #calls = new TextMap<CallUuid, Call>()
  readonly #bySid = new TextMap<Sid, Call>()
  readonly #byLeg = new TextMap<LegUuid, Call>()
  readonly #legsOf = new Map<Call, LegUuid[]>()

  get size(): number {
    return this.#calls.size
  }

  get isEmpty(): boolean {
    return this.#calls.size === 0 && this.#byLeg.size === 0
  }

  all(): readonly Call[] {
    return [...this.#calls.values()]
  }

  /** Calls that have not ended, of one account or of all. */
  live(account?: AccountUuid): readonly Call[] {
    return this.all().filter(call => call.isLive && (account === undefined || call.record.accountUuid === account))
  }

  get(callId: CallUuid): Call | undefined {
    return this.#calls.get(callId)
  }

  bySid(sid: Sid): Call | undefined {
    return this.#bySid.get(sid)
  }

  byLeg(legId: LegUuid): Call | undefined {
    return this.#byLeg.get(legId)
  }

  add(call: Call): void {
    this.#calls.set(call.callId, call)
    this.#bySid.set(call.sid, call)
  }

  /** Events of the leg go to that call from now on. */
  claim(legId: LegUuid, call: Call): void {
    if (this.#byLeg.get(legId) === call) return
    this.#byLeg.set(legId, call)
    const legs = this.#legsOf.get(call)
    if (legs === undefined) this.#legsOf.set(call, [legId])
    else legs.push(legId)
  }

  /** Removes the call, and returns its legs. */
  forget(call: Call): readonly LegUuid[] {
    const legs = this.#legsOf.get(call) ?? []
    this.#calls.delete(call.callId)
    this.#bySid.delete(call.sid)
    for (const legId of legs) this.#byLeg.delete(legId)
    this.#legsOf.delete(call)
    return legs
  }
}
