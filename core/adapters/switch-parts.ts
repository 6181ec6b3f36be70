import { join } from 'node:path'
import { seedTextMaps } from '../../sip/index.ts'
import { Turn } from '../../sip/transport/index.ts'
import type { LoadBounds } from '../admission/load.ts'
import { OverloadControl } from '../admission/overload-control.ts'
import { Destinations } from '../billing/destinations.ts'
import type { CallEnvironment } from '../contract/environment.ts'
import { Exchange } from '../exchange/exchange.ts'
import { Latencies } from '../metrics/latencies.ts'
import type { PhoneBinding } from '../model/phone.ts'
import type { Settings } from '../model/settings.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { DocumentEvent, Documents } from '../ports/documents.ts'
import type { Log } from '../ports/log.ts'
import type { RecordingStorage } from '../ports/recording-storage.ts'
import type { CallStore } from '../ports/store.ts'
import { AudioLibrary, openSpeech, type SpeechEngine } from './audio/index.ts'
import type { Closers } from './closers.ts'
import { canonicalUrl, DocumentFetcher } from './documents/document-fetcher.ts'
import { AudioCaptures, callEnvironment, ExchangeRunner } from './exchange/index.ts'
import { HttpClient, resolveBy } from './http/index.ts'
import { LoadMonitor } from './load/load-monitor.ts'
import { RtpMedia } from './media/index.ts'
import { NameResolver } from './names/index.ts'
import { BoundedStorage } from './recordings/bounded-storage.ts'
import { RecordingHandOver } from './recordings/recording-hand-over.ts'
import { isAllowedOrigin, SipSignaling, sipDns } from './signaling/index.ts'
import { EventPurge } from './store/event-purge.ts'
import { Heartbeat } from './store/heartbeat.ts'
import { RecordingPurge } from './store/recording-purge.ts'
import type { Repositories } from './store/repositories.ts'
import { openStore, type SwitchStore } from './store/threads/open-store.ts'
import type { StoreWorker } from './store/threads/store-worker.ts'
import { makeFolder } from './system/make-folder.ts'
import { readProcessMemory } from './system/process-memory.ts'
import { silentLog } from './system/silent-log.ts'
import { systemClock, systemRandom } from './system/system-clock.ts'
import { TlsIdentityFiles } from './tls/identity.ts'
import { CallTraces } from './trace/call-traces.ts'
import { TrunkCalls } from './trunk-test/index.ts'
import { CallbackDelivery } from './webhooks/callback-delivery.ts'

export interface SwitchOptions {
  /** Default: nothing is logged. */
  readonly log?: Log
  /** Default: the system's. */
  readonly clock?: Clock
  /** Default: the system's. */
  readonly random?: Random
  /** Where documents come from. Default: signed POSTs, and the documents that this switch hosts. */
  readonly documents?: (emit: (event: DocumentEvent) => void) => Documents
  /** Functions of the program that give documents, before webhooks are asked. Default: none. */
  readonly functions?: DocumentFunctions
  /** What turns text into audio. Default: what the settings name, else espeak-ng. */
  readonly speech?: SpeechEngine
  /** Where recordings are once they have ended. Default: the data folder. */
  readonly recordings?: RecordingStorage
  /** The thread of the database, when `startWriter` has started it with these settings. Default: it starts now. */
  readonly writer?: StoreWorker | undefined
}

/** Documents that functions give: the store as calls are to see it, and what answers for their URLs. */
interface DocumentFunctions {
  over(store: CallStore): CallStore
  documents(others: Documents, emit: (event: DocumentEvent) => void): Documents
}

/** What a switch is made of. */
export interface Parts {
  readonly settings: Settings
  readonly log: Log
  readonly clock: Clock
  readonly store: SwitchStore
  readonly repositories: Repositories
  readonly exchange: Exchange
  readonly runner: ExchangeRunner
  readonly trunkCalls: TrunkCalls
  readonly signaling: SipSignaling
  readonly media: RtpMedia
  readonly audio: AudioLibrary
  readonly names: NameResolver
  readonly delivery: CallbackDelivery
  readonly latencies: Latencies
  readonly admission: OverloadControl
  /** Undefined when nothing is recorded. */
  readonly traces: CallTraces | undefined
  readonly captures: AudioCaptures | undefined
  /** Undefined when recordings are in the data folder. */
  readonly recordings: { readonly storage: RecordingStorage; readonly waiting: () => number } | undefined
  /** INVITEs that wait for an answer for lack of time. */
  readonly invitesDropped: () => number
  /** Undefined when no certificate is set. */
  readonly tls: TlsIdentityFiles | undefined
  readonly closers: Closers
}

