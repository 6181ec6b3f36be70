/** How a call sounds, over the last interval. Absent: not known yet. */
export interface CallQuality {
  /** Estimated opinion, 1 (bad) to 4.5 (excellent), by the E-model (ITU-T G.107). 1 with `noMedia`. */
  readonly mos: number
  /** No packet arrived in the interval: no audio is received, and loss and jitter are not known. Also while the call is held. */
  readonly noMedia: boolean
  /** Loss of the packets to us, 0 to 100. */
  readonly lossPercent: number
  readonly jitterMs: number
  readonly roundTripMs?: number
  /** Bits of audio a second, without headers. */
  readonly receivedBitrate: number
  readonly sentBitrate: number
  /** Loudness of the remote and of the microphone, 0 to 1. */
  readonly remoteLevel?: number
  readonly localLevel?: number
  /** `opus`, `PCMU`, … */
  readonly codec?: string
}

/** The counters of one moment, of which two make a CallQuality. */
export interface QualitySample {
  readonly atMs: number
  readonly received: number
  readonly lost: number
  readonly bytesReceived: number
  readonly bytesSent: number
  readonly jitterMs: number
  readonly roundTripMs: number | undefined
  readonly remoteLevel: number | undefined
  readonly localLevel: number | undefined
  readonly codec: string | undefined
}

type Stat = Readonly<Record<string, unknown>>

const numberOf = (stat: Stat | undefined, name: string): number | undefined => {
  const value = stat?.[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Reads an RTCStatsReport. */
export function sampleOf(
  report: { forEach(take: (stat: Stat, id: string) => void): void },
  atMs: number,
): QualitySample {
  let inbound: Stat | undefined
  let outbound: Stat | undefined
  let pair: Stat | undefined
  let source: Stat | undefined
  const all = new Map<string, Stat>()
  report.forEach((stat, id) => {
    all.set(id, stat)
  })
  for (const stat of all.values()) {
    if (stat.type === 'inbound-rtp' && stat.kind === 'audio') inbound = stat
    else if (stat.type === 'outbound-rtp' && stat.kind === 'audio') outbound = stat
    else if (stat.type === 'media-source' && stat.kind === 'audio') source = stat
    else if (stat.type === 'candidate-pair' && stat.nominated === true && stat.state === 'succeeded') pair = stat
  }
  const mime = all.get(String(inbound?.codecId))?.mimeType
  const roundTrip = numberOf(pair, 'currentRoundTripTime')
  return {
    atMs,
    received: numberOf(inbound, 'packetsReceived') ?? 0,
    lost: numberOf(inbound, 'packetsLost') ?? 0,
    bytesReceived: numberOf(inbound, 'bytesReceived') ?? 0,
    bytesSent: numberOf(outbound, 'bytesSent') ?? 0,
    jitterMs: (numberOf(inbound, 'jitter') ?? 0) * 1000,
    roundTripMs: roundTrip === undefined ? undefined : roundTrip * 1000,
    remoteLevel: numberOf(inbound, 'audioLevel'),
    localLevel: numberOf(source, 'audioLevel'),
    codec: typeof mime === 'string' ? mime.replace(/^audio\//, '') : undefined,
  }
}

export function qualityBetween(before: QualitySample, after: QualitySample): CallQuality {
  const seconds = Math.max(0.001, (after.atMs - before.atMs) / 1000)
  const received = Math.max(0, after.received - before.received)
  const lost = Math.max(0, after.lost - before.lost)
  const lossPercent = received + lost === 0 ? 0 : (100 * lost) / (received + lost)
  const { jitterMs, roundTripMs, remoteLevel, localLevel, codec } = after
  const noMedia = received === 0
  return {
    mos: noMedia ? 1 : opinion(lossPercent, jitterMs, roundTripMs ?? 0, codec),
    noMedia,
    lossPercent,
    jitterMs,
    receivedBitrate: Math.round((8 * Math.max(0, after.bytesReceived - before.bytesReceived)) / seconds),
    sentBitrate: Math.round((8 * Math.max(0, after.bytesSent - before.bytesSent)) / seconds),
    ...(roundTripMs === undefined ? {} : { roundTripMs }),
    ...(remoteLevel === undefined ? {} : { remoteLevel }),
    ...(localLevel === undefined ? {} : { localLevel }),
    ...(codec === undefined ? {} : { codec }),
  }
}

/** ITU-T G.107 with the usual short cuts: delay from round trip and jitter, loss by the codec's robustness (G.113). */
function opinion(lossPercent: number, jitterMs: number, roundTripMs: number, codec: string | undefined): number {
  const delayMs = roundTripMs / 2 + 2 * jitterMs + 20
  const delayImpairment = 0.024 * delayMs + (delayMs > 177.3 ? 0.11 * (delayMs - 177.3) : 0)
  // Opus conceals loss about as well as G.711 with concealment does (Bpl 25.1).
  const robustness = codec?.toLowerCase() === 'opus' ? 20 : 25.1
  const lossImpairment = (95 * lossPercent) / (lossPercent + robustness)
  const r = Math.min(100, Math.max(0, 93.2 - delayImpairment - lossImpairment))
  return Math.min(4.5, Math.max(1, Math.round(100 * (1 + 0.035 * r + 7e-6 * r * (r - 60) * (100 - r))) / 100))
}
