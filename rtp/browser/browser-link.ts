import type { Agreement } from '../contract/agreement.ts'
import { type BrowserTerms, browserProfiles } from '../contract/browser-terms.ts'
import type { BrowserDump } from '../contract/session-dump.ts'
import { DtlsAssociation } from '../dtls/association.ts'
import type { DtlsCertificate } from '../dtls/certificate.ts'
import type { IceCredentials } from '../ice/credentials.ts'
import { LiteAgent } from '../ice/lite-agent.ts'
import type { DatagramNetwork, DatagramReceiver, DatagramSocket } from '../net/network.ts'
import { mostSrtpOverhead } from '../srtp/profile.ts'
import { rejected, type SrtpCounters, SrtpReceiver } from '../srtp/srtp-receiver.ts'
import { SrtpSender } from '../srtp/srtp-sender.ts'
import type { StunMessage } from '../stun/message.ts'
import type { BrowserCounters } from './browser-counters.ts'

/** How a session names the remote of a link: where that is, is ICE's business. Loopback, port 9 (discard). */
const linkAddress = { address: '127.0.0.1', number: (127 << 24) | 1, port: 9 } as const
/** An agreement whose remote is at the other end of the link. */
export const throughLink = (agreement: Agreement): Agreement => {
  const { address, port } = linkAddress
  return { ...agreement, remote: { address, port, rtcpPort: port } }
}

/** Time that a remote has for its first valid check after the first offer and answer. */
export const iceTimeoutMs = 30_000

/**
 * A browser shows its consent by a check at least every 6 s (RFC 7675 §5.1): two that are missing, and no media, are
 * reason to ask by signalling whether it is there. A closed page or a crashed tab is; a network that is away is not.
 */
export const quietMs = 12_000

/** `internal`: a fault of ours. */
export type LinkFault = 'ice' | 'dtls' | 'internal'

interface LinkHost {
  readonly network: DatagramNetwork
  readonly certificate: DtlsCertificate
  readonly counters: BrowserCounters
  randomBytes(length: number): Uint8Array
  /** By socket `local` of those that all links share. */
  send(packet: Uint8Array, length: number, address: number, port: number, local: number): void
  /** Handshakes come from unknown sources just now: perhaps in others' names too. */
  isUnderAttack(): boolean
}

/**
 * The way to one browser: checks, handshake, keys. To its session it looks like a pair of sockets whose packets are
 * plain; what comes out of them was authenticated, what goes into them is protected and sent to the path of ICE.
 */
export class BrowserLink {
  readonly agent: LiteAgent
  /** What checks for it may be addressed to. */
  readonly names = new Set<string>()
  readonly rtp: LinkSocket
  readonly rtcp: LinkSocket
  /** The first keys are agreed on: media can flow. */
  onSecure: () => void = () => {}
  /** Called once for each agreement when no keys will come, or media ended. */
  onFault: (fault: LinkFault, detail: string) => void = () => {}
  /** Neither a check nor media has come for `quietMs`; reported again after the same time. */
  onQuiet: () => void = () => {}
  readonly #host: LinkHost
  #terms: BrowserTerms | undefined
  #association: DtlsAssociation | undefined
  /**
   * The last datagram of a handshake that came before the answer to our offer: media overtakes signalling, and anyone who
   * said hello says it again only after a second (RFC 6347 §4.2.4.1).
   */
  #early: Uint8Array | undefined
  /** The remote of these terms has not been shaken hands with, or is another one now. */
  #isNew = false
  #sender: SrtpSender | undefined
  #receiver: SrtpReceiver | undefined
  #counted: SrtpCounters = { malformed: 0, replayed: 0, forged: 0 }
  #iceBy = Infinity
  #quietAt = Infinity
  #hasReceived = false

