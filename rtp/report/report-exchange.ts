import { isUnicast } from '../address/address.ts'
import type { DatagramNetwork, DatagramSocket } from '../net/network.ts'
import type { ArrivalAllowance } from '../receive/arrival-allowance.ts'
import { ranks } from '../receive/known-hosts.ts'
import type { ReflectionGuard } from '../receive/reflection-guard.ts'
import type { SymmetricRtp } from '../receive/symmetric-rtp.ts'
import type { ReceptionStatistics } from '../rtcp/reception-statistics.ts'
import type { Reporter } from './reporter.ts'

/** What a report to an address that never answers counts as, of the media that may go there. */
const reportCostMs = 1000

/**
 * Decides where our reports go and whose are accepted: the address that SDP names, or the host on which the RTP
 * source was learned. Reports continue during hold; the limit on sending to an address that never answers includes
 * them.
 */
export class ReportExchange {
  /** Datagrams of those whose reports are not taken. */
  refused = 0
  readonly #network: DatagramNetwork
  readonly #socket: DatagramSocket
  readonly #reporter: Reporter
  readonly #symmetricRtp: SymmetricRtp
  readonly #reflection: ReflectionGuard
  readonly #allowance: ArrivalAllowance
  #signalledAddress = 0
  #signalledPort = 0
  #address = 0
  #port = 0

  constructor(
    network: DatagramNetwork,
    socket: DatagramSocket,
    reporter: Reporter,
    symmetricRtp: SymmetricRtp,
    reflection: ReflectionGuard,
    allowance: ArrivalAllowance,
  ) {
    this.#network = network
    this.#socket = socket
    this.#reporter = reporter
    this.#symmetricRtp = symmetricRtp
    this.#reflection = reflection
    this.#allowance = allowance
  }

  /** An offer or answer named it; port 0 = no reports. The same again leaves what was learned. */
  signal(address: number, port: number): void {
    if (address === this.#signalledAddress && port === this.#signalledPort) return
    this.#signalledAddress = address
    this.#signalledPort = port
    this.#address = address
    this.#port = port
  }

  /** Returns false for what was refused: another's, no RTCP, or more than a remote may report. */
  receive(
    packet: Uint8Array,
    length: number,
    address: number,
    port: number,
    reception: ReceptionStatistics | undefined,
    now: number,
  ): boolean {
    const symmetricRtp = this.#symmetricRtp
    const isSignalled = address === this.#signalledAddress && port === this.#signalledPort
    if (!isSignalled && !this.#isOfSource(address, packet, length, reception)) {
      this.refused++
      return false
    }
    if (!this.#allowance.admitsReport(now)) return false
    if (!this.#reporter.receive(packet, length, reception, now)) return false
    if (symmetricRtp.address === address) this.#reflection.answered(symmetricRtp.address, symmetricRtp.port)
    this.#address = address
    this.#port = port
    return true
  }

  /**
   * Behind a NAT reports come from the host of RTP, on another port: from the learned host and of the same source,
   * or, before anything was received, from the host that SIP comes from.
   */
  #isOfSource(
    address: number,
    packet: Uint8Array,
    length: number,
    reception: ReceptionStatistics | undefined,
  ): boolean {
    const symmetricRtp = this.#symmetricRtp
    if (symmetricRtp.state === 'waiting') return symmetricRtp.hosts.rankOf(address) >= ranks.sip
    if (!symmetricRtp.isLearned || !symmetricRtp.isFrom(address)) return false
    return reception === undefined || (length >= reportHeadLength && reporterOf(packet) === reception.ssrc)
  }

  /** When the next report is due. */
  get deadline(): number {
    return this.#reporter.deadline()
  }

  tick(reception: ReceptionStatistics | undefined, rtpTimeAt: (now: number) => number, now: number): void {
    if (now < this.#reporter.deadline()) return
    if (this.#maySend) this.#send(reception, rtpTimeAt(now), now, false)
    else this.#reporter.skip(now)
  }

  sayGoodbye(reception: ReceptionStatistics | undefined, rtpTime: number, now: number): void {
    if (this.#maySend) this.#send(reception, rtpTime, now, true)
  }

  #send(reception: ReceptionStatistics | undefined, rtpTime: number, now: number, bye: boolean): void {
    const packet = this.#network.slot()
    const length = this.#reporter.writeInto(packet, reception, rtpTime, now, bye)
    this.#socket.send(packet, length, this.#address, this.#port)
    this.#reflection.sent(this.#symmetricRtp.address, this.#symmetricRtp.port, reportCostMs)
  }

  get #maySend(): boolean {
    const { address, port } = this.#symmetricRtp
    return this.#port !== 0 && isUnicast(this.#address) && this.#reflection.maySend(address, port)
  }
}

/** Version, count, type and length, then the SSRC of who reports (RFC 3550 §6.4.1). */
const reportHeadLength = 8
const reporterOf = (packet: Uint8Array): number =>
  ((packet[4]! << 24) | (packet[5]! << 16) | (packet[6]! << 8) | packet[7]!) >>> 0
