/** `GET /calls/{uuid}/trace`, the flight recorder of a call. */
export interface TraceEntry {
  readonly seq: number
  readonly at: string
  readonly ms: number
  readonly kind: string
  readonly leg: string | null
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface TraceRtp {
  readonly leg: string
  readonly codec: string | null
  readonly ms: readonly number[]
  readonly seconds: readonly number[]
  readonly loss_percent: readonly number[]
  readonly jitter_ms: readonly number[]
  readonly delay_ms: readonly (number | null)[]
  readonly mos: readonly (number | null)[]
  readonly packets_lost: readonly number[]
  readonly concealed_ms: readonly (number | null)[]
  readonly level_dbov: readonly (number | null)[]
}

export interface TraceProblem {
  readonly code: string
  readonly sentence: string
  readonly advice: string
  readonly link: string
}

export interface Trace {
  readonly is_over: boolean
  readonly is_complete: boolean
  readonly legs: readonly { readonly id: string; readonly via: string; readonly number: string }[]
  readonly entries: readonly TraceEntry[]
  readonly rtp: readonly TraceRtp[]
  readonly charges: readonly {
    readonly leg: string | null
    readonly number: string
    readonly rate_per_minute: string
    readonly increment_seconds: number
    readonly minimum_seconds: number
    readonly connection_fee: string
    readonly talk_seconds: number
    readonly billed_seconds: number
    readonly charge: string
  }[]
  readonly cost: string
  readonly end: {
    readonly reason_code: string
    readonly sentence: string
    readonly advice: string
    readonly link: string
    readonly problems: readonly TraceProblem[]
  } | null
}
