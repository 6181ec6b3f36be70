type SlotState = 0 | 1 | 2 | 3
export const empty = 0
export const audio = 1
/** A number that was used, but for no audio. */
export const noted = 2
export const played = 3

/** One block of memory cut into slots; a packet lies in the slot of its index modulo the capacity. */
export class PacketSlots {
  readonly capacity: number
  readonly slotLength: number
  readonly bytes: Uint8Array
  readonly #mask: number
  readonly #states: Uint8Array
  readonly #indexes: Float64Array
  readonly #places: Float64Array
  readonly #timestamps: Uint32Array
  readonly #lengths: Uint16Array
  readonly #types: Uint8Array
  #waiting = 0

  /** `capacity`: a power of two. */
  constructor(capacity: number, slotLength: number) {
    if (capacity < 2 || (capacity & (capacity - 1)) !== 0) throw new RangeError(`${capacity} slots: no power of two`)
    this.capacity = capacity
    this.slotLength = slotLength
    this.#mask = capacity - 1
    const block = new ArrayBuffer(capacity * (8 + 8 + 4 + 2 + 1 + 1 + slotLength))
    let at = 0
    const cut = (length: number) => {
      at += length
      return at - length
    }
    this.#indexes = new Float64Array(block, cut(8 * capacity), capacity)
    this.#places = new Float64Array(block, cut(8 * capacity), capacity)
    this.#timestamps = new Uint32Array(block, cut(4 * capacity), capacity)
    this.#lengths = new Uint16Array(block, cut(2 * capacity), capacity)
    this.#types = new Uint8Array(block, cut(capacity), capacity)
    this.#states = new Uint8Array(block, cut(capacity), capacity)
    this.bytes = new Uint8Array(block, cut(capacity * slotLength), capacity * slotLength)
  }

  /** Slots that hold audio. */
  get waiting(): number {
    return this.#waiting
  }

  stateOf(index: number): number {
    const slot = index & this.#mask
    return this.#indexes[slot] === index ? this.#states[slot]! : empty
  }
  placeOf(index: number): number {
    return this.#places[index & this.#mask]!
  }
  timestampOf(index: number): number {
    return this.#timestamps[index & this.#mask]!
  }
  lengthOf(index: number): number {
    return this.#lengths[index & this.#mask]!
  }
  payloadTypeOf(index: number): number {
    return this.#types[index & this.#mask]!
  }
  /** Where the payload begins in `bytes`. */
  fromOf(index: number): number {
    return (index & this.#mask) * this.slotLength
  }

  /** Lays a payload of at most `slotLength` bytes into the slot of `index`. */
  put(
    index: number,
    placeMs: number,
    timestamp: number,
    payloadType: number,
    packet: Uint8Array,
    from: number,
    length: number,
  ): void {
    this.mark(index, audio)
    const slot = index & this.#mask
    this.#places[slot] = placeMs
    this.#timestamps[slot] = timestamp
    this.#types[slot] = payloadType
    this.#lengths[slot] = length
    const at = slot * this.slotLength
    for (let i = 0; i < length; i++) this.bytes[at + i] = packet[from + i]!
  }

  mark(index: number, state: SlotState): void {
    const slot = index & this.#mask
    if (this.#states[slot] === audio) this.#waiting--
    if (state === audio) this.#waiting++
    this.#states[slot] = state
    this.#indexes[slot] = index
  }

  clear(): void {
    this.#states.fill(empty)
    this.#waiting = 0
  }
}
