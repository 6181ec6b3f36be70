import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type {
  AccountUuid,
  AudioCapture,
  CallFilter,
  CallPage,
  CallRecord,
  CallSummary,
  LatencyListener,
  LiveCall,
  LiveCallDump,
  Log,
  OriginateOrder,
  OriginateRefusal,
  OriginateResult,
  PhoneUpgrade,
  RecordingStorage,
  RegisteredPhone,
  Repositories,
  Settings,
  SipListener,
  SwitchCounters,
  TestCallOrder,
  TestCallResult,
  TestRefusal,
  TlsIdentityFiles,
  TraceAnswer,
  TraceQuery,
  TrunkHealth,
  TrunkTest,
} from '../../core/index.ts'

/** A certificate that may be replaced while the switch runs. */
export type TlsFiles = Pick<TlsIdentityFiles, 'current' | 'expiresUnix' | 'onReplaced'>

/** What the HTTP side asks of a switch, and what `Switch` offers. Tests fill it without telephony. */
export interface SwitchDoor {
  readonly settings: Settings
  readonly log: Log
  readonly repositories: Repositories
  readonly calls: CallDoor
  readonly isDraining: boolean
  /** Whether a softphone of the end-user is registered now; without a registrar none is. */
  isRegistered?(endUserUuid: string): boolean
  /** Where the end-user's phones are registered from. */
  phonesOf?(endUserUuid: string): readonly RegisteredPhone[]
  /** What is known of a trunk from registering with it and pinging it. */
  trunkHealth?(trunkUuid: string): TrunkHealth
  /** Sends OPTIONS (RFC 3261 §11) to a trunk now; resolves with whether it answered, and how soon. */
  testTrunk?(trunkUuid: string): Promise<TrunkTest | undefined>
  /** Calls a number through the trunk and looks for its own tones in what comes back. */
  testCall?(trunkUuid: string, order: TestCallOrder): Promise<TestCallResult | TestRefusal | undefined>
  /** SIP over WebSocket at `/sip`; without it there is none. `clientAddress`: the phone's, before any trusted proxy. */
  acceptWebSocket?(request: IncomingMessage, socket: Duplex, head: Buffer, clientAddress?: string): PhoneUpgrade
  /** Closes what `acceptWebSocket` has taken. */
  disconnectWebSockets?(): Promise<void>
  /** What it counts; without them /metrics shows less. */
  counters?(): Promise<SwitchCounters>
  readonly latencies?: { subscribe(listener: LatencyListener): () => void }
  /** What the flight recorder keeps; undefined: nothing is recorded. */
  readonly traces?: TraceDoor | undefined
  /** Whose audio goes into the traces; undefined: nothing is recorded. */
  readonly captures?: CaptureDoor | undefined
  /** The certificate of listeners over TLS; undefined when none is set. */
  readonly tls?: TlsFiles | undefined
  /** Where recordings are once they have ended; undefined: in the data folder. */
  readonly recordingStorage?: RecordingStorage | undefined
  /** False when the database, a SIP listener or a media thread fails, and while draining. */
  health(): Promise<boolean>
  /** No new calls; live ones get `seconds` (default: the settings' `drainSeconds`), then END.5503. */
  drain(seconds?: number): void
  resume(): void
}

/** A switch that was opened for this process alone: its opener closes it. */
export interface OwnedSwitch extends SwitchDoor {
  /** Where SIP listens, with the ports that the system chose. */
  readonly sipListeners: readonly SipListener[]
  close(): Promise<void>
}

interface TraceDoor {
  /** By uuid or sid, as bytes that are sent as they are; undefined: nothing is kept of such a call. */
  read(id: string, query: TraceQuery): Promise<TraceAnswer | undefined>
}

interface CaptureDoor {
  readonly all: readonly AudioCapture[]
  /** By uuid or sid; undefined: no such call lives. */
  ofCall(id: string, seconds: number): AudioCapture | 'too-many' | undefined
  ofAccount(account: AccountUuid, seconds: number): AudioCapture | 'too-many'
  /** False: there is none. */
  end(uuid: string): boolean
}

export interface CallDoor {
  originate(order: OriginateOrder): Promise<OriginateResult>
  /** Why the account may place no call now, by load; undefined: it may. */
  refuseNewCalls?(account: AccountUuid): OriginateRefusal | undefined
  /** The call as it is once it has ended; one that had ended already is unchanged. */
  hangup(account: AccountUuid, sid: string): Promise<CallRecord | undefined>
  get(account: AccountUuid, uuid: string): Promise<CallRecord | undefined>
  list(account: AccountUuid, filter: CallFilter): Promise<CallPage>
  /** The same, each call in JSON as the API shows it. */
  listTexts(
    account: AccountUuid,
    filter: CallFilter,
  ): Promise<{ readonly rows: readonly string[]; readonly total: number }>
  /** How many calls began in each `sliceMs` since then, and why those that failed did. Without it there are no plots. */
  summary?(account: AccountUuid, fromUnix: number, sliceMs: number): Promise<CallSummary>
  /** Calls of all accounts that have not ended. */
  live(): readonly LiveCall[]
  /** The state of a call that has not ended, by uuid or sid; without it there are no dumps. */
  dump?(id: string): Promise<LiveCallDump | undefined>
  /** How many of them are the account's. */
  liveOf(account: AccountUuid): number
}
