import { sameBytes } from '../message/peek.ts'

/** INVITEs that wait at once. A further one is dropped: its sender repeats it (RFC 3261 §17.1.1.2). */
const mostWaiting = 4000

/** What waits: the bytes' or message's way into the endpoint, given how long it has waited. */
export interface WaitingInvite {
  readonly callId: Uint8Array | undefined
  /** The socket that it came by. */
  readonly socket: number | undefined
  readonly at: number
  readonly read: (waitedMs: number) => void
}

/** New calls that have arrived and wait until everything else that arrived with them is done. First in, first out. */
export class InviteQueue {
  /** Dropped because too many waited. */
  dropped = 0
  #waiting: (WaitingInvite | undefined)[] = []
  #head = 0
  #waitedMs = 0
  #read = 0

  get size(): number {
    return this.#waiting.length - this.#head
  }

  add(invite: WaitingInvite): void {
    if (this.size >= mostWaiting) this.dropped++
    else this.#waiting.push(invite)
  }

  /** Reads the next one. False: none waits. */
  readNext(now: number): boolean {
    while (this.#head < this.#waiting.length) {
      const next = this.#waiting[this.#head]
      this.#waiting[this.#head++] = undefined
      if (this.#head === this.#waiting.length) this.#clear()
      else if (this.#head > mostWaiting) this.#compact()
      if (next === undefined) continue
      this.#readOne(next, now)
      return true
    }
    return false
  }

  /** What is to come before a CANCEL: its INVITE, if that still waits. */
  readFirst(callId: Uint8Array | undefined, now: number): void {
    for (let at = this.#head; at < this.#waiting.length; at++) {
      const waiting = this.#waiting[at]
      if (waiting === undefined || !sameBytes(waiting.callId, callId)) continue
      this.#waiting[at] = undefined
      this.#readOne(waiting, now)
      return
    }
  }

  readOf(socket: number, now: number): void {
    for (let at = this.#head; at < this.#waiting.length; at++) {
      const waiting = this.#waiting[at]
      if (waiting?.socket !== socket) continue
      this.#waiting[at] = undefined
      this.#readOne(waiting, now)
    }
  }

  /** How long those read since the last time have waited, mean, or the oldest that waits now; ms. */
  takeWaitMs(now: number): number {
    const mean = this.#read === 0 ? 0 : this.#waitedMs / this.#read
    this.#waitedMs = 0
    this.#read = 0
    let oldest: WaitingInvite | undefined
    for (let at = this.#head; at < this.#waiting.length && oldest === undefined; at++) oldest = this.#waiting[at]
    return Math.max(mean, oldest === undefined ? 0 : now - oldest.at)
  }

  #readOne(invite: WaitingInvite, now: number): void {
    const waitedMs = Math.max(0, now - invite.at)
    this.#waitedMs += waitedMs
    this.#read++
    invite.read(waitedMs)
  }

  #clear(): void {
    this.#waiting = []
    this.#head = 0
  }

  #compact(): void {
    this.#waiting = this.#waiting.slice(this.#head)
    this.#head = 0
  }
}
