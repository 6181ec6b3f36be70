import { randomUUID } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { membership } from '../../api/access/networks.ts'
import { RateMeter } from '../../api/metrics/rate-meter.ts'
import { noLoad } from '../../core/admission/load.ts'
import { Latencies } from '../../core/metrics/latencies.ts'
import type { SwitchCounters } from '../../core/switch.ts'
import { ApiBed, operatorKey } from './bed/api-bed.ts'

const latencies = new Latencies()
const thread = {
  sessions: 2,
  draining: 0,
  portsFree: 40,
  portsReady: 8,
  onSharedPorts: 1,
  unknownSources: 3,
  received: 1000,
  sent: 900,
  unsent: 3,
  excess: 6,
  faults: 0,
  browsers: {
    links: 1,
    iceChecks: 20,
    iceDropped: 2,
    strayDropped: 30,
    dtlsBusy: 0,
    dtlsConnected: 4,
    dtlsFailed: 1,
    srtpMalformed: 0,
    srtpReplayed: 1,
    srtpForged: 5,
    unsent: 0,
  },
  ticks: 9,
  missed: 4,
  worstLateMs: 1,
  workedMs: 5,
  processorsLeft: 3,
  sockets: 'dgram',
} as const
const counters: SwitchCounters = {
  exchange: { begun: 7, absorbed: 1, crashed: 0, turnedAway: 2, liveCalls: 0, calls: 0 },
  signaling: {
    received: 11,
    sent: 12,
    malformed: 1,
    dropped: 2,
    foreign: 0,
    challenged: 3,
    throttled: 0,
    challengesRefused: 0,
    registered: 1,
    overloaded: 0,
    stray: 0,
    faults: 0,
    refusedTargets: 0,
    callsOffered: 5,
    callsDialled: 4,
    callsEnded: 3,
    calls: 2,
    clientTransactions: 1,
    serverTransactions: 1,
    connections: 1,
    connectionsRefused: 0,
    dialogs: 1,
    timers: 1,
    phones: 1,
  },
  names: { queries: 6, remembered: 5, failed: 1, refused: 0 },
  media: {
    legs: 2,
    opened: 9,
    failed: { 'no-common-codec': 0, 'bad-sdp': 0, 'no-ports': 0, internal: 0 },
    packetsReceived: 5,
    packetsSent: 5,
    packetsLost: 17,
    packetsDropped: 0,
    sources: { learned: 4, returned: 1, taken: 2, refused: 99, withheld: 6, unknown: 8 },
    playout: { lost: 3, late: 2, dropped: 0, concealedMs: 2500, acceleratedMs: 750, expandedMs: 1250 },
    threadsLost: 0,
    threadsSilent: 1,
    threads: [thread, thread],
  },
  store: { transactions: 1, units: 1, lists: { running: 1, waiting: 2, refused: 3 } },
  admission: {
    admitted: 21,
    refusedRate: 8,
    refusedLate: 1,
    refusedNoMedia: 0,
    invitesDropped: 4,
    rate: 120,
    pressure: 1.5,
    measures: { ...noLoad, loopDelayMs: 30 },
  },
  callbacks: { backlog: 6 },
  speech: { piper: { spoken: 5, failed: 1, skipped: 2 } },
}
const bed = await ApiBed.open(
  { metricsHosts: ['10.0.0.0/8', '192.0.2.7', 'fd00::/8'] },
  { latencies, counters: async () => counters },
)

