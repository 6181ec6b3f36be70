import { sequenceDelta } from '../packet/sequence.ts'

/** Packets in a row that another source must send before it is believed. */
export const probationPackets = 5
/** Another source is only believed when the signalled one was silent for so long. */
export const signalledQuietMs = 5000
/** A gap of more than this in its sequence numbers starts the probation anew. */
const maxStep = 3

export type Verdict = 'accepted' | 'latched' | 'refused'

/**
 * Whose packets are heard, and where ours go (symmetric RTP, RFC 4961). The address that SDP names is taken at once
 * and whenever it speaks. Behind a NAT packets come from elsewhere: such a source is learnt after a probation, only
 * while the signalled address is quiet, and once: then it is locked until the next offer or answer.
 */
export class SourceGate {
  /** Where media goes: the signalled address until another was learnt. 0 = not known. */
  address = 0
  port = 0
  #signalledAddress = 0
  #signalledPort = 0
  #signalledAt = -Infinity
  #locked = false
  #candidateAddress = 0
  #candidatePort = 0
  #candidateSsrc = 0
  #candidateSequence = 0
  #candidatePackets = 0

  get isLatched(): boolean {
    return this.#locked
  }

  /** How many packets of its probation the present candidate has sent; 0 = nobody is on probation. */
  get candidatePackets(): number {
    return this.#candidatePackets
  }

  /** An offer or answer named the far end's address. Unchanged, it says nothing new but that learning is allowed. */
  signal(address: number, port: number): void {
    const changed = address !== this.#signalledAddress || port !== this.#signalledPort
    this.#locked = false
    this.#candidatePackets = 0
    if (!changed) return
    this.#signalledAddress = address
    this.#signalledPort = port
    this.#signalledAt = -Infinity
    this.address = address
    this.port = port
  }

  /** A valid packet came, of a payload type that was agreed on. Changes nothing but by the rules above. */
  judge(address: number, port: number, ssrc: number, sequence: number, now: number): Verdict {
    if (address === this.#signalledAddress && port === this.#signalledPort) {
      this.#signalledAt = now
      this.#candidatePackets = 0
      if (this.address === address && this.port === port) return 'accepted'
      // The far end itself speaks after all: what was learnt in its silence was not it.
      this.#move(address, port)
      this.#locked = false
      return 'latched'
    }
    if (address === this.address && port === this.port) return 'accepted'
    if (this.#locked || now - this.#signalledAt < signalledQuietMs) return 'refused'
    const step = sequenceDelta(sequence, this.#candidateSequence)
    const continues =
      this.#candidatePackets > 0 &&
      address === this.#candidateAddress &&
      port === this.#candidatePort &&
      ssrc === this.#candidateSsrc &&
      step > 0 &&
      step <= maxStep
    this.#candidateAddress = address
    this.#candidatePort = port
    this.#candidateSsrc = ssrc
    this.#candidateSequence = sequence
    this.#candidatePackets = continues ? this.#candidatePackets + 1 : 1
    if (this.#candidatePackets < probationPackets) return 'refused'
    this.#move(address, port)
    this.#locked = true
    return 'latched'
  }

  #move(address: number, port: number): void {
    this.address = address
    this.port = port
    this.#candidatePackets = 0
  }
}
