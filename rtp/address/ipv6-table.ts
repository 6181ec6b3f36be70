/** Addresses that a thread knows at a time. */
const placeBits = 14
const places = 1 << placeBits
/** How often a place is used before its numbers repeat: of the 14 bits left, those that 255.0.0.0/8 does not need. */
const ages = 0x3c00
const none = -1
const first = 0xf0000000

/** Class E (240.0.0.0/4) without 255.0.0.0/8, which broadcasts. */
export const isIpv6 = (address: number): boolean => address >>> 28 === 0xf && address >>> 24 !== 0xff

/**
 * IPv6 addresses as numbers of class E (240.0.0.0/4), so that all addresses pass through calls as small integers. A number is a
 * place in this table and how often that place was given away: when the table is full, the address that was used longest ago
 * goes, and its number is no address's any more.
 */
export class Ipv6Table {
  /** Four big-endian words an address. Made with the first one: most threads see none. */
  #words = new Int32Array(0)
  #ages = new Uint16Array(0)
  /** 1: used again since the hand came by. */
  #used = new Uint8Array(0)
  /** Chains of the addresses with the same hash. */
  #heads = new Int32Array(0)
  #next = new Int32Array(0)
  #size = 0
  #hand = 0
  #secret = 0

  /** Before the first address: what no sender knows, so that none can choose addresses of one chain. */
  seed(secret: number): void {
    if (this.#size === 0) this.#secret = secret
  }

  /** The number of an address of four words. */
  numberOf(a: number, b: number, c: number, d: number): number {
    if (this.#size === 0) this.#allocate()
    const hash = hashOf(this.#secret, a, b, c, d)
    const words = this.#words
    for (let place = this.#heads[hash]!; place !== none; place = this.#next[place]!) {
      const at = 4 * place
      if (words[at] !== a || words[at + 1] !== b || words[at + 2] !== c || words[at + 3] !== d) continue
      this.#used[place] = 1
      return this.#numberAt(place)
    }
    const place = this.#freePlace()
    const at = 4 * place
    words[at] = a
    words[at + 1] = b
    words[at + 2] = c
    words[at + 3] = d
    // Not yet: of a flood of sources each sends once.
    this.#used[place] = 0
    this.#next[place] = this.#heads[hash]!
    this.#heads[hash] = place
    return this.#numberAt(place)
  }

  /** The number of the 16 bytes at `at`. */
  read(view: DataView, at: number): number {
    return this.numberOf(view.getInt32(at), view.getInt32(at + 4), view.getInt32(at + 8), view.getInt32(at + 12))
  }

  /** False: the number is no address's any more, and nothing is written. */
  write(address: number, view: DataView, at: number): boolean {
    const place = this.#placeOf(address)
    if (place === none) return false
    this.#used[place] = 1
    for (let word = 0; word < 4; word++) view.setInt32(at + 4 * word, this.#words[4 * place + word]!)
    return true
  }

  /** Its four words; undefined: it is no address's any more. */
  wordsOf(address: number): Int32Array | undefined {
    const place = this.#placeOf(address)
    return place === none ? undefined : this.#words.subarray(4 * place, 4 * place + 4)
  }

  /** Neither `::`, nor a multicast group (ff00::/8), nor an IPv4 address (::ffff:0:0/96), nor forgotten. */
  isUnicast(address: number): boolean {
    const place = this.#placeOf(address)
    if (place === none) return false
    const words = this.#words
    const at = 4 * place
    if (words[at] !== 0 || words[at + 1] !== 0) return words[at]! >>> 24 !== 0xff
    return words[at + 2] !== 0xffff && (words[at + 2] !== 0 || words[at + 3] !== 0)
  }

  #placeOf(address: number): number {
    const place = address & (places - 1)
    return place < this.#size && this.#ages[place] === ((address >>> placeBits) & 0x3fff) ? place : none
  }

  #numberAt(place: number): number {
    return first | (this.#ages[place]! << placeBits) | place
  }

  /** A second chance for each that was used since the hand came by last. */
  #freePlace(): number {
    if (this.#size < places) return this.#size++
    const used = this.#used
    while (used[this.#hand] === 1) {
      used[this.#hand] = 0
      this.#hand = (this.#hand + 1) & (places - 1)
    }
    const place = this.#hand
    this.#hand = (this.#hand + 1) & (places - 1)
    this.#unchain(place)
    this.#ages[place] = (this.#ages[place]! + 1) % ages
    return place
  }

  #unchain(place: number): void {
    const words = this.#words
    const at = 4 * place
    const hash = hashOf(this.#secret, words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!)
    if (this.#heads[hash] === place) {
      this.#heads[hash] = this.#next[place]!
      return
    }
    let before = this.#heads[hash]!
    while (this.#next[before] !== place) before = this.#next[before]!
    this.#next[before] = this.#next[place]!
  }

  #allocate(): void {
    this.#words = new Int32Array(4 * places)
    this.#ages = new Uint16Array(places)
    this.#used = new Uint8Array(places)
    this.#heads = new Int32Array(places).fill(none)
    this.#next = new Int32Array(places).fill(none)
  }
}

function hashOf(secret: number, a: number, b: number, c: number, d: number): number {
  let hash = Math.imul(a ^ secret, 0x9e37_79b1)
  hash = Math.imul(hash ^ (hash >>> 15) ^ b, 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13) ^ c, 0xc2b2_ae35)
  hash = Math.imul(hash ^ (hash >>> 16) ^ d, 0x27d4_eb2f)
  return (hash ^ (hash >>> 15)) & (places - 1)
}
