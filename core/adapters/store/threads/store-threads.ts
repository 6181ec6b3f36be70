import { join } from 'node:path'
import type { Quotas } from '../../../model/quota.ts'
import type { Log } from '../../../ports/log.ts'
import { type DatabaseOptions, databaseFile } from '../database.ts'
import { type ProfileScope, profileScopeOf } from '../known-profiles.ts'
import { type Lane, lanes, type Served } from '../served.ts'
import { CheckpointLink } from './checkpoint-link.ts'
import type { DoubtedUnits } from './doubted-units.ts'
import { LostWork } from './lost-work.ts'
import type { News, StorePrecedence } from './protocol.ts'
import type { StoreWorker } from './store-worker.ts'
import { type LinkWatch, type Opened, ThreadLink } from './thread-link.ts'
import { TurnQueue } from './turn-queue.ts'

interface StoreThreadsOptions {
  readonly folder: string
  /** Without a trailing slash. */
  readonly publicUrl: string
  readonly log: Log
  /** Wall clock, Unix ms. */
  readonly unixMs: () => number
  readonly database: DatabaseOptions
  readonly quotas: Quotas
  /** What the writer reports besides answers. */
  readonly onNews: (news: News) => void
  /** Another writer has taken the place of one that died; called before anything else that it reports. */
  readonly onReplaced?: (opened: Opened) => void
  /** What the next writer is to find out about. */
  readonly doubted?: DoubtedUnits
  /** Accounts, numbers or hosted documents may have changed; before the change is answered. */
  readonly onProfilesChanged?: (scope: ProfileScope) => void
  /** The writer, when it was started before. Default: it starts now. */
  readonly writer?: StoreWorker | undefined
}

/** One list of an account runs at a time, and two of different accounts side by side. */
const listLimits = { width: 2, widthOfOwner: 1, waitingOfOwner: 32, waiting: 1000 }
/**
 * A write whose result is not awaited is held back for this time at most. Under load another write comes sooner, and most
 * of a call's writes then share its message, commit and answer.
 */
const soonMs = 10
/**
 * The reader of look-ups, and what copies the write-ahead log, start when the processors are no longer busy with the start
 * of the program. The writer does both meanwhile.
 */
const helpersAfterMs = 1000
/** Threads of lists take what calls and media leave. */
const behindCalls: StorePrecedence = { niceness: 10 }
const asOthers: StorePrecedence = { niceness: 0 }

interface StoreThreadCounters {
  /** Lists that run, wait, and were refused because too many waited. */
  readonly lists: TurnQueue['counters']
}

/**
 * The threads of the database: a writer, which owns it; a reader of small look-ups, which waits for no commit and for no
 * list, and a thread that copies the write-ahead log, both started a moment after the writer; readers of lists, started with
 * the first list.
 */
export class StoreThreads {
  readonly served: Served
  readonly #options: StoreThreadsOptions
  readonly #writer: ThreadLink
  readonly #lostWork: LostWork
  #looks: ThreadLink | undefined
  #checkpoints: CheckpointLink | undefined
  #helpersStart: NodeJS.Timeout | undefined
  readonly #lists: ThreadLink[] = []
  readonly #turns = new TurnQueue(listLimits)
  #isClosed = false

  /** The threads start; nothing is opened yet. */
  constructor(options: StoreThreadsOptions) {
    this.#options = options
    const watch: LinkWatch = {
      onNews: options.onNews,
      onLost: calls => {
        options.doubted?.add(calls)
        this.#lostWork.add(calls)
      },
      doubted: () => options.doubted?.events ?? [],
      onReplaced: opened => {
        options.onReplaced?.(opened)
        this.#lostWork.settle()
      },
    }
    const { writer } = options
    this.#writer =
      writer === undefined
        ? this.#link('writer', asOthers, watch)
        : new ThreadLink(writer.config, options.log, watch, writer)
    this.served = servedBy((lane, part, method, args) => this.#call(lane, part, method, args))
    const { log, unixMs } = options
    this.#lostWork = new LostWork({ end: this.served.lostUnits.end, unixMs, log })
  }

  get counters(): StoreThreadCounters {
    return { lists: this.#turns.counters }
  }

  /** Writes that are not yet answered. */
  get backlog(): number {
    return this.#writer.underWay
  }

  /** False when the writer has died or was closed. */
  get isOpen(): boolean {
    return this.#writer.isOpen
  }

  /** The writer first: it makes or migrates what the readers look at. */
  async open(): Promise<Opened> {
    const opened = await this.#writer.open(true)
    if (!this.#isClosed)
      this.#helpersStart = setTimeout(() => {
        // Calls wait for it as for the writer: behind other threads it would keep signalling from the lock of their messages.
        this.#looks = this.#link('reader', this.#options.writer?.config.precedence ?? asOthers)
        this.#looks.openSoon()
        const { folder, database, log } = this.#options
        const { nativeBinding } = database
        this.#checkpoints = new CheckpointLink({ file: join(folder, databaseFile), nativeBinding }, log)
      }, helpersAfterMs)
    return opened
  }

  /** What was asked before is done; the writer last, with the lock of the data folder. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#helpersStart)
    this.#lostWork.close()
    await Promise.all([this.#looks, this.#checkpoints, ...this.#lists].map(link => link?.close()))
    await this.#writer.close()
  }

  #call(lane: Lane, part: string, method: string, args: readonly unknown[]): Promise<unknown> {
    switch (lane) {
      case 'write':
        return this.#write(part, method, args, 0)
      case 'soon':
        return this.#write(part, method, args, soonMs)
      case 'look':
        return (this.#looks?.isOpen === true ? this.#looks : this.#writer).call(part, method, args)
      case 'list': {
        // A list of an account names it first; those of the operator name none.
        const owner = typeof args[0] === 'string' ? args[0] : 'operator'
        return this.#turns.run(owner, () => this.#idleReader().call(part, method, args))
      }
    }
  }

  #write(part: string, method: string, args: readonly unknown[], withinMs: number): Promise<unknown> {
    const { onProfilesChanged } = this.#options
    const answer = this.#writer.call(part, method, args, withinMs)
    // Whether a unit whose thread has died was committed is not known: after a fault, too.
    const scope = profileScopeOf(part, method, args)
    return onProfilesChanged === undefined || scope.type === 'nothing'
      ? answer
      : answer.finally(() => onProfilesChanged(scope))
  }

  /** There is one: as many run as there are threads. */
  #idleReader(): ThreadLink {
    const idle = this.#lists.find(link => link.underWay === 0)
    if (idle !== undefined) return idle
    const link = this.#link('reader', behindCalls)
    if (this.#isClosed) void link.close()
    else {
      this.#lists.push(link)
      link.openSoon()
    }
    return link
  }

  #link(role: 'writer' | 'reader', precedence: StorePrecedence, watch?: LinkWatch): ThreadLink {
    const { folder, publicUrl, database, quotas, log } = this.#options
    return new ThreadLink({ role, folder, publicUrl, database, quotas, precedence }, log, watch)
  }
}

type Ask = (lane: Lane, part: string, method: string, args: readonly unknown[]) => Promise<unknown>

/** An object for each part, with the methods that `lanes` names. */
function servedBy(ask: Ask): Served {
  const parts = Object.entries(lanes).map(([part, methods]) => {
    const asked = Object.entries(methods).map(([method, lane]) => {
      return [method, (...args: readonly unknown[]) => ask(lane, part, method, args)] as const
    })
    return [part, Object.fromEntries(asked)] as const
  })
  return Object.fromEntries(parts) as unknown as Served
}
