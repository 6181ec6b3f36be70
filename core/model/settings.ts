import type { VoiceName } from './engine-voice.ts'
import type { Quotas } from './quota.ts'

/** What SIP may be listened to by, and whether that needs the certificate of `tls`. */
const listenerTransports = { udp: false, tcp: false, tls: true, wss: true } as const
export const listenerTransportNames: readonly string[] = Object.keys(listenerTransports)

/** Where SIP is listened to: `udp:0.0.0.0:5060`. Port 0 lets the system choose. */
export interface SipListener {
  readonly transport: keyof typeof listenerTransports
  readonly address: string
  readonly port: number
}

export const needsCertificate = ({ transport }: SipListener): boolean => listenerTransports[transport]

/** Where HTTP is listened to: `127.0.0.1:8080`, `https:0.0.0.0:8443`. Port 0 lets the system choose. */
export interface HttpListener {
  readonly scheme: 'http' | 'https'
  readonly address: string
  readonly port: number
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

/** Everything that can be set (docs/settings.md), checked whole and frozen. Defaults: `defaultSettings`. */
export interface Settings {
  /** Folder of the database, recordings, assets and secrets. */
  readonly dataFolder: string
  /** `postgres://…`, or undefined for SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  /** Listeners of API, pages, stream, and SIP over WebSocket; at least one. */
  readonly http: readonly HttpListener[]
  /** Base address that customers see, without a trailing slash. */
  readonly publicUrl: string
  readonly sip: {
    readonly listeners: readonly SipListener[]
    readonly realm: string
  }
  /** PEM files of the `https:`, `tls:` and `wss:` listeners' certificate (with its chain) and key; undefined = none. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
  /** Address written in SDP and Contact; undefined = the address of the interface that the peer is reached by. */
  readonly externalAddresses: readonly string[]
  readonly media: {
    /** UDP ports for RTP, inclusive; even ones carry RTP, the next odd one RTCP. */
    readonly ports: readonly [first: number, last: number]
    /** Media threads; 0 = in the main thread. */
    readonly workers: number
    /** A leg without RTP for so long ends its call (END.0212). */
    readonly timeoutSeconds: number
    /** DTLS: a certificate is accepted by its SHA-1 fingerprint where SDP names no stronger one. */
    readonly weakFingerprints: boolean
  }
  readonly recorder: {
    /** Memory for the traces of calls; 0 = nothing is recorded. */
    readonly memoryMb: number
    /** Disk for the traces of ended calls; 0 = they are kept in memory alone. */
    readonly diskMb: number
    /** Traces on the disk are removed after so many hours. */
    readonly hours: number
    /** Headers of RTP kept of each leg, the newest; 0 = of telephone-events alone. */
    readonly rtpHeaders: number
  }
  /** The Homer server that SIP messages of calls go to by HEP3; `address` may be a name. */
  readonly hep: { readonly address: string; readonly port: number } | undefined
  /** Beyond these new calls are refused with 503 (docs/operations.md); 0 = that one is not looked at. */
  readonly admission: {
    /** Mean delay of the signalling thread's event loop. */
    readonly loopDelayMs: number
    /** How long INVITEs wait to be read. */
    readonly inviteWaitMs: number
    /** Units of work that wait for their commit. */
    readonly storeBacklog: number
    /** Share of its ticks that a media thread had to skip. */
    readonly mediaLatePercent: number
    /** Share of its time that a media thread works. */
    readonly mediaBusyPercent: number
    /** Share of the memory that the process may have, or of the JavaScript heap, whichever is fuller. */
    readonly memoryPercent: number
  }
  /** Undefined = generated into the data folder at first start. */
  readonly operatorKey: string | undefined
  /** Webhooks, Play and `<Sip>` may reach private, loopback and link-local addresses. */
  readonly allowPrivateUrls: boolean
  /** DNS servers, as `192.0.2.53` or `192.0.2.53:5353`; empty = the system's. */
  readonly dns: readonly string[]
  /** What a minted phone token's `iceServers` name; both may be empty. */
  readonly ice: {
    /** `stun:host:port`. */
    readonly stun: readonly string[]
    /** `turn:host:port?transport=udp`, `turns:…`; their credentials are made from `turnSecret` (TURN REST). */
    readonly turn: readonly string[]
    /** Shared with the TURN server (coturn: `static-auth-secret`). */
    readonly turnSecret: string | undefined
  }
  readonly speech: {
    /** The operator's names for voices, for languages (`sw`), and for documents that name none (`default`). */
    readonly voices: readonly VoiceName[]
    /** Piper's executable. */
    readonly piper: string
    /** Folder of Piper's models; undefined = no Piper. */
    readonly piperVoices: string | undefined
    /** A server that speaks OpenAI's `POST /v1/audio/speech`; undefined = none. */
    readonly openaiUrl: string | undefined
    readonly openaiKey: string | undefined
    readonly openaiModel: string
    /** What it is asked for; `pcm` is 24,000 Hz. */
    readonly openaiFormat: 'wav' | 'pcm'
  }
  /** Web pages that may open the stream and the phone's WebSocket, as `https://app.example.com`; `*` = all. */
  readonly allowedOrigins: readonly string[]
  /** Proxies whose `X-Forwarded-For` is accepted: addresses and networks. */
  readonly trustedProxies: readonly string[]
  /** Addresses and networks that may read /metrics without the operator key. */
  readonly metricsHosts: readonly string[]
  /** Recordings are purged so many days after they were made; 0 = never. */
  readonly recordingDays: number
  /** Events are purged so many days after they happened; 0 = never. */
  readonly eventDays: number
  /** What an account may store and hold open, where the operator has said nothing else of it. */
  readonly quotas: Quotas
  readonly log: LogLevel
  readonly drainSeconds: number
}

export const defaultSettings: Settings = Object.freeze({
  dataFolder: './data',
  databaseUrl: undefined,
  http: [Object.freeze({ scheme: 'http', address: '127.0.0.1', port: 8080 })],
  publicUrl: 'http://localhost:8080',
  sip: {
    listeners: [
      { transport: 'udp', address: '0.0.0.0', port: 5060 },
      { transport: 'tcp', address: '0.0.0.0', port: 5060 },
    ],
    realm: 'localhost',
  },
  tls: undefined,
  externalAddresses: [],
  media: { ports: [10000, 20000], workers: 1, timeoutSeconds: 60, weakFingerprints: false },
  recorder: { memoryMb: 32, diskMb: 1000, hours: 48, rtpHeaders: 0 },
  hep: undefined,
  admission: {
    loopDelayMs: 10,
    inviteWaitMs: 20,
    storeBacklog: 500,
    mediaLatePercent: 5,
    mediaBusyPercent: 85,
    memoryPercent: 85,
  },
  operatorKey: undefined,
  allowPrivateUrls: false,
  dns: [],
  ice: { stun: [], turn: [], turnSecret: undefined },
  speech: {
    voices: [],
    piper: 'piper',
    piperVoices: undefined,
    openaiUrl: undefined,
    openaiKey: undefined,
    openaiModel: 'tts-1',
    openaiFormat: 'wav',
  },
  allowedOrigins: [],
  trustedProxies: [],
  metricsHosts: [],
  recordingDays: 90,
  eventDays: 90,
  quotas: {
    assetBytes: 1_000_000_000,
    recordingBytes: 20_000_000_000,
    documents: 1000,
    endUsers: 1000,
    liveTokens: 5000,
    streamConnections: 5000,
  },
  log: 'info',
  drainSeconds: 30,
} as const)
