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
  readonly rates: readonly SimulatedRate[]
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
