import { glanceAt } from '../message/peek.ts'
import { InviteQueue } from './invite-queue.ts'

/** New calls are read for so long in one turn of the event loop; then everything else has its turn again. */
const turnMs = 4
/** The event loop reads so many datagrams of a socket in one turn; after as many there may be more. */
const datagramsPerTurn = 32

export interface ArrivalsConfig {
  readonly now: () => number
  /** Calls `fire` in this turn of the event loop, after all that has arrived was read. */
  readonly soon: (fire: () => void) => void
}

export interface ArrivalFigures {
  /** How long INVITEs wait before they are read, since it was asked last, ms. */
  readonly waitMs: number
  /** INVITEs that wait now. */
  readonly waiting: number
  /** Dropped unread since the start. */
  readonly dropped: number
}

/**
 * The order in which messages are read: what belongs to a call that we have (responses, ACK, BYE, CANCEL, re-INVITE) as
 * soon as it arrives, new calls after it and only for so long at a time. A CANCEL does not overtake its INVITE.
 */
export class Arrivals {
  readonly #config: ArrivalsConfig
  readonly #invites = new InviteQueue()
  /** Datagrams of each socket in this turn, and since when its turns are full: what it holds has waited for so long at most. */
  readonly #taken = new Map<number, number>()
  readonly #fullSince = new Map<number, number>()
  #fullMs = 0
  #turnAt = 0
  #isDue = false
  #isClosed = false

  constructor(config: ArrivalsConfig) {
    this.#config = config
  }

  /** One datagram, or one message of a stream; `read` gives it to the endpoint. */
  arrived(bytes: Uint8Array, socket: number | undefined, read: (waitedMs: number) => void): void {
    const { kind, callId } = glanceAt(bytes)
    if (kind === 'invite') this.invite(callId, socket, read)
    else {
      if (kind === 'cancel' && this.#invites.size > 0) this.#invites.readFirst(callId, this.#config.now())
      read(0)
    }
  }

  invite(callId: Uint8Array | undefined, socket: number | undefined, read: (waitedMs: number) => void): void {
    this.#invites.add({ callId, socket, at: this.#config.now(), read })
    this.#due()
  }

  /** A CANCEL that was read from a stream. */
  cancel(callId: Uint8Array): void {
    if (this.#invites.size > 0) this.#invites.readFirst(callId, this.#config.now())
  }

  /** Reads what waits of a connection: nothing that follows on it, its end neither, overtakes a call. */
  readOf(socket: number | undefined): void {
    if (socket !== undefined && this.#invites.size > 0) this.#invites.readOf(socket, this.#config.now())
  }

  /** A datagram has been taken from that socket. */
  took(socket: number): void {
    this.#taken.set(socket, (this.#taken.get(socket) ?? 0) + 1)
    this.#due()
  }

  takeFigures(): ArrivalFigures {
    const waitMs = this.#invites.takeWaitMs(this.#config.now()) + this.#fullMs
    this.#fullMs = 0
    return { waitMs, waiting: this.#invites.size, dropped: this.#invites.dropped }
  }

  close(): void {
    this.#isClosed = true
  }

  #due(): void {
    if (this.#isDue || this.#isClosed) return
    this.#isDue = true
    this.#turnAt = this.#config.now()
    this.#config.soon(() => this.#turn())
  }

  #turn(): void {
    this.#isDue = false
    const begun = this.#config.now()
    for (const [socket, taken] of this.#taken) {
      if (taken < datagramsPerTurn) {
        this.#fullSince.delete(socket)
        continue
      }
      const since = this.#fullSince.get(socket)
      if (since === undefined) this.#fullSince.set(socket, this.#turnAt)
      else this.#fullMs = Math.max(this.#fullMs, begun - since)
    }
    this.#taken.clear()
    while (!this.#isClosed && this.#invites.readNext(this.#config.now())) {
      if (this.#config.now() - begun >= turnMs) break
    }
    if (this.#invites.size > 0) this.#due()
  }
}
