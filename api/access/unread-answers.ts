import type { Socket } from 'node:net'

type Writing = Pick<Socket, 'bytesWritten' | 'writableLength' | 'destroy'>
interface Seen {
  readonly taken: number
  /** Octets of the present write that the kernel has not taken. */
  queued: number
  readonly at: number
}

/** Ends connections whose clients ask and do not read: what is written and not sent stays in memory. */
export class UnreadAnswers {
  readonly #afterMs: number
  readonly #seen = new WeakMap<Writing, Seen>()

  constructor(afterMs: number) {
    this.#afterMs = afterMs
  }

  /** Destroys those that have octets to send, and of which the network has taken none for the time. */
  look(connections: Iterable<Writing>, now: number): void {
    for (const connection of connections) {
      const unsent = connection.writableLength
      if (unsent === 0) {
        this.#seen.delete(connection)
        continue
      }
      // Not what is unsent alone: a connection whose next piece is written at once always has one unsent.
      const taken = connection.bytesWritten - unsent
      const queued = queuedOf(connection)
      const seen = this.#seen.get(connection)
      if (seen === undefined || taken > seen.taken || queued < seen.queued)
        this.#seen.set(connection, { taken, queued, at: now })
      else if (now - seen.at >= this.#afterMs) connection.destroy()
      else seen.queued = queued
    }
  }
}

/** Node counts a write once it is through; its own time limit of sockets reads this of a long one that a slow line takes. */
const queuedOf = (connection: Writing): number =>
  (connection as { readonly _handle?: { readonly writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0
