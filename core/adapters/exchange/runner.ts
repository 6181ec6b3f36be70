import { dirname } from 'node:path'
import { TextMap } from '../../../sip/index.ts'
import { Turn } from '../../../sip/transport/index.ts'
import type { Call } from '../../call/call.ts'
import type { ExchangeCommand, Lookup } from '../../contract/exchange-command.ts'
import type { ExchangeEvent, Found } from '../../contract/exchange-event.ts'
import { type OriginateOrder, type OriginateResult, refusedBy } from '../../contract/originate-order.ts'
import type { Exchange } from '../../exchange/exchange.ts'
import type { CallUuid, LegUuid } from '../../model/ids.ts'
import type { Audio } from '../../ports/audio.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Documents } from '../../ports/documents.ts'
import type { Log } from '../../ports/log.ts'
import type { Media, MediaCommand } from '../../ports/media.ts'
import type { Signaling, SignalingCommand } from '../../ports/signaling.ts'
import type { CallStore } from '../../ports/store.ts'
import type { TraceRecorder } from '../../trace/trace-recorder.ts'
import { makeFolder } from '../system/make-folder.ts'

type OpenCommand = Extract<MediaCommand, { readonly type: 'media.open' }>

interface ExchangePorts {
  readonly signaling: Signaling
  readonly media: Media
  readonly documents: Documents
  readonly audio: Audio
}

interface ExchangeRunnerOptions {
  readonly exchange: Exchange
  readonly store: CallStore
  readonly clock: Clock
  readonly log: Log
  /** Shared with what else works in a turn of the event loop. Default: nothing else does. */
  readonly turn?: Turn
  /** What records calls. Default: nothing does. */
  readonly recorder?: TraceRecorder | undefined
  /** Legs that run outside of the exchange, and who takes what happens to them. Default: there are none. */
  readonly outside?: Pick<TextMap<LegUuid, (event: ExchangeEvent) => void>, 'get'>
}

/** Longest text of a fault that goes into the machine and the log. */
const maxDetailLength = 400

/**
 * Drives the exchange: events are worked off one after another in the order in which they came, what a port reports
 * while commands are executed waits its turn, and one timer stands for all deadlines.
 */
export class ExchangeRunner {
  /** Gets each leg whose media is opened, after that. */
  legOpened: ((opened: OpenCommand) => void) | undefined
  readonly #options: ExchangeRunnerOptions
  readonly #turn: Turn
  readonly #queue: ExchangeEvent[] = []
  readonly #replies = new TextMap<string, (result: OriginateResult) => void>()
  readonly #endings = new TextMap<CallUuid, (() => void)[]>()
  readonly #folders = new Set<string>()
  #ports: ExchangePorts | undefined
  #isBusy = false
  #isBehind = false
  /** Turn in which work was done last, by its beginning; -1: none. And until when it goes on in it. */
  #turnBegan = -1
  #until = 0
  #isClosed = false
  /** Events that were taken from the queue. */
  #taken = 0
  /** Deadlines have passed: they come after so many events, which were there before. */
  #dueAfter: number | undefined
  #armedFor: number | undefined
  #disarm: () => void = () => {}
  #lastRequest = 0

  constructor(options: ExchangeRunnerOptions) {
    this.#options = options
    this.#turn = options.turn ?? new Turn(() => options.clock.now())
  }

  /** The ports are made after the runner, since they report to `post`; what they report before this waits. */
  connect(ports: ExchangePorts): void {
    this.#ports = ports
    this.#work()
  }

