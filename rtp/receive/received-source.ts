import { ReceptionStatistics } from '../rtcp/reception-statistics.ts'

/** What is counted of the present source, and of those before it. */
export class ReceivedSource {
  readonly #changed: (lastSsrc: number) => void
  #present: ReceptionStatistics | undefined
  #lostBefore = 0

  /** `changed`: the remote has restarted, or another one answers; `gone` is the SSRC that spoke before. */
  constructor(changed: (lastSsrc: number) => void) {
    this.#changed = changed
  }

  get present(): ReceptionStatistics | undefined {
    return this.#present
  }
  /** Packets, of all sources. */
  get lost(): number {
    return this.#lostBefore + Math.max(0, this.#present?.sequences.lost ?? 0)
  }

  /** Another source has taken its place. */
  isOther(ssrc: number): boolean {
    return this.#present !== undefined && this.#present.ssrc !== ssrc
  }

  /** `clockRate`: what its timestamps count. */
  select(ssrc: number, clockRate: number): ReceptionStatistics {
    const present = this.#present
    if (present?.ssrc === ssrc && present.clockRate === clockRate) return present
    this.#lostBefore = this.lost
    if (present !== undefined) this.#changed(present.ssrc)
    this.#present = new ReceptionStatistics(ssrc, clockRate)
    return this.#present
  }
}
