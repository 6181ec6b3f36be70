import { noPlayout, type PlayoutCounters, playoutSum, type SessionStats } from '../../../rtp/worker/index.ts'

/** What legs that have ended add up to. */
export class EndedFigures {
  readonly #packets = { packetsReceived: 0, packetsSent: 0, packetsLost: 0, packetsDropped: 0 }
  readonly #sources = { refused: 0, withheld: 0 }
  #playout = noPlayout

  get packets(): Readonly<Record<'packetsReceived' | 'packetsSent' | 'packetsLost' | 'packetsDropped', number>> {
    return this.#packets
  }
  get sources(): Readonly<Record<'refused' | 'withheld', number>> {
    return this.#sources
  }
  get playout(): PlayoutCounters {
    return this.#playout
  }

  add(stats: SessionStats): void {
    this.#packets.packetsReceived += stats.packetsReceived
    this.#packets.packetsSent += stats.packetsSent
    this.#packets.packetsLost += stats.packetsLost
    this.#packets.packetsDropped += stats.packetsDropped
    this.#sources.refused += stats.source.refused
    this.#sources.withheld += stats.source.withheld
    this.#playout = playoutSum(this.#playout, stats.playout)
  }
}
