import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultSettings } from '../../core/model/settings.ts'
import { parseSettings, type SettingsSources } from '../../core/settings.ts'
import { settingOptions } from '../../core/settings-options.ts'

const settingsOf = (sources: SettingsSources) => {
  const parsed = parseSettings(sources)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.settings
}
const problemsOf = (sources: SettingsSources) => {
  const parsed = parseSettings(sources)
  return parsed.ok ? [] : parsed.problems
}

test('nothing given: the defaults', () => {
  assert.equal(settingsOf({}), { ...defaultSettings, media: { ...defaultSettings.media, workers: 1 } })
})

test('media threads are one less than the cores, at least one', () => {
  for (const [cores, workers] of [
    [1, 1],
    [2, 1],
    [3, 2],
    [16, 15],
  ] as const) {
    assert.is(settingsOf({ cores }).media.workers, workers)
  }
})

const readable: readonly [
  name: string,
  written: string,
  read: (s: ReturnType<typeof settingsOf>) => unknown,
  value: unknown,
][] = [
  ['SAUTI_DATA', '/var/lib/sauti', s => s.dataFolder, '/var/lib/sauti'],
  ['SAUTI_DATABASE_URL', 'postgres://u:p@db/sauti', s => s.databaseUrl, 'postgres://u:p@db/sauti'],
  ['SAUTI_HTTP', '0.0.0.0:9090', s => s.http, [{ scheme: 'http', address: '0.0.0.0', port: 9090 }]],
  ['SAUTI_HTTP', '[::1]:0', s => s.http, [{ scheme: 'http', address: '::1', port: 0 }]],
  ['SAUTI_HTTP', '127.0.0.1:9191', s => s.publicUrl, 'http://localhost:9191'],
  ['SAUTI_PUBLIC_URL', 'https://voice.example.com/', s => s.publicUrl, 'https://voice.example.com'],
  ['SAUTI_PUBLIC_URL', 'http://[::1]:80/base/', s => s.publicUrl, 'http://[::1]:80/base'],
  [
    'SAUTI_SIP',
    'udp:127.0.0.1:5070, tcp:[::]:5071',
    s => s.sip.listeners,
    [
      { transport: 'udp', address: '127.0.0.1', port: 5070 },
      { transport: 'tcp', address: '::', port: 5071 },
    ],
  ],
  ['SAUTI_SIP_REALM', 'sip.example.com', s => s.sip.realm, 'sip.example.com'],
  ['SAUTI_EXTERNAL_ADDRESS', '203.0.113.7', s => s.externalAddresses, ['203.0.113.7']],
  ['SAUTI_MEDIA_PORTS', '30000-30100', s => s.media.ports, [30000, 30100]],
  ['SAUTI_MEDIA_WORKERS', '0', s => s.media.workers, 0],
  ['SAUTI_RECORDER_MEMORY_MB', '8', s => s.recorder.memoryMb, 8],
  ['SAUTI_RECORDER_DISK_MB', '0', s => s.recorder.diskMb, 0],
  ['SAUTI_RECORDER_HOURS', '12', s => s.recorder.hours, 12],
  ['SAUTI_RECORDER_RTP_HEADERS', '500', s => s.recorder.rtpHeaders, 500],
  ['SAUTI_HEP', 'udp:192.0.2.9:9060', s => s.hep, { address: '192.0.2.9', port: 9060 }],
  ['SAUTI_HEP', 'udp:[2001:db8::9]:9060', s => s.hep, { address: '2001:db8::9', port: 9060 }],
  ['SAUTI_HEP', 'udp:homer.example.com:9060', s => s.hep, { address: 'homer.example.com', port: 9060 }],
  ['SAUTI_HEP', 'udp:localhost:9060', s => s.hep, { address: 'localhost', port: 9060 }],
  ['SAUTI_QUOTA_ASSET_MB', '5', s => s.quotas.assetBytes, 5_000_000],
  ['SAUTI_QUOTA_RECORDING_MB', '0', s => s.quotas.recordingBytes, 0],
  ['SAUTI_QUOTA_DOCUMENTS', '7', s => s.quotas.documents, 7],
  ['SAUTI_QUOTA_END_USERS', '8', s => s.quotas.endUsers, 8],
  ['SAUTI_QUOTA_LIVE_TOKENS', '9', s => s.quotas.liveTokens, 9],
  ['SAUTI_QUOTA_STREAM_CONNECTIONS', '10', s => s.quotas.streamConnections, 10],
  ['SAUTI_OPERATOR_KEY', 'op-secret', s => s.operatorKey, 'op-secret'],
  ['SAUTI_ALLOW_PRIVATE_URLS', '1', s => s.allowPrivateUrls, true],
  ['SAUTI_ALLOW_PRIVATE_URLS', '0', s => s.allowPrivateUrls, false],
  [
    'SAUTI_DNS',
    '192.0.2.53, 192.0.2.53:5353,2001:db8::53,[2001:db8::53]:5353',
    s => s.dns,
    ['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]:5353'],
  ],
  ['SAUTI_STUN', 'stun:a.test, stun:[::1]:3478', s => s.ice.stun, ['stun:a.test', 'stun:[::1]:3478']],
  ['SAUTI_TURN_SECRET', 's3cret', s => s.ice.turnSecret, 's3cret'],
  [
    'SAUTI_ALLOWED_ORIGINS',
    'https://App.test:8443,http://localhost:3000,https://app.test:8443',
    s => s.allowedOrigins,
    ['https://app.test:8443', 'http://localhost:3000'],
  ],
  ['SAUTI_ALLOWED_ORIGINS', '*', s => s.allowedOrigins, ['*']],
  [
    'SAUTI_METRICS_HOSTS',
    '127.0.0.1,10.0.0.0/8,fd00::/8',
    s => s.metricsHosts,
    ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'],
  ],
  ['SAUTI_RECORDING_DAYS', '7', s => s.recordingDays, 7],
  ['SAUTI_EVENT_DAYS', '7', s => s.eventDays, 7],
  ['SAUTI_LOG', 'debug', s => s.log, 'debug'],
  [
    'SAUTI_SPEECH_VOICES',
    'woman=espeak:en-us+f3, default=espeak',
    s => s.speech.voices,
    [
      { name: 'woman', engine: 'espeak', voice: 'en-us+f3' },
      { name: 'default', engine: 'espeak' },
    ],
  ],
  ['SAUTI_PIPER', '/opt/piper/piper', s => s.speech.piper, '/opt/piper/piper'],
  ['SAUTI_PIPER_VOICES', '/var/lib/piper', s => s.speech.piperVoices, '/var/lib/piper'],
  ['SAUTI_OPENAI_URL', 'http://10.0.0.5:8880/v1', s => s.speech.openaiUrl, 'http://10.0.0.5:8880/v1'],
  ['SAUTI_OPENAI_KEY', 'sk-1', s => s.speech.openaiKey, 'sk-1'],
  ['SAUTI_OPENAI_MODEL', 'kokoro', s => s.speech.openaiModel, 'kokoro'],
  ['SAUTI_OPENAI_FORMAT', 'PCM', s => s.speech.openaiFormat, 'pcm'],
  ['SAUTI_HTTP', '', s => s.http, defaultSettings.http],
]
for (const [name, written, read, value] of readable) {
  test(`${name}=${written}`, () => assert.equal(read(settingsOf({ environment: { [name]: written } })), value))
}

