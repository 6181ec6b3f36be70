import type { DtlsCertificate } from '../dtls/certificate.ts'
import type { DatagramNetwork, DatagramSocket } from '../engine/network.ts'
import type { IceCredentials } from '../ice/credentials.ts'
import { kindOf, type PacketKind } from '../packet/demux.ts'
import { parseStun, usernameOf } from '../stun/message.ts'
import { type BrowserCounters, browserCounters } from './browser-counters.ts'
import { BrowserLink } from './browser-link.ts'
import type { BrowserTerms } from './terms.ts'

/** Handshake datagrams of a tick: each may cost a signature, and all other calls wait for it. */
const handshakesPerTick = 8

export interface BrowserPortConfig {
  readonly certificate: DtlsCertificate
  randomBytes(length: number): Uint8Array
}

/**
 * The one UDP port of a thread's browser legs. A check finds its link by the name it is addressed to; everything else
 * by the address that a valid check came from, and what comes from anywhere else is dropped unread.
 */
export class BrowserPort {
  readonly counters: BrowserCounters = browserCounters()
  readonly port: number
  readonly #socket: DatagramSocket
  readonly #network: DatagramNetwork
  readonly #config: BrowserPortConfig
  readonly #links = new Set<BrowserLink>()
  readonly #byName = new Map<string, BrowserLink>()
  readonly #byAddress = new Map<number, BrowserLink>()
  #handshakes = 0
  #now = 0

  constructor(socket: DatagramSocket, network: DatagramNetwork, config: BrowserPortConfig) {
    this.port = socket.port
    socket.isShared = true
    this.#socket = socket
    this.#network = network
    this.#config = config
    socket.receiver = (packet, length, address, port) => this.#receive(packet, length, address, port)
  }

  open(credentials: IceCredentials): BrowserLink {
    const link = new BrowserLink(credentials, this.port, {
      network: this.#network,
      certificate: this.#config.certificate,
      counters: this.counters,
      randomBytes: length => this.#config.randomBytes(length),
      send: (packet, length, address, port) => this.#socket.send(packet, length, address, port),
    })
    this.#links.add(link)
    this.#byName.set(credentials.ufrag, link)
    this.counters.links++
    return link
  }

  agree(link: BrowserLink, terms: BrowserTerms, now: number): void {
    if (link.agree(terms, now)) this.#byName.set(terms.local.ufrag, link)
  }

  /** From now on what comes for it is dropped. */
  close(link: BrowserLink): void {
    if (!this.#links.delete(link)) return
    this.counters.links--
    link.close()
    for (const name of link.names) this.#byName.delete(name)
    for (const { address, port } of link.agent.paths) this.#leave(link, address, port)
  }

  tick(now: number): void {
    this.#now = now
    this.#handshakes = 0
    for (const link of this.#links) {
      const before = link.agent.paths
      link.tick(now)
      if (link.agent.paths === before) continue
      for (const path of before) if (!link.agent.paths.includes(path)) this.#leave(link, path.address, path.port)
    }
  }

  #receive(packet: Uint8Array, length: number, address: number, port: number): void {
    const kind = kindOf(packet, length)
    if (kind === 'stun') {
      this.#receiveCheck(packet, length, address, port)
      return
    }
    const link = this.#byAddress.get(keyOf(address, port))
    if (link === undefined) {
      this.counters.strayDropped++
      return
    }
    try {
      this.#pass(kind, link, packet, length)
    } catch (error) {
      link.onFault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error))
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
        if (this.#handshakes++ < handshakesPerTick) link.takeHandshake(packet, length, this.#now)
        else this.counters.dtlsBusy++
        return
      default:
        this.counters.strayDropped++
    }
  }

  #receiveCheck(packet: Uint8Array, length: number, address: number, port: number): void {
    const parsed = parseStun(packet, length)
    const user = parsed.ok ? usernameOf(parsed.value) : undefined
    const ufrag = user?.slice(0, user.indexOf(':')) ?? ''
    const link = this.#byName.get(ufrag)
    if (!parsed.ok || link === undefined) {
      this.counters.iceDropped++
      return
    }
    const before = link.agent.paths.slice()
    if (!link.takeCheck(parsed.value, address, port, this.#now)) {
      this.counters.iceDropped++
      return
    }
    this.counters.iceChecks++
    this.#byAddress.set(keyOf(address, port), link)
    for (const path of before) if (!link.agent.paths.includes(path)) this.#leave(link, path.address, path.port)
    // When a restart is over, the names of the run before are nobody's.
    for (const name of link.names) {
      if (link.agent.knows(name)) continue
      link.names.delete(name)
      this.#byName.delete(name)
    }
  }

  #leave(link: BrowserLink, address: number, port: number): void {
    const key = keyOf(address, port)
    if (this.#byAddress.get(key) === link) this.#byAddress.delete(key)
  }
}

/** An address and port as one number, exact. */
const keyOf = (address: number, port: number): number => (address >>> 0) * 0x1_0000 + port