  /** What happened. Never throws; safe to call from within a port's `execute`. */
  readonly post = (event: ExchangeEvent): void => {
    const taker = 'legId' in event ? this.#options.outside?.get(event.legId) : undefined
    if (taker !== undefined) {
      taker(event)
      return
    }
    if (this.#isClosed) return
    this.#queue.push(event)
    this.#work()
  }

  /** Events wait for the next turn of the event loop: new calls are not to be read before those are worked off. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  originate(order: OriginateOrder): Promise<OriginateResult> {
    if (this.#isClosed) return Promise.resolve(closedResult)
    return new Promise(resolve => {
      const requestId = `${++this.#lastRequest}`
      this.#replies.set(requestId, resolve)
      this.post({ type: 'call.originate', requestId, order })
    })
  }

  /** Ends the call; resolves once its last row is durable. */
  hangUp(call: Call): Promise<void> {
    return new Promise(resolve => {
      const waiting = this.#endings.get(call.callId)
      if (waiting === undefined) this.#endings.set(call.callId, [resolve])
      else waiting.push(resolve)
      this.post({ type: 'call.hangup', callId: call.callId })
      // It was over already, or the switch is closed.
      if (this.#isClosed || call.isClosed) this.#settleEnding(call.callId)
    })
  }

  /** Stops: nothing is executed any more, and every caller that waits is answered. */
  close(): void {
    this.#isClosed = true
    this.#disarm()
    this.#queue.length = 0
    this.#dueAfter = undefined
    for (const reply of this.#replies.values()) reply(closedResult)
    this.#replies.clear()
    for (const callId of [...this.#endings.keys()]) this.#settleEnding(callId)
  }

  #work(): void {
    if (this.#isBusy || this.#isBehind || this.#ports === undefined) return
    const turnBegan = this.#turn.began()
    if (turnBegan !== this.#turnBegan) {
      this.#turnBegan = turnBegan
      this.#until = this.#turn.leastEnd()
    }
    this.#workOff()
  }

  /**
   * Works off what waits, for a part of the turn; the rest goes on in the next turn, in its order. After a pause of the thread
   * hundreds wait at once: media's reports, timers and HTTP are not to wait for all of them.
   */
  #workOff(): void {
    this.#isBusy = true
    try {
      for (;;) {
        const isDue = this.#dueAfter !== undefined && this.#taken >= this.#dueAfter
        if (!isDue && this.#queue.length === 0) break
        if (this.#options.clock.now() > this.#until) {
          this.#isBehind = true
          // After what the next turn brings: an immediate that another one sets is called a turn later.
          setImmediate(() => setImmediate(() => this.#goOn()))
          break
        }
        if (isDue) this.#execute(this.#timeOut())
        else {
          this.#taken++
          this.#execute(this.#handle(this.#queue.shift()!))
        }
      }
    } finally {
      this.#isBusy = false
    }
    this.#arm()
  }

  #goOn(): void {
    this.#isBehind = false
    // After the others of this turn: it has its least time, too.
    this.#turnBegan = -1
    this.#work()
  }

  #handle(event: ExchangeEvent): readonly ExchangeCommand[] {
    const { exchange, clock, recorder } = this.#options
    if (recorder === undefined) return exchange.handle(event, clock.now())
    // An event is recorded before what it causes; whose leg an offer is, only the exchange can say.
    if (event.type !== 'leg.offered') recorder.event(event, noCall)
    const commands = exchange.handle(event, clock.now())
    if (event.type === 'leg.offered') recorder.event(event, legId => exchange.callOfLeg(legId)?.callId)
    return commands
  }

  #arm(): void {
    const { exchange, clock } = this.#options
    const deadline = this.#isClosed ? undefined : exchange.deadline()
    if (deadline === this.#armedFor) return
    this.#disarm()
    this.#armedFor = deadline
    this.#disarm = deadline === undefined ? () => {} : clock.at(deadline, () => this.#expire())
  }

  #expire(): void {
    this.#armedFor = undefined
    if (this.#isClosed) return
    // What came before the deadline counts before it.
    this.#dueAfter ??= this.#taken + this.#queue.length
    this.#work()
  }

  /** One of the deadlines that have passed. */
  #timeOut(): readonly ExchangeCommand[] {
    const { exchange, clock } = this.#options
    const [deadline, now] = [exchange.deadline(), clock.now()]
    if (deadline !== undefined && deadline <= now) return exchange.timeout(now)
    this.#dueAfter = undefined
    return []
  }

  #execute(commands: readonly ExchangeCommand[]): void {
    const { recorder } = this.#options
    for (const command of commands) {
      recorder?.command(command)
      try {
        this.#perform(command)
      } catch (fault) {
        // A port that throws breaks its promise; the call that asked is ended rather than left waiting.
        const detail = detailOf(fault)
        this.#options.log.error({ command: command.type, detail }, 'a port has failed')
        const call = this.#callOf(command)
        if (call !== undefined) this.#queue.push({ type: 'call.hangup', callId: call, reason: 'END.5500' })
      }
    }
  }

  #callOf(command: ExchangeCommand): CallUuid | undefined {
    if ('callId' in command) return command.callId
    if ('legId' in command) return this.#options.exchange.callOfLeg(command.legId)?.callId
    return undefined
  }

  #perform(command: ExchangeCommand): void {
    const ports = this.#ports
    if (ports === undefined) throw new Error('the runner is not connected')
    switch (command.type) {
      case 'store.commit':
        this.#commit(command)
        return
      case 'store.lookup':
        this.#lookUp(command)
        return
      case 'document.fetch':
        ports.documents.execute(command)
        return
      case 'document.abandon':
        ports.documents.abandon(command.callId)
        return
      case 'audio.speak':
      case 'audio.load':
        ports.audio.execute(command)
        return
      case 'audio.abandon':
        ports.audio.abandon(command.callId)
        return
      case 'originate.done':
        this.#replies.get(command.requestId)?.(command.result)
        this.#replies.delete(command.requestId)
        return
      case 'call.over':
        this.#settleEnding(command.callId)
        return
      case 'log':
        this.#options.log[command.level](command.fields, command.message)
        return
      case 'loop.dial':
      case 'room.enter':
      case 'room.attend':
      case 'room.leave':
        // Between calls: done by the exchange itself.
        return
      case 'verb.began':
      case 'caller.dialled':
      case 'circle.found':
        // For the trace.
        return
      default:
        if (isMedia(command)) {
          if ('path' in command) this.#makeFolder(dirname(command.path))
          ports.media.execute(command)
          if (command.type === 'media.open') this.legOpened?.(command)
        } else ports.signaling.execute(command)
    }
  }

  #commit({ callId, commitId, unit, isAwaited }: Extract<ExchangeCommand, { type: 'store.commit' }>): void {
    this.#options.store.commit(unit, isAwaited).then(
      result => this.post({ type: 'store.committed', callId, commitId, result }),
      fault => this.post({ type: 'store.commit-failed', callId, commitId, detail: detailOf(fault) }),
    )
  }

  #lookUp({ callId, lookupId, query }: Extract<ExchangeCommand, { type: 'store.lookup' }>): void {
    lookUp(this.#options.store, query).then(
      found => this.post({ type: 'store.found', callId, lookupId, found }),
      fault => this.post({ type: 'store.lookup-failed', callId, lookupId, detail: detailOf(fault) }),
    )
  }

  /** One folder a month; made once. Where it cannot be made the recording fails and reports it; the call goes on. */
  #makeFolder(folder: string): void {
    if (this.#folders.has(folder)) return
    try {
      makeFolder(folder)
      this.#folders.add(folder)
    } catch (fault) {
      this.#options.log.error({ folder, detail: detailOf(fault) }, 'no folder for recordings')
    }
  }

  #settleEnding(callId: CallUuid): void {
    const waiting = this.#endings.get(callId)
    this.#endings.delete(callId)
    for (const resolve of waiting ?? []) resolve()
  }
}

