const firstPlaces = 64
/** Spread addresses that differ in their last bits, and ports two apart, over all bits. */
const addressFactor = 0x9e37_79b1
const portFactor = 0x85eb_ca6b

/**
 * Legs by the address and port that their remotes send from. Open addressing in typed arrays: a packet is looked up
 * without an allocation, and without a string for a key.
 */
export class SourceTable<Leg> {
  #addresses = new Int32Array(firstPlaces)
  /** 0 = the place is free. */
  #ports = new Uint16Array(firstPlaces)
  #legs: (Leg | undefined)[] = new Array<Leg | undefined>(firstPlaces).fill(undefined)
  /** By how much a hash is shifted to become a place. */
  #shift = 32 - Math.log2(firstPlaces)
  #size = 0

  get size(): number {
    return this.#size
  }

  find(address: number, port: number): Leg | undefined {
    return this.#legs[this.#placeOf(address, port)]
  }

  /** Port 0 is no source. */
  set(address: number, port: number, leg: Leg): void {
    if (port === 0) return
    if (2 * (this.#size + 1) > this.#ports.length) this.#widen()
    const place = this.#placeOf(address, port)
    if (this.#ports[place] === 0) this.#size++
    this.#addresses[place] = address
    this.#ports[place] = port
    this.#legs[place] = leg
  }

  delete(address: number, port: number): void {
    let free = this.#placeOf(address, port)
    if (this.#ports[free] === 0) return
    this.#size--
    const mask = this.#ports.length - 1
    // What a look-up would have passed by this place for moves up: it would not be found across a free place.
    for (let next = (free + 1) & mask; this.#ports[next] !== 0; next = (next + 1) & mask) {
      const wanted = this.#hash(this.#addresses[next]!, this.#ports[next]!)
      if (((next - wanted) & mask) < ((next - free) & mask)) continue
      this.#addresses[free] = this.#addresses[next]!
      this.#ports[free] = this.#ports[next]!
      this.#legs[free] = this.#legs[next]
      free = next
    }
    this.#ports[free] = 0
    this.#legs[free] = undefined
  }

  /** Where it lies, or the free place where a look-up for it ends. */
  #placeOf(address: number, port: number): number {
    const ports = this.#ports
    const mask = ports.length - 1
    let place = this.#hash(address, port)
    while (ports[place] !== 0 && (ports[place] !== port || this.#addresses[place] !== address))
      place = (place + 1) & mask
    return place
  }

  #hash(address: number, port: number): number {
    return (Math.imul(address, addressFactor) ^ Math.imul(port, portFactor)) >>> this.#shift
  }

  #widen(): void {
    const [addresses, ports, legs] = [this.#addresses, this.#ports, this.#legs]
    const places = 2 * ports.length
    this.#addresses = new Int32Array(places)
    this.#ports = new Uint16Array(places)
    this.#legs = new Array<Leg | undefined>(places).fill(undefined)
    this.#shift--
    this.#size = 0
    legs.forEach((leg, place) => {
      if (leg !== undefined) this.set(addresses[place]!, ports[place]!, leg)
    })
  }
}
