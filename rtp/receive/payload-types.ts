import { codecFacts } from '../codec/codec-name.ts'
import type { Agreement, EngineCodec } from '../contract/agreement.ts'

/** What a payload type means: a codec, telephone-events or comfort noise. */
export type PayloadKind = EngineCodec | 'events' | 'noise'

interface PayloadMapping {
  readonly payloadType: number
  readonly kind: PayloadKind
  /** What durations of telephone-events are counted in; 0 for others. */
  readonly eventClockRate: number
}

/** What payload types mean by the last agreement: a handful, looked through one by one. */
export class PayloadTypes {
  #mappings: readonly PayloadMapping[] = []
  #codecs: (EngineCodec | undefined)[] | undefined
  #hasEvents = false

  /** Codecs by payload type. Stays the same object, so that others may keep it. Made when first read. */
  get codecs(): readonly (EngineCodec | undefined)[] {
    this.#codecs ??= this.#fillCodecs([])
    return this.#codecs
  }

  /** Digits come as telephone-events. */
  get hasEvents(): boolean {
    return this.#hasEvents
  }

  of(payloadType: number): PayloadKind | undefined {
    return this.#find(payloadType)?.kind
  }

  /** What durations of these events are counted in, Hz. */
  eventClockOf(payloadType: number): number {
    return this.#find(payloadType)?.eventClockRate ?? 0
  }

  agree({ codec, accept, acceptEvents, eventClockRate, acceptNoise, moreEvents = [] }: Agreement): void {
    const mappings = new Map<number, PayloadMapping>()
    const map = (payloadType: number, kind: PayloadKind, clockRate = 0) =>
      mappings.set(payloadType, { payloadType, kind, eventClockRate: clockRate })
    for (const { payloadType, codec } of accept) map(payloadType, codec)
    if (acceptEvents !== undefined) map(acceptEvents, 'events', eventClockRate ?? codecFacts[codec].clockRate)
    for (const { payloadType, clockRate } of moreEvents) map(payloadType, 'events', clockRate)
    if (acceptNoise !== undefined) map(acceptNoise, 'noise')
    this.#mappings = [...mappings.values()]
    this.#hasEvents = acceptEvents !== undefined || moreEvents.length > 0
    if (this.#codecs !== undefined) this.#fillCodecs(this.#codecs)
  }

  #fillCodecs(codecs: (EngineCodec | undefined)[]): (EngineCodec | undefined)[] {
    codecs.length = 0
    for (const { payloadType, kind } of this.#mappings)
      if (kind !== 'events' && kind !== 'noise') codecs[payloadType] = kind
    return codecs
  }

  #find(payloadType: number): PayloadMapping | undefined {
    const mappings = this.#mappings
    for (let at = 0; at < mappings.length; at++) if (mappings[at]!.payloadType === payloadType) return mappings[at]
    return undefined
  }
}
