import type { Place } from '../caps/caps.ts'
import type { Hops, PhoneRoom } from '../contract/hops.ts'
import type { CallHost } from './call-host.ts'

/** What one dialled destination takes of its account's caps: a place among the live legs, and turns to leave the switch. */
export class LegCaps {
  readonly #host: CallHost
  readonly #timer: string
  #place: Place | undefined
  /** Its room among the phones that ring for the origin call. */
  #phone: PhoneRoom | undefined
  /** The turn that it waits for. */
  #turn: number | undefined

  /** `name` is its own within the call. */
  constructor(host: CallHost, name: string) {
    this.#host = host
    this.#timer = `dial:turn:${name}`
  }

  /** Takes one of the legs to phones that the origin call may have, beside those `kept` for others; false when there is none (END.3482). */
  enterPhone({ tree }: Hops, kept: number): boolean {
    this.#phone = tree.takePhone(kept)
    return this.#phone !== undefined
  }

  /** Takes a place; false when there is none (END.4429). */
  enter(): boolean {
    this.#place = this.#host.dialCaps.takeLeg(this.#host.now())
    return this.#place !== undefined
  }

  /** Acts when its turn has come, which may be now; false when that is too far away (END.4430). */
  onTurn(act: () => void): boolean {
    const now = this.#host.now()
    const turn = this.#host.dialCaps.takeTurn(now)
    if (turn === undefined) return false
    if (turn <= now) act()
    else {
      this.#turn = turn
      this.#host.timers.set(this.#timer, turn, () => {
        this.#turn = undefined
        act()
      })
    }
    return true
  }

  /** It waits no more; the turn is free for another. */
  leaveQueue(): void {
    if (this.#turn === undefined) return
    this.#host.timers.clear(this.#timer)
    this.#host.dialCaps.giveTurnBack(this.#turn)
    this.#turn = undefined
  }

  /** Its leg is gone. Twice is no fault. */
  leave(): void {
    this.leaveQueue()
    this.#place?.release(this.#host.now())
    this.#phone?.release()
  }
}
