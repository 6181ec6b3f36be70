import type { PortPair, PortPool } from './port-pool.ts'

/** Of the free pairs of a range no more than one in so many is kept ready: the rest is for legs that need a port of the pool. */
const oneIn = 8

/**
 * Pairs of ports that are bound before a session needs them, so that its port is known at once. They are bound and reported
 * in batches.
 */
export class ReadyPairs {
  readonly #ports: PortPool
  readonly #most: number
  readonly #report: (ports: readonly number[]) => void
  readonly #pairs = new Map<number, PortPair>()
  /** Bound since the batch began. */
  #unreported: number[] = []
  #binding = 0

  /** `report` gets the RTP ports of each batch. */
  constructor(ports: PortPool, most: number, report: (ports: readonly number[]) => void) {
    this.#ports = ports
    this.#most = most
    this.#report = report
    this.fill()
  }

  get size(): number {
    return this.#pairs.size
  }

  /** Undefined: it was never reported, or is taken. */
  take(port: number): PortPair | undefined {
    const pair = this.#pairs.get(port)
    this.#pairs.delete(port)
    return pair
  }

  /** Binds the next batch when half of the last one is used. */
  fill(): void {
    if (this.#binding > 0) return
    const most = Math.min(this.#most, Math.floor((this.#ports.free + this.#pairs.size) / oneIn))
    if (this.#pairs.size > most / 2) return
    const wanted = most - this.#pairs.size
    this.#binding = wanted
    for (let i = 0; i < wanted; i++) this.#ports.take(pair => this.#bound(pair))
  }

  #bound(pair: PortPair | undefined): void {
    if (pair !== undefined) {
      this.#pairs.set(pair.rtp.port, pair)
      this.#unreported.push(pair.rtp.port)
    }
    if (--this.#binding > 0 || this.#unreported.length === 0) return
    const ports = this.#unreported
    this.#unreported = []
    this.#report(ports)
  }
}
