import { payloadLengthOf, payloadOffsetOf } from '../packet/header.ts'
import type { PacketSink } from '../receive/ingress.ts'
import type { PayloadKind } from '../receive/payload-types.ts'
import { LevelMeter } from '../report/level-meter.ts'
import { type MediaTape, tapedBytes } from '../report/media-tape.ts'
import type { SessionFigures } from '../report/session-figures.ts'

const headerBytes = 12
const everyMs = 1000

/** Where packets come from and go to. */
interface TapedAddresses {
  readonly address: number
  readonly port: number
}

/** What one session notes on its thread's tape: a point a second, telephone-events, headers where they are wanted. */
export class SessionTape implements PacketSink {
  readonly level = new LevelMeter()
  readonly #tape: MediaTape
  readonly #number: number
  readonly #next: PacketSink
  readonly #remote: TapedAddresses
  readonly #localPort: number
  readonly #unixMs: (now: number) => number
  #now: number
  #pointAt: number
  /** What is decoded is measured there. */
  #isG711 = false

  constructor(
    tape: MediaTape,
    session: { readonly id: string; readonly localPort: number; readonly remote: TapedAddresses },
    next: PacketSink,
    unixMs: (now: number) => number,
    now: number,
  ) {
    this.#tape = tape
    this.#number = tape.name(session.id)
    this.#next = next
    this.#remote = session.remote
    this.#localPort = session.localPort
    this.#unixMs = unixMs
    this.#now = now
    this.#pointAt = now + everyMs
  }

  /** When the next point is due. */
  get pointAt(): number {
    return this.#pointAt
  }

  receive(packet: Uint8Array, length: number, meaning: PayloadKind, now: number): void {
    this.#now = now
    if (meaning === 'events') this.#note(packet, length, false, tapedBytes)
    else {
      this.#isG711 = meaning === 'PCMU' || meaning === 'PCMA'
      if (this.#isG711)
        this.level.packet(packet, payloadOffsetOf(packet), payloadLengthOf(packet, length), meaning === 'PCMU')
      if (this.#tape.wantsHeaders) this.#note(packet, length, false, headerBytes)
    }
    this.#next.receive(packet, length, meaning, now)
  }

  /** Samples of a codec that is decoded. */
  decoded(pcm: Int16Array, from: number, count: number): void {
    if (!this.#isG711) this.level.pcm(pcm, from, count)
  }

  /** A packet of ours, as it goes out. */
  sent(packet: Uint8Array, length: number): void {
    if (this.#tape.wantsHeaders) this.#note(packet, length, true, headerBytes)
  }

  sentEvent(packet: Uint8Array, length: number): void {
    this.#note(packet, length, true, tapedBytes)
  }

  tick(now: number, figures: SessionFigures): void {
    this.#now = now
    if (now < this.#pointAt) return
    this.#pointAt = Math.max(this.#pointAt + everyMs, now + everyMs / 2)
    const point = figures.second()
    if (point === undefined) return
    this.#tape.point(this.#number, this.#unixMs(now), { ...point, levelDbov: this.level.take() })
  }

  #note(packet: Uint8Array, length: number, isSent: boolean, kept: number): void {
    const { address, port } = this.#remote
    this.#tape.packet(
      this.#number,
      this.#unixMs(this.#now),
      isSent,
      packet,
      length,
      kept,
      address,
      port,
      this.#localPort,
    )
  }
}
