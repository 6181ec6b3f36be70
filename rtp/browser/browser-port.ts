import type { BrowserTerms } from '../contract/browser-terms.ts'
import type { DtlsCertificate } from '../dtls/certificate.ts'
import type { IceCredentials } from '../ice/credentials.ts'
import type { Path } from '../ice/lite-agent.ts'
import type { DatagramNetwork, DatagramSocket } from '../net/network.ts'
import { kindOf, type PacketKind } from '../packet/demux.ts'
import { parseStun, usernameOf } from '../stun/message.ts'
import { type BrowserCounters, browserCounters } from './browser-counters.ts'
import { BrowserLink } from './browser-link.ts'
import { HandshakeQueue } from './handshake-queue.ts'
import { UnknownSources } from './unknown-sources.ts'

export interface BrowserPortConfig {
  readonly certificate: DtlsCertificate
  randomBytes(length: number): Uint8Array
}

/**
 * The one UDP port of a thread's browser legs, on as many addresses as candidates name. A check finds its link by the
 * name it is addressed to; everything else by the address that a valid check came from, and what comes from anywhere
 * else is dropped unread.
 */
export class BrowserPort {
  readonly counters: BrowserCounters = browserCounters()
  readonly port: number
  readonly #sockets: DatagramSocket[] = []
  readonly #network: DatagramNetwork
  readonly #config: BrowserPortConfig
  readonly #links = new Set<BrowserLink>()
  readonly #byName = new Map<string, BrowserLink>()
  readonly #byAddress = new Map<number, BrowserLink>()
  readonly #unknownSources = new UnknownSources()
  readonly #handshakes = new HandshakeQueue((link, datagram, length) => {
    if (!this.#links.has(link)) return
    try {
      link.takeHandshake(datagram, length, this.#now)
    } catch (error) {
      fault(link, error)
    }
  })
  #now = 0

  constructor(socket: DatagramSocket, network: DatagramNetwork, config: BrowserPortConfig) {
    this.port = socket.port
    this.#network = network
    this.#config = config
    this.listen(socket)
  }

  /** The same port on one more address: a packet that comes there is answered from there. */
  listen(socket: DatagramSocket): void {
    const local = this.#sockets.push(socket) - 1
    socket.isShared = true
    socket.receiver = (packet, length, address, port) => this.#receive(packet, length, address, port, local)
  }

  open(credentials: IceCredentials): BrowserLink {
    const link = new BrowserLink(credentials, this.port, {
      network: this.#network,
      certificate: this.#config.certificate,
      counters: this.counters,
      randomBytes: length => this.#config.randomBytes(length),
      send: (packet, length, address, port, local) => this.#sockets[local]?.send(packet, length, address, port),
      isUnderAttack: () => this.#unknownSources.areMany,
    })
    this.#links.add(link)
    this.#byName.set(credentials.ufrag, link)
    this.counters.links++
    return link
  }

  agree(link: BrowserLink, terms: BrowserTerms, now: number): void {
    if (!link.agree(terms, now)) return
    this.#byName.set(terms.local.ufrag, link)
    this.#forgetNames(link)
  }

  /** From now on what comes for it is dropped. */
  close(link: BrowserLink): void {
    if (!this.#links.delete(link)) return
    this.counters.links--
    link.close()
    for (const name of link.names) this.#byName.delete(name)
    for (const path of link.agent.paths) this.#forget(link, path)
  }

  tick(now: number): void {
    this.#now = now
    this.#unknownSources.tick(now)
    this.#handshakes.tick()
    for (const link of this.#links) {
      const before = link.agent.paths
      try {
        link.tick(now)
      } catch (error) {
        fault(link, error)
      }
      if (link.agent.paths !== before) this.#leave(link, before)
    }
  }

  #receive(packet: Uint8Array, length: number, address: number, port: number, local: number): void {
    const kind = kindOf(packet, length)
    if (kind === 'stun') {
      this.#receiveCheck(packet, length, address, port, local)
      return
    }
    const link = this.#byAddress.get(keyOf(address, port))
    if (link === undefined) {
      this.counters.strayDropped++
      if (kind === 'dtls') this.#unknownSources.note()
      return
    }
    try {
      this.#pass(kind, link, packet, length)
    } catch (error) {
      fault(link, error)
    }
  }

  #pass(kind: PacketKind, link: BrowserLink, packet: Uint8Array, length: number): void {
    switch (kind) {
      case 'rtp':
        link.takeMedia(packet, length, false)
        return
      case 'rtcp':
        link.takeMedia(packet, length, true)
        return
      case 'dtls':
        if (!this.#handshakes.arrived(link, packet, length)) this.counters.dtlsBusy++
        return
      default:
        this.counters.strayDropped++
    }
  }

  #receiveCheck(packet: Uint8Array, length: number, address: number, port: number, local: number): void {
    const parsed = parseStun(packet, length)
    const user = parsed.ok ? usernameOf(parsed.value) : undefined
    const ufrag = user?.slice(0, user.indexOf(':')) ?? ''
    const link = this.#byName.get(ufrag)
    if (!parsed.ok || link === undefined) {
      this.counters.iceDropped++
      return
    }
    const before = link.agent.paths.slice()
    let isValid = false
    try {
      isValid = link.takeCheck(parsed.value, address, port, this.#now, local)
    } catch (error) {
      fault(link, error)
    }
    if (!isValid) {
      this.counters.iceDropped++
      return
    }
    this.counters.iceChecks++
    if (!this.#isAnothers(link, address, port)) this.#byAddress.set(keyOf(address, port), link)
    this.#leave(link, before)
    this.#forgetNames(link)
  }

  /**
   * Another remote is there, and shows it: a check for this link from the same source may be forged, and must not draw
   * that remote's media here.
   */
  #isAnothers(link: BrowserLink, address: number, port: number): boolean {
    const holder = this.#byAddress.get(keyOf(address, port))
    return holder !== undefined && holder !== link && holder.agent.holds(address, port, this.#now)
  }

  /** When a restart is over, or another has begun, names of runs before belong to no session. */
  #forgetNames(link: BrowserLink): void {
    for (const name of link.names) {
      if (link.agent.knows(name)) continue
      link.names.delete(name)
      this.#byName.delete(name)
    }
  }

  /** Addresses of the remote of which no path is left. */
  #leave(link: BrowserLink, before: readonly Path[]): void {
    const { paths } = link.agent
    for (const path of before) {
      if (paths.includes(path) || paths.some(other => isSameFarEnd(other, path))) continue
      this.#forget(link, path)
    }
  }

  #forget(link: BrowserLink, { address, port }: Path): void {
    const key = keyOf(address, port)
    if (this.#byAddress.get(key) === link) this.#byAddress.delete(key)
  }
}

/** A fault of ours in this link, and in no other. */
const fault = (link: BrowserLink, error: unknown): void =>
  link.onFault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error))

const isSameFarEnd = (a: Path, b: Path): boolean => a.address === b.address && a.port === b.port

/** An address and port as one number, exact. */
const keyOf = (address: number, port: number): number => (address >>> 0) * 0x1_0000 + port
