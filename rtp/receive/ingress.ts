import type { DatagramNetwork } from '../net/network.ts'
import { isRtp, payloadTypeOf, sequenceOf, ssrcOf } from '../packet/header.ts'
import { HeldPackets } from './held-packets.ts'
import type { Meaning, PayloadMeanings } from './payload-types.ts'
import type { Recipient } from './reflection-guard.ts'
import type { SourceGate } from './symmetric-rtp.ts'

/** Gets the packets of a far end that is believed. */
export interface Believer {
  receive(packet: Uint8Array, length: number, meaning: Meaning, now: number): void
}

/** What arrives on a session's RTP port: packets that mean something, of a source that may be believed, are let in. */
export class Arrivals {
  /** Datagrams that were not let in. */
  dropped = 0
  /** Those of them that came from a source that is not believed. */
  refused = 0
  readonly #network: DatagramNetwork
  readonly #gate: SourceGate
  readonly #recipient: Recipient
  readonly #meanings: PayloadMeanings
  readonly #believer: Believer
  readonly #moved: (by: 'learned' | 'returned') => void
  readonly #held = new HeldPackets()

  constructor(
    network: DatagramNetwork,
    gate: SourceGate,
    recipient: Recipient,
    meanings: PayloadMeanings,
    believer: Believer,
    moved: (by: 'learned' | 'returned') => void,
  ) {
    this.#network = network
    this.#gate = gate
    this.#recipient = recipient
    this.#meanings = meanings
    this.#believer = believer
    this.#moved = moved
  }

  receive(packet: Uint8Array, length: number, address: number, port: number, now: number): void {
    const meaning = isRtp(packet, length) ? this.#meanings.of(payloadTypeOf(packet)) : undefined
    if (meaning === undefined) {
      this.dropped++
      return
    }
    const verdict = this.#gate.judge(address, port, ssrcOf(packet), sequenceOf(packet), now)
    switch (verdict) {
      case 'refused':
        this.dropped++
        this.refused++
        return
      case 'held':
        this.#held.hold(packet, length, this.#gate.candidatePackets)
        this.dropped++
        this.refused++
        return
      case 'learned':
      case 'returned':
        this.#moved(verdict)
        if (verdict === 'learned') this.#letHeldIn(now)
        this.#held.clear()
        break
      case 'accepted':
        break
    }
    this.#recipient.heard(address, port)
    this.#believer.receive(packet, length, meaning, now)
  }

  /** What a source said on its probation, now that it is believed. */
  #letHeldIn(now: number): void {
    for (let at = 0; at < this.#held.count; at++) {
      const packet = this.#network.slot()
      const length = this.#held.copyInto(packet, at)
      const meaning = this.#meanings.of(payloadTypeOf(packet))
      if (length === 0 || meaning === undefined) continue
      this.dropped--
      this.refused--
      this.#believer.receive(packet, length, meaning, now)
    }
  }
}
