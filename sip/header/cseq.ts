import type { Parsed } from '../base/parsed.ts'
import { boundedNumber, skipBlanks, tokenEnd, trimBlanks } from '../grammar/token.ts'

/** RFC 3261 §20.16: a number below 2³¹, and the method of the request. */
export interface CSeq {
  readonly sequence: number
  readonly method: string
}

/** RFC 3261 §8.1.1.5: less than 2^31. Peers that start higher are still understood up to 2^32 − 1 (§20.16). */
const maxSequence = 0xffff_ffff

/** Reads CSeq. Faults: `bad-cseq`, and `cseq-overflow` for a number of 2³² or more. */
export function parseCSeq(text: string): Parsed<CSeq, 'bad-cseq' | 'cseq-overflow'> {
  const trimmed = trimBlanks(text)
  let numberEnd = 0
  while (isDigit(trimmed.charCodeAt(numberEnd))) numberEnd++
  const methodAt = skipBlanks(trimmed, numberEnd)
  if (numberEnd === 0 || methodAt === numberEnd) return { ok: false, reason: 'bad-cseq', at: 0 }
  if (methodAt === trimmed.length || tokenEnd(trimmed, methodAt) < trimmed.length)
    return { ok: false, reason: 'bad-cseq', at: 0 }
  const sequence = boundedNumber(trimmed.slice(0, numberEnd), maxSequence)
  if (sequence === undefined) return { ok: false, reason: 'cseq-overflow', at: 0 }
  return { ok: true, value: { sequence, method: trimmed.slice(methodAt) } }
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** The value of CSeq: `314159 INVITE`. */
export const formatCSeq = (cseq: CSeq): string => `${cseq.sequence} ${cseq.method}`
