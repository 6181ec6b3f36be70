import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

// A thread of its own: to parse and validate a rate deck of some megabytes takes the time of many calls.

/** It takes what calls and media leave. */
const niceness = 10
// Of this thread alone, where threads have a priority of their own.
if (process.platform === 'linux') setPriority(0, niceness)

// Only now: what they import is loaded and compiled at that priority, and not at that of signalling.
const [{ deckReadBy }, { readDeck }] = await Promise.all([import('./deck-message.ts'), import('./read-deck.ts')])

parentPort?.on('message', (bytes: Uint8Array) => {
  const { buffer, byteOffset, length } = bytes
  parentPort?.postMessage(deckReadBy(() => readDeck(Buffer.from(buffer, byteOffset, length))))
})
