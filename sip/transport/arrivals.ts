import { glanceAt } from '../message/peek.ts'
import type { Flow } from '../network/flow.ts'
import { InviteQueue, type SetUpGate } from './invite-queue.ts'

/** Time in one turn of the event loop in which new calls are read; then everything else has its turn. */
const turnMs = 2
/** The same while a socket holds more than was taken from it in the turn: what waits there may belong to live calls. */
const fullTurnMs = 1
/** Time for which no new call is read while others' events wait, counted from when the first of the new ones came. */
const behindMs = 8
/** INVITEs of unknown sources that wait at once: they are read after those of trunks and phones. */
const mostStrangers = 200
/** INVITEs in the queue that are more than a burst of some milliseconds. */
const crowd = 32

interface ArrivalsConfig {
  readonly now: () => number
  /** Calls `fire` in this turn of the event loop, after all that has arrived was read. Default: `setImmediate`. */
  readonly soon?: (fire: () => void) => void
  readonly gate?: SetUpGate | undefined
  /** Whether what was read before still waits to be handled. Default: it never does. */
  readonly isBehind?: (() => boolean) | undefined
  /** No trunk's address, and no connection of a phone. Default: none is. */
  readonly isStranger?: (flow: Flow) => boolean
}

export interface ArrivalFigures {
  /** How long INVITEs wait before they are read, since it was asked last, ms. */
  readonly waitMs: number
  /** INVITEs that wait now. */
  readonly waiting: number
  /** Dropped unread since the start. */
  readonly dropped: number
}

/** What a socket had in this turn. */
interface TakenDatagrams {
  count: number
  /** After so many there may be more in it. */
  readonly most: number
  /** Since when its turns are full: what it holds has waited for so long at most. */
  fullSince: number | undefined
}

/**
 * The order in which messages are read: messages of live calls (responses, ACK, BYE, CANCEL, re-INVITE) at once, new
 * calls after them and only for a limited time in each turn. A CANCEL does not overtake its INVITE.
 */
export class Arrivals {
  readonly #config: ArrivalsConfig
  readonly #soon: (fire: () => void) => void
  readonly #invites: InviteQueue
  readonly #strangers = new InviteQueue({}, mostStrangers)
  /** Of each socket that datagrams come by. */
  readonly #taken = new Map<number, TakenDatagrams>()
  #fullMs = 0
  #turnAt = 0
  #isDue = false
  #isClosed = false

  constructor(config: ArrivalsConfig) {
    this.#config = config
    this.#soon = config.soon ?? setImmediate
    this.#invites = new InviteQueue(config.gate)
  }

  /** One datagram, or one message of a stream; `read` gives it to the endpoint. */
  arrived(bytes: Uint8Array, socket: number | undefined, read: (waitedMs: number) => void, flow?: Flow): void {
    const { kind, callId } = glanceAt(bytes)
    if (kind === 'invite') this.invite(callId, socket, read, flow)
    else {
      if (kind === 'cancel') this.cancel(callId)
      read(0)
    }
  }

  invite(
    callId: Uint8Array | undefined,
    socket: number | undefined,
    read: (waitedMs: number) => void,
    flow?: Flow,
  ): void {
    const isStranger = flow !== undefined && this.#config.isStranger?.(flow) === true
    const queue = isStranger ? this.#strangers : this.#invites
    queue.add({ callId, socket, at: this.#config.now(), read })
    this.#due()
  }

  /** A CANCEL that was read from a stream. */
  cancel(callId: Uint8Array | undefined): void {
    for (const queue of [this.#invites, this.#strangers])
      if (queue.size > 0) queue.readFirst(callId, this.#config.now())
  }

  /** Reads what waits of a connection: nothing that follows on it, its end neither, overtakes a call. */
  readOf(socket: number | undefined): void {
    if (socket === undefined) return
    for (const queue of [this.#invites, this.#strangers]) if (queue.size > 0) queue.readOf(socket, this.#config.now())
  }

  /** A datagram has been taken from that socket; after `most` in one turn there may be more in it. */
  took(socket: number, most: number): void {
    const taken = this.#taken.get(socket)
    if (taken === undefined) this.#taken.set(socket, { count: 1, most, fullSince: undefined })
    else taken.count++
    this.#due()
  }

  setUpBegan(id: string): void {
    this.#invites.setUpBegan(id)
  }

  /** A call has its first response beyond 100, or is over: the next one may have its place. */
  setUpEnded(id: string): void {
    if (this.#invites.setUpEnded(id) && this.#invites.size > 0) this.#due()
  }

  /** While many wait: how long the first of them has, which one more would wait as well. */
  expectedWaitMs(now: number): number {
    return this.#invites.size < crowd ? 0 : this.#invites.oldestMs(now)
  }

  takeFigures(): ArrivalFigures {
    const waitMs = this.#invites.takeWaitMs(this.#config.now()) + this.#fullMs
    this.#fullMs = 0
    const waiting = this.#invites.size + this.#strangers.size
    return { waitMs, waiting, dropped: this.#invites.dropped + this.#strangers.dropped }
  }

  close(): void {
    this.#isClosed = true
  }

  #due(): void {
    if (this.#isDue || this.#isClosed) return
    this.#isDue = true
    this.#turnAt = this.#config.now()
    this.#soon(this.#turn)
  }

  readonly #turn = (): void => {
    this.#isDue = false
    const begun = this.#config.now()
    let isFull = false
    for (const taken of this.#taken.values()) {
      if (taken.count >= taken.most) {
        isFull = true
        if (taken.fullSince === undefined) taken.fullSince = this.#turnAt
        else this.#fullMs = Math.max(this.#fullMs, begun - taken.fullSince)
      } else if (taken.count > 0) taken.fullSince = undefined
      taken.count = 0
    }
    const isBehind = this.#config.isBehind?.() === true
    let hasMore = true
    while (!this.#isClosed && this.#config.now() - begun < (isFull || isBehind ? fullTurnMs : turnMs)) {
      if (isBehind && Math.max(this.#invites.oldestMs(begun), this.#strangers.oldestMs(begun)) < behindMs) break
      hasMore = this.#invites.readNext(this.#config.now()) || this.#strangers.readNext(this.#config.now())
      if (!hasMore) break
    }
    // Without room the next turn comes with the next message, or when there is room.
    if (hasMore && this.#invites.size + this.#strangers.size > 0) this.#due()
  }
}
