import { assertNever } from '../base/assert-never.ts'
import type { DatagramNetwork } from '../net/network.ts'
import { isRtp, payloadLengthOf, payloadOffsetOf, payloadTypeOf, sequenceOf, ssrcOf } from '../packet/header.ts'
import type { ArrivalAllowance } from './arrival-allowance.ts'
import { HeldPackets } from './held-packets.ts'
import type { PayloadKind, PayloadTypes } from './payload-types.ts'
import type { ReflectionGuard } from './reflection-guard.ts'
import type { SymmetricRtp } from './symmetric-rtp.ts'

/** Gets the packets of a remote that is accepted. */
interface PacketSink {
  receive(packet: Uint8Array, length: number, kind: PayloadKind, now: number): void
}

/**
 * What arrives on a session's RTP port: packets that mean something, of a source that may be accepted, are let in, as
 * far as they are no more than a talker sends.
 */
export class Ingress {
  /** Datagrams that were not let in. */
  dropped = 0
  /** Dropped packets whose source is not accepted. */
  refused = 0
  readonly #network: DatagramNetwork
  readonly #symmetricRtp: SymmetricRtp
  readonly #reflection: ReflectionGuard
  readonly #payloadTypes: PayloadTypes
  readonly #allowance: ArrivalAllowance
  readonly #sink: PacketSink
  readonly #moved: (by: 'learned' | 'returned') => void
  readonly #held = new HeldPackets()

  constructor(
    network: DatagramNetwork,
    symmetricRtp: SymmetricRtp,
    reflection: ReflectionGuard,
    payloadTypes: PayloadTypes,
    allowance: ArrivalAllowance,
    sink: PacketSink,
    moved: (by: 'learned' | 'returned') => void,
  ) {
    this.#network = network
    this.#symmetricRtp = symmetricRtp
    this.#reflection = reflection
    this.#payloadTypes = payloadTypes
    this.#allowance = allowance
    this.#sink = sink
    this.#moved = moved
  }

  receive(packet: Uint8Array, length: number, address: number, port: number, now: number): void {
    const kind = isRtp(packet, length) ? this.#payloadTypes.of(payloadTypeOf(packet)) : undefined
    if (kind === undefined) {
      this.dropped++
      return
    }
    const verdict = this.#symmetricRtp.judge(address, port, ssrcOf(packet), sequenceOf(packet), now)
    switch (verdict) {
      case 'refused':
        this.dropped++
        this.refused++
        return
      case 'held':
        this.#held.hold(packet, length, this.#symmetricRtp.candidatePackets)
        this.dropped++
        this.refused++
        return
      case 'learned':
      case 'returned':
        this.#moved(verdict)
        if (verdict === 'learned') this.#releaseHeld(now)
        this.#held.clear()
        break
      case 'accepted':
        break
      default:
        assertNever(verdict)
    }
    this.#reflection.answered(address, port)
    const payloadLength = payloadLengthOf(packet, length)
    if (this.#allowance.admitsPacket(packet, payloadOffsetOf(packet), payloadLength, kind, now)) {
      this.#sink.receive(packet, length, kind, now)
    } else this.dropped++
  }

  /** Plays the packets that the source sent as a candidate, now that it is accepted. */
  #releaseHeld(now: number): void {
    for (let at = 0; at < this.#held.count; at++) {
      const packet = this.#network.slot()
      const length = this.#held.copyInto(packet, at)
      const kind = this.#payloadTypes.of(payloadTypeOf(packet))
      if (length === 0 || kind === undefined) continue
      this.dropped--
      this.refused--
      this.#sink.receive(packet, length, kind, now)
    }
  }
}
