import type { RemoteInfo } from 'node:dgram'
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import type { HopName } from '../endpoint/call-command.ts'
import type { CallEvent } from '../endpoint/call-event.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EndpointInput, EndpointOutput, PeerState } from '../endpoint/input.ts'
import { type Flow, isWebSocket } from '../transaction/flow.ts'
import { formatHost } from '../uri/host.ts'
import type { TransportLimits } from './limits.ts'
import { LocalAddresses } from './local-address.ts'
import { type Dns, type ResolvedHop, resolveHop } from './resolve.ts'
import { Streams, type StreamTransport } from './streams.ts'
import { UdpListener } from './udp.ts'
import { type Upgraded, WebSockets, type WebSocketTransport } from './web-sockets.ts'

export interface ListenAddress {
  readonly transport: 'udp' | 'tcp' | 'tls' | 'wss'
  readonly address: string
  readonly port: number
}

export interface DriverConfig {
  readonly listeners: readonly ListenAddress[]
  /** Written into Via and Contact instead of the interface's address. */
  readonly externalAddress: string | undefined
  /** Certificate and key of `tls` and `wss` listeners; `ca` for connections that we open. */
  readonly tls?: SecureContextOptions
  /** Whether a page of the request's origin may open a WebSocket on a `wss` listener. Default: every page may. */
  readonly isAllowedOrigin?: (request: IncomingMessage) => boolean
  readonly limits: TransportLimits
  readonly dns: Dns
  readonly clock: DriverClock
  /** [0, 1), for the draw of SRV records. */
  readonly random: () => number
  readonly onCall: (event: CallEvent) => void
  readonly onPeer: (peerId: string, state: PeerState) => void
  /** Something of the system failed that no call hears of. */
  readonly onFault: (what: string) => void
}

/** Monotonic milliseconds, and one wake-up. */
export interface DriverClock {
  now(): number
  at(deadline: number, fire: () => void): () => void
}

const rememberedFlows = 20_000
const sweepMs = 5_000
/** Shorter datagrams than any message: keep-alives of NATs. */
const shortest = 12

/** Joins sockets and one timer to an endpoint, and holds no rules of its own. */
export class SipDriver {
  readonly #endpoint: Endpoint
  readonly #config: DriverConfig
  readonly #udp: UdpListener[] = []
  readonly #streams: Streams
  readonly #webSockets: WebSockets
  readonly #bound: ListenAddress[] = []
  readonly #locals = new LocalAddresses()
  readonly #flows = new Map<string, Flow>()
  readonly #queue: EndpointInput[] = []
  #isRunning = false
  #isClosed = false
  #wake: { readonly at: number; readonly cancel: () => void } | undefined
  #cancelSweep: () => void = () => {}
  #nextId = 1

