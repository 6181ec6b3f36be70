import {
  databaseUrl,
  externalAddress,
  flag,
  http,
  integer,
  list,
  listeners,
  mediaPorts,
  network,
  oneOf,
  origin,
  type ParsedOption,
  publicUrl,
  secret,
  serverUrl,
  stunUri,
  text,
  turnUri,
  voices,
} from './setting-values.ts'

/** One setting: its three names, what it means, and how its value is read from text or from YAML. */
export interface SettingOption {
  /** Path in the settings file. */
  readonly path: string
  readonly environment?: string
  /** Without dashes. A secret has none: every user of the machine can read a command line. */
  readonly flag?: string
  readonly help: string
  readonly parse: (value: unknown) => ParsedOption
}

/** Every setting (decisions §7), in the order of the help text. */
export const settingOptions: readonly SettingOption[] = [
  {
    path: 'data',
    environment: 'SAUTI_DATA',
    flag: 'data',
    help: 'folder of the database, recordings, assets, secrets (./data)',
    parse: text('folder'),
  },
  {
    path: 'database_url',
    environment: 'SAUTI_DATABASE_URL',
    help: 'postgres://… (SQLite in the data folder)',
    parse: databaseUrl,
  },
  {
    path: 'http',
    environment: 'SAUTI_HTTP',
    flag: 'http',
    help: 'address:port of the API (127.0.0.1:8080)',
    parse: http,
  },
  {
    path: 'public_url',
    environment: 'SAUTI_PUBLIC_URL',
    flag: 'public-url',
    help: 'base address that customers see (http://localhost:8080)',
    parse: publicUrl,
  },
  {
    path: 'sip.listen',
    environment: 'SAUTI_SIP',
    flag: 'sip',
    help: 'comma list of transport:address:port (udp:0.0.0.0:5060,tcp:0.0.0.0:5060)',
    parse: listeners,
  },
  {
    path: 'sip.realm',
    environment: 'SAUTI_SIP_REALM',
    flag: 'sip-realm',
    help: 'SIP domain (localhost)',
    parse: text('SIP domain'),
  },
  {
    path: 'tls.cert',
    environment: 'SAUTI_TLS_CERT',
    help: 'PEM file: certificate and chain of tls: and wss: listeners (none)',
    parse: text('file'),
  },
  {
    path: 'tls.key',
    environment: 'SAUTI_TLS_KEY',
    help: 'PEM file: the private key of that certificate (none)',
    parse: text('file'),
  },
  {
    path: 'external_address',
    environment: 'SAUTI_EXTERNAL_ADDRESS',
    flag: 'external-address',
    help: 'IP address written in SDP and Contact (detected)',
    parse: externalAddress,
  },
  {
    path: 'media.ports',
    environment: 'SAUTI_MEDIA_PORTS',
    flag: 'media-ports',
    help: 'UDP ports for RTP (10000-20000)',
    parse: mediaPorts,
  },
  {
    path: 'media.workers',
    environment: 'SAUTI_MEDIA_WORKERS',
    flag: 'media-workers',
    help: 'media threads, 0 = in the main thread (cores − 1)',
    parse: integer(0, 256),
  },
  {
    path: 'media.timeout_seconds',
    flag: 'media-timeout',
    help: 'a leg without RTP for so long ends its call (60)',
    parse: integer(1, 86_400),
  },
  {
    path: 'operator_key',
    environment: 'SAUTI_OPERATOR_KEY',
    help: 'operator secret (made at first start)',
    parse: secret(200),
  },
  {
    path: 'allow_private_urls',
    environment: 'SAUTI_ALLOW_PRIVATE_URLS',
    flag: 'allow-private-urls',
    help: 'webhooks, Play and Sip may reach private and loopback addresses (0)',
    parse: flag,
  },
  {
    path: 'ice.stun',
    environment: 'SAUTI_STUN',
    flag: 'stun',
    help: 'comma list of STUN servers for browser phones (none)',
    parse: list(stunUri, 'stun:stun.example.com:3478'),
  },
  {
    path: 'ice.turn',
    environment: 'SAUTI_TURN',
    flag: 'turn',
    help: 'comma list of TURN servers for browser phones (none)',
    parse: list(turnUri, 'turn:turn.example.com:3478?transport=udp'),
  },
  {
    path: 'ice.turn_secret',
    environment: 'SAUTI_TURN_SECRET',
    help: "secret shared with the TURN servers, coturn's static-auth-secret",
    parse: secret(500),
  },
  {
    path: 'speech.voices',
    environment: 'SAUTI_SPEECH_VOICES',
    flag: 'speech-voices',
    help: 'comma list of names for voices, sw=piper:sw_CD-lanfrica-medium,alice=openai:nova,default=espeak:en-gb (none)',
    parse: voices,
  },
  {
    path: 'speech.piper',
    environment: 'SAUTI_PIPER',
    flag: 'piper',
    help: "Piper's executable (piper)",
    parse: text('program'),
  },
  {
    path: 'speech.piper_voices',
    environment: 'SAUTI_PIPER_VOICES',
    flag: 'piper-voices',
    help: "folder of Piper's models, each NAME.onnx with its NAME.onnx.json (no Piper)",
    parse: text('folder'),
  },
  {
    path: 'speech.openai_url',
    environment: 'SAUTI_OPENAI_URL',
    help: 'speech server with the API of OpenAI, https://api.openai.com/v1 (none)',
    parse: serverUrl,
  },
  {
    path: 'speech.openai_key',
    environment: 'SAUTI_OPENAI_KEY',
    help: 'key that the speech server is shown (none)',
    parse: secret(500),
  },
  {
    path: 'speech.openai_model',
    environment: 'SAUTI_OPENAI_MODEL',
    flag: 'openai-model',
    help: 'model that the speech server is asked for (tts-1)',
    parse: text('model'),
  },
  {
    path: 'speech.openai_format',
    environment: 'SAUTI_OPENAI_FORMAT',
    flag: 'openai-format',
    help: 'what the speech server is asked to give, wav or pcm (wav)',
    parse: oneOf(['wav', 'pcm']),
  },
  {
    path: 'allowed_origins',
    environment: 'SAUTI_ALLOWED_ORIGINS',
    flag: 'allowed-origins',
    help: 'comma list of web origins that may open the stream and the phone, * = all (only our own and loopback)',
    parse: list(origin, 'https://app.example.com'),
  },
  {
    path: 'trusted_proxies',
    environment: 'SAUTI_TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    help: 'comma list of proxies whose X-Forwarded-For is believed (none)',
    parse: list(network, '127.0.0.1 or 10.0.0.0/8'),
  },
  {
    path: 'metrics_hosts',
    environment: 'SAUTI_METRICS_HOSTS',
    flag: 'metrics-hosts',
    help: 'comma list of addresses that read /metrics without the operator key (none)',
    parse: list(network, '127.0.0.1 or 10.0.0.0/8'),
  },
  {
    path: 'recording_days',
    environment: 'SAUTI_RECORDING_DAYS',
    flag: 'recording-days',
    help: 'recordings are purged after so many days, 0 = never (90)',
    parse: integer(0, 36_500),
  },
  {
    path: 'event_days',
    environment: 'SAUTI_EVENT_DAYS',
    flag: 'event-days',
    help: 'events are purged after so many days, 0 = never (90)',
    parse: integer(0, 36_500),
  },
  {
    path: 'log',
    environment: 'SAUTI_LOG',
    flag: 'log',
    help: 'error, warn, info or debug (info)',
    parse: oneOf(['error', 'warn', 'info', 'debug']),
  },
  {
    path: 'drain.seconds',
    flag: 'drain-seconds',
    help: 'how long live calls may go on after SIGTERM (30)',
    parse: integer(0, 86_400),
  },
]
