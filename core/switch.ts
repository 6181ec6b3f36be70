import { mkdirSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { AudioLibrary, EspeakEngine } from './adapters/audio/index.ts'
import { Closers } from './adapters/closers.ts'
import { DocumentFetcher } from './adapters/documents/document-fetcher.ts'
import { CallDesk } from './adapters/exchange/call-desk.ts'
import { callEnvironment } from './adapters/exchange/environment.ts'
import { ExchangeRunner } from './adapters/exchange/index.ts'
import { HttpClient } from './adapters/http/index.ts'
import { RtpMedia, type RtpMediaCounters } from './adapters/media/index.ts'
import { RecordingPurge } from './adapters/recordings/recording-purge.ts'
import {
  isAllowedOrigin,
  type PhoneUpgrade,
  readTlsIdentity,
  type SignalingCounters,
  SipSignaling,
} from './adapters/signaling/index.ts'
import { silentLog } from './adapters/silent-log.ts'
import { openDatabase } from './adapters/store/database.ts'
import { Heartbeat } from './adapters/store/heartbeat.ts'
import { recover } from './adapters/store/recovery.ts'
import { openRepositories, type Repositories } from './adapters/store/repositories.ts'
import { type Store, storeOver } from './adapters/store/store.ts'
import { systemClock, systemRandom } from './adapters/system-clock.ts'
import { CallbackDelivery } from './adapters/webhooks/callback-delivery.ts'
import { Exchange, type ExchangeCounters } from './call/exchange.ts'
import type { ExchangeEvent } from './call/exchange-event.ts'
import { Latencies } from './metrics/latencies.ts'
import type { PhoneBinding } from './model/phone.ts'
import type { Settings, SipListener } from './model/settings.ts'
import type { Clock, Random } from './ports/clock.ts'
import type { DocumentEvent, Documents } from './ports/documents.ts'
import type { Log } from './ports/log.ts'

export interface SwitchOptions {
  /** Default: nothing is logged. */
  readonly log?: Log
  /** Default: the system's. */
  readonly clock?: Clock
  /** Default: the system's. */
  readonly random?: Random
  /** Where documents come from. Default: signed POSTs, and the documents that this switch hosts. */
  readonly documents?: (emit: (event: DocumentEvent) => void) => Documents
}

export interface SwitchCounters {
  readonly exchange: Readonly<ExchangeCounters> & { readonly liveCalls: number }
  readonly signaling: SignalingCounters
  readonly media: RtpMediaCounters
  readonly store: { readonly transactions: number; readonly units: number }
  /** Status callbacks that wait, or are being sent. */
  readonly callbacks: { readonly backlog: number }
}

interface Parts {
  readonly settings: Settings
  readonly log: Log
  readonly clock: Clock
  readonly store: Store
  readonly repositories: Repositories
  readonly exchange: Exchange
  readonly runner: ExchangeRunner
  readonly signaling: SipSignaling
  readonly media: RtpMedia
  readonly delivery: CallbackDelivery
  readonly latencies: Latencies
  readonly closers: Closers
}

/** A database or a media thread that does not answer in this time is not healthy. */
const healthTimeoutMs = 2000
/** Closing waits so long for the last rows of calls and the last BYEs. */
const closeTimeoutMs = 3000
const closePollMs = 10

/**
 * A whole switch. It builds and joins the parts and decides nothing: what a call does stands in `core/call`.
 *
 *     const sauti = await Switch.open(settings, { log })
 *     const placed = await sauti.calls.originate({ accountId, to, from, url })
 */
export class Switch {
  readonly settings: Settings
  readonly log: Log
  readonly repositories: Repositories
  /** Units of work, ledger, event log and outbox. */
  readonly store: Store
  readonly calls: CallDesk
  /** How long transactions and webhooks take, as they happen. */
  readonly latencies: Latencies
  readonly #parts: Parts
  #closing: Promise<void> | undefined

  private constructor(parts: Parts) {
    this.settings = parts.settings
    this.log = parts.log
    this.repositories = parts.repositories
    this.store = parts.store
    this.calls = new CallDesk({ exchange: parts.exchange, runner: parts.runner, store: parts.store.calls })
    this.latencies = parts.latencies
    this.#parts = parts
  }

  /**
   * Opens the database, the media threads and the SIP listeners. Rejects, with everything closed again, when one of
   * them cannot be had: a `StoreError`, or the system's error of an address that cannot be bound.
   */
  static async open(settings: Settings, options: SwitchOptions = {}): Promise<Switch> {
    const closers = new Closers(options.log ?? silentLog)
    try {
      return new Switch(await openParts(settings, options, closers))
    } catch (fault) {
      await closers.closeAll()
      throw fault
    }
  }

  /** Where SIP listens, with the ports that the system chose. */
  get sipListeners(): readonly SipListener[] {
    return this.#parts.signaling.listeners()
  }

  /** A softphone of the end-user is registered now. */
  isRegistered(endUserUuid: string): boolean {
    return this.#parts.signaling.isRegistered(endUserUuid)
  }

  /**
   * SIP over WebSocket (RFC 7118): takes over a handshake that an HTTP server was asked for, path and origin looked at.
   * Of a refused one nothing has been written.
   */
  acceptWebSocket(request: IncomingMessage, socket: Duplex, head: Buffer): PhoneUpgrade {
    // Behind a proxy that ends TLS the phone has come by wss, whatever the last hop was.
    const transport = this.settings.publicUrl.startsWith('https:') ? 'wss' : 'ws'
    return this.#parts.signaling.upgrade(request, socket, head, transport)
  }

  /** Closes the WebSockets that `acceptWebSocket` has taken: the HTTP server that they came by cannot close before. */
  disconnectWebSockets(): Promise<void> {
    return this.#parts.signaling.disconnectWebSockets()
  }

  get isDraining(): boolean {
    return this.#parts.exchange.isDraining
  }

  /** False when the database, the SIP listeners or a media thread fail, and while draining. */
  async health(): Promise<boolean> {
    if (this.isDraining || this.#closing !== undefined) return false
    const { signaling, media, store, clock } = this.#parts
    if (signaling.listeners().length === 0 && this.settings.sip.listeners.length > 0) return false
    const beat = store.database.prepare<[number]>('UPDATE heartbeat SET beat_unix = max(beat_unix, ?)')
    const works = Promise.all([store.database.write(() => beat.run(clock.unixMs())), media.counters()]).then(
      () => true,
      () => false,
    )
    return Promise.race([works, sleep(healthTimeoutMs, false, { ref: false })])
  }

  async counters(): Promise<SwitchCounters> {
    const { exchange, signaling, media, store, delivery } = this.#parts
    return {
      exchange: { ...exchange.counters, liveCalls: exchange.live().length },
      signaling: signaling.counters(),
      media: await media.counters(),
      store: store.database.counters,
      callbacks: { backlog: delivery.backlog },
    }
  }

  /** No new calls; live ones get `seconds` (default: the settings' `drainSeconds`), then END.5503. */
  drain(seconds = this.settings.drainSeconds): void {
    const { runner, clock } = this.#parts
    runner.post({ type: 'exchange.drain', deadline: clock.now() + seconds * 1000 })
  }

  resume(): void {
    this.#parts.runner.post({ type: 'exchange.resume' })
  }

  /** Ends what still lives with END.5503, then closes everything. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { exchange, closers, clock } = this.#parts
    this.drain(0)
    const until = clock.now() + closeTimeoutMs
    while (exchange.size > 0 && clock.now() < until) await sleep(closePollMs)
    await closers.closeAll()
  }
}

async function openParts(settings: Settings, options: SwitchOptions, closers: Closers): Promise<Parts> {
  const { log = silentLog, clock = systemClock, random = systemRandom } = options
  const database = openDatabase(settings.dataFolder)
  closers.add('database', () => database.close())
  const latencies = new Latencies()
  database.onCommit(ms => latencies.observe('commit', ms))
  const store = storeOver(database, { clock, log })
  const repositories = openRepositories(store, settings.publicUrl)
  const { trunks, rates, destinations, assets } = repositories
  const recordingsFolder = join(settings.dataFolder, 'recordings')
  mkdirSync(recordingsFolder, { recursive: true, mode: 0o700 })
  const uuid = () => random.uuid()
  const recovered = await recover(store, { recordingsFolder, unixMs: clock.unixMs(), uuid })
  if (recovered.calls > 0 || recovered.holds > 0) log.warn({ ...recovered }, 'closed what an earlier end had left open')

  // SIP opens last: from then on phones may register.
  let bindingsOf = (_endUserUuid: string): readonly PhoneBinding[] => []
  const exchange = new Exchange(
    callEnvironment({
      clock,
      random,
      trunks: () => trunks.current(),
      rates: () => rates.current(),
      destinations: () => destinations.current(),
      bindingsOf: uuid => bindingsOf(uuid),
      recordingsFolder,
      recordingDays: settings.recordingDays,
    }),
  )
  const runner = new ExchangeRunner({ exchange, store: store.calls, clock, log })
  closers.add('exchange', () => runner.close())
  const emit = (event: ExchangeEvent) => runner.post(event)

  const { allowPrivateUrls } = settings
  const http = new HttpClient({ allowPrivateUrls, timed: ms => latencies.observe('document', ms) })
  closers.add('http', () => http.close())
  const audio = new AudioLibrary({
    cacheFolder: join(settings.dataFolder, 'cache'),
    engine: new EspeakEngine({ log }),
    http,
    findAsset: async (account, slug) => {
      const asset = assets.find(account, slug)
      const path = assets.fileOf(account, slug)
      if (asset === undefined || path === undefined) return undefined
      return { path, durationMs: asset.durationMs, mediaFormat: asset.mediaFormat }
    },
    emit,
    log,
  })
  closers.add('audio', () => audio.close())
  const documents = (options.documents ?? hostedAndFetched({ repositories, http, clock }))(emit)

  // The address that a peer sees is known to SIP, which opens last: from then on calls may come.
  let localAddressFor = (_remote: string): string | undefined => undefined
  const media = await RtpMedia.open({ settings, localAddressFor: remote => localAddressFor(remote), emit, random, log })
  closers.add('media', () => media.close())
  const tls = readTlsIdentity(settings)
  const signaling = await SipSignaling.open({
    settings,
    trunks: () => trunks.current(),
    tokens: repositories.phoneTokens,
    isAllowedOrigin: request => isAllowedOrigin(request, settings),
    emit,
    clock,
    random,
    log,
    ...(tls === undefined ? {} : { tls }),
  })
  closers.add('signaling', () => signaling.close())
  bindingsOf = uuid => signaling.bindingsOf(uuid)
  localAddressFor = remote => signaling.localAddressFor(remote)
  closers.add(
    'trunks',
    trunks.watch(() => signaling.trunksChanged()),
  )
  runner.connect({ signaling, media, documents, audio })

  const heartbeat = new Heartbeat({ database, clock, log })
  heartbeat.start()
  closers.add('heartbeat', () => heartbeat.stop())
  const purge = new RecordingPurge({ recordings: repositories.recordings, clock, log })
  purge.start()
  closers.add('purge', () => purge.stop())
  // Callbacks that hang must not take the connections that documents need.
  const callbackHttp = new HttpClient({ allowPrivateUrls, timed: ms => latencies.observe('callback', ms) })
  closers.add('callbacks', () => callbackHttp.close())
  const { outbox, events } = store
  const delivery = new CallbackDelivery({ database, outbox, events, http: callbackHttp, clock, log, uuid })
  delivery.start()
  closers.add('delivery', () => delivery.stop())
  return { settings, log, clock, store, repositories, exchange, runner, signaling, media, delivery, latencies, closers }
}

/** Signed POSTs, and without HTTP the documents that this switch hosts. */
const hostedAndFetched =
  (parts: { readonly repositories: Repositories; readonly http: HttpClient; readonly clock: Clock }) =>
  (emit: (event: DocumentEvent) => void): Documents =>
    new DocumentFetcher({
      hosted: parts.repositories.documents,
      http: parts.http,
      secret: account => parts.repositories.webhookSettings.secret(account),
      clock: parts.clock,
      emit,
    })
