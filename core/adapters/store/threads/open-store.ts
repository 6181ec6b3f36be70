import type { Quotas } from '../../../model/quota.ts'
import { defaultSettings } from '../../../model/settings.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { CallStore } from '../../../ports/store.ts'
import { openSigningKeys } from '../../tokens/signing-keys.ts'
import type { DatabaseOptions } from '../database.ts'
import { hostedUrls } from '../documents.ts'
import { EventListeners } from '../event-listeners.ts'
import type { EventListener } from '../events.ts'
import { KnownProfiles } from '../known-profiles.ts'
import { KnownDestinations, KnownRates, KnownTrunks } from '../known-setup.ts'
import { KnownTokens } from '../known-tokens.ts'
import { recordingFile, recordingsFolder } from '../recordings.ts'
import type { TimedRecovery } from '../recovery.ts'
import { type Repositories, repositoriesOver } from '../repositories.ts'
import type { Served } from '../served.ts'
import { DoubtedUnits } from './doubted-units.ts'
import type { Known, News } from './protocol.ts'
import { StoreThreads } from './store-threads.ts'
import type { StoreWorker } from './store-worker.ts'
import { threadAway } from './thread-lost.ts'

interface OpenStoreOptions {
  readonly folder: string
  /** Without a trailing slash. */
  readonly publicUrl: string
  readonly clock: Clock
  readonly log: Log
  readonly database?: DatabaseOptions
  /** What an account may store where its operator has said nothing else. Default: the settings' defaults. */
  readonly quotas?: Quotas
  /** The thread that owns the database, started before with the same folder. Default: it starts now. */
  readonly writer?: StoreWorker | undefined
  /** Called with the duration of each transaction. */
  readonly committed?: (durationMs: number) => void
}

export interface StoreCounters {
  readonly transactions: number
  readonly units: number
  /** Lists that run, wait, and were refused because too many waited. */
  readonly lists: { readonly running: number; readonly waiting: number; readonly refused: number }
}

/** Calls, money and events of a running switch. Its database belongs to threads; nothing here waits for a disk. */
export interface SwitchStore
  extends Pick<Served, 'books' | 'callbackEnds' | 'heartbeat' | 'idempotency' | 'ledger' | 'oldEvents'> {
  readonly calls: CallStore & Omit<Served['calls'], keyof CallStore>
  readonly events: Served['events'] & { subscribe(listener: EventListener): () => void }
  readonly outbox: Served['outbox'] & { onAdded(listener: () => void): () => void }
  readonly counters: StoreCounters
  /** Writes that are not yet durable. */
  readonly backlog: number
  /** False while another process holds the database's write lock, and when the writer has died. */
  readonly isWritable: boolean
}

export interface OpenedStore {
  readonly store: SwitchStore
  readonly repositories: Repositories
  /** What an earlier process had left open. */
  readonly recovered: TimedRecovery
  close(): Promise<void>
}

/**
 * Opens the threads of the database. Rejects like `openDatabase`: `store.locked`, `store.too-new`, `store.unusable`; then
 * they are closed again.
 */
