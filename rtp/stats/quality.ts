import type { AudioCodecName } from '../codec/codec-name.ts'

/** What a listener would say of a call: `r` from 0 to 93.2, `mos` from 1 to 4.41. */
export interface Quality {
  readonly r: number
  readonly mos: number
}

/** What the score is of, beside loss and delay. */
export interface Line {
  /** Default PCMU. */
  readonly codec?: AudioCodecName | undefined
  /** Mean run of losses against that of random loss (`LossPattern`). Default 1: random. */
  readonly burstRatio?: number
}

/** ITU-T G.107 with its default values. */
const bestR = 93.2

interface CodecImpairment {
  /** Ie: what it costs without any loss. */
  readonly impairment: number
  /** Bpl: how well it stands losses. */
  readonly robustness: number
}

/**
 * G.113 appendix I has G.711 with concealment. It names neither of the others on this scale, whose best is G.711: they
 * are no worse without losses, but their decoders carry what they missed on, so that they stand less (about 11 is
 * measured for Opus without redundancy).
 */
const impairments: Readonly<Record<AudioCodecName, CodecImpairment>> = {
  PCMU: { impairment: 0, robustness: 25.1 },
  PCMA: { impairment: 0, robustness: 25.1 },
  G722: { impairment: 0, robustness: 11 },
  opus: { impairment: 0, robustness: 11 },
}

/** Delay's share (G.107 §7.4, the usual approximation of Idd by Cole and Rosenbluth). */
const delayImpairment = (oneWayMs: number): number => 0.024 * oneWayMs + 0.11 * Math.max(0, oneWayMs - 177.3)

/**
 * The E-model's estimate (ITU-T G.107) on its narrow-band scale. `lossRatio`: packets not played, lost or late, 0 to 1;
 * `oneWayMs`: from mouth to ear, about half the round trip and the jitter buffer's delay.
 */
export const qualityOf = (lossRatio: number, oneWayMs: number, line: Line = {}): Quality => {
  const { impairment, robustness } = impairments[line.codec ?? 'PCMU']
  const loss = 100 * Math.min(1, Math.max(0, lossRatio))
  // §7.5: Ie,eff. As many losses hurt more when they come together.
  const burstRatio = Math.max(1, line.burstRatio ?? 1)
  const lossImpairment = impairment + (95 - impairment) * (loss / (loss / burstRatio + robustness))
  const r = Math.max(0, bestR - delayImpairment(Math.max(0, oneWayMs)) - lossImpairment)
  // G.107 annex B
  const mos = 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6
  return { r, mos: Math.max(1, mos) }
}
