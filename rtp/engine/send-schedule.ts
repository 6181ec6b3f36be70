import type { DatagramNetwork } from '../net/network.ts'
import { aheadMs } from '../packetize/frame-clock.ts'

/**
 * Decides when packets leave. Frames wait for the next tick, in order; packets that a tick forwards or reports leave at
 * once. A packet that arrives between two ticks may belong after frames that still wait.
 */
export class SendSchedule {
  readonly #network: DatagramNetwork
  readonly #now: () => number
  readonly #overran: (now: number) => void
  #isHolding = true

  /** `fellBehind`: reported when frames were overdue. */
  constructor(network: DatagramNetwork, now: () => number, fellBehind: (now: number) => void = () => {}) {
    this.#network = network
    this.#now = now
    this.#overran = fellBehind
    network.hold(true)
  }

  /** Until `holdForTick`, packets go with the next flush. */
  sendAtOnce(): void {
    this.#set(false)
  }

  /** The same between two ticks: of a leg whose frames wait for the next tick, packets go after those. */
  sendInOrder(): void {
    this.#network.keepsOrder = true
    this.#set(false)
  }

  /** What goes at once is flushed. */
  holdForTick(): void {
    this.#network.flush()
    this.#network.keepsOrder = false
    this.#set(true)
  }

  /** What `work` sends waits, whenever it is done. */
  afterFrames(work: () => void): void {
    const wereWaiting = this.#isHolding
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

  /** After this delay the thread is in the next tick's time: its frames do not wait for the other work. */
  releaseOverdue(tickAt: number): void {
    const now = this.#now()
    if (now - tickAt < aheadMs) return
    this.release()
    this.#overran(now)
  }

  #set(areWaiting: boolean): void {
    this.#isHolding = areWaiting
    this.#network.hold(areWaiting)
  }
}
