import { drainRetrySeconds } from '../leg/release.ts'
import type { LegUuid } from '../model/ids.ts'
import type { SignalingCommand } from '../ports/signaling.ts'

/** A switch that is to stop: it takes no new call, and ends those that are still live at the deadline. */
export class Drain {
  /** Legs refused meanwhile, whose end is still to be reported. */
  readonly #refusedLegs = new Set<LegUuid>()
  #isOn = false
  #deadline: number | undefined

  get isOn(): boolean {
    return this.#isOn
  }

  /** When calls are ended, monotonic ms; undefined when it is past, or nothing is drained. */
  get deadline(): number | undefined {
    return this.#deadline
  }

  begin(deadline: number): void {
    this.#isOn = true
    this.#deadline = deadline
  }

  resume(): void {
    this.#isOn = false
    this.#deadline = undefined
  }

  /** True once, when the deadline has come. */
  takeDue(now: number): boolean {
    if (this.#deadline === undefined || this.#deadline > now) return false
    this.#deadline = undefined
    return true
  }

  refuse(legId: LegUuid): SignalingCommand {
    this.#refusedLegs.add(legId)
    return { type: 'leg.end', legId, reason: 'END.5503', retryAfterSeconds: drainRetrySeconds }
  }

  /** The end of a leg has been reported: true when it was one that was refused. */
  ended(legId: LegUuid): boolean {
    return this.#refusedLegs.delete(legId)
  }
}
