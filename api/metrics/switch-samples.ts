import { Counter, Gauge, type Registry } from 'prom-client'
import type { LiveCall, SwitchCounters } from '../../core/index.ts'
import type { SwitchDoor } from '../base/door.ts'

/** What the switch counts itself, read whole at each scrape; sums since the start are reported in full each time. */
export function switchSamples(registers: Registry[]): (door: SwitchDoor) => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name: `sauti_${name}`, help, registers })
  const labelled = <Label extends string>(name: string, help: string, label: Label) =>
    new Gauge({ name: `sauti_${name}`, help, labelNames: [label], registers })

  const total = (name: string, help: string) =>
    new Counter({ name: `sauti_${name}_total`, help, labelNames: ['what'], registers })

  const live = labelled('calls_live', 'Calls that have not ended.', 'status')
  const draining = gauge('draining', '1 while no new calls are taken.')
  const certificate = gauge(
    'tls_certificate_expiry_seconds',
    'Seconds until the TLS certificate expires; absent without one.',
  )
  const callsHeld = gauge(
    'calls_held',
    'Calls in memory: live ones, and those whose last row or leg is not confirmed yet.',
  )
  const legs = gauge('legs_live', 'Legs of live calls.')
  const exchange = total('exchange', 'Calls since the start, by what befell them.')
  const sip = total('sip', 'SIP since the start, by what was counted.')
  const sipOpen = labelled(
    'sip_open',
    'SIP transactions, calls, dialogs, connections and timers that are open.',
    'what',
  )
  const packets = total(
    'rtp_packets',
    'RTP packets since the start; excess: packets and reports left out, as their remote sent more than any talker does.',
  )
  const sources = total(
    'rtp_sources',
    'Media that moved without an offer or answer (learned, returned); legs whose address and port was another leg’s on a shared port (taken); packets refused of unknown sources, withheld from addresses that never answered, and dropped at shared ports since no leg’s SDP names their source (unknown).',
  )
  const playout = new Counter({
    name: 'sauti_playout_seconds_total',
    help: 'Sound that jitter buffers concealed after losses, left out and drew out (accelerated, expanded), of legs that have ended.',
    labelNames: ['what'],
    registers,
  })
  const jitter = labelled('rtp_jitter_seconds', 'Interarrival jitter of live legs.', 'of')
  const score = labelled('mos', 'Estimated opinion score of live legs, 1 to 4.4.', 'of')
  const media = labelled(
    'media',
    'Sessions, free ports, legs and threads of media; ports_ready: free ones that are bound before a call needs them, two descriptors each; on_shared_ports: sessions that use no port of their own; draining: ports that wait for late packets; threads_silent: threads that hang.',
    'what',
  )
  const mediaTotal = total('media', 'Faults, lost threads, late ticks and processors left, of media, since the start.')
  const browsers = total('webrtc', 'ICE, DTLS and SRTP of browser legs since the start.')
  const dns = total('dns', 'Questions to DNS servers, answers from memory, failures and refusals, since the start.')
  const speech = new Counter({
    name: 'sauti_speech_total',
    help: 'Texts since the start, by speech engine and outcome; texts from the cache are not counted.',
    labelNames: ['engine', 'what'],
    registers,
  })
  const admitted = total(
    'admission',
    'New calls since the start: admitted, refused with 503 (rate: beyond what the load allows; late: waited too long; no_media: no media thread answers), INVITEs dropped unread.',
  )
  const admissionRate = gauge('admission_rate', 'New calls a second that are admitted; -1 while there is no limit.')
  const pressure = gauge('admission_pressure', 'How near the load is to a bound: beyond 1 calls are refused.')
  const loadOf = labelled(
    'load',
    'What the load is measured by: milliseconds (loop_delay_ms, invite_wait_ms), units (store_backlog), the others as shares of 1.',
    'of',
  )
  const traces = labelled(
    'traces_bytes',
    'Bytes of the traces of calls that are kept in memory, and on the disk.',
    'where',
  )
  const traced = total(
    'traces',
    'Traces of calls since the start: records kept; missed (by calls and by media threads), unreadable, or cut for their size, also beyond what a call may have; bytes given up for lack of memory (dropped_bytes), or of disk and by age (purged_bytes); faults of the disk.',
  )
  const tracedCalls = gauge('traces_calls', 'Calls whose traces are on the disk.')
  const queue = gauge('callbacks_queued', 'Status callbacks that wait, or are being sent.')

  const sampleLive = (calls: readonly LiveCall[]) => {
    live.reset()
    for (const status of ['initiated', 'ringing', 'answered'] as const) {
      live.set({ status }, calls.filter(({ call }) => call.status === status).length)
    }
    const all = calls.flatMap(call => call.legs)
    legs.set(all.length)
    const media = all.flatMap(leg => leg.media ?? [])
    spread(
      jitter,
      media.map(({ jitterMs }) => jitterMs / 1000),
      Math.max,
    )
    spread(
      score,
      media.flatMap(({ mos }) => mos ?? []),
      Math.min,
    )
    return media.reduce((sum, { packetsLost }) => sum + packetsLost, 0)
  }

  const sampleCounters = (counters: SwitchCounters, lostNow: number) => {
    const { calls, clientTransactions, serverTransactions, connections, dialogs, timers, ...totals } =
      counters.signaling
    addAll(sip, { ...totals })
    setAll(sipOpen, { calls, clientTransactions, serverTransactions, connections, dialogs, timers })
    const { threads, threadsLost, threadsSilent, packetsLost } = counters.media
    type ThreadSum =
      | 'received'
      | 'sent'
      | 'unsent'
      | 'excess'
      | 'sessions'
      | 'portsFree'
      | 'portsReady'
      | 'onSharedPorts'
      | 'faults'
      | 'missed'
      | 'processorsLeft'
      | 'draining'
    const sum = (of: ThreadSum) => threads.reduce((sofar, thread) => sofar + thread[of], 0)
    addAll(packets, {
      received: sum('received'),
      sent: sum('sent'),
      unsent: sum('unsent'),
      excess: sum('excess'),
      lost: packetsLost + lostNow,
    })
    addAll(sources, counters.media.sources)
    const { concealedMs, acceleratedMs, expandedMs } = counters.media.playout
    addAll(playout, {
      concealed: concealedMs / 1000,
      accelerated: acceleratedMs / 1000,
      expanded: expandedMs / 1000,
    })
    const ports = { portsFree: sum('portsFree'), portsReady: sum('portsReady'), onSharedPorts: sum('onSharedPorts') }
    const size = { sessions: sum('sessions'), ...ports, threads: threads.length }
    const unfinished = { legs: counters.media.legs, draining: sum('draining') }
    setAll(media, { ...size, ...unfinished, threadsSilent })
    const late = { missedTicks: sum('missed'), processorsLeft: sum('processorsLeft') }
    addAll(mediaTotal, { faults: sum('faults'), ...late, threadsLost })
    const ofBrowsers = (of: keyof (typeof threads)[number]['browsers']) =>
      threads.reduce((sofar, thread) => sofar + thread.browsers[of], 0)
    addAll(browsers, Object.fromEntries(browserTotals.map(of => [of, ofBrowsers(of)])))
    sampleAdmission(counters.admission)
    addAll(dns, { ...counters.names })
    queue.set(counters.callbacks.backlog)
    speech.reset()
    for (const [engine, { spoken, failed, skipped }] of Object.entries(counters.speech)) {
      for (const [what, value] of Object.entries({ spoken, failed, skipped })) speech.inc({ engine, what }, value)
    }
    if (counters.traces !== undefined) sampleTraces(counters.traces)
    callsHeld.set(counters.exchange.calls)
    const { begun, absorbed, crashed, turnedAway } = counters.exchange
    addAll(exchange, { begun, absorbed, crashed, turnedAway })
  }

  const sampleTraces = (figures: NonNullable<SwitchCounters['traces']>) => {
    const {
      records,
      missed,
      missedMedia,
      unreadable,
      cut,
      memoryBytes,
      diskBytes,
      diskCalls,
      droppedBytes,
      purgedBytes,
      diskFaults,
    } = figures
    traces.set({ where: 'memory' }, memoryBytes)
    traces.set({ where: 'disk' }, diskBytes)
    tracedCalls.set(diskCalls)
    addAll(traced, { records, missed, missedMedia, unreadable, cut, droppedBytes, purgedBytes, faults: diskFaults })
  }

  const sampleAdmission = (figures: SwitchCounters['admission']) => {
    const { rate, pressure: pressed, measures, ...totals } = figures
    addAll(admitted, totals)
    admissionRate.set(Number.isFinite(rate) ? rate : -1)
    pressure.set(pressed)
    const { isMediaSilent, ...shares } = measures
    for (const [of, value] of Object.entries(shares)) loadOf.set({ of: labelOf(of) }, value)
    loadOf.set({ of: 'media_silent' }, isMediaSilent ? 1 : 0)
  }

  return async door => {
    if (door.tls === undefined) certificate.reset()
    else certificate.set((door.tls.expiresUnix - Date.now()) / 1000)
    draining.set(door.isDraining ? 1 : 0)
    const lostNow = sampleLive(door.calls.live())
    const counters = await door.counters?.()
    if (counters !== undefined) sampleCounters(counters, lostNow)
  }
}

const browserTotals = [
  'iceChecks',
  'iceDropped',
  'strayDropped',
  'dtlsBusy',
  'dtlsConnected',
  'dtlsFailed',
  'srtpMalformed',
  'srtpReplayed',
  'srtpForged',
  'unsent',
] as const

type Values = Readonly<Record<string, number>>

function setAll(gauge: Gauge<'what'>, values: Values): void {
  for (const [name, value] of Object.entries(values)) gauge.set({ what: labelOf(name) }, value)
}

/** The library's counters can only be increased: a reset and one increase set them to our sums. */
function addAll(counter: Counter<'what'>, values: Values): void {
  counter.reset()
  for (const [name, value] of Object.entries(values)) counter.inc({ what: labelOf(name) }, Math.max(0, value))
}

const labelOf = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** Mean and worst of the live legs; nothing at all when there is none. */
function spread(gauge: Gauge<'of'>, values: readonly number[], worst: (...values: number[]) => number): void {
  gauge.reset()
  if (values.length === 0) return
  gauge.set({ of: 'mean' }, values.reduce((sum, value) => sum + value, 0) / values.length)
  gauge.set(
    { of: 'worst' },
    values.reduce((found, value) => worst(found, value)),
  )
}
