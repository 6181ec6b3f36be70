import { isUnicast } from '../engine/address.ts'
import type { DatagramNetwork, DatagramSocket } from '../engine/network.ts'
import type { Reception } from '../rtcp/reception.ts'
import type { Recipient } from './recipient.ts'
import type { Reporter } from './reporter.ts'
import type { SourceGate } from './source-gate.ts'

/**
 * Where reports go and whose are taken: the address that SDP names, or the one that a learnt RTP source sends its own
 * from. They go on during hold; the cap on sending to an address that never answers is theirs too.
 */
export class ReportSide {
  readonly #network: DatagramNetwork
  readonly #socket: DatagramSocket
  readonly #reporter: Reporter
  readonly #gate: SourceGate
  readonly #recipient: Recipient
  #address = 0
  #port = 0

  constructor(
    network: DatagramNetwork,
    socket: DatagramSocket,
    reporter: Reporter,
    gate: SourceGate,
    recipient: Recipient,
  ) {
    this.#network = network
    this.#socket = socket
    this.#reporter = reporter
    this.#gate = gate
    this.#recipient = recipient
  }

  /** An offer or answer named it; port 0 = no reports. */
  signal(address: number, port: number): void {
    this.#address = address
    this.#port = port
  }

  /** Returns false for what was refused: another's, or no RTCP. */
  receive(
    packet: Uint8Array,
    length: number,
    address: number,
    port: number,
    heard: Reception | undefined,
    now: number,
  ): boolean {
    const gate = this.#gate
    const isSignalled = address === this.#address && port === this.#port
    // Behind a NAT reports come from where the RTP comes from, by another port.
    const isFromSource = gate.isLatched && address === gate.address
    if (!isSignalled && !isFromSource) return false
    if (!this.#reporter.receive(packet, length, heard, now)) return false
    if (gate.address === address) this.#recipient.heard(gate.address, gate.port)
    if (!isSignalled) this.signal(address, port)
    return true
  }

  tick(heard: Reception | undefined, rtpTimeAt: (now: number) => number, now: number): void {
    if (now < this.#reporter.deadline()) return
    if (this.#maySend(now)) this.#send(heard, rtpTimeAt(now), now, false)
    else this.#reporter.skip(now)
  }

  sayGoodbye(heard: Reception | undefined, rtpTime: number, now: number): void {
    if (this.#maySend(now)) this.#send(heard, rtpTime, now, true)
  }

  #send(heard: Reception | undefined, rtpTime: number, now: number, bye: boolean): void {
    const packet = this.#network.slot()
    const length = this.#reporter.writeInto(packet, heard, rtpTime, now, bye)
    this.#socket.send(packet, length, this.#address, this.#port)
  }

  #maySend(now: number): boolean {
    const { address, port } = this.#gate
    return this.#port !== 0 && isUnicast(this.#address) && this.#recipient.maySend(address, port, now)
  }
}
