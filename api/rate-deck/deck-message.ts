import type { PackedDeck } from '../../core/deck/index.ts'
import { Refusal } from '../answer/refusal.ts'

/** What the thread that reads a deck makes of it: classes do not cross threads. */
export type DeckRead =
  | { readonly ok: true; readonly deck: PackedDeck }
  | {
      readonly ok: false
      readonly status: number
      readonly sentence: ConstructorParameters<typeof Refusal>[1]
      readonly extras: Refusal['extras']
    }

/** Runs `read`; a refusal becomes data, any other fault is thrown. */
export function deckReadBy(read: () => PackedDeck): DeckRead {
  try {
    return { ok: true, deck: read() }
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault
    const { status, message, extras } = fault
    return { ok: false, status, sentence: message as ConstructorParameters<typeof Refusal>[1], extras }
  }
}

/** The deck, or its refusal thrown again. */
export function deckOf(read: DeckRead): PackedDeck {
  if (read.ok) return read.deck
  throw new Refusal(read.status, read.sentence, read.extras)
}
