import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  type Counters,
  defaultLimits,
  defaultTimers,
  Endpoint,
  type EndpointCallDump,
  type EndpointLimits,
  type Hash,
  hashNames,
  type InviteGate,
  isWebSocket,
  type PhoneOffer,
} from '../../../sip/index.ts'
import {
  type ArrivalFigures,
  type Dns,
  defaultTransportLimits,
  type ListenAddress,
  ListenFault,
  type SipTap,
  SipTransport,
  type Turn,
  type Upgraded,
} from '../../../sip/transport/index.ts'
import type { SipTarget } from '../../contract/environment.ts'
import { assertNever } from '../../model/assert-never.ts'
import { endReasons } from '../../model/end-reason.ts'
import type { TrunkUuid } from '../../model/ids.ts'
import { ListenError } from '../../model/listen-error.ts'
import type { PhoneBinding } from '../../model/phone.ts'
import type { Settings } from '../../model/settings.ts'
import type { Trunk } from '../../model/trunk.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Signaling, SignalingCommand, SignalingEvent } from '../../ports/signaling.ts'
import { NameResolver } from '../names/index.ts'
import { CustomerTargets } from './customer-targets.ts'
import { dialTargetOf, peerOf, trunkPort } from './dial-target.ts'
import { legEventOf } from './leg-event.ts'
import { nativeDatagrams } from './native-datagrams.ts'
import { phoneCallerOf, phoneDirectory, type SignInTokens } from './phone-directory.ts'
import { sipDns } from './sip-dns.ts'

export interface SipSignalingOptions {
  readonly settings: Pick<Settings, 'sip' | 'externalAddresses' | 'allowPrivateUrls' | 'http' | 'publicUrl'>
  /** The trunks as they are now; asked at the start and at `trunksChanged`. */
  readonly trunks: () => readonly Trunk[]
  readonly emit: (event: SignalingEvent) => void
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Softphones sign in by these. Default: none can. */
  readonly tokens?: SignInTokens
  /** Whether a page of the request's origin may open a WebSocket on a `wss:` listener. Default: every page may. */
  readonly isAllowedOrigin?: (request: IncomingMessage) => boolean
  /** PEM: certificate and key for `tls:` and `wss:` listeners; `ca` instead of the system's authorities for trunks over TLS. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string }
  readonly limits?: Partial<EndpointLimits>
  /** Decides by load whether a new call is taken. Default: every one is. */
  readonly gate?: InviteGate
  /** Whether events of calls still wait to be handled: new calls are read after them. Default: they never do. */
  readonly isBehind?: () => boolean
  /** Shared with what else works in a turn of the event loop. Default: nothing else does. */
  readonly turn?: Turn
  /** Sees every message. Default: none. */
  readonly tap?: SipTap
  /** Default: what the system says (`NameResolver`). */
  readonly dns?: Dns
}

/** What became of a WebSocket handshake at `/sip`; a refusal is the HTTP side's to write. */
export type PhoneUpgrade = Upgraded

/** What is known of a trunk from registering with it and pinging it. Undefined = not asked. */
export interface TrunkHealth {
  readonly isRegistered: boolean | undefined
  readonly isReachable: boolean | undefined
}

/** Result of OPTIONS that were sent to a trunk on demand. */
export interface TrunkTest {
  readonly isReachable: boolean
  readonly milliseconds: number
}

/** A softphone as it is registered. */
export interface RegisteredPhone {
  readonly address: string
  readonly transport: string
}

/** A trunk that has not answered OPTIONS in this time is not reachable. */
const trunkTestMs = 10_000
/** Seconds between pings of a test: it is over before the second. */
const testPingSeconds = 3600

export interface SignalingCounters extends Readonly<Counters> {
  readonly calls: number
  readonly clientTransactions: number
  readonly serverTransactions: number
  readonly connections: number
  /** Connections and WebSockets refused, or given up for others, because of a limit. */
  readonly connectionsRefused: number
  /** Dialogs that requests may name, and deadlines that are set. */
  readonly dialogs: number
  readonly timers: number
  /** End-users of whom a softphone is registered. */
  readonly phones: number
}

const hash: Hash = (algorithm, text) => createHash(hashNames[algorithm]).update(text).digest('hex')

