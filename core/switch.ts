import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import type { SpeechCounters } from './adapters/audio/index.ts'
import { Closers } from './adapters/closers.ts'
import { type AudioCaptures, CallControl } from './adapters/exchange/index.ts'
import type { RtpMediaCounters } from './adapters/media/index.ts'
import type { NameCounters } from './adapters/names/index.ts'
import type {
  PhoneUpgrade,
  RegisteredPhone,
  SignalingCounters,
  TrunkHealth,
  TrunkTest,
} from './adapters/signaling/index.ts'
import type { Repositories } from './adapters/store/repositories.ts'
import type { StoreCounters, SwitchStore } from './adapters/store/threads/open-store.ts'
import { openParts, type Parts, type SwitchOptions } from './adapters/switch-parts.ts'
import { silentLog } from './adapters/system/silent-log.ts'
import type { TlsIdentityFiles } from './adapters/tls/identity.ts'
import type { CallTraces, TraceCounters } from './adapters/trace/call-traces.ts'
import type { TestRefusal } from './adapters/trunk-test/index.ts'
import type { LoadMeasures } from './admission/load.ts'
import type { OverloadCounters } from './admission/overload-control.ts'
import type { ExchangeCounters } from './exchange/exchange.ts'
import type { Latencies } from './metrics/latencies.ts'
import type { LegUuid, TrunkUuid } from './model/ids.ts'
import type { Settings, SipListener } from './model/settings.ts'
import type { Log } from './ports/log.ts'
import type { RecordingStorage } from './ports/recording-storage.ts'
import type { TestCallResult } from './trunk-test/outcome.ts'

export type { SwitchOptions } from './adapters/switch-parts.ts'

/** A test call through a trunk. `signal` ends it. */
export interface TestCallOrder {
  /** E.164. */
  readonly to: string
  readonly from: string
  readonly signal?: AbortSignal
}

/** How new calls are admitted. */
interface OverloadFigures extends Readonly<OverloadCounters> {
  /** INVITEs that were dropped unread. */
  readonly invitesDropped: number
  /** Calls a second that are admitted; Infinity = there is no limit. */
  readonly rate: number
  /** How near the load is to a bound: 1 = there. */
  readonly pressure: number
  readonly measures: LoadMeasures
}

export interface SwitchCounters {
  readonly exchange: Readonly<ExchangeCounters> & { readonly liveCalls: number; readonly calls: number }
  readonly signaling: SignalingCounters
  readonly media: RtpMediaCounters
  readonly store: StoreCounters
  readonly admission: OverloadFigures
  /** Status callbacks that wait, or are being sent. */
  readonly callbacks: { readonly backlog: number }
  /** What was asked of DNS. */
  readonly names: Readonly<NameCounters>
  /** What each speech engine did, by its name. */
  readonly speech: Readonly<Record<string, Readonly<SpeechCounters>>>
  /** What is recorded of calls; undefined: nothing is. */
  readonly traces?: TraceCounters | undefined
}

/** A database or a media thread that does not answer in this time is not healthy. */
const healthTimeoutMs = 2000
/** For so long a result is good for all who ask. */
const sharedHealthMs = 1000
/** Closing waits so long for the last rows of calls and the last BYEs. */
const closeTimeoutMs = 3000
const closePollMs = 10

/**
 * A whole switch. It builds and joins the parts and decides nothing: what a call does is in `core/call`.
 *
 *     const sauti = await Switch.open(settings, { log })
 *     const placed = await sauti.calls.originate({ accountId, to, from, url })
 */
export class Switch {
  readonly settings: Settings
  readonly log: Log
  readonly repositories: Repositories
  /** Units of work, ledger, event log and outbox. */
  readonly store: SwitchStore
  readonly calls: CallControl
  /** How long transactions and webhooks take, as they happen. */
  readonly latencies: Latencies
  readonly #parts: Parts
  #closing: Promise<void> | undefined
  #works: { readonly askedAt: number; readonly isGood: Promise<boolean> } | undefined

  private constructor(parts: Parts) {
    this.settings = parts.settings
    this.log = parts.log
    this.repositories = parts.repositories
    this.store = parts.store
    const { exchange, runner, store, signaling, media, admission, clock } = parts
    const dumps = {
      sipOf: (legId: LegUuid) => signaling.dumpOf(legId),
      mediaOf: (legIds: readonly LegUuid[]) => media.dumpOf(legIds),
    }
    const statsOf = (legId: LegUuid) => media.statsOf(legId)
    this.calls = new CallControl({ exchange, runner, store: store.calls, statsOf, admission, clock, dumps })
    this.latencies = parts.latencies
    this.#parts = parts
  }

  /**
   * Opens the database, the media threads and the SIP listeners. Rejects, with everything closed again, when one of
   * them cannot be had: a `StoreError`, or a `ListenError`.
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

  /** The certificate of listeners over TLS, as it is now; undefined when none is set. */
  get tls(): TlsIdentityFiles | undefined {
    return this.#parts.tls
  }

