import { Worker } from 'node:worker_threads'
import type { PackedDeck } from '../../core/deck/index.ts'
import { ownModule } from '../../core/index.ts'
import { smallBodyBytes } from '../request/body-parser.ts'
import { type DeckRead, deckOf } from './deck-message.ts'
import { readDeck } from './read-deck.ts'

/** Reads rate decks: a short one at once, a long one in a thread, one after the other. */
export class DeckReader {
  /** The long one that was begun last. */
  #last: Promise<unknown> = Promise.resolve()

  /** Rejects with the `Refusal` of what is no rate deck. `bytes` of a long one are taken. */
  async read(bytes: Buffer): Promise<PackedDeck> {
    if (bytes.length <= smallBodyBytes) return readDeck(bytes)
    const read = this.#last.then(() => readInThread(bytes))
    this.#last = read.catch(() => {})
    return deckOf(await read)
  }
}

async function readInThread(bytes: Buffer): Promise<DeckRead> {
  const worker = new Worker(ownModule('./deck-thread.ts', import.meta.url), { name: 'deck', execArgv: [] })
  try {
    return await new Promise<DeckRead>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the thread that reads a rate deck ended without an answer')))
      const own = ownedBytes(bytes)
      worker.postMessage(own, [own.buffer])
    })
  } finally {
    await worker.terminate()
  }
}

/** What can be handed over: memory that nothing else lies in. */
function ownedBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes
  return buffer instanceof ArrayBuffer && byteOffset === 0 && buffer.byteLength === length
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes)
}
