import type { MediaSources } from '../contract/agreement.ts'
import type { SourceState } from '../contract/session-stats.ts'
import { maxDropout, sequenceDelta } from '../packet/sequence.ts'
import { KnownHosts, ranks } from './known-hosts.ts'
import { type SourceInput, sourceTable } from './source-states.ts'

/** Packets in a row that another source must send before it is learned. None is played or answered before. */
export const packetsToLearn = 5
/** A gap of more than this in its sequence numbers makes the candidate start again. */
const maxStep = 3
/** Silence after which a candidate gives its place to another source of its rank. */
const candidateStaleMs = 500
/** Time for which a stream must have stopped before another address can continue it. */
export const continuationQuietMs = 200
/** Time after SDP named another address in which packets may still come from the former one. */
export const movingMs = 2000

/** `learned`, `returned`: accepted, and media goes to this source from now on. `held`: a candidate. */
export type Verdict = 'accepted' | 'learned' | 'returned' | 'held' | 'refused'

/**
 * Whose packets are taken, and where ours go (symmetric RTP, RFC 4961): `sourceTable` has the rules. The address that SDP
 * names is taken at once. Another source is a candidate first, and is learned only on known hosts (`KnownHosts`: the address
 * in SDP, the address that SIP comes from and its /24, the trunk's `media_hosts`). While packets come from the signalled
 * address no other source is learned, except where the same stream continues. A learned source yields to one of a higher rank.
 */
export class SymmetricRtp {
  readonly hosts = new KnownHosts()
  #state: SourceState = 'closed'
  #signalledAddress = 0
  #signalledPort = 0
  /** Where media comes from: the signalled address until another was learned. */
  #address = 0
  #port = 0
  /** Hold by `0.0.0.0` (RFC 3264 §8.4): nothing may be sent, and who may be received from stays what it was. */
  #isMuted = true
  #ssrc = 0
  #sequence = 0
  #acceptedAt = -Infinity
  #previousAddress = 0
  #previousPort = 0
  #previousUntil = -Infinity
  #candidateAddress = 0
  #candidatePort = 0
  #candidateSsrc = 0
  #candidateSequence = 0
  #candidateAt = -Infinity
  #candidatePackets = 0

  get state(): SourceState {
    return this.#state
  }
  /** Where media goes; 0 = nowhere for now. */
  get address(): number {
    return this.#isMuted ? 0 : this.#address
  }
  get port(): number {
    return this.#isMuted ? 0 : this.#port
  }
  /** What the last offer or answer named; port 0 = nothing yet. */
  get signalledAddress(): number {
    return this.#signalledAddress
  }
  get signalledPort(): number {
    return this.#signalledPort
  }
  /** Another source than the signalled address was learned. */
  get isLearned(): boolean {
    return this.#state === 'learned' || this.#state === 'resumed'
  }
  /** Media is taken from that host. */
  isFrom(address: number): boolean {
    return address === this.#address
  }
  /** Packets that the present candidate has sent. */
  get candidatePackets(): number {
    return this.#candidatePackets
  }

  /**
   * An offer or answer named the remote address; port 0 = nowhere for now. The same address again reopens nothing, so
   * that hold and session refreshes leave what was learned.
   */
  signal(address: number, port: number, sources: MediaSources | undefined, now: number): void {
    this.#isMuted = port === 0
    this.#candidatePackets = 0
    this.hosts.signal(port === 0 ? this.#signalledAddress : address, sources)
    if (port === 0) return
    if (address === this.#signalledAddress && port === this.#signalledPort) {
      if (this.#state === 'learned') this.#state = 'resumed'
      return
    }
    if (this.#state === 'confirmed' || this.isLearned) {
      this.#previousAddress = this.#address
      this.#previousPort = this.#port
      this.#previousUntil = now + movingMs
    }
    this.#signalledAddress = address
    this.#signalledPort = port
    this.#address = address
    this.#port = port
    this.#acceptedAt = -Infinity
    this.#state = 'waiting'
  }

  /** A valid packet came, of a payload type that was agreed on. Changes nothing but by the table. */
  judge(address: number, port: number, ssrc: number, sequence: number, now: number): Verdict {
    // The usual packet, before the table: confirmed × signalled, or learned × current.
    const isUsual = address === this.#address && port === this.#port
    if (isUsual && (this.#state === 'confirmed' || this.#state === 'learned')) {
      this.#note(ssrc, sequence, now)
      return 'accepted'
    }
    const cell = sourceTable[this.#state][this.#inputOf(address, port, ssrc, sequence, now)]
    if (cell === undefined) return 'refused'
    const [next, action] = cell
    if (action === 'probe') {
      const outcome = this.#probe(address, port, ssrc, sequence, now)
      if (outcome !== 'passed') return outcome
    }
    this.#state = next
    this.#note(ssrc, sequence, now)
    if (action === 'accept') return 'accepted'
    this.#address = address
    this.#port = port
    this.#candidatePackets = 0
    return action === 'return' ? 'returned' : 'learned'
  }

  #note(ssrc: number, sequence: number, now: number): void {
    this.#ssrc = ssrc
    this.#sequence = sequence
    this.#acceptedAt = now
  }

  #inputOf(address: number, port: number, ssrc: number, sequence: number, now: number): SourceInput {
    if (address === this.#signalledAddress && port === this.#signalledPort) return 'signalled'
    const { isLearned } = this
    if (isLearned && address === this.#address && port === this.#port) return 'current'
    if (now < this.#previousUntil && address === this.#previousAddress && port === this.#previousPort) return 'previous'
    const rank = this.hosts.rankOf(address)
    const isSameHost = address === this.#address
    if (!isSameHost && rank === ranks.unknown) return 'unknown'
    if (this.#continues(ssrc, sequence, now)) return 'continuation'
    if (!isLearned) return 'known'
    if (rank > this.hosts.rankOf(this.#address)) return 'better'
    return isSameHost ? 'same-host' : 'known'
  }

  #continues(ssrc: number, sequence: number, now: number): boolean {
    if (ssrc !== this.#ssrc || now - this.#acceptedAt < continuationQuietMs) return false
    const step = sequenceDelta(sequence, this.#sequence)
    return this.#acceptedAt !== -Infinity && step > 0 && step <= maxDropout
  }

  #probe(address: number, port: number, ssrc: number, sequence: number, now: number): 'refused' | 'held' | 'passed' {
    const isCandidate = address === this.#candidateAddress && port === this.#candidatePort
    const isFresh = this.#candidatePackets > 0 && now - this.#candidateAt < candidateStaleMs
    // Another source does not displace the candidate, unless it is closer to signalling.
    if (isFresh && !isCandidate && this.hosts.rankOf(address) <= this.hosts.rankOf(this.#candidateAddress)) {
      return 'refused'
    }
    const step = sequenceDelta(sequence, this.#candidateSequence)
    const goesOn = isFresh && isCandidate && ssrc === this.#candidateSsrc && step > 0 && step <= maxStep
    this.#candidateAddress = address
    this.#candidatePort = port
    this.#candidateSsrc = ssrc
    this.#candidateSequence = sequence
    this.#candidateAt = now
    this.#candidatePackets = goesOn ? this.#candidatePackets + 1 : 1
    return this.#candidatePackets < packetsToLearn ? 'held' : 'passed'
  }
}
