/** The latest are kept: as many as can matter to a leg that is missed. */
const kept = 16

/** The latest sources that are in no table: packets from there are dropped, but a leg may be silent because of one. */
export class UnknownSenders {
  /** Packets that were dropped. */
  packets = 0
  readonly #addresses = new Int32Array(kept)
  readonly #ports = new Uint16Array(kept)
  #next = 0

  note(address: number, port: number): void {
    this.packets++
    for (let at = 0; at < kept; at++) if (this.#ports[at] === port && this.#addresses[at] === address) return
    this.#addresses[this.#next] = address
    this.#ports[this.#next] = port
    this.#next = (this.#next + 1) % kept
  }

  /** The source with the highest rank above 0; undefined = there is none. */
  best(rankOf: (address: number) => number): { readonly address: number; readonly port: number } | undefined {
    let found: { readonly address: number; readonly port: number } | undefined
    let highest = 0
    for (let at = 0; at < kept; at++) {
      const [address, port] = [this.#addresses[at]!, this.#ports[at]!]
      const rank = port === 0 ? 0 : rankOf(address)
      if (rank <= highest) continue
      highest = rank
      found = { address, port }
    }
    return found
  }
}
