import { payloadLengthOf, payloadOffsetOf } from '../packet/header.ts'
import type { PayloadKind } from '../receive/payload-types.ts'
import { LevelMeter } from '../report/level-meter.ts'
import { type MediaTape, tapedBytes } from '../report/media-tape.ts'
import type { SessionFigures } from '../report/session-figures.ts'

const headerBytes = 12
const everyMs = 1000
/** Of what is decoded, the level of one piece in eight is measured: speech is the same before and after it. */
const measuredOneIn = 8

/** Where packets come from and go to. */
interface TapedAddresses {
  readonly address: number
  readonly port: number
}

/** Ours; its port may change. */
interface TapedSocket {
  readonly port: number
}

/** One of what comes in, one of what goes out. */
interface TapedDirection {
  tapesAll: boolean
}

interface TapeClock {
  now(): number
  /** The wall clock at a monotonic time. */
  unixMs(now: number): number
}

/** What one session notes on its thread's tape: a point a second, telephone-events, headers or whole packets where they are wanted. */
export class SessionTape {
  readonly level = new LevelMeter()
  readonly #tape: MediaTape
  readonly #number: number
  readonly #remote: TapedAddresses
  readonly #socket: TapedSocket
  readonly #directions: readonly TapedDirection[]
  readonly #clock: TapeClock
  readonly #wantsHeaders: boolean
  #pointAt: number
  #isCapturing = false
  /** Packets are noted whole until then. */
  #captureUntil = Number.NEGATIVE_INFINITY
  /** The packet that was written last is a telephone-event, which is noted already. */
  #isEvent = false
  /** What is decoded is measured there. */
  #isG711 = false
  #turn = 0

  constructor(
    tape: MediaTape,
    session: { readonly id: string; readonly socket: TapedSocket; readonly remote: TapedAddresses },
    directions: readonly TapedDirection[],
    clock: TapeClock,
    now: number,
  ) {
    this.#tape = tape
    this.#wantsHeaders = tape.wantsHeaders
    this.#number = tape.name(session.id)
    this.#remote = session.remote
    this.#socket = session.socket
    this.#directions = directions
    this.#tapesAll(tape.wantsHeaders)
    this.#clock = clock
    this.#pointAt = now + everyMs
  }

  /** When the next point is due. */
  get pointAt(): number {
    return this.#pointAt
  }

  /** A packet that came, which is no telephone-event. */
  received(packet: Uint8Array, length: number, now: number): void {
    if (this.#isCapturing && now < this.#captureUntil) this.#whole(packet, length, false, now)
    else if (this.#wantsHeaders) this.#note(packet, length, false, headerBytes, now)
  }

  receivedEvent(packet: Uint8Array, length: number, now: number): void {
    this.#note(packet, length, false, tapedBytes, now)
  }

  /** A packet of audio that stands for those around it. */
  measure(packet: Uint8Array, length: number, codec: PayloadKind): void {
    this.#isG711 = codec === 'PCMU' || codec === 'PCMA'
    if (!this.#isG711) return
    this.level.packet(packet, payloadOffsetOf(packet), payloadLengthOf(packet, length), codec === 'PCMU')
  }

  /** Samples of a codec that is decoded. */
  decoded(pcm: Int16Array, from: number, count: number): void {
    if (this.#isG711) return
    this.#turn = (this.#turn + 1) % measuredOneIn
    if (this.#turn === 1) this.level.pcm(pcm, from, count)
  }

  capture(until: number): void {
    this.#captureUntil = until
    this.#isCapturing = true
    this.#tapesAll(true)
  }

  sent(packet: Uint8Array, length: number): void {
    this.#isEvent = false
    if (!this.#wantsHeaders) return
    const now = this.#clock.now()
    if (!this.#isCapturing || now >= this.#captureUntil) this.#note(packet, length, true, headerBytes, now)
  }

  sentEvent(packet: Uint8Array, length: number): void {
    this.#isEvent = true
    this.#note(packet, length, true, tapedBytes, this.#clock.now())
  }

  leaves(packet: Uint8Array, length: number): void {
    if (!this.#isCapturing || this.#isEvent) return
    const now = this.#clock.now()
    if (now < this.#captureUntil) this.#whole(packet, length, true, now)
    else {
      this.#isCapturing = false
      this.#tapesAll(this.#wantsHeaders)
    }
  }

  tick(now: number, figures: SessionFigures): void {
    if (now < this.#pointAt) return
    this.#pointAt = Math.max(this.#pointAt + everyMs, now + everyMs / 2)
    const point = figures.second()
    if (point === undefined) return
    this.#tape.point(this.#number, this.#clock.unixMs(now), { ...point, levelDbov: this.level.take() })
  }

  #tapesAll(tapesAll: boolean): void {
    for (const direction of this.#directions) direction.tapesAll = tapesAll
  }

  #whole(packet: Uint8Array, length: number, isSent: boolean, now: number): void {
    const { address, port } = this.#remote
    const unixMs = this.#clock.unixMs(now)
    this.#tape.audio(this.#number, unixMs, isSent, packet, length, address, port, this.#socket.port)
  }

  #note(packet: Uint8Array, length: number, isSent: boolean, kept: number, now: number): void {
    const { address, port } = this.#remote
    this.#tape.packet(
      this.#number,
      this.#clock.unixMs(now),
      isSent,
      packet,
      length,
      kept,
      address,
      port,
      this.#socket.port,
    )
  }
}
