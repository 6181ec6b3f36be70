import type { Rate } from '../model/rate.ts'

/**
 * A rate deck on its way between threads: lines of JSON, each with some of its rates, in memory that threads share. As
 * objects a deck of 12,000 rates is copied in one piece of 20 ms, in which the thread of all calls does nothing else.
 */
export type PackedDeck = SharedArrayBuffer

/** Rates of a line: what is read, or written, in a turn of the event loop. */
export const ratesInTurn = 200

const lineEnd = '\n'.charCodeAt(0)

type Columns = readonly [
  prefix: string,
  direction: Rate['direction'],
  ratePerMinute: number,
  incrementSeconds: number,
  minimumSeconds: number,
  connectionFee: number,
]

const columnsOf = (rate: Rate): Columns => [
  rate.prefix,
  rate.direction,
  rate.ratePerMinute,
  rate.incrementSeconds,
  rate.minimumSeconds,
  rate.connectionFee,
]

const rateOf = ([
  prefix,
  direction,
  ratePerMinute,
  incrementSeconds,
  minimumSeconds,
  connectionFee,
]: Columns): Rate => ({
  prefix,
  direction,
  ratePerMinute,
  incrementSeconds,
  minimumSeconds,
  connectionFee,
})

/** Packs a deck line by line. */
export class DeckPacker {
  readonly #lines: Buffer[] = []
  #bytes = 0

  /** At most `ratesInTurn` of them. */
  add(rates: readonly Rate[]): void {
    const line = Buffer.from(`${JSON.stringify(rates.map(columnsOf))}\n`)
    this.#lines.push(line)
    this.#bytes += line.length
  }

  packed(): PackedDeck {
    const packed = new SharedArrayBuffer(this.#bytes)
    const bytes = new Uint8Array(packed)
    let at = 0
    for (const line of this.#lines) {
      bytes.set(line, at)
      at += line.length
    }
    return packed
  }
}

/** At once: for a thread that may take its time. */
export function packDeck(rates: readonly Rate[]): PackedDeck {
  const packer = new DeckPacker()
  for (const piece of piecesOf(rates)) packer.add(piece)
  return packer.packed()
}

/** The rates of each line, read as they are asked for. */
export function* ratesIn(packed: PackedDeck): Generator<readonly Rate[], void, undefined> {
  const bytes = Buffer.from(packed)
  let from = 0
  while (from < bytes.length) {
    const end = bytes.indexOf(lineEnd, from)
    yield (JSON.parse(bytes.toString('utf8', from, end)) as readonly Columns[]).map(rateOf)
    from = end + 1
  }
}

/** At most `ratesInTurn` each. */
export function* piecesOf<Item>(items: readonly Item[]): Generator<readonly Item[], void, undefined> {
  for (let at = 0; at < items.length; at += ratesInTurn) yield items.slice(at, at + ratesInTurn)
}