/** Answers a question of the exchange from the store. Rejects when the database fails. */
async function lookUp(store: CallStore, query: Lookup): Promise<Found> {
  switch (query.kind) {
    case 'number-owner':
      return { kind: 'number-owner', owner: await store.numberOwner(query.number) }
    case 'placing': {
      const { accountId, from, instead, to, user: key, withSpendable } = query
      const [account, number, other, owner, user, spendable] = await Promise.all([
        store.account(accountId),
        store.ownedNumber(accountId, from),
        instead === undefined ? undefined : store.ownedNumber(accountId, instead),
        to === '' ? undefined : store.numberOwner(to),
        key === undefined ? undefined : store.endUser(accountId, key),
        withSpendable ? store.spendable(accountId) : undefined,
      ])
      return { kind: 'placing', account, from: number, instead: other, owner, user, spendable }
    }
    case 'softphone': {
      const { accountId, endUserUuid } = query
      const [account, user, number, spendable] = await Promise.all([
        store.account(accountId),
        store.endUser(accountId, endUserUuid),
        store.firstNumber(accountId),
        store.spendable(accountId),
      ])
      return { kind: 'softphone', account, user, number, spendable }
    }
  }
}

const noCall = () => undefined

const closedResult: OriginateResult = Object.freeze(refusedBy('END.5503', 'the switch is closing'))

const isMedia = (command: SignalingCommand | MediaCommand): command is MediaCommand => command.type.startsWith('media.')

const detailOf = (fault: unknown): string =>
  (fault instanceof Error ? fault.message : String(fault)).slice(0, maxDetailLength)
