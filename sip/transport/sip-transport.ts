import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import { assertNever } from '../base/assert-never.ts'
import { OctetPool } from '../base/octet-pool.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EndpointInput, EndpointOutput } from '../endpoint/input.ts'
import type { HopName } from '../endpoint/services/call-command.ts'
import { formatMessage } from '../message/format.ts'
import { headerOf } from '../message/headers.ts'
import type { SipMessage } from '../message/message.ts'
import { type Flow, isWebSocket, type WebSocketTransport } from '../network/flow.ts'
import { type ArrivalFigures, Arrivals } from './arrivals.ts'
import { endsSetUp } from './invite-queue.ts'
import { ListenFault } from './listen-fault.ts'
import { OwnAddresses } from './own-addresses.ts'
import { type ResolvedHop, resolveHop } from './resolve.ts'
import type { ListenAddress, SipTransportConfig } from './sip-transport-config.ts'
import { Streams } from './streams.ts'
import { type Source, UdpListener } from './udp.ts'
import { type Upgraded, WebSockets } from './web-sockets.ts'

const toTag = /;\s*tag\s*=/i
const utf8 = new TextEncoder()
/** What a fault of an input is reported as. */
function causeOf(input: EndpointInput): string {
  if (input.type !== 'received' && input.type !== 'message') return `what "${input.type}" reports`
  const { transport, address, port } = input.flow
  return `a message from ${transport}:${address}:${port}`
}

const rememberedFlows = 20_000
const flowKey = (listenerId: number, port: number): number => listenerId * 65_536 + port
const sweepMs = 5_000
/** Alarms are set so far apart: an alarm costs as much as a message, and the shortest timer of SIP is T1, 500 ms. */
const alarmEveryMs = 10
/** Shorter datagrams than any message: keep-alives of NATs. */
const shortest = 12

/** Joins sockets and one timer to an endpoint, and holds no rules of its own. */
export class SipTransport {
  readonly #endpoint: Endpoint
  readonly #config: SipTransportConfig
  readonly #udp: UdpListener[] = []
  readonly #streams: Streams
  readonly #webSockets: WebSockets
  readonly #bound: ListenAddress[] = []
  readonly #own: OwnAddresses
  /** Of datagrams, by their address, then by `flowKey`. A text of all three would be made, and looked up, for each. */
  readonly #flows = new Map<string, Map<number, Flow>>()
  #flowCount = 0
  readonly #queue: EndpointInput[] = []
  /** Datagrams as they came. A call that has been set up keeps none of them. */
  readonly #read = new OctetPool()
  readonly #arrivals: Arrivals
  #isRunning = false
  #isClosed = false
  #wake: { readonly at: number; readonly cancel: () => void } | undefined
  #cancelSweep: () => void = () => {}
  #nextId = 1