  private constructor(endpoint: Endpoint, config: DriverConfig) {
    this.#endpoint = endpoint
    this.#config = config
    this.#streams = new Streams({
      limits: config.limits,
      tls: config.tls,
      now: () => config.clock.now(),
      nextId: () => this.#nextId++,
      local: (transport, address) => this.#ownName(transport, address),
      framed: (flow, framed) => {
        if (framed.kind === 'message') this.run({ type: 'message', parsed: { ok: true, value: framed.message }, flow })
        else if (framed.kind === 'fault') this.run({ type: 'message', parsed: framed.fault, flow })
      },
      refused: config.onFault,
      closed: flow => this.run({ type: 'flow-closed', flow }),
    })
    this.#webSockets = new WebSockets({
      limits: config.limits,
      tls: config.tls,
      externalAddress: config.externalAddress,
      isAllowedOrigin: config.isAllowedOrigin ?? (() => true),
      now: () => config.clock.now(),
      nextId: () => this.#nextId++,
      received: (flow, bytes) => this.run({ type: 'received', bytes, flow }),
      closed: flow => this.run({ type: 'flow-closed', flow }),
      refused: config.onFault,
    })
  }

  /** Binds everything, or nothing: rejects with the first address that cannot be bound. */
  static async open(endpoint: Endpoint, config: DriverConfig): Promise<SipDriver> {
    const driver = new SipDriver(endpoint, config)
    try {
      for (const listener of config.listeners) await driver.#listen(listener)
    } catch (error) {
      await driver.close()
      throw error
    }
    driver.#sweepLater()
    return driver
  }

  /** What is really bound, in the order of the configuration. */
  get bound(): readonly ListenAddress[] {
    return this.#bound
  }

  get connectionCount(): number {
    return this.#streams.size + this.#webSockets.size
  }

  /** A fault of ours that some message sets off is told, and costs only what that message was about. */
  #handle(input: EndpointInput): ReturnType<Endpoint['handle']> {
    try {
      return this.#endpoint.handle(input, this.#config.clock.now())
    } catch (fault) {
      if (input.type !== 'received' && input.type !== 'message') throw fault
      const { transport, address, port } = input.flow
      const stack = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
      this.#config.onFault(`a message from ${transport}:${address}:${port} was dropped: ${stack}`)
      return []
    }
  }

  /** Gives an input to the endpoint and does what comes out. Inputs that arise meanwhile wait their turn. */
  run(input: EndpointInput): void {
    if (this.#isClosed) return
    this.#queue.push(input)
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#act(this.#handle(next))
    } finally {
      this.#isRunning = false
    }
    this.#arm()
  }

  /** Takes over a WebSocket handshake that an HTTP server was asked for, or says why not. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, transport: WebSocketTransport): Upgraded {
    if (this.#isClosed) return { ok: false, status: 503, detail: 'The service is stopping.' }
    return this.#webSockets.upgrade(request, socket, head, transport)
  }

  /** Closes every WebSocket, and takes new ones as before. */
  disconnectWebSockets(): Promise<void> {
    return this.#webSockets.disconnect()
  }

  /** The address by which `remote` (an IP literal) reaches us; undefined when it is not known yet. */
  localAddressFor(remote: string): string | undefined {
    return this.#config.externalAddress ?? this.#boundFor(remote) ?? this.#locals.known(remote)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#wake?.cancel()
    this.#cancelSweep()
    const udp = this.#udp.map(listener => listener.close())
    await Promise.all([...udp, this.#streams.close(), this.#webSockets.close()])
  }

  async #listen({ transport, address, port }: ListenAddress): Promise<void> {
    if (transport === 'wss') {
      this.#bound.push({ transport, ...(await this.#webSockets.listen(address, port)) })
      return
    }
    if (transport !== 'udp') {
      this.#bound.push({ transport, ...(await this.#streams.listen(transport, address, port)) })
      return
    }
    const listener = await UdpListener.open(
      this.#nextId++,
      address,
      port,
      (from, bytes, peer) => this.#datagram(from, bytes, peer),
      error => this.#config.onFault(error.message),
    )
    this.#udp.push(listener)
    this.#bound.push({ transport, address: listener.address, port: listener.port })
  }

  #datagram(listener: UdpListener, bytes: Uint8Array, from: RemoteInfo): void {
    if (bytes.length < shortest || this.#isClosed) return
    const key = `${listener.id} ${from.address} ${from.port}`
    const known = this.#flows.get(key)
    if (known !== undefined) {
      this.run({ type: 'received', bytes, flow: known })
      return
    }
    this.#withLocal(listener.address, from.address, local => {
      if (local === undefined) return
      const flow: Flow = {
        transport: 'udp',
        address: from.address,
        port: from.port,
        socket: listener.id,
        localHost: local,
        localPort: listener.port,
      }
      if (this.#flows.size >= rememberedFlows) this.#flows.clear()
      this.#flows.set(key, flow)
      this.run({ type: 'received', bytes, flow })
    })
  }

  #act(outputs: readonly EndpointOutput[]): void {
    for (const output of outputs) {
      switch (output.type) {
        case 'send':
          this.#send(output)
          break
        case 'resolve':
          this.#resolve(output.lookup, output.hop)
          break
        case 'peer':
          this.#config.onPeer(output.peerId, output.state)
          break
        case 'call':
          this.#config.onCall(output.event)
          break
        case 'trusted':
          if (isWebSocket(output.flow.transport)) this.#webSockets.trust(output.flow)
          else this.#streams.trust(output.flow)
      }
    }
  }

  #send({ flow, bytes, transaction }: Extract<EndpointOutput, { type: 'send' }>): void {
    const failed = transaction && (() => this.run({ type: 'send-failed', transaction }))
    if (isWebSocket(flow.transport)) {
      this.#webSockets.send(flow, bytes, failed)
      return
    }
    if (flow.transport !== 'udp') {
      this.#streams.send(flow, bytes, failed)
      return
    }
    const listener = this.#udp.find(candidate => candidate.id === flow.socket)
    if (listener === undefined) failed?.()
    else listener.send(bytes, flow.port, flow.address, failed)
  }

  #resolve(lookup: number, hop: HopName): void {
    const { dns, random } = this.#config
    resolveHop(hop, dns, random).then(
      hops => this.#flowsOf(hop.host, hops, flows => this.run({ type: 'resolved', lookup, hops: flows })),
      () => this.run({ type: 'resolved', lookup, hops: [] }),
    )
  }

  /** Flows for addresses that we have a socket for. */
  #flowsOf(name: string, hops: readonly ResolvedHop[], done: (flows: readonly Flow[]) => void): void {
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
          this.#withLocal(listener.address, address, localHost =>
            finish(
              localHost === undefined
                ? undefined
                : { transport, address, port, socket: listener.id, localHost, localPort: listener.port },
            ),
          )
      } else
        this.#withLocal(undefined, address, local => {
          if (local === undefined) return finish(undefined)
          const own = this.#ownName(transport, local.replace(/^\[|\]$/g, ''))
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

  #boundFor(remote: string): string | undefined {
    const listener = this.#udpFor(remote)
    return listener === undefined || isWildcard(listener) ? undefined : listener.address
  }

  /** The host to be written towards `remote`, at once where it is known. */
  #withLocal(bound: string | undefined, remote: string, use: (host: string | undefined) => void): void {
    const { externalAddress } = this.#config
    const fixed = externalAddress ?? (bound !== undefined && !isWildcard({ address: bound }) ? bound : undefined)
    const known = fixed ?? this.#locals.known(remote)
    if (known !== undefined) use(formatHost(known))
    else this.#locals.find(remote, found => use(found === undefined ? undefined : formatHost(found)))
  }

  /** Our address and listening port for a stream transport; without a listener there is no port to come back to. */
  #ownName(transport: StreamTransport, address: string): { readonly host: string; readonly port: number } {
    const { externalAddress } = this.#config
    const listeners = this.#bound.filter(entry => entry.transport === transport)
    const listener = listeners.find(entry => entry.address === address) ?? listeners[0]
    const fallback = transport === 'tls' ? 5061 : 5060
    return { host: formatHost(externalAddress ?? address), port: listener?.port ?? fallback }
  }

  #arm(): void {
    const deadline = this.#endpoint.deadline()
    if (this.#isClosed || deadline === undefined) return
    // An alarm that is too early does no harm: it finds nothing due and sets the next.
    if (this.#wake !== undefined && this.#wake.at <= deadline) return
    this.#wake?.cancel()
    const cancel = this.#config.clock.at(deadline, () => this.#fire())
    this.#wake = { at: deadline, cancel }
  }

  #fire(): void {
    this.#wake = undefined
    if (this.#isClosed) return
    this.#isRunning = true
    try {
      this.#act(this.#endpoint.timeout(this.#config.clock.now()))
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift())
        this.#act(this.#endpoint.handle(next, this.#config.clock.now()))
    } finally {
      this.#isRunning = false
    }
    this.#arm()
  }

  #sweepLater(): void {
    const { clock } = this.#config
    this.#cancelSweep = clock.at(clock.now() + sweepMs, () => {
      this.#streams.sweep(clock.now())
      this.#webSockets.sweep(clock.now())
      if (!this.#isClosed) this.#sweepLater()
    })
  }
}

const isWildcard = ({ address }: { readonly address: string }): boolean => address === '0.0.0.0' || address === '::'
