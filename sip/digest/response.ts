import type { DigestAlgorithm, Hash } from './algorithm.ts'

/** RFC 7616 §3.4.2: what a password is stored as, for one algorithm and realm. */
export const ha1Of = (
  hash: Hash,
  algorithm: DigestAlgorithm,
  username: string,
  realm: string,
  password: string,
): string => hash(algorithm, `${username}:${realm}:${password}`)

/** The client's part in a response with qop=auth: `nc` as eight hex digits. */
export interface ClientNonce {
  readonly nc: string
  readonly cnonce: string
}

interface ResponseFields {
  readonly algorithm: DigestAlgorithm
  readonly ha1: string
  readonly nonce: string
  readonly method: string
  readonly uri: string
  /** Undefined: the old form without qop (RFC 2069, RFC 3261 §22.4). */
  readonly client: ClientNonce | undefined
}

/** RFC 7616 §3.4.1. */
export function responseOf(hash: Hash, { algorithm, ha1, nonce, method, uri, client }: ResponseFields): string {
  const ha2 = hash(algorithm, `${method}:${uri}`)
  const middle = client === undefined ? nonce : `${nonce}:${client.nc}:${client.cnonce}:auth`
  return hash(algorithm, `${ha1}:${middle}:${ha2}`)
}

/** Compares in a time that reveals nothing but the lengths. Hex in either case. */
export function sameDigest(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  const left = a.toLowerCase()
  const right = b.toLowerCase()
  let difference = 0
  for (let at = 0; at < left.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at)
  return difference === 0
}