const unreadable: readonly [name: string, written: string][] = [
  ['SAUTI_DATA', '  '],
  ['SAUTI_DATABASE_URL', 'mysql://x'],
  ['SAUTI_HEP', 'udp:999.1.1.1:9060'],
  ['SAUTI_HEP', 'tcp:192.0.2.9:9060'],
  ['SAUTI_HEP', 'udp:homer:0'],
  ['SAUTI_HTTP', '8080'],
  ['SAUTI_HTTP', '127.0.0.1:65536'],
  ['SAUTI_HTTP', '127.0.0.300:80'],
  ['SAUTI_HTTP', 'http://127.0.0.1:80'],
  ['SAUTI_PUBLIC_URL', 'voice.example.com'],
  ['SAUTI_PUBLIC_URL', 'ftp://voice.example.com'],
  ['SAUTI_PUBLIC_URL', 'http://user@voice.example.com'],
  ['SAUTI_SIP', 'udp:0.0.0.0'],
  ['SAUTI_SIP', 'sctp:0.0.0.0:5060'],
  ['SAUTI_SIP', 'udp:0.0.0.0:5060,udp:0.0.0.0:5060'],
  ['SAUTI_SIP', ','],
  ['SAUTI_EXTERNAL_ADDRESS', 'example.com'],
  ['SAUTI_MEDIA_PORTS', '10001-20000'],
  ['SAUTI_MEDIA_PORTS', '20000-10000'],
  ['SAUTI_MEDIA_PORTS', '10000'],
  ['SAUTI_MEDIA_PORTS', '80-90'],
  ['SAUTI_MEDIA_PORTS', '60000-70000'],
  ['SAUTI_MEDIA_WORKERS', '-1'],
  ['SAUTI_MEDIA_WORKERS', '1.5'],
  ['SAUTI_MEDIA_WORKERS', '1e1'],
  ['SAUTI_OPERATOR_KEY', 'with space'],
  ['SAUTI_ALLOW_PRIVATE_URLS', 'maybe'],
  ['SAUTI_DNS', 'dns.example.com'],
  ['SAUTI_DNS', '192.0.2.300'],
  ['SAUTI_DNS', '192.0.2.53:0'],
  ['SAUTI_DNS', '192.0.2.53:65536'],
  ['SAUTI_DNS', '192.0.2.0/24'],
  ['SAUTI_DNS', '[192.0.2.53'],
  ['SAUTI_STUN', 'a.test:3478'],
  ['SAUTI_STUN', 'stun:a.test,'],
  ['SAUTI_TURN', 'stun:a.test'],
  ['SAUTI_TURN', 'turn:a.test?transport=sctp'],
  ['SAUTI_ALLOWED_ORIGINS', 'app.test'],
  ['SAUTI_ALLOWED_ORIGINS', 'https://app.test/path'],
  ['SAUTI_METRICS_HOSTS', 'localhost'],
  ['SAUTI_METRICS_HOSTS', '10.0.0.0/33'],
  ['SAUTI_METRICS_HOSTS', '10.0.0.300'],
  ['SAUTI_SPEECH_VOICES', 'alice=polly:Joanna'],
  ['SAUTI_SPEECH_VOICES', 'espeak:sw'],
  ['SAUTI_SPEECH_VOICES', 'a=espeak:sw,A=espeak:en'],
  ['SAUTI_OPENAI_URL', 'api.openai.com'],
  ['SAUTI_OPENAI_URL', 'https://user:key@api.openai.com'],
  ['SAUTI_OPENAI_KEY', 'with space'],
  ['SAUTI_OPENAI_FORMAT', 'mp3'],
  ['SAUTI_RECORDING_DAYS', '-1'],
  ['SAUTI_EVENT_DAYS', '-1'],
  ['SAUTI_LOG', 'loud'],
]
for (const [name, written] of unreadable) {
  test(`${name}=${written} is a problem with its name`, () => {
    assert.equal(
      problemsOf({ environment: { [name]: written } }).map(problem => problem.name),
      [name],
    )
  })
}

