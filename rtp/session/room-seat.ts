import type { MixRate } from '../mix/mix-rate.ts'
import type { Seat, SeatFormat } from '../mix/seat.ts'
import type { Hearing } from '../receive/inband-digit-listener.ts'
import type { Sender } from '../send/sender.ts'

/** A session's place in a room: the room reads what its far end says, and has its sender say what is to be heard. */
export class RoomSeat implements Seat {
  readonly #hearing: Hearing
  readonly #sender: Sender
  readonly #lossPercent: () => number

  constructor(hearing: Hearing, sender: Sender, lossPercent: () => number) {
    this.#hearing = hearing
    this.#sender = sender
    this.#lossPercent = lossPercent
  }

  get format(): SeatFormat | undefined {
    return this.#sender.bridged.mixFormat
  }
  get isListening(): boolean {
    return this.#sender.bridged.isMixHeard
  }
  get lossPercent(): number {
    return this.#lossPercent()
  }

  readInto(pcm: Int16Array, count: number, rate: MixRate, now: number): void {
    this.#hearing.earFor(rate).readInto(pcm, 0, count, now)
    // A digit that came as a tone is told, and not for the others.
    if (this.#hearing.hearsTone) pcm.fill(0, 0, count)
  }

  hear(payload: Uint8Array, length: number, at: number, now: number): void {
    this.#sender.bridged.mix(payload, length, at, now)
  }

  release(): void {
    this.#hearing.release()
    this.#sender.bridge(false)
  }
}
