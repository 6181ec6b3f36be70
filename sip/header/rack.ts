import type { Parsed } from '../base/parsed.ts'
import { boundedNumber, isToken, max32 } from '../grammar/token.ts'

/** RFC 3262 §7.2: which reliable provisional response a PRACK acknowledges. */
export interface RAck {
  readonly rseq: number
  readonly sequence: number
  readonly method: string
}

const fields = /^(\d+)\s+(\d+)\s+(\S+)$/

export function parseRAck(text: string): Parsed<RAck, 'bad-rack'> {
  const match = fields.exec(text.trim())
  const rseq = boundedNumber(match?.[1] ?? '', max32)
  const sequence = boundedNumber(match?.[2] ?? '', max32)
  const method = match?.[3] ?? ''
  if (rseq === undefined || sequence === undefined || !isToken(method)) return { ok: false, reason: 'bad-rack', at: 0 }
  return { ok: true, value: { rseq, sequence, method } }
}

export const formatRAck = ({ rseq, sequence, method }: RAck): string => `${rseq} ${sequence} ${method}`
