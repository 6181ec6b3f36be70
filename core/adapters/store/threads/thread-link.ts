import { assertNever } from '../../../model/assert-never.ts'
import type { Log } from '../../../ports/log.ts'
import { StoreError } from '../errors.ts'
import type { TimedRecovery } from '../recovery.ts'
import { errorOf } from './faults.ts'
import {
  type FromStore,
  type Known,
  type News,
  type StoreCall,
  type StoreThreadConfig,
  type ToStore,
  unitOf,
  type WrittenEvent,
} from './protocol.ts'
import { StoreWorker } from './store-worker.ts'
import { threadAway, threadLost } from './thread-lost.ts'

export interface Opened {
  readonly known?: Known
  readonly written?: readonly WrittenEvent[]
  readonly recovered?: TimedRecovery
}

/** A request that a thread was given and has not answered. */
export interface LostCall {
  readonly call: StoreCall
  /** How many events of its unit were reported all the same: the first ones. */
  readonly reported: number
}

interface Waiting {
  readonly call: StoreCall
  reported: number
  readonly resolve: (value: unknown) => void
  readonly reject: (cause: Error) => void
}

/** What the users of a thread learn of its life. */
export interface LinkWatch {
  /** What is no answer. */
  readonly onNews?: (news: News) => void
  /** It has died; these are rejected now. */
  readonly onLost?: (calls: readonly LostCall[]) => void
  /** Events of lost units that the next thread is to look for. */
  readonly doubted?: () => readonly string[]
  /** Another has taken its place and has opened the database; called before anything else that it reports. */
  readonly onReplaced?: (opened: Opened) => void
}

/** A thread that died is started again after this pause, and after up to this one when it could not be opened again. */
const respawnMs = 1000
const mostRespawnMs = 30_000
/** Time that closing waits for the last commit. */
const closeMs = 10_000

/**
 * One thread of the store, as its users see it. The requests of one event-loop turn are one message, together with earlier
 * ones that had time; each gets an answer. When the thread dies, open requests are rejected: whether they were committed
 * is not known.
 */
export class ThreadLink {
  readonly #config: StoreThreadConfig
  readonly #watch: LinkWatch
  readonly #log: Log
  readonly #waiting = new Map<number, Waiting>()
  #worker: StoreWorker | undefined
  #calls: StoreCall[] = []
  /** They leave at the end of this turn. */
  #isSending = false
  /** They leave then at the latest. */
  #sendsLater: NodeJS.Timeout | undefined
  #ids = 0
  #isOpen = false
  #isClosed = false
  #closed: () => void = () => {}
  #opening: { readonly resolve: (opened: Opened) => void; readonly reject: (cause: Error) => void } | undefined
  #respawn: NodeJS.Timeout | undefined
  /** How often in a row the thread could not be opened. */
  #failures = 0

  /** The thread starts at once, if it is not a `worker` that was started before. */
  constructor(config: StoreThreadConfig, log: Log, watch: LinkWatch = {}, worker = new StoreWorker(config)) {
    this.#config = config
    this.#log = log
    this.#watch = watch
    this.#worker = worker
  }

  /** What is asked and not yet answered. */
  get underWay(): number {
    return this.#waiting.size
  }

  /** False before it is opened, after it has died, and once it is closed. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Rejects with what stands against the data folder; then the thread is closed. */
  open(recover: boolean): Promise<Opened> {
    return new Promise((resolve, reject) => {
      this.#opening = { resolve, reject }
      this.#listen()
      this.#worker?.open(recover)
    })
  }

  /** Opens it without being waited for: calls wait in the thread. One that cannot be opened is started again. */
  openSoon(): void {
    this.open(false).catch(fault => this.#notOpened(fault))
  }

  /** Sent at the end of this turn, or, what has time, with the next request that has none. Order is kept. */
  call(part: string, method: string, args: readonly unknown[], withinMs = 0): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new StoreError('store.closed', 'the database is closed'))
    if (this.#worker === undefined) return Promise.reject(threadAway())
    return new Promise((resolve, reject) => {
      const call = { id: ++this.#ids, part, method, args }
      this.#waiting.set(call.id, { call, reported: 0, resolve, reject })
      this.#calls.push(call)
      this.#sendWithin(withinMs)
    })
  }

  /** What was asked before is done first. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#isOpen = false
    clearTimeout(this.#respawn)
    const worker = this.#worker
    if (worker === undefined) return
    this.#listen()
    this.#send()
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      this.#closed = resolve
      timer = setTimeout(resolve, closeMs)
      this.#post({ type: 'close' })
    })
    clearTimeout(timer)
    await worker.terminate()
    this.#rejectAll(new StoreError('store.closed', 'the database is closed'))
  }

  /** Called when its opening or its end is waited for, not before: a worker that was started earlier may report at once. */
  #listen(): void {
    this.#worker?.listen({ received: message => this.#receive(message), exited: cause => this.#exited(cause) })
  }

