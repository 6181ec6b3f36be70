import { Reception } from '../rtcp/reception.ts'

/** What is counted of the source that is heard now, and of those before it. */
export class HeardSource {
  readonly #changed: () => void
  #present: Reception | undefined
  #lostBefore = 0

  /** `changed`: the far end has restarted, or another one answers. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  get present(): Reception | undefined {
    return this.#present
  }
  /** Packets, of all sources. */
  get lost(): number {
    return this.#lostBefore + Math.max(0, this.#present?.sequences.lost ?? 0)
  }

  /** `clockRate`: what its timestamps count. */
  of(ssrc: number, clockRate: number): Reception {
    const present = this.#present
    if (present?.ssrc === ssrc && present.clockRate === clockRate) return present
    this.#lostBefore = this.lost
    this.#changed()
    this.#present = new Reception(ssrc, clockRate)
    return this.#present
  }
}