export async function openStore(options: OpenStoreOptions): Promise<OpenedStore> {
  const {
    folder,
    publicUrl,
    clock,
    log,
    database = {},
    quotas = defaultSettings.quotas,
    writer,
    committed = () => {},
  } = options
  const feed = new EventListeners(log)
  const addedListeners = new Set<() => void>()
  const count = { transactions: 0, units: 0 }
  let isBlocked = false
  let changed: (news: News) => void = () => {}
  let reload: (known: Known) => void = () => {}
  let profiles: KnownProfiles | undefined

  const doubted = new DoubtedUnits()
  const reportAdded = () => {
    for (const listener of addedListeners) listener()
  }

  const threads = new StoreThreads({
    folder,
    publicUrl,
    log,
    unixMs: () => clock.unixMs(),
    database,
    quotas,
    writer,
    doubted,
    onReplaced({ known, written = [] }) {
      // It reports a lock that it meets itself.
      isBlocked = false
      // A change that was committed may not have been reported.
      if (known !== undefined) reload(known)
      for (const logged of doubted.settle(written)) feed.emit(logged)
      // Which were added and not reported is not known.
      reportAdded()
    },
    onProfilesChanged: scope => profiles?.changed(scope),
    onNews(news) {
      switch (news.type) {
        case 'event':
          feed.emit(news.logged)
          return
        case 'callbacks-added':
          reportAdded()
          return
        case 'committed':
          count.transactions++
          count.units += news.units
          committed(news.durationMs)
          return
        case 'blocked':
          isBlocked = news.isBlocked
          if (isBlocked) log.warn({}, 'another process holds the write lock of the database: units wait')
          else log.info({}, 'the database can be written again')
          return
        default:
          changed(news)
      }
    },
  })
  try {
    const { known, recovered } = await threads.open()
    if (known === undefined || recovered === undefined)
      throw new Error('the database writer started without its set-up')
    const { served } = threads
    const reads = new KnownProfiles(served, known.numbers)
    profiles = reads
    const trunks = new KnownTrunks(served.trunks, known.trunks)
    const rates = new KnownRates(served.rates, known.rates)
    const destinations = new KnownDestinations(served.destinations, known.destinations)
    const signingKey = openSigningKeys(folder)
    const phoneTokens = new KnownTokens(served.phoneTokens, signingKey('phone-token'), known.tokens)
    changed = news => {
      if (news.type === 'trunks') trunks.changed(news.trunks)
      else if (news.type === 'rates') rates.changed(news.rates)
      else if (news.type === 'destinations') destinations.changed(news.destinations)
      else if (news.type === 'tokens') phoneTokens.changed(news.endUserUuid, news.tokens, clock.unixMs())
      else if (news.type === 'token-revoked') phoneTokens.revoked(news.record)
    }
    reload = now => {
      trunks.reload(now.trunks)
      rates.changed(now.rates)
      destinations.changed(now.destinations)
      phoneTokens.reload(now.tokens, clock.unixMs())
    }
    const events = { ...served.events, subscribe: (listener: EventListener) => feed.subscribe(listener) }
    const store: SwitchStore = {
      books: served.books,
      callbackEnds: served.callbackEnds,
      heartbeat: served.heartbeat,
      idempotency: served.idempotency,
      ledger: served.ledger,
      oldEvents: served.oldEvents,
      calls: {
        ...served.calls,
        commit(unit, isAwaited = true) {
          const left = doubted.leftOf(unit)
          if (left === undefined) return Promise.reject(threadAway())
          if (left.length === 0 && unit.length > 0) return Promise.resolve({ ok: true })
          return isAwaited ? served.calls.commit(left, clock.unixMs()) : served.calls.commitSoon(left, clock.unixMs())
        },
        account: uuid => reads.account(uuid),
        numberOwner: e164 => reads.numberOwner(e164),
        knownOwner: e164 => reads.knownOwner(e164),
        ownedNumber: (account, e164) => reads.ownedNumber(account, e164),
      },
      events,
      outbox: {
        ...served.outbox,
        onAdded: listener => {
          addedListeners.add(listener)
          return () => addedListeners.delete(listener)
        },
      },
      get counters() {
        return { ...count, ...threads.counters }
      },
      get backlog() {
        return threads.backlog
      },
      get isWritable() {
        return !isBlocked && threads.isOpen
      },
    }
    const recordingsIn = recordingsFolder(folder)
    const repositories = repositoriesOver({
      served,
      documents: { ...served.documents, byUrl: url => reads.byUrl(url), isHosted: hostedUrls(publicUrl) },
      events,
      trunks,
      rates,
      recordings: { ...served.recordings, fileOf: record => recordingFile(recordingsIn, record) },
      destinations,
      phoneTokens,
      folder,
      signingKey,
    })
    return { store, repositories, recovered, close: () => threads.close() }
  } catch (fault) {
    await threads.close()
    throw fault
  }
}
