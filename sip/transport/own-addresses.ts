import { isIP, isIPv6 } from 'node:net'
import { defaultPort, type Flow, type StreamTransport } from '../network/flow.ts'
import { formatHost } from '../uri/host.ts'
import { LocalAddresses } from './local-address.ts'
import type { ResolvedHop } from './resolve.ts'
import type { ListenAddress } from './sip-transport-config.ts'
import type { UdpListener } from './udp.ts'

/** Which of our sockets reaches a remote, and the address that it answers to. */
export class OwnAddresses {
  readonly #externalAddress: string | undefined
  readonly #udp: readonly UdpListener[]
  readonly #bound: readonly ListenAddress[]
  readonly #locals = new LocalAddresses()

  /** `externalAddress` is written instead of any interface's. The listeners may still grow. */
  constructor(externalAddress: string | undefined, udp: readonly UdpListener[], bound: readonly ListenAddress[]) {
    this.#externalAddress = externalAddress
    this.#udp = udp
    this.#bound = bound
  }

  /** The address by which `remote` (an IP literal) reaches us; undefined when it is not known yet. */
  localAddressFor(remote: string): string | undefined {
    const listener = this.#udpFor(remote)
    const bound = listener === undefined || isWildcard(listener) ? undefined : listener.address
    return this.#externalAddress ?? bound ?? this.#locals.known(remote)
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
        if (left === 0) done(flows.filter(found => found !== undefined))
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

  /** The listener of the peer's family: the one bound to just the address that leads there, else a wildcard. */
  #udpFor(remote: string): UdpListener | undefined {
    const family = this.#udp.filter(listener => isIPv6(listener.address) === isIPv6(remote))
    const local = this.#locals.known(remote)
    return family.find(listener => listener.address === local) ?? family.find(isWildcard) ?? family[0]
  }

  /** The host to be written towards `remote` by a socket that is bound so; undefined while it is not known. */
  localHostFor(bound: string | undefined, remote: string): string | undefined {
    const fixed = bound !== undefined && !isWildcard({ address: bound }) ? bound : undefined
    const known = this.#externalAddress ?? fixed ?? this.#locals.known(remote)
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
    const externalAddress = this.#externalAddress
    const listeners = this.#bound.filter(entry => entry.transport === transport)
    const listener = listeners.find(entry => entry.address === address) ?? listeners[0]
    return { host: formatHost(externalAddress ?? address), port: listener?.port ?? defaultPort(transport) }
  }
}

const isWildcard = ({ address }: { readonly address: string }): boolean => address === '0.0.0.0' || address === '::'
