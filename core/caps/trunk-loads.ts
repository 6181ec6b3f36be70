import type { Trunk } from '../model/trunk.ts'
import { Caps } from './caps.ts'

const limitOf = (written: number): number => (written > 0 ? written : Number.POSITIVE_INFINITY)

/** Live legs and new ones a second per trunk, within what the operator allows it. */
export class TrunkLoads {
  readonly #caps = new Caps()

  /** False when the trunk is full. */
  take(trunk: Trunk, now: number): boolean {
    return this.#caps.take(trunk.uuid, limitOf(trunk.maxCalls), limitOf(trunk.maxCps), now) === undefined
  }

  /** Legs that have a place, of all trunks. */
  get size(): number {
    return this.#caps.size
  }

  release(trunk: Trunk, now: number): void {
    this.#caps.release(trunk.uuid, now)
  }
}
