import type { MixRate } from '../mix/mix-rate.ts'
import type { Seat, SeatFormat } from '../mix/seat.ts'
import type { InbandDigitListener } from '../receive/inband-digit-listener.ts'
import type { Sender } from '../send/sender.ts'

/** A session's place in a room: the room reads the remote's audio and gives the mix to its sender. */
export class RoomSeat implements Seat {
  readonly #inband: InbandDigitListener
  readonly #sender: Sender
  readonly #lossPercent: () => number

  constructor(inband: InbandDigitListener, sender: Sender, lossPercent: () => number) {
    this.#inband = inband
    this.#sender = sender
    this.#lossPercent = lossPercent
  }

  get format(): SeatFormat | undefined {
    return this.#sender.bridged.mixFormat
  }
  get receivesMix(): boolean {
    return this.#sender.bridged.isMixSent
  }
  get lossPercent(): number {
    return this.#lossPercent()
  }

  readInto(pcm: Int16Array, count: number, rate: MixRate, now: number): void {
    this.#inband.readerFor(rate).readInto(pcm, 0, count, now)
    // A digit that came as a tone is reported, and not for the others.
    if (this.#inband.detectsTone) pcm.fill(0, 0, count)
  }

  sendMix(payload: Uint8Array, length: number, at: number, now: number): void {
    this.#sender.bridged.mix(payload, length, at, now)
  }

  release(): void {
    this.#inband.release()
    this.#sender.bridge(false)
  }
}