  private constructor(endpoint: Endpoint, config: SipTransportConfig) {
    this.#endpoint = endpoint
    this.#config = config
    this.#arrivals = new Arrivals({
      now: () => config.clock.now(),
      turn: config.turn,
      gate: config.gate,
      isBehind: config.isBehind,
      isStranger: flow => !endpoint.isKnownSource(flow),
    })
    this.#own = new OwnAddresses(config.externalAddresses, this.#udp, this.#bound)
    this.#streams = new Streams({
      limits: config.limits,
      tls: config.tls,
      now: () => config.clock.now(),
      nextId: () => this.#nextId++,
      local: (transport, address) => this.#own.ownName(transport, address),
      framed: (flow, framed) => {
        if (framed.kind === 'message') this.#message(framed.message, flow)
        else if (framed.kind === 'fault') {
          this.#arrivals.readOf(flow.socket)
          this.run({ type: 'message', parsed: framed.fault, flow })
        }
      },
      refused: config.onFault,
      isPeer: address => endpoint.peers.bySource(address) !== undefined,
      closed: flow => this.#flowClosed(flow),
    })
    this.#webSockets = new WebSockets({
      limits: config.limits,
      tls: config.tls,
      externalAddresses: config.externalAddresses,
      isAllowedOrigin: config.isAllowedOrigin ?? (() => true),
      now: () => config.clock.now(),
      nextId: () => this.#nextId++,
      received: (flow, bytes) => this.#received(bytes, flow),
      closed: flow => this.#flowClosed(flow),
      refused: config.onFault,
    })
  }

  /** Binds everything, or nothing: rejects with a `ListenFault` of the first address that cannot be bound. */
  static async open(endpoint: Endpoint, config: SipTransportConfig): Promise<SipTransport> {
    const opened = new SipTransport(endpoint, config)
    try {
      for (const listener of config.listeners)
        await opened.#listen(listener).catch((cause: unknown) => {
          throw new ListenFault(listener, cause)
        })
    } catch (error) {
      await opened.close()
      throw error
    }
    opened.#sweepLater()
    return opened
  }

  /** What is really bound, in the order of the configuration. */
  get bound(): readonly ListenAddress[] {
    return this.#bound
  }

  /** How long new calls wait to be read, since this was asked last. */
  takeArrivalFigures(): ArrivalFigures {
    return this.#arrivals.takeFigures()
  }

  /** A new certificate for `tls` and `wss` connections that are accepted from now on; the others keep theirs. */
  replaceIdentity(identity: SecureContextOptions): void {
    this.#streams.replaceIdentity(identity)
    this.#webSockets.replaceIdentity(identity)
  }

  get connectionCount(): number {
    return this.#streams.size + this.#webSockets.size
  }

  /** A fault of ours is counted and reported, and costs only what its input was about. A command's own caller gets it. */
  #handle(input: EndpointInput, isOwn: boolean): readonly EndpointOutput[] {
    try {
      return this.#endpoint.handle(input, this.#config.clock.now())
    } catch (fault) {
      const isCommand = 'id' in input
      if (isCommand && isOwn) throw fault
      this.#failed(causeOf(input), fault)
      // No other event says that this call cannot go on.
      if (isCommand) this.#config.onCall({ type: 'ended', id: input.id, cause: { kind: 'unreachable' } })
      return this.#endpoint.takeOutputs()
    }
  }

  /** The same for a timer: what it belonged to is lost, the timers after it run at the next alarm, which is soon. */
  #timeout(): readonly EndpointOutput[] {
    try {
      return this.#endpoint.timeout(this.#config.clock.now())
    } catch (fault) {
      this.#failed('a timer', fault)
      return this.#endpoint.takeOutputs()
    }
  }

  #failed(what: string, fault: unknown): void {
    this.#endpoint.counters.faults++
    const stack = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
    this.#config.onFault(`${what} was dropped: ${stack}`)
  }

  /** Gives an input to the endpoint and does what comes out. Inputs that arise meanwhile wait their turn. */
  run(input: EndpointInput): void {
    if (this.#isClosed) return
    if (endsSetUp.has(input.type) && 'id' in input) this.#arrivals.setUpEnded(input.id)
    if (this.#isRunning) {
      this.#queue.push(input)
      return
    }
    this.#isRunning = true
    try {
      for (let next: EndpointInput | undefined = input; next !== undefined; next = this.#next()) {
        this.#act(this.#handle(next, next === input))
        if (next.type === 'dial') this.#tellDialog(next.id)
      }
    } finally {
      this.#isRunning = false
      this.#arm()
    }
  }

  /** What arose meanwhile: mostly nothing, and `shift` of an empty list is a slow way to find that out. */
  #next(): EndpointInput | undefined {
    return this.#queue.length === 0 ? undefined : this.#queue.shift()
  }

  #tellDialog(id: string): void {
    const { tap } = this.#config
    const callId = tap === undefined ? undefined : this.#endpoint.callIdOf(id)
    if (callId !== undefined) tap?.dialog(id, callId)
  }

  /** Connections refused or given up for others since the start. */
  get refusedConnections(): number {
    return this.#streams.refusedCount + this.#webSockets.refusedCount
  }

  /** Takes over a WebSocket handshake that an HTTP server was asked for, or says why not. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    transport: WebSocketTransport,
    clientAddress?: string,
  ): Upgraded {
    if (this.#isClosed) return { ok: false, status: 503, detail: 'The service is stopping.' }
    return this.#webSockets.upgrade(request, socket, head, transport, clientAddress)
  }

  /** Closes every WebSocket, and takes new ones as before. */
  disconnectWebSockets(): Promise<void> {
    return this.#webSockets.disconnect()
  }

  /** The address by which `remote` (an IP literal, or a name that was resolved) reaches us; undefined when it is not known yet. */
  localAddressFor(remote: string): string | undefined {
    return this.#own.localAddressFor(remote)
  }

  /** Resolves the name now, so that `localAddressFor` knows it before the first call there. */
  learn(hop: HopName): void {
    this.#reachable(hop).then(
      hops => {
        if (hops !== 'refused') this.#own.flowsOf(hop.host, hops, () => {})
      },
      () => {},
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#arrivals.close()
    this.#wake?.cancel()
    this.#cancelSweep()
    const udp = this.#udp.map(listener => listener.close())
    await Promise.all([...udp, this.#streams.close(), this.#webSockets.close()])
  }

  async #listen({ transport, address, port }: ListenAddress): Promise<void> {
    switch (transport) {
      case 'udp':
        this.#bound.push({ transport, ...(await this.#listenByUdp(address, port)) })
        break
      case 'tcp':
      case 'tls':
        this.#bound.push({ transport, ...(await this.#streams.listen(transport, address, port)) })
        break
      case 'wss':
        this.#bound.push({ transport, ...(await this.#webSockets.listen(address, port)) })
        break
      default:
        assertNever(transport)
    }
  }

  async #listenByUdp(address: string, port: number): Promise<Omit<ListenAddress, 'transport'>> {
    const listener = await UdpListener.open(
      this.#nextId++,
      address,
      port,
      (from, bytes, peer, isLent) => this.#datagram(from, bytes, peer, isLent),
      error => this.#config.onFault(error.message),
      this.#config.openDatagrams,
    )
    this.#udp.push(listener)
    return { address: listener.address, port: listener.port }
  }

  #datagram(listener: UdpListener, lent: Uint8Array, from: Source, isLent: boolean): void {
    if (this.#isClosed) return
    this.#arrivals.took(listener.id, listener.mostPerTurn)
    if (lent.length < shortest) return
    if (this.#endpoint.isAckOfRefusal(lent)) return
    const known = this.#flows.get(from.address)?.get(flowKey(listener.id, from.port))
    const waitMs = this.#arrivals.expectedWaitMs(this.#config.clock.now())
    if (known !== undefined && this.#isRefused(listener, lent, known, waitMs)) return
    const bytes = isLent ? this.#read.copy(lent) : lent
    if (known !== undefined) {
      this.#received(bytes, known, listener)
      return
    }
    const local = this.#own.localHostFor(listener.address, from.address)
    if (local !== undefined) this.#firstOf(listener, bytes, from, local)
    else
      this.#own.withLocal(listener.address, from.address, found => {
        if (found !== undefined) this.#firstOf(listener, bytes, from, found)
      })
  }

  /** The first datagram of a flow, in which we are known as `localHost`. */
  #firstOf(listener: UdpListener, bytes: Uint8Array, { address, port }: Source, localHost: string): void {
    const { id: socket, port: localPort } = listener
    const flow: Flow = { transport: 'udp', address, port, socket, localHost, localPort }
    this.#remember(flow, socket)
    this.#received(bytes, flow, listener)
  }

  #remember(flow: Flow, listenerId: number): void {
    if (this.#flowCount >= rememberedFlows) {
      this.#flows.clear()
      this.#flowCount = 0
    }
    let ofAddress = this.#flows.get(flow.address)
    if (ofAddress === undefined) {
      ofAddress = new Map()
      this.#flows.set(flow.address, ofAddress)
    }
    ofAddress.set(flowKey(listenerId, flow.port), flow)
    this.#flowCount++
  }

  /** A new call that there is no room for: it is refused here, and never read. */
  #isRefused(listener: UdpListener, bytes: Uint8Array, flow: Flow, waitedMs: number): boolean {
    const refusal = this.#endpoint.refusalOf(bytes, flow, this.#config.clock.now(), waitedMs)
    if (refusal === undefined) return false
    listener.sendLent(refusal.bytes, refusal.port, flow.address)
    return true
  }

  #flowClosed(flow: Flow): void {
    this.#arrivals.readOf(flow.socket)
    this.run({ type: 'flow-closed', flow })
  }

  #received(bytes: Uint8Array, flow: Flow, listener?: UdpListener): void {
    const read = (waitedMs: number) => {
      // Those read before it may have taken the last place.
      if (listener !== undefined && this.#isRefused(listener, bytes, flow, waitedMs)) return
      this.#config.tap?.message(bytes, flow, false)
      this.run({ type: 'received', bytes, flow, waitedMs })
    }
    this.#arrivals.arrived(bytes, flow.socket, read, flow)
  }

  #message(message: SipMessage, flow: Flow): void {
    // A stream's framer has parsed it: written again, header for header as it came.
    if (this.#config.tap !== undefined) this.#config.tap.message(formatMessage(message), flow, false)
    const read = (waitedMs: number) =>
      this.run({ type: 'message', parsed: { ok: true, value: message }, flow, waitedMs })
    const method = message.kind === 'request' ? message.method : undefined
    const callId = utf8.encode(headerOf(message, 'Call-ID') ?? '')
    if (method === 'INVITE' && !toTag.test(headerOf(message, 'To') ?? ''))
      this.#arrivals.invite(callId, flow.socket, read, flow)
    else this.#arrivals.live(method === 'CANCEL' ? callId : undefined, flow.socket, read)
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
          if (output.event.type === 'offered') {
            this.#tellDialog(output.event.id)
            this.#arrivals.setUpBegan(output.event.id)
          } else if (output.event.type === 'ended') this.#arrivals.setUpEnded(output.event.id)
          this.#config.onCall(output.event)
          break
        case 'unknown-source':
          this.#config.onUnknownSource?.(output.call)
          break
        case 'challenge-refused':
          this.#config.onChallengeRefused?.(output.refusal)
          break
        case 'foreign-response':
          this.#config.onForeignResponse?.(output.response)
          break
        case 'known':
          this.#streams.know(output.flow)
          break
        case 'trusted':
          if (isWebSocket(output.flow.transport)) this.#webSockets.trust(output.flow)
          else this.#streams.trust(output.flow)
          break
        default:
          assertNever(output)
      }
    }
  }

  #send({ flow, bytes, transaction }: Extract<EndpointOutput, { type: 'send' }>): void {
    this.#config.tap?.message(bytes, flow, true)
    const failed = transaction && (() => this.run({ type: 'send-failed', transaction }))
    switch (flow.transport) {
      case 'udp': {
        const listener = this.#udp.find(candidate => candidate.id === flow.socket)
        if (listener === undefined) failed?.()
        else listener.send(bytes, flow.port, flow.address, failed)
        break
      }
      case 'tcp':
      case 'tls':
        this.#streams.send(flow, bytes, failed)
        break
      case 'ws':
      case 'wss':
        this.#webSockets.send(flow, bytes, failed)
        break
      default:
        assertNever(flow.transport)
    }
  }

  #resolve(lookup: number, hop: HopName): void {
    this.#reachable(hop).then(
      hops => {
        if (hops === 'refused') this.run({ type: 'resolved', lookup, hops: [], isRefused: true })
        else this.#own.flowsOf(hop.host, hops, flows => this.run({ type: 'resolved', lookup, hops: flows }))
      },
      () => this.run({ type: 'resolved', lookup, hops: [] }),
    )
  }

  /** What is looked at here are the addresses that will be sent to: no later answer of DNS can put others in their place. */
  async #reachable(hop: HopName): Promise<readonly ResolvedHop[] | 'refused'> {
    const { dns, random, mayReach } = this.#config
    const hops = await resolveHop(hop, dns, random)
    if (hop.customer === undefined || mayReach === undefined || hops.length === 0) return hops
    return (await mayReach(hops)) ? hops : 'refused'
  }

  #arm(): void {
    const deadline = this.#endpoint.deadline()
    if (this.#isClosed || deadline === undefined) return
    // An alarm that is too early does no harm: it finds nothing due and sets the next.
    const at = Math.ceil(deadline / alarmEveryMs) * alarmEveryMs
    if (this.#wake !== undefined && this.#wake.at <= at) return
    this.#wake?.cancel()
    const cancel = this.#config.clock.at(at, this.#fire)
    this.#wake = { at, cancel }
  }

  readonly #fire = (): void => {
    this.#wake = undefined
    if (this.#isClosed) return
    this.#isRunning = true
    try {
      this.#act(this.#timeout())
      for (let next = this.#next(); next !== undefined; next = this.#next()) this.#act(this.#handle(next, false))
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