const dayMs = 24 * 3600 * 1000

/** Makes and joins them, in an order in which each finds what it needs; `closers` ends them again. */
export async function openParts(settings: Settings, options: SwitchOptions, closers: Closers): Promise<Parts> {
  const { log = silentLog, clock = systemClock, random = systemRandom } = options
  seedTextMaps(Buffer.from(random.bytes(4)).readUInt32LE())
  const latencies = new Latencies()
  const admission = new OverloadControl(boundsOf(settings))
  const recordingsFolder = join(settings.dataFolder, 'recordings')
  const opened = await openStore({
    folder: settings.dataFolder,
    publicUrl: settings.publicUrl,
    clock,
    log,
    quotas: settings.quotas,
    writer: options.writer,
    committed: ms => {
      latencies.observe('commit', ms)
      admission.committed(ms)
    },
  })
  closers.add('database', () => opened.close())
  const { store, repositories, recovered } = opened
  const { trunks, rates, destinations, assets } = repositories
  makeFolder(recordingsFolder)
  const uuid = () => random.uuid()
  if (recovered.calls > 0 || recovered.holds > 0) log.warn({ ...recovered }, 'closed what an earlier end had left open')

  const traces = CallTraces.open(settings, clock, log)
  closers.add('traces', () => traces?.close())
  // SIP opens last: from then on phones may register.
  let bindingsOf = (_endUserUuid: string): readonly PhoneBinding[] => []
  let sipTarget: CallEnvironment['sipTarget'] = () => undefined
  const calls = options.functions?.over(store.calls) ?? store.calls
  const exchange = new Exchange(
    callEnvironment({
      knownOwner: calls.knownOwner,
      isHosted: url => repositories.documents.isHosted(canonicalUrl(url)),
      clock,
      random,
      trunks: trunks.current,
      deck: rates.deck,
      destinations: destinations.current,
      bindingsOf: uuid => bindingsOf(uuid),
      sipTarget: uri => sipTarget(uri),
      recordingsFolder,
      recordingDays: settings.recordingDays,
      recordingQuota: settings.quotas.recordingBytes,
    }),
  )
  const trunkCalls = new TrunkCalls({
    folder: join(settings.dataFolder, 'cache', 'trunk-tests'),
    loads: exchange.trunkLoads,
    destinations: () => {
      const { blocked, allowed } = destinations.current()
      return new Destinations(blocked, allowed)
    },
    isDraining: () => exchange.isDraining,
    clock,
    random,
  })
  const turn = new Turn(() => clock.now())
  const runner = new ExchangeRunner({
    exchange,
    turn,
    store: calls,
    clock,
    log,
    recorder: traces?.recorder,
    outside: trunkCalls.legs,
  })
  closers.add('exchange', () => runner.close())
  const emit = runner.post

  const { allowPrivateUrls } = settings
  const names = new NameResolver({ servers: settings.dns })
  closers.add('names', () => names.close())
  const web = { allowPrivateUrls, resolve: resolveBy(names) }
  const http = new HttpClient({ ...web, timed: { as: 'document', by: latencies } })
  closers.add('http', () => http.close())
  const audio = new AudioLibrary({
    cacheFolder: join(settings.dataFolder, 'cache'),
    engine: options.speech ?? openSpeech(settings, log, names),
    http,
    assets,
    emit,
    log,
  })
  closers.add('audio', () => audio.close())
  const served = (options.documents ?? hostedAndFetched({ repositories, http, clock }))(emit)
  const documents = options.functions?.documents(served, emit) ?? served

  // The address that a peer sees is known to SIP, which opens last: from then on calls may come.
  let localAddressFor = (_remote: string): string | undefined => undefined
  const media = await RtpMedia.open({
    settings,
    localAddressFor: remote => localAddressFor(remote),
    emit,
    random,
    log,
    tapes: traces?.tapes,
  })
  closers.add('media', () => media.close())
  const tls = TlsIdentityFiles.open(settings, log)
  const signaling = await SipSignaling.open({
    settings,
    trunks: trunks.current,
    tokens: repositories.phoneTokens,
    isAllowedOrigin: request => isAllowedOrigin(request, settings),
    dns: sipDns(names),
    emit,
    clock,
    random,
    log,
    gate: admission,
    isBehind: () => runner.isBehind,
    turn,
    ...(tls === undefined ? {} : { tls: tls.current }),
    ...(traces === undefined ? {} : { tap: traces.tap }),
  })
  closers.add('signaling', () => signaling.close())
  tls?.onReplaced(identity => signaling.replaceIdentity(identity))
  closers.add('tls', () => tls?.close())
  bindingsOf = uuid => signaling.bindingsOf(uuid)
  sipTarget = uri => signaling.sipTarget(uri)
  localAddressFor = remote => signaling.localAddressFor(remote)
  closers.add(
    'trunks',
    trunks.watch(() => signaling.trunksChanged()),
  )
  let invitesDropped = 0
  const monitor = new LoadMonitor({
    admission,
    clock,
    inviteWaitMs: () => {
      const { waitMs, dropped } = signaling.takeArrivalFigures()
      invitesDropped = dropped
      return waitMs
    },
    invitesDropped: () => invitesDropped,
    storeBacklog: () => store.backlog,
    media: () => media.counters(),
    memory: readProcessMemory,
    mediaThreads: settings.media.workers,
    nameOf: source => trunks.current().find(({ uuid }) => uuid === source)?.name ?? source,
    log,
  })
  closers.add('load monitor', () => monitor.stop())
  const captures = traces && new AudioCaptures({ exchange, recorder: traces.recorder, clock, uuid })
  captures?.connect(media, runner)
  runner.connect({ signaling, media, documents, audio })
  trunkCalls.connect({ signaling, media })
  closers.add('trunk tests', () => trunkCalls.close())

  const heartbeat = new Heartbeat({ heartbeat: store.heartbeat, clock, log })
  heartbeat.start()
  closers.add('heartbeat', () => heartbeat.stop())
  const storage = options.recordings && new BoundedStorage(options.recordings, clock)
  const purge = new RecordingPurge({ recordings: repositories.recordings, clock, log, storage })
  purge.start()
  closers.add('purge', () => purge.stop())
  const { recordings } = repositories
  const handOver =
    storage &&
    new RecordingHandOver({
      ...{ storage, recordings, clock, log },
      folder: recordingsFolder,
      subscribe: listener => store.events.subscribe(listener),
    })
  closers.add('storage of recordings', () => {
    handOver?.stop()
    storage?.close()
  })
  const keptMs = settings.eventDays === 0 ? Number.POSITIVE_INFINITY : settings.eventDays * dayMs
  const retention = new EventPurge({ oldEvents: store.oldEvents, clock, log, keptMs })
  retention.start()
  closers.add('retention', () => retention.stop())
  // Callbacks that hang must not take the connections that documents need.
  const callbackHttp = new HttpClient({ ...web, timed: { as: 'callback', by: latencies } })
  closers.add('callbacks', () => callbackHttp.close())
  const { outbox, callbackEnds } = store
  const delivery = new CallbackDelivery({
    outbox,
    callbackEnds,
    http: callbackHttp,
    clock,
    log,
    uuid,
    tried: traces?.tried,
  })
  delivery.start()
  closers.add('delivery', () => delivery.stop())
  return {
    settings,
    log,
    clock,
    store,
    repositories,
    exchange,
    runner,
    trunkCalls,
    signaling,
    media,
    audio,
    names,
    delivery,
    latencies,
    admission,
    traces,
    captures,
    recordings: storage && { storage, waiting: () => handOver?.waiting ?? 0 },
    invitesDropped: () => invitesDropped,
    tls,
    closers,
  }
}

const boundsOf = ({ admission }: Settings): LoadBounds => ({
  loopDelayMs: admission.loopDelayMs,
  inviteWaitMs: admission.inviteWaitMs,
  storeBacklog: admission.storeBacklog,
  mediaLate: admission.mediaLatePercent / 100,
  mediaBusy: admission.mediaBusyPercent / 100,
  memory: admission.memoryPercent / 100,
})

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