test('TURN servers need the secret that their credentials are made of', () => {
  const SAUTI_TURN = 'turn:turn.test:3478?transport=udp,turns:turn.test:5349'
  assert.equal(
    problemsOf({ environment: { SAUTI_TURN } }).map(problem => problem.name),
    ['SAUTI_TURN_SECRET'],
  )
  const { ice } = settingsOf({ environment: { SAUTI_TURN, SAUTI_TURN_SECRET: 'x' } })
  assert.equal(ice, { stun: [], turn: SAUTI_TURN.split(','), turnSecret: 'x' })
})

test('a name for a voice needs its engine', () => {
  for (const [voice, wanted, value] of [
    ['sw=piper:sw_CD-x', 'SAUTI_PIPER_VOICES', '/voices'],
    ['alice=openai:nova', 'SAUTI_OPENAI_URL', 'http://localhost:8880'],
  ] as const) {
    const problems = problemsOf({ environment: { SAUTI_SPEECH_VOICES: `a=espeak,${voice}` } })
    assert.equal(
      problems.map(problem => problem.name),
      [wanted],
    )
    assert.equal(problemsOf({ environment: { SAUTI_SPEECH_VOICES: voice, [wanted]: value } }), [])
  }
})

test('flags win over the environment, that over the file, that over the defaults', () => {
  const file = { http: '127.0.0.1:1', log: 'debug', sip: { realm: 'file.test' } }
  const environment = { SAUTI_HTTP: '127.0.0.1:2', SAUTI_LOG: 'warn' }
  const settings = settingsOf({ file, environment, flags: { http: '127.0.0.1:3' } })
  assert.is(settings.http[0]?.port, 3)
  assert.is(settings.log, 'warn')
  assert.is(settings.sip.realm, 'file.test')
  assert.is(settings.drainSeconds, 30)
})

test('all problems at once, each by the name it was written under', () => {
  const problems = problemsOf({
    file: { drain: { seconds: 'soon' }, sip: { relm: 'x' }, colour: 'blue', media: 7 },
    environment: { SAUTI_LOG: 'loud', SAUTI_HTTP: 'x' },
    flags: { 'media-ports': '1-2', http2: true },
  })
  assert.equal(
    problems.map(problem => problem.name).sort(),
    ['--http2', '--media-ports', 'SAUTI_HTTP', 'SAUTI_LOG', 'colour', 'drain.seconds', 'media', 'sip.relm'].sort(),
  )
})

test('YAML types are taken as they are: numbers, booleans, lists', () => {
  const settings = settingsOf({
    file: {
      sip: { listen: ['udp:127.0.0.1:5080'] },
      media: { ports: [12000, 12100], workers: 2, timeout_seconds: 5 },
      allow_private_urls: true,
      drain: { seconds: 1 },
    },
  })
  assert.equal(settings.sip.listeners, [{ transport: 'udp', address: '127.0.0.1', port: 5080 }])
  assert.equal(settings.media, { ports: [12000, 12100], workers: 2, timeoutSeconds: 5, weakFingerprints: false })
  assert.is(settings.allowPrivateUrls, true)
  assert.is(settings.drainSeconds, 1)
})

