import type { DatagramNetwork } from '../net/network.ts'
import { aheadMs } from '../packetize/frame-clock.ts'

/**
 * When packets go. All wait for the next tick, in their order, but for those that a tick passes on or reports: whatever
 * comes between two ticks may belong behind frames that wait.
 */
export class Departures {
  readonly #network: DatagramNetwork
  readonly #now: () => number
  readonly #fellBehind: (now: number) => void
  #areWaiting = true

  /** `fellBehind`: told when frames were overdue. */
  constructor(network: DatagramNetwork, now: () => number, fellBehind: (now: number) => void = () => {}) {
    this.#network = network
    this.#now = now
    this.#fellBehind = fellBehind
    network.hold(true)
  }

  /** Until `wait`, packets go with the next flush. */
  goAtOnce(): void {
    this.#set(false)
  }

  /** What goes at once is flushed. */
  wait(): void {
    this.#network.flush()
    this.#set(true)
  }

  /** What `work` sends waits, whenever it is done. */
  behindFrames(work: () => void): void {
    const wereWaiting = this.#areWaiting
    this.#set(true)
    try {
      work()
    } finally {
      this.#set(wereWaiting)
    }
  }

  release(): void {
    this.#network.release()
  }

  /** Held up for so long, the thread is in the next tick's time: its frames do not wait for the work of all others. */
  releaseOverdue(beatAt: number): void {
    const now = this.#now()
    if (now - beatAt < aheadMs) return
    this.release()
    this.#fellBehind(now)
  }

  #set(areWaiting: boolean): void {
    this.#areWaiting = areWaiting
    this.#network.hold(areWaiting)
  }
}
