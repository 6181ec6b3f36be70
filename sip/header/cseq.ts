import type { Parsed } from '../base/parsed.ts'
import { boundedNumber, isToken } from '../grammar/token.ts'

/** RFC 3261 §20.16: a number below 2³¹, and the method of the request. */
export interface CSeq {
  readonly sequence: number
  readonly method: string
}

/** RFC 3261 §8.1.1.5: less than 2^31. Peers that start higher are still understood up to 2^32 − 1 (§20.16). */
const maxSequence = 0xffff_ffff
const fields = /^(\d+)\s+(\S+)$/

/** Reads CSeq. Faults: `bad-cseq`, and `cseq-overflow` for a number of 2³¹ or more. */
export function parseCSeq(text: string): Parsed<CSeq, 'bad-cseq' | 'cseq-overflow'> {
  const match = fields.exec(text.trim())
  const method = match?.[2] ?? ''
  if (match === null || !isToken(method)) return { ok: false, reason: 'bad-cseq', at: 0 }
  const sequence = boundedNumber(match[1] ?? '', maxSequence)
  if (sequence === undefined) return { ok: false, reason: 'cseq-overflow', at: 0 }
  return { ok: true, value: { sequence, method } }
}

/** The value of CSeq: `314159 INVITE`. */
export const formatCSeq = (cseq: CSeq): string => `${cseq.sequence} ${cseq.method}`
