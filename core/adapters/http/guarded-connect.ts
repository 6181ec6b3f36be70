import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { RefusedAddress, type ResolveHost } from './resolve-host.ts'

/**
 * How undici connects: the host is resolved here, addresses that are not public are taken out, and the address that
 * the socket really has is looked at once more, so that no resolver can answer one thing to the check and another to
 * the connection. `may` says which addresses will do.
 */
export function guardedConnector(options: {
  readonly may: (address: string) => boolean
  readonly resolve: ResolveHost
  /** The account that opens the connection. Default: the operator. */
  readonly owner?: string
  readonly timeoutMs: number
}): buildConnector.connector {
  const { may, resolve, owner = '', timeoutMs } = options

  const lookup: LookupFunction = (host, { all, family }, done) => {
    const resolved: Parameters<ResolveHost>[1] = (fault, found) => {
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
    }
    resolve(host, resolved, owner)
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