const unknownHealth: TrunkHealth = { isRegistered: undefined, isReachable: undefined }

/** The signalling port, filled by our SIP stack. Rejects in `open` when an address cannot be bound. */
export class SipSignaling implements Signaling {
  readonly #options: SipSignalingOptions
  readonly #endpoint: Endpoint
  readonly #health = new Map<string, TrunkHealth>()
  /** Trunks that are being tested, by the id of the peer that pings them for it. */
  readonly #tests = new Map<string, { readonly trunkId: TrunkUuid; readonly done: (isReachable: boolean) => void }>()
  readonly #dns: Dns
  readonly #targets: CustomerTargets
  #transport: SipTransport | undefined
  #stopWatching: () => void = () => {}

  private constructor(options: SipSignalingOptions) {
    this.#options = options
    const { random, tokens, settings, clock } = options
    this.#dns = options.dns ?? sipDns(new NameResolver())
    this.#targets = new CustomerTargets({
      trunks: options.trunks,
      dns: this.#dns,
      clock,
      log: options.log,
      allowPrivate: settings.allowPrivateUrls,
      externalAddresses: settings.externalAddresses,
      listeners: () => [...this.listeners(), ...settings.http],
      ownNames: [settings.sip.realm, new URL(settings.publicUrl).hostname],
    })
    this.#endpoint = new Endpoint({
      timers: defaultTimers,
      limits: { ...defaultLimits, ...options.limits },
      realm: settings.sip.realm,
      userAgent: 'Sauti',
      random: length => random.bytes(length),
      hash,
      newId: () => random.uuid(),
      unixNow: () => clock.unixMs(),
      ...(options.gate === undefined ? {} : { gate: options.gate }),
      ...(tokens === undefined ? {} : { phones: phoneDirectory(tokens, settings.sip.realm, clock) }),
    })
  }

  /** A new certificate for connections from now on; those that are open go on. */
  replaceIdentity(identity: { readonly cert: string; readonly key: string }): void {
    this.#transport?.replaceIdentity(identity)
  }

  static async open(options: SipSignalingOptions): Promise<SipSignaling> {
    const signaling = new SipSignaling(options)
    const { settings, clock, random, log, tokens, isAllowedOrigin } = options
    const openDatagrams = nativeDatagrams()
    const lookUp = (phone: PhoneOffer) => tokens && phoneCallerOf(tokens, phone)
    signaling.#transport = await SipTransport.open(signaling.#endpoint, {
      listeners: settings.sip.listeners,
      ...(isAllowedOrigin === undefined ? {} : { isAllowedOrigin }),
      externalAddresses: settings.externalAddresses,
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      limits: defaultTransportLimits,
      gate: options.gate,
      isBehind: options.isBehind,
      turn: options.turn,
      ...(openDatagrams === undefined ? {} : { openDatagrams }),
      ...(options.tap === undefined ? {} : { tap: options.tap }),
      dns: signaling.#dns,
      mayReach: hops => signaling.#targets.mayReach(hops),
      clock,
      random: () => (random.bytes(1)[0] ?? 0) / 256,
      onCall: event => {
        const legEvent = legEventOf(event, lookUp)
        if (legEvent !== undefined) signaling.#emit(legEvent)
      },
      onPeer: (trunkId, state) => signaling.#peerState(trunkId, state),
      onUnknownSource: call => log.warn({ ...call }, 'a call from an address of no trunk was dropped'),
      onChallengeRefused: refusal =>
        log.warn(
          { ...refusal },
          'a challenge got no credentials: it is not of the address, realm and algorithm that this password is for; if the carrier has a new realm, change the trunk’s password and change it back',
        ),
      onForeignResponse: response =>
        log.warn(
          { ...response },
          'a response from another address than its request went to was dropped; if it is the carrier’s, list it in the trunk’s inbound hosts',
        ),
      onFault: what => log.warn({ what: what.slice(0, 500) }, 'sip transport'),
    }).catch((fault: unknown) => {
      throw fault instanceof ListenFault ? new ListenError(fault.listener, fault.cause) : fault
    })
    signaling.trunksChanged()
    const revoked = tokens?.onRevoked(token => signaling.#transport?.run({ type: 'revoked', tokenId: token.uuid }))
    if (revoked !== undefined) signaling.#stopWatching = revoked
    return signaling
  }

  execute(command: SignalingCommand): void {
    const id = command.legId
    switch (command.type) {
      case 'leg.ring':
        this.#transport?.run({ type: 'ring', id, sid: command.sid })
        return
      case 'leg.progress':
        this.#transport?.run({ type: 'progress', id, sdp: command.sdp, sid: command.sid })
        return
      case 'leg.answer':
        this.#transport?.run({ type: 'answer', id, sdp: command.sdp, sid: command.sid })
        return
      case 'leg.dial':
        this.#dial(command)
        return
      case 'leg.end': {
        const { sip, q850, label } = endReasons[command.reason]
        const { type: _, legId: __, reason, sid, status = sip, ...more } = command
        this.#transport?.run({ type: 'end', id, sid, reason: { status, q850, text: label, code: reason, ...more } })
        return
      }
      case 'leg.reanswer':
        this.#transport?.run({ type: 'reanswer', id, sdp: command.sdp })
        return
      case 'leg.refuse-reoffer':
        this.#transport?.run({ type: 'refuse-reoffer', id, warning: command.warning })
        return
      case 'leg.probe':
        this.#transport?.run({ type: 'probe', id })
        return
      default:
        assertNever(command)
    }
  }

  /** Gives the endpoint who may call, whom to register with and whom to ping. */
  trunksChanged(): void {
    this.#targets.trunksChanged()
    // The first offer to a trunk names our address of the family that its name leads to.
    for (const trunk of this.#options.trunks()) {
      const { host, transport } = trunk
      if (host !== '' && isIP(host.replace(/^\[|\]$/g, '')) === 0)
        this.#transport?.learn({ host, port: trunkPort(trunk), transport })
    }
    this.#watchPeers()
  }

  /** Sends OPTIONS to the trunk now, beside its own pings. Undefined: there is no such trunk, or it only calls in. */
  async testTrunk(trunkId: TrunkUuid): Promise<TrunkTest | undefined> {
    const trunk = this.#options.trunks().find(({ uuid }) => uuid === trunkId)
    if (trunk === undefined || trunk.host === '') return undefined
    const { clock, random } = this.#options
    const began = clock.now()
    const id = `test:${random.uuid()}`
    const isReachable = await new Promise<boolean>(done => {
      const cancel = clock.at(began + trunkTestMs, () => done(false))
      this.#tests.set(id, {
        trunkId,
        done: isGood => {
          cancel()
          done(isGood)
        },
      })
      this.#watchPeers()
    })
    this.#tests.delete(id)
    this.#watchPeers()
    return { isReachable, milliseconds: Math.round(clock.now() - began) }
  }

  #watchPeers(): void {
    const trunks = this.#options.trunks()
    const tested = [...this.#tests].flatMap(([id, { trunkId }]) => {
      const trunk = trunks.find(({ uuid }) => uuid === trunkId)
      if (trunk === undefined) return []
      return [{ ...peerOf(trunk), id, register: false, inboundHosts: [], optionsPingSeconds: testPingSeconds }]
    })
    this.#transport?.run({ type: 'peers', peers: [...trunks.map(peerOf), ...tested] })
  }

  /** What the URI of a `<Sip>` says by itself; undefined: it is none. */
  sipTarget(uri: string): SipTarget | undefined {
    return this.#targets.read(uri)
  }

  /** The addresses that are really bound, ports included. */
  listeners(): readonly ListenAddress[] {
    return this.#transport?.bound ?? []
  }

  /** The address under which `remote` (an IP literal, or a name that was resolved) reaches us; undefined while that is not known. */
  localAddressFor(remote: string): string | undefined {
    return this.#transport?.localAddressFor(remote)
  }

  /** A softphone of the end-user is registered now. */
  isRegistered(endUserUuid: string): boolean {
    return this.#endpoint.registrar.isRegistered(endUserUuid)
  }

  /** Where the end-user's softphones are registered from. */
  phonesOf(endUserUuid: string): readonly RegisteredPhone[] {
    const bindings = this.#endpoint.registrar.bindingsOf(endUserUuid)
    return bindings.map(({ flow }) => ({ address: flow.address, transport: flow.transport }))
  }

  /** The end-user's softphones that can be called now. */
  bindingsOf(endUserUuid: string): readonly PhoneBinding[] {
    const bindings = this.#endpoint.registrar.bindingsOf(endUserUuid)
    return bindings.map(({ id, flow }) => ({ id, address: flow.address, isBrowser: isWebSocket(flow.transport) }))
  }

  /** Takes over a WebSocket handshake, or says why not; the refusal is the caller's to write. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    transport: 'ws' | 'wss',
    clientAddress?: string,
  ): PhoneUpgrade {
    const stopping = { ok: false, status: 503, detail: 'The service is stopping.' } as const
    return this.#transport?.upgrade(request, socket, head, transport, clientAddress) ?? stopping
  }

  /** Asks phones on WebSockets to come back later: their HTTP server is closing. */
  async disconnectWebSockets(): Promise<void> {
    await this.#transport?.disconnectWebSockets()
  }

  /** The SIP of a leg, for support; undefined: it has none, or no more. */
  dumpOf(legId: string): EndpointCallDump | undefined {
    return this.#endpoint.dumpOf(legId, this.#options.clock.now())
  }

  trunkHealth(trunkId: TrunkUuid): TrunkHealth {
    return this.#health.get(trunkId) ?? unknownHealth
  }

  counters(): SignalingCounters {
    return {
      ...this.#endpoint.counters,
      calls: this.#endpoint.callCount,
      clientTransactions: this.#endpoint.layer.clients.size,
      serverTransactions: this.#endpoint.layer.servers.size,
      connections: this.#transport?.connectionCount ?? 0,
      connectionsRefused: this.#transport?.refusedConnections ?? 0,
      dialogs: this.#endpoint.tagCount,
      timers: this.#endpoint.timers.running.length,
      phones: this.#endpoint.registrar.userCount,
    }
  }

  /** How long new calls wait to be read, since this was asked last. */
  takeArrivalFigures(): ArrivalFigures {
    return this.#transport?.takeArrivalFigures() ?? { waitMs: 0, waiting: 0, dropped: 0 }
  }

  /** New calls get 503 with Retry-After from now on; `on` false ends that. */
  drain(on = true): void {
    this.#transport?.run({ type: 'drain', on })
  }

  /** Closes all sockets. Calls that still live are not reported; end them before. */
  async close(): Promise<void> {
    this.#stopWatching()
    await this.#transport?.close()
    this.#transport = undefined
  }

  #dial(command: Extract<SignalingCommand, { type: 'leg.dial' }>): void {
    const target = dialTargetOf(command.target)
    if (target === undefined || this.#transport === undefined) {
      this.#emit({ type: 'leg.ended', legId: command.legId, cause: { kind: 'unreachable' } })
      return
    }
    const { legId: id, from, sdp, sid, maxForwards } = command
    this.#transport.run({
      type: 'dial',
      id,
      target,
      from,
      sdp,
      sid,
      ...(maxForwards === undefined ? undefined : { maxForwards }),
    })
  }

  /** A listener that throws must not stop the messages after it. */
  #emit(event: SignalingEvent): void {
    try {
      this.#options.emit(event)
    } catch (error) {
      this.#options.log.error({ error: String(error).slice(0, 500), event: event.type }, 'signaling event')
    }
  }

  #peerState(trunkId: string, state: 'registered' | 'registration-failed' | 'reachable' | 'unreachable'): void {
    const test = this.#tests.get(trunkId)
    if (test !== undefined) {
      if (state === 'reachable' || state === 'unreachable') test.done(state === 'reachable')
      return
    }
    const health = this.#health.get(trunkId) ?? unknownHealth
    const isGood = state === 'registered' || state === 'reachable'
    const isRegistration = state === 'registered' || state === 'registration-failed'
    this.#health.set(trunkId, isRegistration ? { ...health, isRegistered: isGood } : { ...health, isReachable: isGood })
    this.#options.log[isGood ? 'info' : 'warn']({ trunk: trunkId, state }, 'trunk')
  }
}
