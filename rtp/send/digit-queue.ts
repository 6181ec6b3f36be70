import { DigitSender, type DigitSenderConfig, maxQueuedDigits } from '../dtmf/digit-sender.ts'
import { DigitTones } from '../dtmf/digit-tones.ts'

interface Waiting {
  readonly id: string
  readonly digits: string
}

/** How what sends now is sent: as telephone-events or, to a remote that takes none, as tones. */
type DigitManner = 'events' | 'tones'

/**
 * Orders to send digits wait for one another here; each is reported when its last digit is out. Digits that another leg passes
 * on are an order each, and some dialler is faster than digits are sent: as many wait as an order may have digits.
 */
const maxOrders = maxQueuedDigits

/** Digits of several orders, one after another, and digits of another leg. */
export class DigitQueue {
  readonly #sent: (id: string) => void
  readonly #waiting: Waiting[] = []
  // Made at the first need: few legs ever send a digit.
  #tones: DigitTones | undefined
  #sender: DigitSender | undefined
  #senderConfig: DigitSenderConfig = {}
  #agreed: DigitManner = 'tones'
  #current: string | undefined
  #manner: DigitManner = 'tones'

  constructor(sent: (id: string) => void) {
    this.#sent = sent
  }

  get busy(): boolean {
    return this.#current !== undefined || this.#waiting.length > 0 || this.#tones?.busy === true
  }
  get marker(): boolean {
    return this.#sender?.marker === true
  }
  get timestamp(): number {
    return this.#sender?.timestamp ?? 0
  }

  /** `areEvents`: the remote takes telephone-events, counted in `clockRate`. An order that has begun ends as it began. */
  agree(ptimeMs: number, areEvents: boolean, clockRate: number): void {
    this.#agreed = areEvents ? 'events' : 'tones'
    if (this.#sender?.busy === true) return
    this.#sender = undefined
    this.#senderConfig = { ptimeMs, clockRate }
  }

  enqueue(id: string, digits: string): void {
    if (this.#waiting.length >= maxOrders) this.#sent(id)
    else this.#waiting.push({ id, digits })
  }

  /** A digit of another leg is down, to be sent as a tone. */
  digitDown(digit: string): void {
    this.#tonesNow().hold(digit)
  }
  digitUp(digit: string, durationMs: number): void {
    this.#tonesNow().release(digit, durationMs)
  }
  releaseAll(): void {
    this.#tones?.releaseAll()
  }

  /** Begins the next order when there is none; undefined when there is nothing to send. */
  next(): DigitManner | undefined {
    while (this.#current === undefined && this.#tones?.busy !== true) {
      const next = this.#waiting.shift()
      if (next === undefined) return undefined
      this.#current = next.id
      this.#manner = this.#agreed
      const sender = this.#manner === 'events' ? this.#senderNow() : this.#tonesNow()
      if (sender.enqueue(next.digits) === 0) this.#finish()
    }
    return this.#current === undefined ? 'tones' : this.#manner
  }

  /** One tick of the stream, see `DigitSender`: the bytes of event written; 0 = let the audio through. */
  nextInto(into: Uint8Array, at: number, rtpTime: number): number {
    const sender = this.#senderNow()
    const length = sender.nextInto(into, at, rtpTime)
    if (!sender.busy) this.#finish()
    return length
  }

  /** See `DigitTones`. */
  proceed(): boolean {
    return this.#tonesNow().proceed()
  }

  /** A frame of tones, see `DigitTones`; false = let the audio through. */
  fillInto(pcm: Int16Array, count: number, sampleRate: number): boolean {
    const tones = this.#tonesNow()
    const sounds = tones.fillInto(pcm, count, sampleRate)
    if (!tones.busy) this.#finish()
    return sounds
  }

  close(): void {
    while (this.#current !== undefined || this.#waiting.length > 0) {
      if (this.#current === undefined) this.#current = this.#waiting.shift()?.id
      this.#finish()
    }
  }

  #senderNow(): DigitSender {
    this.#sender ??= new DigitSender(this.#senderConfig)
    return this.#sender
  }

  #tonesNow(): DigitTones {
    this.#tones ??= new DigitTones()
    return this.#tones
  }

  #finish(): void {
    const id = this.#current
    this.#current = undefined
    if (id !== undefined) this.#sent(id)
  }
}