/** Every sample by its name and labels; fails on a line that is not of the format. */
async function scrape(): Promise<Map<string, number>> {
  const { status, text, headers } = await bed.conforming('GET', '/metrics', { key: operatorKey })
  assert.is(status, 200)
  assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/)
  const samples = new Map<string, number>()
  const described = new Set<string>()
  for (const line of text.split('\n').filter(line => line !== '')) {
    const comment = /^# (HELP|TYPE) (\w+) \S/.exec(line)
    if (comment !== null) {
      assert.not.ok(described.has(`${comment[1]} ${comment[2]}`), line)
      described.add(`${comment[1]} ${comment[2]}`)
      continue
    }
    const sample = /^([a-zA-Z_:][\w:]*(?:\{(?:\w+="[^"\n]*",?)+\})?) (-?[\d.e+-]+|Nan|\+Inf)$/.exec(line)
    assert.ok(sample !== null, line)
    assert.not.ok(samples.has(sample[1] ?? ''), line)
    samples.set(sample[1] ?? '', Number(sample[2]))
  }
  return samples
}

test('who may read', async () => {
  assert.is((await bed.conforming('GET', '/metrics', { key: '' })).status, 401)
  assert.is((await bed.conforming('GET', '/metrics')).status, 401, 'no account’s business')
  const from = async (remoteAddress: string, url = '/metrics') =>
    (await bed.app.inject({ method: 'GET', url, remoteAddress })).statusCode
  for (const [address, status] of [
    ['10.1.2.3', 200],
    ['192.0.2.7', 200],
    ['::ffff:10.1.2.3', 200],
    ['fd00::1', 200],
    ['192.0.2.8', 401],
    ['fe80::1', 401],
    ['::1', 401],
  ] as const) {
    assert.is(await from(address), status, address)
  }
  assert.is(await from('10.1.2.3', '/operator/calls'), 401, 'only metrics are open')
  const forwarded = await bed.app.inject({ url: '/metrics', headers: { 'x-forwarded-for': '10.1.2.3' } })
  assert.is(forwarded.statusCode, 401)
})

test('networks', () => {
  const within = membership(['127.0.0.1', '10.0.0.0/8', '::1'])
  for (const address of ['127.0.0.1', '10.255.0.1', '::1', '::ffff:127.0.0.1']) assert.ok(within(address), address)
  for (const address of ['127.0.0.2', '11.0.0.1', '::2', '', 'x', '::ffff:11.0.0.1']) assert.not.ok(within(address))
})

/** An entry of `quality`. */
const leg = (figures: object) => ({ codec: 'PCMU', loss_percent: 0, jitter_ms: 5, round_trip_ms: null, ...figures })

test('calls: live, started, ended by reason, and the quality of their legs', async () => {
  const order = { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' }
  const { sid, uuid } = (await bed.customer('POST', '/calls/originate', order)).body
  const append = (code: 'CALL.0100' | 'CALL.0300' | 'CALL.0400', data: object) => ({
    type: 'event.append' as const,
    event: {
      uuid: randomUUID(),
      code,
      accountUuid: bed.accountUuid as never,
      callUuid: uuid,
      sid,
      number: null,
      customPayload: null,
      createdUnix: 0,
      data: { ...data },
    },
  })
  await bed.store.calls.commit([
    append('CALL.0100', { direction: 'outbound' }),
    append('CALL.0100', { direction: 'inbound' }),
    append('CALL.0300', {
      reason_code: 'END.0200',
      quality: [leg({ mos: 4.3 }), leg({ mos: 2.1, loss_percent: 12, round_trip_ms: 80 })],
    }),
    append('CALL.0400', { reason_code: 'END.0486', quality: [] }),
    // A leg that received nothing has no score; after a restart it is unknown; a list of another format is not read.
    append('CALL.0400', { reason_code: 'END.5410', quality: null }),
    append('CALL.0400', { reason_code: 'END.5410', quality: [leg({ codec: 'opus', mos: null }), 7] }),
  ])
  const live = await scrape()
  assert.is(live.get('sauti_calls_live{status="initiated"}'), 1)
  assert.is(live.get('sauti_calls_live{status="answered"}'), 0)
  assert.is(live.get('sauti_calls_started_total{direction="outbound"}'), 1)
  assert.is(live.get('sauti_calls_started_total{direction="inbound"}'), 1)
  assert.is(live.get('sauti_calls_ended_total{reason="END.0200"}'), 1)
  assert.is(live.get('sauti_calls_ended_total{reason="END.0486"}'), 1)
  assert.is(live.get('sauti_legs_live'), 1)
  for (const [name, value] of [
    ['mos_count{codec="PCMU"}', 2],
    ['mos_bucket{le="2",codec="PCMU"}', 0],
    ['mos_bucket{le="2.5",codec="PCMU"}', 1],
    ['mos_bucket{le="4.3",codec="PCMU"}', 2],
    ['loss_ratio_bucket{le="0",codec="PCMU"}', 1],
    ['loss_ratio_bucket{le="0.2",codec="PCMU"}', 2],
    ['jitter_seconds_sum{codec="PCMU"}', 0.01],
    ['round_trip_seconds_count{codec="PCMU"}', 1],
    ['mos_count{codec="opus"}', undefined],
  ] as const) {
    assert.is(live.get(`sauti_leg_${name}`), value, name)
  }
  await bed.customer('POST', '/calls/hangup', { sid })
  assert.is((await scrape()).get('sauti_calls_live{status="initiated"}'), 0)
})

test('what the switch counts', async () => {
  for (let round = 0; round < 2; round++) {
    const samples = await scrape()
    for (const [name, value] of [
      ['sauti_sip_total{what="received"}', 11],
      ['sauti_sip_total{what="calls_offered"}', 5],
      ['sauti_sip_open{what="server_transactions"}', 1],
      ['sauti_rtp_packets_total{what="received"}', 2000],
      ['sauti_rtp_packets_total{what="lost"}', 17],
      ['sauti_rtp_sources_total{what="learned"}', 4],
      ['sauti_rtp_sources_total{what="refused"}', 99],
      ['sauti_playout_seconds_total{what="concealed"}', 2.5],
      ['sauti_playout_seconds_total{what="accelerated"}', 0.75],
      ['sauti_playout_seconds_total{what="expanded"}', 1.25],
      ['sauti_media{what="ports_free"}', 80],
      ['sauti_media{what="ports_ready"}', 16],
      ['sauti_media{what="on_shared_ports"}', 2],
      ['sauti_rtp_sources_total{what="unknown"}', 8],
      ['sauti_media{what="threads_silent"}', 1],
      ['sauti_media_total{what="missed_ticks"}', 8],
      ['sauti_media_total{what="processors_left"}', 6],
      ['sauti_callbacks_queued', 6],
      ['sauti_speech_total{engine="piper",what="skipped"}', 2],
      ['sauti_exchange_total{what="turned_away"}', 2],
      ['sauti_draining', 0],
      ['sauti_stream_subscribers', 0],
    ] as const) {
      assert.is(samples.get(name), value, name)
    }
  }
  const samples = await scrape()
  assert.ok([...samples.keys()].some(name => name.startsWith('nodejs_eventloop_lag_p99_seconds')))
})

test('durations', async () => {
  latencies.observe('commit', 3)
  latencies.observe('document', 40)
  latencies.observe('callback', 20_000)
  const samples = await scrape()
  assert.is(samples.get('sauti_store_commit_seconds_bucket{le="0.0025"}'), 0)
  assert.is(samples.get('sauti_store_commit_seconds_bucket{le="0.005"}'), 1)
  assert.is(samples.get('sauti_webhook_seconds_bucket{le="0.05",kind="document"}'), 1)
  assert.is(samples.get('sauti_webhook_seconds_bucket{le="10",kind="callback"}'), 0)
  assert.is(samples.get('sauti_webhook_seconds_count{kind="callback"}'), 1)
})

test('a rate over the last ten whole seconds', () => {
  const meter = new RateMeter()
  for (let now = 500; now < 5000; now += 100) meter.count(now)
  assert.is(meter.perSecond(5000), 4.5)
  assert.is(meter.perSecond(10_999), 4.5)
  assert.is(meter.perSecond(11_000), 4)
  assert.is(meter.perSecond(14_000), 1)
  assert.is(meter.perSecond(15_000), 0)
  meter.count(1_000_000)
  assert.is(meter.perSecond(1_000_999), 0)
  assert.is(meter.perSecond(1_001_000), 0.1)
  assert.is(meter.perSecond(9_000_000), 0)
})

test.after(() => bed.close())
test.run()
