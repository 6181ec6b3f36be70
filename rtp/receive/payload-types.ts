import { codecFacts } from '../codec/codec-name.ts'
import type { Agreement, EngineCodec } from '../contract/agreement.ts'

/** What a payload type means: a codec, telephone-events or comfort noise. */
export type PayloadKind = EngineCodec | 'events' | 'noise'

const payloadTypes = 128

/** What payload types mean by the last agreement. The arrays stay the same objects, so that others may look into them. */
export class PayloadTypes {
  /** Those that are audio. */
  readonly codecs: (EngineCodec | undefined)[] = new Array(payloadTypes).fill(undefined)
  readonly #meanings: (PayloadKind | undefined)[] = new Array(payloadTypes).fill(undefined)
  readonly #eventClocks = new Uint32Array(payloadTypes)
  #hasEvents = false

  /** Digits come as telephone-events. */
  get hasEvents(): boolean {
    return this.#hasEvents
  }

  of(payloadType: number): PayloadKind | undefined {
    return this.#meanings[payloadType]
  }

  /** What durations of these events are counted in, Hz. */
  eventClockOf(payloadType: number): number {
    return this.#eventClocks[payloadType]!
  }

  agree({ codec, accept, acceptEvents, eventClockRate, acceptNoise, moreEvents = [] }: Agreement): void {
    this.#meanings.fill(undefined)
    this.codecs.fill(undefined)
    for (const { payloadType, codec } of accept) {
      this.#meanings[payloadType] = codec
      this.codecs[payloadType] = codec
    }
    if (acceptEvents !== undefined) this.#addEvents(acceptEvents, eventClockRate ?? codecFacts[codec].clockRate)
    for (const { payloadType, clockRate } of moreEvents) this.#addEvents(payloadType, clockRate)
    if (acceptNoise !== undefined) this.#meanings[acceptNoise] = 'noise'
    this.#hasEvents = acceptEvents !== undefined || moreEvents.length > 0
  }

  #addEvents(payloadType: number, clockRate: number): void {
    this.#meanings[payloadType] = 'events'
    this.#eventClocks[payloadType] = clockRate
  }
}
