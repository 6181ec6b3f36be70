import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'

export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** All addresses of a host, or the reason why there are none. */
export type ResolveHost = (
  host: string,
  done: (fault: Error | null, addresses: readonly ResolvedAddress[]) => void,
) => void

/** The host is, or resolves only to, an address that webhooks must not reach. */
export class RefusedAddress extends Error {}

/** The system's own resolution (hosts file, search domains). One question per host at a time, however many wait. */
export function systemResolve(): ResolveHost {
  const asked = new Map<string, Parameters<ResolveHost>[1][]>()
  return (host, done) => {
    const waiting = asked.get(host)
    if (waiting !== undefined) {
      waiting.push(done)
      return
    }
    asked.set(host, [done])
    systemLookup(host, { all: true }, (fault, found) => {
      const waited = asked.get(host) ?? []
      asked.delete(host)
      const addresses = (found ?? []).map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 }) as const)
      for (const each of waited) each(fault, addresses)
    })
  }
}

/**
 * How undici connects: the host is resolved here, addresses that are not public are taken out, and the address that
 * the socket really has is looked at once more, so that no resolver can answer one thing to the check and another to
 * the connection. `may` says which addresses will do.
 */
export function guardedConnector(options: {
  readonly may: (address: string) => boolean
  readonly resolve: ResolveHost
  readonly timeoutMs: number
}): buildConnector.connector {
  const { may, resolve, timeoutMs } = options

  const lookup: LookupFunction = (host, { all, family }, done) => {
    resolve(host, (fault, found) => {
      if (fault !== null) return done(fault, [])
      const wanted = found.filter(each => family === undefined || family === 0 || Number(family) === each.family)
      const allowed = wanted.filter(({ address }) => may(address))
      const first = allowed[0]
      if (first === undefined) {
        const reason =
          wanted.length === 0 ? new Error(`${host} has no address`) : new RefusedAddress(`${host} is no public address`)
        return done(reason, [])
      }
      if (all === true) done(null, [...allowed])
      else done(null, first.address, first.family)
    })
  }
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, lookup } as buildConnector.BuildOptions)

  return (target, done) => {
    const literal = target.hostname.replace(/^\[(.*)\]$/, '$1')
    // No lookup is asked for an address.
    if (isIP(literal) !== 0 && !may(literal)) {
      done(new RefusedAddress(`${literal} is no public address`), null)
      return
    }
    connect({ ...target, hostname: literal }, (...result) => {
      const [fault, socket] = result
      if (fault === null && socket !== null && !may(socket.remoteAddress ?? '')) {
        socket.destroy()
        done(new RefusedAddress(`${target.hostname} is no public address`), null)
        return
      }
      done(...result)
    })
  }
}
