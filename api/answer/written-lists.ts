import { Readable } from 'node:stream'
import { Refusal } from './refusal.ts'

/** Lists of one owner that are being read: some 2 MB of each are in memory. */
const mostAtOnce = 20

interface ListText {
  readonly head: string
  readonly rows: AsyncIterable<object>
  readonly tail: () => string
}

/** Writes JSON of lists whose rows are long: each row is made when the reader has taken the one before. */
export class WrittenLists {
  readonly #open = new Map<string, number>()

  /** Throws 429 while the owner has not read earlier ones. */
  write(owner: string, text: ListText): Readable {
    return this.#counted(owner, () => pieces(text))
  }

  /** What is made already, and as long as a list may be in memory. */
  whole(owner: string, bytes: Uint8Array): Readable {
    return this.#counted(owner, () => [Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)])
  }

  #counted(owner: string, parts: () => Iterable<Buffer> | AsyncIterable<Buffer>): Readable {
    const count = this.#open.get(owner) ?? 0
    if (count >= mostAtOnce)
      throw new Refusal(429, 'Too many list requests at once: read the earlier ones.', {
        headers: { 'retry-after': '1' },
      })
    this.#open.set(owner, count + 1)
    return Readable.from(parts()).once('close', () => this.#closed(owner))
  }

  #closed(owner: string): void {
    const count = (this.#open.get(owner) ?? 1) - 1
    if (count === 0) this.#open.delete(owner)
    else this.#open.set(owner, count)
  }
}

async function* pieces({ head, rows, tail }: ListText): AsyncGenerator<Buffer> {
  // With the first row: what fails before it is answered as a failure.
  let before = head
  for await (const row of rows) {
    yield Buffer.from(before + JSON.stringify(row))
    before = ','
  }
  yield Buffer.from(before === ',' ? tail() : before + tail())
}
