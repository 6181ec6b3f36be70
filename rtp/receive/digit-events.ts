import { DigitReceiver, type ReceivedDigit } from '../dtmf/digit-receiver.ts'
import { markerOf, payloadOffsetOf, ssrcOf, timestampOf } from '../packet/header.ts'

/** Beside codecs of that clock events are counted in it too. */
const usualClock = 8000

export interface DigitListener {
  /** A digit has gone down. */
  digitDown(digit: string, now: number): void
  /** It is up again. `began`: the RTP time of its beginning. */
  digitUp(received: ReceivedDigit, began: number, now: number): void
}

/** Digits of a remote, as its telephone-events report them. */
export class DigitEvents {
  readonly #listener: DigitListener
  /** Made with the first event: most calls have none. */
  #receiver: DigitReceiver | undefined
  #clockRate = usualClock
  #ssrc = -1
  #began = 0

  constructor(listener: DigitListener) {
    this.#listener = listener
  }

  /** SSRC of the latest events; −1 = there were none. */
  get ssrc(): number {
    return this.#ssrc
  }

  /** A digit is down, whose last packets may be lost: `tick` finds its end. */
  get isHeld(): boolean {
    return this.#receiver?.deadline() !== undefined
  }

  /** A packet of events, counted in `clockRate`. */
  receive(packet: Uint8Array, payloadLength: number, clockRate: number, now: number): void {
    const ssrc = ssrcOf(packet)
    if (this.#receiver === undefined || clockRate !== this.#clockRate || ssrc !== this.#ssrc) {
      this.reset(now)
      this.#clockRate = clockRate
      this.#ssrc = ssrc
      this.#receiver = new DigitReceiver({ clockRate })
    }
    const receiver = this.#receiver
    const wasHeld = receiver.held !== undefined
    const timestamp = timestampOf(packet)
    const reported = receiver.push(packet, payloadOffsetOf(packet), payloadLength, timestamp, markerOf(packet), now)
    if (wasHeld && reported === 0) return
    // Its own last packet has ended it, or the first of the next digit, when all of its last were lost.
    if (wasHeld) this.#reportNext(now)
    this.#began = timestamp
    const { held } = receiver
    if (held !== undefined) this.#listener.digitDown(held, now)
    this.#reportAll(now)
  }

  /** A digit whose last packets were lost is up after a while. */
  tick(now: number): void {
    const receiver = this.#receiver
    const stalled = receiver?.deadline()
    if (receiver !== undefined && stalled !== undefined && now >= stalled && receiver.timeout(now) > 0)
      this.#reportAll(now)
  }

  /** The source `ssrc` is gone: what it held down is held no more. Some senders' events have a source of their own. */
  leave(ssrc: number, now: number): void {
    if (ssrc === this.#ssrc) this.reset(now)
  }

  /** Another remote: what was held down is held no more. */
  reset(now: number): void {
    this.#receiver?.reset()
    this.#reportAll(now)
  }

  #reportAll(now: number): void {
    while (this.#reportNext(now));
  }

  #reportNext(now: number): boolean {
    const received = this.#receiver?.take()
    if (received !== undefined) this.#listener.digitUp(received, this.#began, now)
    return received !== undefined
  }
}