  constructor(credentials: IceCredentials, port: number, host: LinkHost) {
    this.#host = host
    this.agent = new LiteAgent(credentials)
    this.names.add(credentials.ufrag)
    this.rtp = new LinkSocket(port, (packet, length) => this.#send(packet, length, false))
    this.rtcp = new LinkSocket(port, (packet, length) => this.#send(packet, length, true))
  }

  /** Keys are agreed on. */
  get isSecure(): boolean {
    return this.#receiver !== undefined
  }

  get dtlsState(): BrowserDump['dtls'] {
    return this.#association?.state ?? 'waits'
  }
  /** What protects media, once keys are agreed on. */
  get suite(): string | undefined {
    return this.#association?.keys?.remote.profile
  }

  /** Offer and answer have met, perhaps again. Returns true when our names for checks have changed. */
  agree(terms: BrowserTerms, now: number): boolean {
    const before = this.#terms
    this.#terms = terms
    const isRestart = terms.local.ufrag !== this.agent.credentials.ufrag
    if (isRestart) {
      this.agent.restart(terms.local)
      this.names.add(terms.local.ufrag)
    }
    this.agent.setRemote(terms.remoteUfrag)
    if (before === undefined || isRestart) this.#iceBy = now + iceTimeoutMs
    if (before === undefined || !isSameFarEnd(before, terms)) this.#isNew = true
    this.#begin(now)
    return isRestart
  }

  /** A STUN message that is addressed to this link, to socket `local`. Returns true for a valid check. */
  takeCheck(message: StunMessage, address: number, port: number, now: number, local: number): boolean {
    const into = this.#host.network.slot()
    const { length, isValid } = this.agent.handle(message, address, port, into, now, local)
    if (length > 0) this.#host.send(into, length, address, port, local)
    if (!isValid) return false
    this.#hasReceived = true
    this.#iceBy = Infinity
    this.#begin(now)
    return true
  }

  takeHandshake(packet: Uint8Array, length: number, now: number): void {
    const association = this.#association
    if (association === undefined) {
      if (this.#terms === undefined) this.#early = packet.slice(0, length)
      return
    }
    const before = association.state
    association.receive(packet, length, now)
    if (association.state !== before) this.#changed(association)
  }

  takeMedia(packet: Uint8Array, length: number, isReport: boolean): void {
    const receiver = this.#receiver
    if (receiver === undefined) return
    const plain = isReport ? receiver.openRtcp(packet, length) : receiver.openRtp(packet, length)
    if (plain === rejected) {
      this.#count(receiver.counters)
      return
    }
    this.#hasReceived = true
    const { number, port } = linkAddress
    ;(isReport ? this.rtcp : this.rtp).receiver?.(packet, plain, number, port)
  }

  tick(now: number): void {
    this.agent.expire(now)
    if (this.#hasReceived) {
      this.#hasReceived = false
      this.#quietAt = now + quietMs
    } else if (now >= this.#quietAt) {
      this.#quietAt = now + quietMs
      this.onQuiet()
    }
    if (now >= this.#iceBy) {
      this.#iceBy = Infinity
      this.onFault('ice', 'no valid check came')
    }
    const association = this.#association
    if (association === undefined || now < association.deadline()) return
    association.tick(now)
    if (association.state === 'failed') this.#failed(association)
  }

  close(): void {
    this.#association?.close()
    this.#association = undefined
    this.#sender = undefined
    this.#receiver = undefined
  }

  /** The handshake begins when there is a path, and its time too. */
  #begin(now: number): void {
    const terms = this.#terms
    if (!this.#isNew || terms === undefined || this.agent.selected === undefined) return
    this.#isNew = false
    const { certificate } = this.#host
    const { fingerprints, role } = terms
    this.#association = new DtlsAssociation(
      {
        role,
        certificate,
        fingerprints,
        profiles: browserProfiles,
        randomBytes: length => this.#host.randomBytes(length),
        send: datagram => this.#sendHandshake(datagram),
        demandsCookie: () => this.#host.isUnderAttack(),
      },
      now,
    )
    this.#association.start(now)
    const early = this.#early
    this.#early = undefined
    if (early !== undefined) this.takeHandshake(early, early.length, now)
  }

  #failed(association: DtlsAssociation): void {
    this.#association = undefined
    this.#host.counters.dtlsFailed++
    this.onFault('dtls', association.detail)
  }

  #changed(association: DtlsAssociation): void {
    if (association.state === 'failed') {
      this.#failed(association)
      return
    }
    const { keys } = association
    if (keys !== undefined) {
      const isFirst = this.#receiver === undefined
      this.#host.counters.dtlsConnected++
      this.#sender = new SrtpSender(keys.local)
      this.#receiver = new SrtpReceiver(keys.remote)
      this.#counted = { malformed: 0, replayed: 0, forged: 0 }
      if (isFirst) this.onSecure()
    } else if (association.state === 'closed') {
      // The remote has sent close_notify: send nothing more. Its call ends by its signalling, or by silence.
      this.#sender = undefined
    }
  }

  #sendHandshake(datagram: Uint8Array): void {
    const path = this.agent.selected
    if (path === undefined) return
    const slot = this.#host.network.slot()
    slot.set(datagram)
    this.#host.send(slot, datagram.length, path.address, path.port, path.local)
  }

  #send(packet: Uint8Array, length: number, isReport: boolean): void {
    const path = this.agent.selected
    const sender = this.#sender
    if (path === undefined || sender === undefined) {
      this.#host.counters.unsent++
      return
    }
    // What another socket received may have no room after it.
    let own = packet
    if (packet.length < length + mostSrtpOverhead) {
      own = this.#host.network.slot()
      for (let i = 0; i < length; i++) own[i] = packet[i]!
    }
    const sealed = isReport ? sender.sealRtcp(own, length) : sender.sealRtp(own, length)
    if (sealed === 0) this.#host.counters.unsent++
    else this.#host.send(own, sealed, path.address, path.port, path.local)
  }

  #count({ malformed, replayed, forged }: SrtpCounters): void {
    const { counters } = this.#host
    counters.srtpMalformed += malformed - this.#counted.malformed
    counters.srtpReplayed += replayed - this.#counted.replayed
    counters.srtpForged += forged - this.#counted.forged
    this.#counted = { malformed, replayed, forged }
  }
}

/** One of the two sockets that a session believes to have. */
class LinkSocket implements DatagramSocket {
  readonly port: number
  receiver: DatagramReceiver | undefined = undefined
  readonly #send: (packet: Uint8Array, length: number) => void

  constructor(port: number, send: (packet: Uint8Array, length: number) => void) {
    this.port = port
    this.#send = send
  }

  send(packet: Uint8Array, length: number): void {
    this.#send(packet, length)
  }

  describe(): string {
    return `srtp → udp:${this.port}`
  }

  close(): void {
    this.receiver = undefined
  }
}

const isSameFarEnd = (a: BrowserTerms, b: BrowserTerms): boolean =>
  a.role === b.role &&
  a.fingerprints.length === b.fingerprints.length &&
  a.fingerprints.every(
    ({ algorithm, value }, i) => b.fingerprints[i]?.algorithm === algorithm && b.fingerprints[i]?.value === value,
  )
