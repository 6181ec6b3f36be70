import type { Repositories } from '../adapters/store/repositories.ts'
import { SwitchError } from './errors.ts'

/** Prefixes that calls may not and may go to, as `+254`; the longest match decides. */
export interface DestinationLists {
  readonly blocked: readonly string[]
  readonly allowed: readonly string[]
}

const prefix = /^\+?\d{1,15}$/

/**
 * Where calls may go, as `/operator/destinations` has it. Premium and satellite prefixes are blocked until they are allowed.
 *
 *     await sauti.destinations.replace({ blocked: ['+252'], allowed: ['+881'] })
 */
export class Destinations {
  readonly #rows: Repositories['destinations']

  /** @internal */
  constructor(rows: Repositories['destinations']) {
    this.#rows = rows
  }

  /** What has been set; before that, what is blocked by default. */
  async get(): Promise<DestinationLists> {
    return this.#rows.get()
  }

  /** Replaces both lists whole, for the next call on; live calls go on. Throws `destination.invalid`. */
  async replace({ blocked, allowed }: DestinationLists): Promise<void> {
    const wrong = [...blocked, ...allowed].find(each => !prefix.test(each))
    if (wrong !== undefined)
      throw new SwitchError('destination.invalid', `"${wrong}" is no prefix: write + and 1 to 15 digits, as +254`)
    const plain = (list: readonly string[]) => list.map(each => each.replace(/^\+/, ''))
    const both = plain(blocked).find(each => plain(allowed).includes(each))
    if (both !== undefined) throw new SwitchError('destination.invalid', `+${both} is blocked and allowed`)
    await this.#rows.replace({ blocked, allowed })
  }
}
