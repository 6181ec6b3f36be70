import type { LegMediaStats } from '../model/leg-quality.ts'

const figures = 12
const codecs = ['', 'PCMU', 'PCMA', 'G722', 'opus'] as const
export const rtpBytes = figures * 4

/** What was counted until now; a second's own figures are differences. */
export interface RtpSample {
  readonly codec: string | null
  readonly received: number
  readonly sent: number
  readonly lost: number
  readonly late: number
  readonly jitterMs: number
  readonly delayMs: number
  readonly roundTripMs: number | null
  readonly mos: number | null
  readonly remoteLossPercent: number | null
  readonly concealedMs: number | null
}

const known = (value: number | undefined): number => value ?? Number.NaN

export function writeRtp(into: Uint8Array, at: number, stats: LegMediaStats): void {
  const view = new DataView(into.buffer, into.byteOffset + at, rtpBytes)
  const codec = codecs.findIndex(name => name.toLowerCase() === (stats.codec ?? '').toLowerCase())
  view.setUint32(0, Math.max(0, codec), true)
  view.setUint32(4, stats.packetsReceived, true)
  view.setUint32(8, stats.packetsSent, true)
  view.setUint32(12, stats.packetsLost, true)
  view.setUint32(16, stats.packetsLate, true)
  view.setFloat32(20, stats.jitterMs, true)
  view.setFloat32(24, stats.oneWayMs, true)
  view.setFloat32(28, known(stats.roundTripMs), true)
  view.setFloat32(32, known(stats.mos), true)
  view.setFloat32(36, known(stats.far?.lossPercent), true)
  view.setFloat32(40, known(stats.playout?.concealedMs), true)
}

export function readRtp(payload: Uint8Array): RtpSample {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const figure = (at: number): number | null => {
    const value = view.getFloat32(at, true)
    return Number.isNaN(value) ? null : Math.round(value * 1000) / 1000
  }
  return {
    codec: codecs[view.getUint32(0, true)] || null,
    received: view.getUint32(4, true),
    sent: view.getUint32(8, true),
    lost: view.getUint32(12, true),
    late: view.getUint32(16, true),
    jitterMs: figure(20) ?? 0,
    delayMs: figure(24) ?? 0,
    roundTripMs: figure(28),
    mos: figure(32),
    remoteLossPercent: figure(36),
    concealedMs: figure(40),
  }
}
