import { giveWay } from '../../core/adapters/system/thread-niceness.ts'

// A thread of its own: a document of a customer may keep it busy, and it is ended when it takes too long.

/** It takes what calls and media leave. */
const niceness = 10
giveWay(niceness)

// Only now: what it imports is loaded and compiled at that priority, and not at that of signalling.
await import('./run-order.ts')
