import type { Parsed } from '../base/parsed.ts'
import { type NameAddr, type NameAddrFault, parseNameAddrs } from './name-addr.ts'

/**
 * P-Asserted-Identity and P-Preferred-Identity (RFC 3325 §9.1): at most one SIP and one tel URI. True only from a
 * trusted peer; the caller decides that.
 */
export function parseAssertedIdentity(
  values: readonly string[],
): Parsed<readonly NameAddr[], NameAddrFault | 'too-many-identities'> {
  const identities = parseNameAddrs(values)
  if (!identities.ok) return identities
  return identities.value.length > 2 ? { ok: false, reason: 'too-many-identities', at: 0 } : identities
}
