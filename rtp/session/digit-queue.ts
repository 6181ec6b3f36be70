import { DigitSender } from '../dtmf/digit-sender.ts'

interface Waiting {
  readonly id: string
  readonly digits: string
}

/** Orders to send digits wait for one another here; each is told when its last digit is out. */
const maxOrders = 16

/** Digits of several orders, one after another, through one sender. */
export class DigitQueue {
  readonly #sent: (id: string) => void
  readonly #waiting: Waiting[] = []
  #sender = new DigitSender()
  #isAgreed = false
  #current: string | undefined

  constructor(sent: (id: string) => void) {
    this.#sent = sent
  }

  get busy(): boolean {
    return this.#current !== undefined || this.#waiting.length > 0
  }
  get marker(): boolean {
    return this.#sender.marker
  }
  get timestamp(): number {
    return this.#sender.timestamp
  }

  /** `isAgreed` false: the far end takes no events; orders are told as sent and make no sound. `clockRate`: theirs. */
  agree(ptimeMs: number, isAgreed: boolean, clockRate: number): void {
    this.#isAgreed = isAgreed
    if (!this.#sender.busy) this.#sender = new DigitSender({ ptimeMs, clockRate })
  }

  enqueue(id: string, digits: string): void {
    if (this.#waiting.length >= maxOrders) this.#sent(id)
    else this.#waiting.push({ id, digits })
  }

  /** One tick of the stream, see `DigitSender`: the bytes of event written; 0 = let the audio through. */
  nextInto(into: Uint8Array, at: number, rtpTime: number): number {
    if (this.#current === undefined) this.#begin()
    if (this.#current === undefined) return 0
    const length = this.#sender.nextInto(into, at, rtpTime)
    if (!this.#sender.busy) this.#finish()
    return length
  }

  close(): void {
    while (this.#current !== undefined || this.#waiting.length > 0) {
      if (this.#current === undefined) this.#current = this.#waiting.shift()?.id
      this.#finish()
    }
  }

  #begin(): void {
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#current = next.id
    const taken = this.#isAgreed ? this.#sender.enqueue(next.digits) : 0
    if (taken === 0) this.#finish()
  }

  #finish(): void {
    const id = this.#current
    this.#current = undefined
    if (id !== undefined) this.#sent(id)
  }
}
