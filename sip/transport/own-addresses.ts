import { isIP, isIPv6 } from 'node:net'
import { defaultPort, type Flow, type StreamTransport } from '../network/flow.ts'
import { formatHost } from '../uri/host.ts'
import { LocalAddresses } from './local-address.ts'
import type { ResolvedHop } from './resolve.ts'
import type { ListenAddress } from './sip-transport-config.ts'
import type { UdpListener } from './udp.ts'

const rememberedNames = 10_000

/** A peer of the other family could not come back to it. */
export const externalFor = (addresses: readonly string[], remote: string): string | undefined =>
  addresses.find(address => isIPv6(address) === isIPv6(remote))

/** Which of our sockets reaches a remote, and the address that it answers to. */
export class OwnAddresses {
  readonly #externalAddresses: readonly string[]
  readonly #udp: readonly UdpListener[]
  readonly #bound: readonly ListenAddress[]
  readonly #locals = new LocalAddresses()
  /** The first address of each name that flows were made for. */
  readonly #named = new Map<string, string>()

  /** `externalAddresses` are written instead of any interface's, each to peers of its family. The listeners may still grow. */
  constructor(externalAddresses: readonly string[], udp: readonly UdpListener[], bound: readonly ListenAddress[]) {
    this.#externalAddresses = externalAddresses
    this.#udp = udp
    this.#bound = bound
  }

  /** The address by which `remote` (an IP literal, or a name that was resolved) reaches us; undefined when it is not known yet. */
  localAddressFor(remote: string): string | undefined {
    const address = isIP(remote) === 0 ? this.#named.get(remote) : remote
    if (address === undefined) return undefined
    const listener = this.#udpFor(address)
    const bound = listener === undefined || isWildcard(listener) ? undefined : listener.address
    return externalFor(this.#externalAddresses, address) ?? bound ?? this.#locals.known(address)
  }

  /** Flows for addresses that we have a socket for. */
  flowsOf(name: string, hops: readonly ResolvedHop[], done: (flows: readonly Flow[]) => void): void {
    const flows: (Flow | undefined)[] = hops.map(() => undefined)
    const serverName = isIP(name.replace(/^\[|\]$/g, '')) === 0 ? { serverName: name } : {}
    let left = hops.length
    if (left === 0) done([])
    for (const [at, { transport, address, port }] of hops.entries()) {
      const finish = (flow: Flow | undefined) => {
        flows[at] = flow
        left--
        if (left > 0) return
        const found = flows.filter(each => each !== undefined)
        if (found[0] !== undefined) this.#remember(name, found[0].address)
        done(found)
      }
      if (transport === 'udp') {
        const listener = this.#udpFor(address)
        if (listener === undefined) finish(undefined)
        else
          this.withLocal(listener.address, address, localHost =>
            finish(
              localHost === undefined
                ? undefined
                : { transport, address, port, socket: listener.id, localHost, localPort: listener.port },
            ),
          )
      } else
        this.withLocal(undefined, address, local => {
          if (local === undefined) return finish(undefined)
          const own = this.ownName(transport, local.replace(/^\[|\]$/g, ''))
          finish({
            transport,
            address,
            port,
            socket: undefined,
            localHost: own.host,
            localPort: own.port,
            ...serverName,
          })
        })
    }
  }

  #remember(name: string, address: string): void {
    if (this.#named.size >= rememberedNames) this.#named.clear()
    this.#named.set(name, address)
  }

  /** The listener of the peer's family: the one bound to just the address that leads there, else a wildcard. */
  #udpFor(remote: string): UdpListener | undefined {
    const family = this.#udp.filter(listener => isIPv6(listener.address) === isIPv6(remote))
    const local = this.#locals.known(remote)
    return family.find(listener => listener.address === local) ?? family.find(isWildcard) ?? family[0]
  }

  /** The host to be written towards `remote` by a socket that is bound so; undefined while it is not known. */
  localHostFor(bound: string | undefined, remote: string): string | undefined {
    const fixed = bound !== undefined && !isWildcard({ address: bound }) ? bound : undefined
    const known = externalFor(this.#externalAddresses, remote) ?? fixed ?? this.#locals.known(remote)
    return known === undefined ? undefined : formatHost(known)
  }

  /** The same, once it is known. */
  withLocal(bound: string | undefined, remote: string, use: (host: string | undefined) => void): void {
    const known = this.localHostFor(bound, remote)
    if (known !== undefined) use(known)
    else this.#locals.find(remote, found => use(found === undefined ? undefined : formatHost(found)))
  }

  /** Our address and listening port for a stream transport; without a listener there is no port to come back to. */
  ownName(transport: StreamTransport, address: string): { readonly host: string; readonly port: number } {
    const listeners = this.#bound.filter(entry => entry.transport === transport)
    const listener =
      listeners.find(entry => entry.address === address) ??
      listeners.find(entry => isIPv6(entry.address) === isIPv6(address)) ??
      listeners[0]
    const host = externalFor(this.#externalAddresses, address) ?? address
    return { host: formatHost(host), port: listener?.port ?? defaultPort(transport) }
  }
}

const isWildcard = ({ address }: { readonly address: string }): boolean => address === '0.0.0.0' || address === '::'