test('a file that is no mapping is a problem; an empty one is not', () => {
  for (const file of ['text', 7, ['a'], true]) assert.is(problemsOf({ file }).length, 1)
  assert.is(problemsOf({ file: null }).length, 0)
  assert.is(problemsOf({ file: { sip: null } }).length, 0)
})

test("names of objects' own prototype are no settings", () => {
  const file = JSON.parse('{ "__proto__": { "http": "127.0.0.1:1" }, "constructor": 1 }')
  assert.equal(
    problemsOf({ file })
      .map(problem => problem.name)
      .sort(),
    ['__proto__', 'constructor'],
  )
})

test('settings are frozen', () => {
  const settings = settingsOf({ environment: { SAUTI_SIP: 'udp:127.0.0.1:0', SAUTI_MEDIA_PORTS: '10000-10010' } })
  const parts = [
    settings,
    settings.http,
    settings.http[0],
    settings.sip,
    settings.sip.listeners,
    settings.media,
    settings.media.ports,
  ]
  for (const part of parts) assert.ok(Object.isFrozen(part))
})

test('secrets are not repeated in problems', () => {
  const secret = 'my very secret value'
  const problems = problemsOf({ environment: { SAUTI_OPERATOR_KEY: secret, SAUTI_DATABASE_URL: secret } })
  assert.is(problems.length, 2)
  for (const problem of problems) assert.not.match(problem.message, /secret/)
})

test('certificate and key come together', () => {
  const files = { SAUTI_TLS_CERT: '/etc/sauti/cert.pem', SAUTI_TLS_KEY: '/etc/sauti/key.pem' }
  assert.equal(settingsOf({ environment: files }).tls, { certFile: files.SAUTI_TLS_CERT, keyFile: files.SAUTI_TLS_KEY })
  assert.is(settingsOf({}).tls, undefined)
  for (const SAUTI_SIP of ['tls:0.0.0.0:5061', 'udp:0.0.0.0:5060,wss:[::]:8443']) {
    assert.equal(
      problemsOf({ environment: { SAUTI_SIP } }).map(({ name }) => name),
      ['SAUTI_TLS_CERT'],
    )
    assert.is(
      settingsOf({ environment: { ...files, SAUTI_SIP } }).sip.listeners.at(-1)?.port,
      SAUTI_SIP.endsWith('1') ? 5061 : 8443,
    )
  }
  for (const [given, wanted] of [
    ['SAUTI_TLS_CERT', 'SAUTI_TLS_KEY'],
    ['SAUTI_TLS_KEY', 'SAUTI_TLS_CERT'],
  ] as const)
    assert.equal(
      problemsOf({ environment: { [given]: 'x.pem' } }).map(({ name }) => name),
      [wanted],
    )
})

test('every environment name of the decisions exists, and no flag carries a secret', () => {
  const names =
    'DATA DATABASE_URL HTTP PUBLIC_URL SIP SIP_REALM EXTERNAL_ADDRESS MEDIA_PORTS MEDIA_WORKERS OPERATOR_KEY ALLOW_PRIVATE_URLS DNS TLS_CERT TLS_KEY STUN TURN TURN_SECRET ALLOWED_ORIGINS TRUSTED_PROXIES METRICS_HOSTS RECORDING_DAYS EVENT_DAYS LOG RECORDER_MEMORY_MB RECORDER_DISK_MB RECORDER_HOURS RECORDER_RTP_HEADERS HEP SPEECH_VOICES PIPER PIPER_VOICES OPENAI_URL OPENAI_KEY OPENAI_MODEL OPENAI_FORMAT QUOTA_ASSET_MB QUOTA_RECORDING_MB QUOTA_DOCUMENTS QUOTA_END_USERS QUOTA_LIVE_TOKENS QUOTA_STREAM_CONNECTIONS'
  assert.equal(
    settingOptions.flatMap(option => option.environment ?? []).sort(),
    names
      .split(' ')
      .map(name => `SAUTI_${name}`)
      .sort(),
  )
  for (const option of settingOptions)
    if (/key|url$/.test(option.path) && option.path !== 'public_url') assert.is(option.flag, undefined)
})

test('the page of settings has a row for each, and no other', () => {
  const page = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (`.*)$/gm)].map(([, row = '']) =>
    row
      .split('|')
      .slice(0, 3)
      .map(cell => cell.trim()),
  )
  const code = (name: string | undefined) => (name === undefined ? '' : `\`${name}\``)
  assert.equal(
    rows,
    settingOptions.map(({ path, environment, flag }) => [
      code(path),
      code(environment),
      code(flag === undefined ? undefined : `--${flag}`),
    ]),
  )
})

test.run()
