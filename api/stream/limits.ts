/** The event stream's limits and its close codes; docs/stream.md lists them. */

/** What a subscriber has not taken yet, beyond what its own system keeps; a slower reader is closed. */
export const maxUnsentBytes = 1024 * 1024
/** Events of one moment are sent together, in pieces of about this size. */
export const maxBatchBytes = 256 * 1024
/** Longest time that a busy account's events are gathered; the first one after a pause is sent at once. */
export const batchMs = 40
/** Rows that a resuming subscriber reads at once. */
export const resumePage = 100
/** Tries of a read that fails, for example while many readers resume at once; each waits longer than the one before. */
export const readTries = 8
export const readAgainMs = 250
/** A subscriber that did not answer the last ping by the next one is gone. */
export const heartbeatMs = 30_000
/** A subscriber sends only pongs and a close. */
export const maxMessageBytes = 1024
/** Parts of a message: each costs a hundred times its octets to keep. */
export const maxMessageFragments = 64

/** RFC 6455 §7.4.1: the switch is closing. */
export const goingAway = 1001
/** `after` names an event so old that the next ones are not kept any more. */
export const goneBefore = 4010
/** It read slower than events came; it may come back with `after`. */
export const tooSlow = 4008
/** RFC 6455 §7.4.1, registry of close codes: the log cannot be read now; it may come back with `after`. */
export const tryAgain = 1013
/** The key or the session has ended that asked for its token. */
export const accessEnded = 4001
