import type { Repositories } from '../adapters/store/repositories.ts'
import type { Trunk } from '../model/trunk.ts'
import { SwitchError } from './errors.ts'

/** What a trunk is made of. */
export type TrunkFields = Omit<Trunk, 'uuid'>

/** Carriers' connections, as `/operator/trunks` has them. */
export class Trunks {
  readonly #rows: Repositories['trunks']
  readonly #unixMs: () => number

  /** @internal */
  constructor(rows: Repositories['trunks'], unixMs: () => number) {
    this.#rows = rows
    this.#unixMs = unixMs
  }

  /** Makes a trunk. Defaults: UDP, port by DNS, no addresses, no prefixes (it serves no number), priority 0, weight 1, no limits, all codecs, no pings, `srtp` off, `mediaSource` learned. */
  create(fields: Partial<TrunkFields> & { readonly name: string }): Promise<Trunk> {
    return this.#rows.create(fields, this.#unixMs())
  }

  async list(): Promise<readonly Trunk[]> {
    return this.#rows.current()
  }

  /** Changes what is given; live calls go on. Throws `not-found`. */
  async update(uuid: string, fields: Partial<TrunkFields>): Promise<Trunk> {
    const changed = await this.#rows.change(uuid, fields)
    if (changed === undefined) throw new SwitchError('not-found', `there is no trunk ${uuid}`)
    return changed
  }

  /** Throws `not-found`. */
  async remove(uuid: string): Promise<void> {
    if (!(await this.#rows.remove(uuid))) throw new SwitchError('not-found', `there is no trunk ${uuid}`)
  }
}
