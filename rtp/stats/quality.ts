/** What a listener would say of a call: `r` from 0 to 93.2, `mos` from 1 to 4.41. */
export interface Quality {
  readonly r: number
  readonly mos: number
}

// ITU-T G.107 with its default values, and G.113 appendix I for G.711 with concealment.
const bestR = 93.2
const impairment = 0
const lossRobustness = 25.1

/** Delay's share (G.107 §7.4, the usual approximation of Idd by Cole and Rosenbluth). */
const delayImpairment = (oneWayMs: number): number => 0.024 * oneWayMs + 0.11 * Math.max(0, oneWayMs - 177.3)

/**
 * The E-model's estimate (ITU-T G.107) for G.711 with concealment. `lossRatio`: packets not heard, lost or late, 0 to 1;
 * `oneWayMs`: from mouth to ear, about half the round trip and the jitter buffer's delay.
 */
export const qualityOf = (lossRatio: number, oneWayMs: number): Quality => {
  const loss = 100 * Math.min(1, Math.max(0, lossRatio))
  const lossImpairment = impairment + (95 - impairment) * (loss / (loss + lossRobustness))
  const r = Math.max(0, bestR - delayImpairment(Math.max(0, oneWayMs)) - lossImpairment)
  // G.107 annex B
  const mos = 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6
  return { r, mos: Math.max(1, mos) }
}
