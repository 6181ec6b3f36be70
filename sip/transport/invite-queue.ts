import { TextMap } from '../base/text-map.ts'
import type { EndpointInput } from '../endpoint/input.ts'
import type { InviteGate } from '../endpoint/services/invite-gate.ts'
import { sameBytes } from '../message/peek.ts'

/** INVITEs that wait at once. A further one is dropped: its sender repeats it (RFC 3261 §17.1.1.2). */
const mostWaiting = 4000
/**
 * Wait of the first INVITE from which the newest is read first: under a flood, admitted calls are answered at once,
 * and those that would be late in any case are refused.
 */
const standingMs = 10
/** Time after which an INVITE is read whether there is room or not, in order to be refused. */
const readAnywayAfterMs = 60

/** The part of the gate that limits set-ups at the same time. */
export type SetUpGate = Partial<Pick<InviteGate, 'mostSetUps'>>

/** The set-up of a call is over: it rings, has early media, is answered or refused. */
export const endsSetUp: ReadonlySet<EndpointInput['type']> = new Set(['ring', 'progress', 'answer', 'end'])

/** What waits: the bytes' or message's way into the endpoint, given how long it has waited. */
interface WaitingInvite {
  readonly callId: Uint8Array | undefined
  /** The socket that it came by. */
  readonly socket: number | undefined
  readonly at: number
  readonly read: (waitedMs: number) => void
}

/**
 * New calls that have arrived and wait until everything else that arrived with them is done, the first one first. Only a
 * limited number is set up at the same time, so that each is soon ready: those that were admitted and have no response
 * beyond 100 yet.
 */
export class InviteQueue {
  /** Dropped because too many waited. */
  dropped = 0
  readonly #gate: SetUpGate
  readonly #most: number
  /** Calls that are being set up. */
  readonly #settingUp = new TextMap<string, true>()
  #waiting: (WaitingInvite | undefined)[] = []
  #head = 0
  #waitedMs = 0
  #read = 0

  constructor(gate: SetUpGate = {}, most = mostWaiting) {
    this.#gate = gate
    this.#most = most
  }

  get size(): number {
    return this.#waiting.length - this.#head
  }

  add(invite: WaitingInvite): void {
    if (this.size >= this.#most) this.dropped++
    else this.#waiting.push(invite)
  }

  /** Reads the next one; without room for another set-up only one that has waited too long. False: there is none. */
  readNext(now: number): boolean {
    const first = this.#first()
    if (first === undefined) return false
    const waitedMs = now - first.at
    const hasRoom = this.#settingUp.size < (this.#gate.mostSetUps ?? Number.POSITIVE_INFINITY)
    if (!hasRoom && waitedMs <= readAnywayAfterMs) return false
    if (waitedMs > standingMs && waitedMs <= readAnywayAfterMs)
      this.#readOne(this.#takeLast() ?? this.#takeFirst(), now)
    else this.#readOne(this.#takeFirst(), now)
    return true
  }

  setUpBegan(id: string): void {
    this.#settingUp.set(id, true)
  }

  /** It rings, has early media, is answered, refused or given up. True: it was being set up, and has made room. */
  setUpEnded(id: string): boolean {
    return this.#settingUp.delete(id)
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
    return Math.max(mean, this.oldestMs(now))
  }

  /** How long the first of those that wait has waited, ms. */
  oldestMs(now: number): number {
    const oldest = this.#first()
    return oldest === undefined ? 0 : now - oldest.at
  }

  /** The one that has waited longest; those before it that were read out of turn go. */
  #first(): WaitingInvite | undefined {
    while (this.#head < this.#waiting.length && this.#waiting[this.#head] === undefined) this.#head++
    if (this.#head === this.#waiting.length) this.#clear()
    else if (this.#head > mostWaiting) this.#compact()
    return this.#waiting[this.#head]
  }

  #takeFirst(): WaitingInvite | undefined {
    const first = this.#waiting[this.#head]
    this.#waiting[this.#head++] = undefined
    return first
  }

  #takeLast(): WaitingInvite | undefined {
    let last = this.#waiting.pop()
    while (last === undefined && this.#waiting.length > this.#head) last = this.#waiting.pop()
    return last
  }

  #readOne(invite: WaitingInvite | undefined, now: number): void {
    if (invite === undefined) return
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
