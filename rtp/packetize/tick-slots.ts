/** A frame of 20 ms has four ticks of the media clock. */
const slotsPerFrame = 4
const slotMs = 5
/** A slot may cost this much more than the lightest one; beyond it a new leg takes a later slot. */
const toleratedExcess = 8

/**
 * Spreads a thread's packets over its ticks: legs that begin at the same moment would otherwise always be due in the
 * same tick, and the last of them late by the work of all others.
 */
export class TickSlots {
  readonly #loads = new Float64Array(slotsPerFrame)

  /**
   * Takes the next slot that has not much more to do than others, for frames that cost `cost` each. Returns its number,
   * to be left at the end.
   */
  join(cost: number, now: number): number {
    const present = Math.round(now / slotMs) % slotsPerFrame
    const least = Math.min(...this.#loads)
    for (let ahead = 0; ahead < slotsPerFrame; ahead++) {
      const slot = (present + ahead) % slotsPerFrame
      if (this.#loads[slot]! > least + toleratedExcess) continue
      this.#loads[slot]! += cost
      return slot
    }
    return present
  }

  leave(slot: number, cost: number): void {
    this.#loads[slot]! -= cost
  }

  /** How long it is until that slot comes, 0 to 15 ms. */
  delayMsOf(slot: number, now: number): number {
    const present = Math.round(now / slotMs) % slotsPerFrame
    return ((slot - present + slotsPerFrame) % slotsPerFrame) * slotMs
  }
}
