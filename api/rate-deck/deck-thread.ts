import { parentPort } from 'node:worker_threads'
import { giveWay } from '../../core/adapters/system/thread-niceness.ts'

// A thread of its own: to parse and validate a rate deck of some megabytes takes the time of many calls.

/** It takes what calls and media leave. */
const niceness = 10
giveWay(niceness)

// Only now: what they import is loaded and compiled at that priority, and not at that of signalling.
const [{ deckReadBy }, { readDeck }] = await Promise.all([import('./deck-message.ts'), import('./read-deck.ts')])

parentPort?.on('message', (bytes: Uint8Array) => {
  const { buffer, byteOffset, length } = bytes
  parentPort?.postMessage(deckReadBy(() => readDeck(Buffer.from(buffer, byteOffset, length))))
})
