import { glanceAt } from '../message/peek.ts'
import type { Flow } from '../network/flow.ts'
import { InviteQueue, type SetUpGate } from './invite-queue.ts'
import { Turn } from './turn.ts'

/** Messages of live calls that wait for the next turn; with one more the first of them is read at once. */
const mostKept = 1000
/** Time for which no new call is read while others' events wait, counted from when the first of the new ones came. */
const behindMs = 8
/** INVITEs of unknown sources that wait at once: they are read after those of trunks and phones. */
const mostStrangers = 200
/** INVITEs in the queue that are more than a burst of some milliseconds. */
const crowd = 32

interface ArrivalsConfig {
  readonly now: () => number
  /** Default: its own. */
  readonly turn?: Turn | undefined
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

/** A message of a live call that came late in a turn. */
interface Kept {
  readonly at: number
  readonly socket: number | undefined
  readonly read: (waitedMs: number) => void
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
 * calls after them, both only for a limited time in each turn: after a pause of the thread hundreds have arrived. A CANCEL
 * does not overtake its INVITE.
 */
export class Arrivals {
  readonly #config: ArrivalsConfig
  readonly #turn: Turn
  readonly #soon: (fire: () => void) => void
  readonly #invites: InviteQueue
  readonly #strangers = new InviteQueue({}, mostStrangers)
  /** In the order in which they came: nothing of a live call overtakes them. */
  readonly #kept: Kept[] = []
  /** Of each socket that datagrams come by. */
  readonly #taken = new Map<number, TakenDatagrams>()
  /** Of live calls, in this turn, at once. */
  #hasRead = false
  #fullMs = 0
  #isDue = false
  #isClosed = false

  constructor(config: ArrivalsConfig) {
    this.#config = config
    this.#turn = config.turn ?? new Turn(config.now)
    this.#soon = config.soon ?? setImmediate
    this.#invites = new InviteQueue(config.gate)
  }

  /** One datagram, or one message of a stream; `read` gives it to the endpoint. */
  arrived(bytes: Uint8Array, socket: number | undefined, read: (waitedMs: number) => void, flow?: Flow): void {
    const { kind, callId } = glanceAt(bytes)
    if (kind === 'invite') this.invite(callId, socket, read, flow)
    else this.live(kind === 'cancel' ? callId : undefined, socket, read)
  }

  /** A message that is no new call; `cancelled`: the Call-ID, of a CANCEL. */
  live(cancelled: Uint8Array | undefined, socket: number | undefined, read: (waitedMs: number) => void): void {
    this.#due()
    const now = this.#config.now()
    const inOrder = cancelled === undefined ? read : () => this.#readCancel(cancelled, read)
    if (this.#kept.length === 0 && now < this.#turn.end()) {
      this.#hasRead = true
      inOrder(0)
    } else {
      this.#kept.push({ at: now, socket, read: inOrder })
      if (this.#kept.length > mostKept) this.#readFirstKept()
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

  /** Reads what waits of a connection: nothing that follows on it, its end neither, overtakes a message. */
  readOf(socket: number | undefined): void {
    if (socket === undefined) return
    for (let last = this.#kept.findLastIndex(kept => kept.socket === socket); last >= 0; last--) this.#readFirstKept()
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
    const now = this.#config.now()
    const keptMs = now - (this.#kept[0]?.at ?? now)
    const waitMs = Math.max(this.#invites.takeWaitMs(now), keptMs) + this.#fullMs
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
    // The turn's time counts from here at the latest.
    this.#turn.began()
    this.#soon(this.#afterArrivals)
  }

  #readFirstKept(): void {
    this.#kept.shift()?.read(0)
  }

  /** After its INVITE, if that still waits. */
  #readCancel(callId: Uint8Array, read: (waitedMs: number) => void): void {
    for (const queue of [this.#invites, this.#strangers])
      if (queue.size > 0) queue.readFirst(callId, this.#config.now())
    read(0)
  }

  readonly #afterArrivals = (): void => {
    this.#isDue = false
    const begun = this.#config.now()
    const isFull = this.#lookAtSockets(begun)
    this.#readKept()
    const isShort = isFull || this.#kept.length > 0
    const hasMore = this.#readCalls(isShort)
    // Without room the next turn comes with the next message, or when there is room.
    if (this.#kept.length > 0 || (hasMore && this.#invites.size + this.#strangers.size > 0)) this.#due()
  }

  /** True: one of them may hold more. */
  #lookAtSockets(begun: number): boolean {
    let isFull = false
    for (const taken of this.#taken.values()) {
      if (taken.count >= taken.most) {
        isFull = true
        if (taken.fullSince === undefined) taken.fullSince = this.#turn.began()
        else this.#fullMs = Math.max(this.#fullMs, begun - taken.fullSince)
      } else if (taken.count > 0) taken.fullSince = undefined
      taken.count = 0
    }
    return isFull
  }

  #readKept(): void {
    // They have their time in an old turn, too, unless others were read in it.
    const until = this.#hasRead ? this.#turn.end() : this.#turn.leastEnd()
    this.#hasRead = false
    while (!this.#isClosed && this.#kept.length > 0 && this.#config.now() < until) this.#readFirstKept()
  }

  /** False: no new call waits, or none may be read. */
  #readCalls(isShort: boolean): boolean {
    const begun = this.#config.now()
    const isBehind = this.#config.isBehind?.() === true
    if (isBehind && Math.max(this.#invites.oldestMs(begun), this.#strangers.oldestMs(begun)) < behindMs) return true
    const until = isShort || isBehind ? this.#turn.shortEnd() : this.#turn.leastEnd()
    while (!this.#isClosed && this.#config.now() < until) {
      if (!(this.#invites.readNext(this.#config.now()) || this.#strangers.readNext(this.#config.now()))) return false
    }
    return true
  }
}
