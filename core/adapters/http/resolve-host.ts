import type { NameResolver, ResolvedAddress } from '../names/index.ts'

export type { ResolvedAddress }

/** All addresses of a host, or the reason why there are none. `owner`: whose request it is. */
export type ResolveHost = (
  host: string,
  done: (fault: Error | null, addresses: readonly ResolvedAddress[]) => void,
  owner: string,
) => void

/** The host is, or resolves only to, an address that webhooks must not reach. */
export class RefusedAddress extends Error {}

/** By the switch's own resolver. */
export const resolveBy =
  (names: Pick<NameResolver, 'addresses'>): ResolveHost =>
  (host, done, owner) =>
    void names.addresses(host, { owner }).then(
      addresses => done(null, addresses),
      (fault: unknown) => done(fault instanceof Error ? fault : new Error(String(fault)), []),
    )
