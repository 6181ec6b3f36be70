const firstSlots = 64
const mostFull = 0.7

/**
 * In which blocks of a file parts of a call may be, by a hash of its uuid or sid: 12 bytes a name and block, some 20 with
 * what is free, where maps of texts would take 400. The directory of a block tells which calls it really holds.
 */
export class BlockIndex {
  /** 0: free. */
  #hashes = new Float64Array(firstSlots)
  #blocks = new Uint32Array(firstSlots)
  #size = 0

  /** Once for each block. */
  add(hash: number, block: number): void {
    let at = this.#slotOf(hash)
    for (; this.#hashes[at] !== 0; at = this.#after(at))
      if (this.#hashes[at] === hash && this.#blocks[at] === block) return
    this.#hashes[at] = hash
    this.#blocks[at] = block
    if (++this.#size > mostFull * this.#hashes.length) this.#grow()
  }

  has(hash: number): boolean {
    for (let at = this.#slotOf(hash); this.#hashes[at] !== 0; at = this.#after(at))
      if (this.#hashes[at] === hash) return true
    return false
  }

  /** Numbers of blocks. */
  blocksOf(hash: number): readonly number[] {
    const found: number[] = []
    for (let at = this.#slotOf(hash); this.#hashes[at] !== 0; at = this.#after(at))
      if (this.#hashes[at] === hash) found.push(this.#blocks[at]!)
    return found
  }

  /** Every name, once. */
  hashes(): ReadonlySet<number> {
    return new Set(this.#hashes.filter(hash => hash !== 0))
  }

  #slotOf(hash: number): number {
    return hash % this.#hashes.length
  }

  #after(at: number): number {
    return at + 1 === this.#hashes.length ? 0 : at + 1
  }

  #grow(): void {
    const hashes = this.#hashes
    const blocks = this.#blocks
    this.#hashes = new Float64Array(2 * hashes.length)
    this.#blocks = new Uint32Array(2 * blocks.length)
    this.#size = 0
    for (let at = 0; at < hashes.length; at++) if (hashes[at] !== 0) this.add(hashes[at]!, blocks[at]!)
  }
}

/** 52 bits of a name, never 0. */
export function hashOf(name: string): number {
  let low = 0x9e37_79b9
  let high = 0x85eb_ca6b
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    low = Math.imul(low ^ code, 0x0100_0193)
    high = Math.imul(high + code, 0xc2b2_ae35) ^ (high >>> 15)
  }
  low = Math.imul(low ^ (low >>> 16), 0x45d9_f3b)
  return 1 + ((low ^ (low >>> 15)) >>> 0) + 2 ** 32 * ((high ^ (high >>> 13)) & 0xf_ffff)
}
