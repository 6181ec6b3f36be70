import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { PackedDeck } from '../../core/deck/index.ts'
import { ownModule } from '../../core/index.ts'
import { smallBodyBytes } from '../request/body-parser.ts'
import { type DeckRead, deckOf } from './deck-message.ts'
import { readDeck } from './read-deck.ts'

/** A thread that has had nothing to read for so long ends: its start takes the time of many calls, its memory some 20 MB. */
const idleMs = 60_000
/**
 * After a long one the thread rests for so many times what that took, so that decks without a pause leave the processors to
 * calls: V8 collects what a deck leaves behind at the priority of signalling.
 */
const rest = { times: 4, mostMs: 2000 }

/** Reads rate decks: a short one at once, a long one in a thread, one after the other. */
export class DeckReader {
  /** The long one that was begun last, and the rest after it. */
  #last: Promise<unknown> = Promise.resolve()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #restMs = 0

  /** Rejects with the `Refusal` of what is no rate deck. `bytes` of a long one are taken. */
  async read(bytes: Buffer): Promise<PackedDeck> {
    if (bytes.length <= smallBodyBytes) return readDeck(bytes)
    const read = this.#last.then(() => this.#readInThread(bytes))
    this.#last = read.catch(() => {}).then(() => sleep(this.#restMs))
    return deckOf(await read)
  }

  async #readInThread(bytes: Buffer): Promise<DeckRead> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const begun = performance.now()
    try {
      return await answerOf(this.#worker, bytes)
    } finally {
      this.#restMs = Math.min(rest.mostMs, rest.times * (performance.now() - begun))
      this.#idle = setTimeout(() => void this.#worker?.terminate(), idleMs).unref()
    }
  }

  #start(): Worker {
    const worker = new Worker(ownModule('./deck-thread.ts', import.meta.url), { name: 'deck', execArgv: [] })
    // A fault within a deck is its reader's; after any the thread ends, and the next deck gets another.
    worker.on('error', () => {})
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    worker.unref()
    return worker
  }
}

/** Rejects when the thread has a fault, as for want of memory, or ends. */
async function answerOf(worker: Worker, bytes: Buffer): Promise<DeckRead> {
  const over = new AbortController()
  const { signal } = over
  try {
    const ended = once(worker, 'exit', { signal }).then(() => {
      throw new Error('the thread that reads a rate deck ended without an answer')
    })
    const answered = once(worker, 'message', { signal }).then(([read]) => read as DeckRead)
    const own = ownedBytes(bytes)
    worker.postMessage(own, [own.buffer])
    return await Promise.race([answered, ended])
  } finally {
    over.abort()
  }
}

/** What can be handed over: memory that nothing else lies in. */
function ownedBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes
  return buffer instanceof ArrayBuffer && byteOffset === 0 && buffer.byteLength === length
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes)
}