  /** Where recordings are once they have ended; undefined: in the data folder. */
  get recordingStorage(): RecordingStorage | undefined {
    return this.#parts.recordings?.storage
  }

  /** Recordings that have ended and are not in the storage yet. */
  get recordingsWaiting(): number {
    return this.#parts.recordings?.waiting() ?? 0
  }

  /** A softphone of the end-user is registered now. */
  isRegistered(endUserUuid: string): boolean {
    return this.#parts.signaling.isRegistered(endUserUuid)
  }

  /** Where the end-user's softphones are registered from. */
  phonesOf(endUserUuid: string): readonly RegisteredPhone[] {
    return this.#parts.signaling.phonesOf(endUserUuid)
  }

  /** What is known of a trunk from registering with it and pinging it. */
  trunkHealth(trunkUuid: string): TrunkHealth {
    return this.#parts.signaling.trunkHealth(trunkUuid as TrunkUuid)
  }

  /** Sends OPTIONS to a trunk now. Undefined: there is no such trunk, or it only calls in. */
  testTrunk(trunkUuid: string): Promise<TrunkTest | undefined> {
    return this.#parts.signaling.testTrunk(trunkUuid as TrunkUuid)
  }

  /**
   * Calls a number through the trunk: sends tones and looks for them in what comes back. No account's call, no money.
   * Undefined: there is no such trunk, or it only calls in.
   */
  async testCall(
    trunkUuid: string,
    { to, from, signal }: TestCallOrder,
  ): Promise<TestCallResult | TestRefusal | undefined> {
    const trunk = this.repositories.trunks.get(trunkUuid)
    if (trunk === undefined || trunk.host === '') return undefined
    return await this.#parts.trunkCalls.place(trunk, to, from, signal)
  }

  /**
   * SIP over WebSocket (RFC 7118): takes over a handshake that an HTTP server was asked for, path and origin looked at.
   * Of a refused one nothing has been written. `clientAddress`: the phone's, where a proxy stands between.
   */
  acceptWebSocket(request: IncomingMessage, socket: Duplex, head: Buffer, clientAddress?: string): PhoneUpgrade {
    // Behind a proxy that ends TLS the phone has come by wss, whatever the last hop was.
    const isSecure = request.socket instanceof TLSSocket || this.settings.publicUrl.startsWith('https:')
    const transport = isSecure ? 'wss' : 'ws'
    return this.#parts.signaling.upgrade(request, socket, head, transport, clientAddress)
  }

  /** Closes the WebSockets that `acceptWebSocket` has taken: the HTTP server that they came by cannot close before. */
  disconnectWebSockets(): Promise<void> {
    return this.#parts.signaling.disconnectWebSockets()
  }

  /** What is recorded of calls; undefined: nothing is. */
  get traces(): CallTraces | undefined {
    return this.#parts.traces
  }

  /** Whose audio an operator has captured; undefined: nothing is recorded. */
  get captures(): AudioCaptures | undefined {
    return this.#parts.captures
  }

  get isDraining(): boolean {
    return this.#parts.exchange.isDraining
  }

  /** False when the database, the SIP listeners or a media thread fail, and while draining. */
  async health(): Promise<boolean> {
    if (this.isDraining || this.#closing !== undefined) return false
    const { signaling, store, clock } = this.#parts
    if (signaling.listeners().length === 0 && this.settings.sip.listeners.length > 0) return false
    if (!store.isWritable) return false
    // This asks the disk and the threads of media, and anyone may ask for it.
    if (this.#works === undefined || clock.now() - this.#works.askedAt >= sharedHealthMs)
      this.#works = { askedAt: clock.now(), isGood: this.#doesWork() }
    return this.#works.isGood
  }

  #doesWork(): Promise<boolean> {
    const { media, store, clock } = this.#parts
    const works = Promise.all([store.heartbeat.beat(clock.unixMs()), media.counters()]).then(
      ([, { threadsSilent }]) => threadsSilent === 0,
      () => false,
    )
    return Promise.race([works, sleep(healthTimeoutMs, false, { ref: false })])
  }

  async counters(): Promise<SwitchCounters> {
    const { exchange, signaling, media, store, delivery, audio, admission, invitesDropped, names, traces } = this.#parts
    return {
      exchange: { ...exchange.counters, liveCalls: exchange.live().length, calls: exchange.size },
      signaling: signaling.counters(),
      media: await media.counters(),
      store: store.counters,
      admission: {
        ...admission.counters,
        invitesDropped: invitesDropped(),
        rate: admission.rate,
        pressure: admission.load.pressure,
        measures: admission.load.measures,
      },
      callbacks: { backlog: delivery.backlog },
      names: { ...names.counters },
      speech: audio.speechCounters,
      traces: traces?.counters,
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