  #exited(cause: Error): void {
    this.#worker = undefined
    this.#isOpen = false
    const kept = this.#calls
    this.#calls = []
    this.#closed()
    if (this.#isClosed) return
    // No thread was given these: they were not committed.
    for (const { id } of kept) this.#waitingOf(id)?.reject(threadAway())
    this.#opening?.reject(cause)
    this.#opening = undefined
    this.#log.error({ role: this.#config.role, fault: cause.stack ?? String(cause) }, 'a thread of the store has died')
    this.#watch.onLost?.([...this.#waiting.values()])
    this.#rejectAll(threadLost(cause))
    this.#respawn = setTimeout(
      () => {
        this.#worker = new StoreWorker(this.#config)
        this.#replace().catch(fault => this.#notOpened(fault))
      },
      Math.min(mostRespawnMs, respawnMs * 2 ** this.#failures),
    )
  }

  /** Calls live on: they are not what an earlier process has left. */
  #replace(): Promise<void> {
    return new Promise((resolve, reject) => {
      const opened = (message: Opened) => {
        this.#watch.onReplaced?.(message)
        resolve()
      }
      this.#opening = { resolve: opened, reject }
      this.#listen()
      this.#worker?.open(false, this.#watch.doubted?.())
    })
  }

  /** A thread that could not be opened is no use: another takes its place, after a pause. */
  #notOpened(fault: unknown): void {
    this.#failures++
    this.#log.error({ fault: String(fault) }, 'a thread of the store could not be opened')
    void this.#worker?.terminate()
  }

  /** It waits no more. */
  #waitingOf(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  #rejectAll(cause: Error): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(cause)
  }

  #sendWithin(ms: number): void {
    if (this.#isSending) return
    if (ms === 0) {
      this.#isSending = true
      setImmediate(this.#send)
    } else this.#sendsLater ??= setTimeout(this.#send, ms)
  }

  readonly #send = (): void => {
    this.#isSending = false
    clearTimeout(this.#sendsLater)
    this.#sendsLater = undefined
    if (this.#calls.length === 0) return
    const calls = this.#calls
    this.#calls = []
    try {
      this.#post({ type: 'calls', calls })
    } catch {
      this.#sendOneByOne(calls)
    }
  }

  /** One of them cannot be copied: it fails, not the others of its turn. */
  #sendOneByOne(calls: readonly StoreCall[]): void {
    for (const call of calls) {
      try {
        this.#post({ type: 'calls', calls: [call] })
      } catch (cause) {
        this.#waitingOf(call.id)?.reject(
          new StoreError('store.misuse', `${call.part}.${call.method}: cannot be copied`, { cause }),
        )
      }
    }
  }

  #post(message: ToStore): void {
    this.#worker?.post(message)
  }

  #receive(message: FromStore): void {
    switch (message.type) {
      case 'news':
        for (const news of message.news) this.#take(news)
        return
      case 'opened':
        this.#isOpen = true
        this.#failures = 0
        this.#opening?.resolve(message)
        this.#opening = undefined
        return
      case 'not-opened':
        this.#opening?.reject(errorOf(message.fault))
        this.#opening = undefined
        return
      case 'closed':
        this.#closed()
        return
      default:
        assertNever(message)
    }
  }

  #take(news: News): void {
    if (news.type !== 'answer' && news.type !== 'fault' && news.type !== 'own-event') {
      this.#watch.onNews?.(news)
      return
    }
    if (news.type === 'own-event') {
      const waiting = this.#waiting.get(news.id)
      const change = waiting && unitOf(waiting.call)[news.at]
      if (waiting === undefined || change?.type !== 'event.append') return
      waiting.reported++
      this.#watch.onNews?.({ type: 'event', logged: { seq: news.seq, event: change.event } })
      return
    }
    const waiting = this.#waitingOf(news.id)
    if (news.type === 'answer') waiting?.resolve(news.value)
    else waiting?.reject(errorOf(news.fault))
  }
}
