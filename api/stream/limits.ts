/** The event stream's limits and its close codes; docs/stream.md lists them. */

/** What a subscriber has not taken yet, beyond what its own system keeps; a slower reader is closed. */
export const maxUnsentBytes = 1024 * 1024
/** Events of one moment are sent together, in pieces of about this size. */
export const maxBatchBytes = 256 * 1024
/** A busy account's events are gathered so long at most; the first one after a pause goes at once. */
export const batchMs = 40
/** Rows that a resuming subscriber reads at once. */
export const resumePage = 100
/** A read that fails, as while many resume at once, is tried again so often, each time so much later. */
export const readTries = 8
export const readAgainMs = 250
/** A subscriber that did not answer the last ping by the next one is gone. */
export const heartbeatMs = 30_000
/** A subscriber sends only pongs and a close. */
export const maxMessageBytes = 1024

/** RFC 6455 §7.4.1: the switch is closing. */
export const goingAway = 1001
/** `after` names an event so old that the next ones are not kept any more. */
export const goneBefore = 4010
/** It read slower than events came; it may come back with `after`. */
export const tooSlow = 4008
/** RFC 6455 §7.4.1, registry of close codes: the log cannot be read now; it may come back with `after`. */
export const tryAgain = 1013
