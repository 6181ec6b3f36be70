// What a thread needs that reads a rate deck. A door of its own: behind core/index.ts lies the whole switch, which takes such
// a thread a second of processor time to load from its sources.

export { isSipPrefix } from '../billing/sip-prefix.ts'
export { maxJsonLevels } from '../model/json-depth.ts'
export { parseMoney } from '../model/money.ts'
export type { Rate } from '../model/rate.ts'
export { DeckPacker, type PackedDeck, packDeck, piecesOf, ratesIn, ratesInTurn } from './packed-deck.ts'
