import type { Hash } from './algorithm.ts'
import { sameDigest } from './response.ts'

/** How nonces are made: each carries its time and a keyed hash, so that none has to be remembered. */
export interface NonceRules {
  readonly hash: Hash
  /** Random, at least 16 bytes as text, made at start: nonces of an earlier run are foreign, and that is harmless. */
  readonly secret: string
  /** How long a nonce may be used. */
  readonly lifetimeMs: number
}

// time (base 36) "." salt "." keyed hash; the secret at both ends leaves no room for extending the hash.
const form = /^([0-9a-z]{1,11})\.([0-9a-zA-Z]{1,32})\.([0-9a-f]{32})$/

const seal = ({ hash, secret }: NonceRules, realm: string, source: string, time: string, salt: string): string =>
  hash('SHA-256', `${secret}:${time}:${salt}:${realm}:${source}:${secret}`).slice(0, 32)

/**
 * `salt`: letters and digits, different each time, at most 32. `source`: who may use it, such as the address that is
 * challenged: who sends it back from there has received it there. Default: anybody.
 */
export function createNonce(rules: NonceRules, realm: string, salt: string, now: number, source = ''): string {
  const time = Math.floor(now).toString(36)
  return `${time}.${salt}.${seal(rules, realm, source, time, salt)}`
}

/** `foreign`: not made by us, for another realm, or for another source. */
export function checkNonce(
  rules: NonceRules,
  realm: string,
  nonce: string,
  now: number,
  source = '',
): 'fresh' | 'stale' | 'foreign' {
  const [, time, salt, mac] = form.exec(nonce) ?? []
  if (time === undefined || salt === undefined || mac === undefined) return 'foreign'
  if (!sameDigest(mac, seal(rules, realm, source, time, salt))) return 'foreign'
  const age = now - Number.parseInt(time, 36)
  return age >= -1 && age <= rules.lifetimeMs ? 'fresh' : 'stale'
}
