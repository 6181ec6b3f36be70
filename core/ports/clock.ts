/** `now` is monotonic milliseconds for timers; `unixMs` is the wall clock, only for people, records and HTTP. */
export interface Clock {
  now(): number
  unixMs(): number
  /** Calls `fire` once at or after `deadline` (monotonic ms). Returns what cancels it. */
  at(deadline: number, fire: () => void): () => void
}

/** Randomness comes in, so that a seeded run repeats itself. */
export interface Random {
  /** `length` random bytes. */
  bytes(length: number): Uint8Array
  uuid(): string
}
