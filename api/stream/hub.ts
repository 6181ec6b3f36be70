import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { AccountUuid, Log, Repositories } from '../../core/index.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import { AccountFeed } from './account-feed.ts'
import { type Page, pageOf } from './batch.ts'
import { accessEnded, goneBefore, heartbeatMs } from './limits.ts'
import { SharedReads } from './shared-reads.ts'
import { Subscriber } from './subscriber.ts'

interface StreamHubParts {
  readonly events: Repositories['events']
  readonly log: Log
  readonly turns: WorkTurns
  /** Default `heartbeatMs`. */
  readonly heartbeatMs?: number
}

/** Which events of an account are kept. */
interface KeptLog {
  readonly oldestSeq: number
  readonly newestSeq: number
}

export interface StreamOrder {
  readonly socket: WebSocket
  readonly wire: Duplex
  /** As it was before the stream opened. */
  readonly log: KeptLog
  /** The last event that the reader has; undefined = only what happens from now on. */
  readonly after: number | undefined
  /** The key or session that asked for its token. */
  readonly by: readonly string[]
  /** When the session ends by itself; undefined for a key. */
  readonly untilUnix: number | undefined
}

/** Joins the event log, which reports after each commit, with the open streams. */
export class StreamHub {
  readonly #events: Repositories['events']
  readonly #log: Log
  readonly #turns: WorkTurns
  readonly #feeds = new Map<AccountUuid, AccountFeed>()
  /** Streams by the key or session that has opened them. */
  readonly #by = new Map<string, Set<WebSocket>>()
  readonly #reads = new SharedReads<Page | undefined>()
  readonly #unsubscribe: () => void
  readonly #heartbeat: NodeJS.Timeout
  #isClosed = false

  constructor(parts: StreamHubParts) {
    this.#events = parts.events
    this.#log = parts.log
    this.#turns = parts.turns
    this.#unsubscribe = parts.events.subscribe(logged => this.#feeds.get(logged.event.accountUuid)?.add(logged))
    this.#heartbeat = setInterval(() => this.#beat(), parts.heartbeatMs ?? heartbeatMs)
    this.#heartbeat.unref()
  }

  /** Open streams of all accounts. */
  get size(): number {
    let size = 0
    for (const feed of this.#feeds.values()) size += feed.subscribers.size
    return size
  }

  /** No reader may join any more. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  async logOf(account: AccountUuid): Promise<KeptLog> {
    const [newestSeq, oldestSeq] = await Promise.all([this.#events.lastSeq(account), this.#events.oldestSeq(account)])
    return { newestSeq, oldestSeq }
  }

  /** Open streams of one account. */
  sizeOf(account: AccountUuid): number {
    return this.#feeds.get(account)?.subscribers.size ?? 0
  }

  join(account: AccountUuid, { socket, wire, log, after, by, untilUnix }: StreamOrder): void {
    const { newestSeq: newest, oldestSeq: oldest } = log
    socket.on('error', fault => this.#log.debug({ fault: String(fault) }, 'a stream broke'))
    // From the first one on: from the first that is kept. A client that names an event expects the next one, and gets an error.
    if (after !== undefined && after > 0 && after + 1 < oldest) {
      socket.close(goneBefore, `events up to ${oldest - 1} are not kept any more`)
      return
    }
    const afterSeq = Math.min(after ?? newest, newest)
    const read = (seq: number, limit: number) => this.#read(account, seq, limit)
    const subscriber = new Subscriber({ socket, wire, afterSeq, read })
    const feed = this.#feeds.get(account) ?? new AccountFeed()
    this.#feeds.set(account, feed)
    feed.subscribers.add(subscriber)
    for (const uuid of by) this.#openedBy(uuid).add(socket)
    const ending = untilUnix === undefined ? undefined : setTimeout(() => endAccess(socket), untilUnix - Date.now())
    ending?.unref()
    socket.on('close', () => {
      clearTimeout(ending)
      for (const uuid of by) this.#forget(uuid, socket)
      feed.subscribers.delete(subscriber)
      if (feed.subscribers.size > 0 || this.#feeds.get(account) !== feed) return
      feed.close()
      this.#feeds.delete(account)
    })
    // Also for what has happened since the log was looked at.
    subscriber.catchUp()
  }

  /** Closes what a key or a session has opened. */
  end(uuid: string): void {
    for (const socket of this.#by.get(uuid) ?? []) endAccess(socket)
  }

  #openedBy(uuid: string): Set<WebSocket> {
    const known = this.#by.get(uuid) ?? new Set<WebSocket>()
    this.#by.set(uuid, known)
    return known
  }

  #forget(uuid: string, socket: WebSocket): void {
    const sockets = this.#by.get(uuid)
    sockets?.delete(socket)
    if (sockets?.size === 0) this.#by.delete(uuid)
  }

  /** Notifies every reader that we close, and takes no more events. */
  close(): void {
    this.#isClosed = true
    this.#unsubscribe()
    clearInterval(this.#heartbeat)
    for (const feed of this.#feeds.values()) {
      feed.flush()
      for (const subscriber of feed.subscribers) subscriber.leave()
    }
  }

  /** One page for all who want the same; what each writes of it is the account's work, in its turn. */
  async #read(account: AccountUuid, seq: number, limit: number): Promise<Page | undefined> {
    const page = await this.#reads.read(`${account} ${seq} ${limit}`, async () => {
      const messages = await this.#events.messagesAfter(account, seq, limit)
      if (messages === undefined) return undefined
      await this.#turns.next(account)
      return pageOf(messages)
    })
    if (page !== undefined) await this.#turns.nextBytes(account, page.bytes.length)
    return page
  }

  #beat(): void {
    for (const feed of this.#feeds.values()) for (const subscriber of feed.subscribers) subscriber.beat()
  }
}

const endAccess = (socket: WebSocket): void => socket.close(accessEnded, 'the key or session has ended')
