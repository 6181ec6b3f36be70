/** Where SIP is listened to: `udp:0.0.0.0:5060`. Port 0 lets the system choose. */
export interface SipListener {
  readonly transport: 'udp' | 'tcp' | 'tls' | 'wss'
  readonly address: string
  readonly port: number
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

/** Everything that can be set (decisions §7), checked whole and frozen. Defaults: `defaultSettings`. */
export interface Settings {
  /** Folder of the database, recordings, assets and secrets. */
  readonly dataFolder: string
  /** `postgres://…`, or undefined for SQLite in the data folder. */
  readonly databaseUrl: string | undefined
  readonly http: { readonly address: string; readonly port: number }
  /** Base address that customers see, without a trailing slash. */
  readonly publicUrl: string
  readonly sip: {
    readonly listeners: readonly SipListener[]
    readonly realm: string
  }
  /** Address written in SDP and Contact; undefined = the address of the interface that the peer is reached by. */
  readonly externalAddress: string | undefined
  readonly media: {
    /** UDP ports for RTP, inclusive; even ones carry RTP, the next odd one RTCP. */
    readonly ports: readonly [first: number, last: number]
    /** Media threads; 0 = in the main thread. */
    readonly workers: number
    /** A leg without RTP for so long ends its call (END.0212). */
    readonly timeoutSeconds: number
  }
  /** Undefined = generated into the data folder at first start. */
  readonly operatorKey: string | undefined
  /** Webhooks and Play may reach private, loopback and link-local addresses. */
  readonly allowPrivateUrls: boolean
  readonly log: LogLevel
  readonly drainSeconds: number
}

export const defaultSettings: Settings = Object.freeze({
  dataFolder: './data',
  databaseUrl: undefined,
  http: { address: '127.0.0.1', port: 8080 },
  publicUrl: 'http://localhost:8080',
  sip: {
    listeners: [
      { transport: 'udp', address: '0.0.0.0', port: 5060 },
      { transport: 'tcp', address: '0.0.0.0', port: 5060 },
    ],
    realm: 'localhost',
  },
  externalAddress: undefined,
  media: { ports: [10000, 20000], workers: 1, timeoutSeconds: 60 },
  operatorKey: undefined,
  allowPrivateUrls: false,
  log: 'info',
  drainSeconds: 30,
} as const)
