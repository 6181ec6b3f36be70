import type { SipRequest } from '../message/message.ts'
import { type Flow, isReliable } from '../network/flow.ts'
import type { IncomingRequest, IncomingResponse } from './incoming.ts'
import type { StateTimers, Table, TransactionInput } from './table.ts'
import { Timer, type TimerQueue } from './timer-queue.ts'
import { nextInterval, type RepeatTimer, type TimerName, type TimerSettings, timerDuration } from './timer-settings.ts'

/** The owner of a timer, which gets its name when it fires. */
export interface TimerOwner {
  expired(name: string, now: number): void
}

export type TransactionFault = 'timeout' | 'unreachable'

/** The sender of a request, which gets its responses or its failure. */
export interface ClientOwner {
  /** Responses are taken from there, too. Default: only from where the request went. */
  isSource?(flow: Flow): boolean
  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void
  /** No final response will come. */
  failed(transaction: ClientTransaction, fault: TransactionFault, now: number): void
  finished(transaction: ClientTransaction, now: number): void
  /**
   * What takes its place once the final response is in and only copies of that can come, for up to half a minute: less is
   * kept. Undefined, and by default: itself.
   */
  readonly atRest?: ClientOwner | undefined
}

/** The side that answers an INVITE: it gets the ACK, responses that stayed without one, and the end. */
export interface ServerOwner {
  /** Repetitions of the request, its ACK and its CANCEL are taken from there. Default: from where the request came. */
  isSource?(flow: Flow): boolean
  acknowledged(transaction: ServerTransaction, ack: IncomingRequest, now: number): void
  /** The remote wants the request undone, and its CANCEL has been answered (RFC 3261 §9.2). */
  cancelled(transaction: ServerTransaction, cancel: IncomingRequest, now: number): void
  failed(transaction: ServerTransaction, fault: TransactionFault, now: number): void
  finished(transaction: ServerTransaction, now: number): void
}

type Step = (transaction: Transaction, input: TransactionInput, now: number) => void

/** One running transaction: a table, the state it is in, and at most two timers. */
export class Transaction implements TimerOwner {
  readonly table: Table
  readonly key: string
  flow: Flow
  state: string
  /** What is sent again: the request, or the last response. */
  bytes: Uint8Array | undefined
  readonly #step: Step
  /** Made when it is first wanted: a server's transaction mostly needs none. */
  #repeat: Timer<TimerOwner> | undefined
  readonly #end: Timer<TimerOwner>
  #interval = 0

  constructor(table: Table, key: string, flow: Flow, step: Step) {
    this.table = table
    this.key = key
    this.flow = flow
    this.state = table.initial
    this.#step = step
    this.#end = new Timer<TimerOwner>(this, '')
  }

  expired(name: string, now: number): void {
    this.#step(this, `timer-${name as TimerName}`, now)
  }

  /** The final response is in or out: what no repetition needs is let go, for half a minute of calls adds up. */
  settle(): void {
    this.bytes = undefined
  }

  /** Starts the timers of the state it is in, keeps those that run on, stops the rest. */
  armTimers(queue: TimerQueue<TimerOwner>, settings: TimerSettings, now: number): void {
    const wanted: Partial<StateTimers> = this.table.timers[this.state] ?? {}
    if (wanted.repeat !== undefined) this.#repeat ??= new Timer<TimerOwner>(this, '')
    this.#arm(queue, this.#repeat, wanted.repeat, settings, now)
    this.#arm(queue, this.#end, wanted.end, settings, now)
  }

  rearmRepeat(queue: TimerQueue<TimerOwner>, settings: TimerSettings, now: number): void {
    const timer = this.#repeat!
    this.#interval = nextInterval(timer.name as RepeatTimer, this.#interval, this.state, settings)
    queue.set(timer, now + this.#interval)
  }

  #arm(
    queue: TimerQueue<TimerOwner>,
    timer: Timer<TimerOwner> | undefined,
    name: TimerName | undefined,
    settings: TimerSettings,
    now: number,
  ): void {
    if (timer === undefined || (timer.running && timer.name === name)) return
    const duration = name && timerDuration(name, settings, isReliable(this.flow.transport))
    if (name === undefined || duration === undefined) {
      queue.stop(timer)
      return
    }
    timer.name = name
    if (timer === this.#repeat) this.#interval = duration
    queue.set(timer, now + duration)
  }
}

export class ClientTransaction extends Transaction {
  readonly role = 'client'
  request: SipRequest
  owner: ClientOwner
  ack: Uint8Array | undefined

  constructor(table: Table, key: string, flow: Flow, step: Step, request: SipRequest, owner: ClientOwner) {
    super(table, key, flow, step)
    this.request = request
    this.owner = owner
  }
}

export class ServerTransaction extends Transaction {
  readonly role = 'server'
  request: IncomingRequest
  owner: ServerOwner | undefined
  /** Where a response goes when the connection of the request is gone (RFC 3261 §18.2.2). */
  fallback: Flow | undefined

  constructor(table: Table, key: string, flow: Flow, step: Step, request: IncomingRequest) {
    super(table, key, flow, step)
    this.request = request
  }

  /** Keeps the response that may be asked for again; a 2xx to INVITE is its owner's to repeat. */
  override settle(): void {
    if (this.state === 'accepted') this.bytes = undefined
  }
}
