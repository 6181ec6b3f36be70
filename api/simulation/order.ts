import type { SimulatedRate } from '../../core/testing/index.ts'

/** What a simulated call is made of, as it is handed to the thread that runs it. */
export interface SimulationOrder {
  readonly body: string
  /** Hosted documents that it may lead to, by URL. */
  readonly documents: Readonly<Record<string, string>>
  readonly url: string
  readonly press: readonly string[]
  readonly speakSeconds: number
  readonly hangUpAfterSeconds?: number | undefined
  readonly answer: string
  readonly talkSeconds: number
  readonly from: string
  readonly to: string
  readonly users: readonly { readonly extension: string; readonly isRegistered: boolean }[]
}

/** The answer to a thread that has asked. Undefined: the deck is empty, and nothing costs anything. */
export interface RatesGiven {
  readonly rates: readonly SimulatedRate[] | undefined
}

export interface SimulatedCourse {
  readonly steps: readonly { readonly at_ms: number; readonly text: string }[]
  readonly end: {
    readonly status: 'completed' | 'failed'
    readonly reason_code: string
    readonly reason_label: string
    readonly duration_seconds: number
    readonly talk_seconds: number
    readonly cost: string
  }
}

export type FromSimulation =
  /** The numbers and SIP URIs that its documents name: their rates are asked for before it runs. */
  | { readonly type: 'rates'; readonly named: readonly string[] }
  | { readonly type: 'course'; readonly course: SimulatedCourse }
  | { readonly type: 'fault'; readonly fault: string }
