import type { EndReason } from '../model/end-reason.ts'
import type { ProblemCode } from './problem-explanations.ts'

/** What happened, by kind: one line of the timeline each. */
export const traceKinds = [
  'sip',
  'document',
  'verb',
  'say',
  'play',
  'digit',
  'bridge',
  'hold',
  'leg',
  'media',
  'recording',
  'webhook',
  'money',
  'event',
  'call',
] as const
export type TraceKind = (typeof traceKinds)[number]

/** One line of a call's timeline. */
export interface TraceEntry {
  /** Rises within the call; `after` of the next page. */
  readonly seq: number
  readonly unixMs: number
  /** Since the first entry of the call. */
  readonly ms: number
  readonly kind: TraceKind
  /** Letter of the leg that it is about; null: the call. */
  readonly leg: string | null
  /** What happened, readable. */
  readonly text: string
  /** The same for programs; its fields depend on the kind (docs/trace.md). */
  readonly data: Readonly<Record<string, unknown>>
}

export interface TraceLeg {
  /** `A` is the first leg of the call. */
  readonly id: string
  readonly uuid: string
  readonly role: 'caller' | 'callee'
  /** What is at its other end. */
  readonly via: 'trunk' | 'phone' | 'uri' | 'on-net'
  readonly number: string
  /** Operators only. */
  readonly trunk: string | null
}

/** The RTP of a leg, once a second, as columns of one length. Null: not known in that second. */
export interface TraceRtp {
  readonly leg: string
  readonly codec: string | null
  readonly ms: readonly number[]
  /** How many seconds the counts are of: 1, in long calls more. */
  readonly seconds: readonly number[]
  readonly packets_received: readonly number[]
  readonly packets_sent: readonly number[]
  readonly packets_lost: readonly number[]
  readonly loss_percent: readonly number[]
  readonly jitter_ms: readonly number[]
  readonly delay_ms: readonly (number | null)[]
  readonly round_trip_ms: readonly (number | null)[]
  readonly mos: readonly (number | null)[]
  /** Of what was received; 0 = overload point, -127 = silence (RFC 6464). */
  readonly level_dbov: readonly (number | null)[]
  readonly concealed_ms: readonly (number | null)[]
  readonly remote_loss_percent: readonly (number | null)[]
}

/** One settled leg: rate × billed time, as it was charged. Amounts are decimal strings of KES. */
export interface TraceCharge {
  readonly leg: string | null
  readonly number: string
  readonly prefix: string
  readonly rate_per_minute: string
  readonly increment_seconds: number
  readonly minimum_seconds: number
  readonly connection_fee: string
  readonly talk_seconds: number
  readonly billed_seconds: number
  readonly charge: string
  /** The sum in words. */
  readonly explained: string
}

/** Something that went wrong and did not end the call. */
export interface TraceProblem {
  /** The reason with which a call ends that ends by it, or the event that reported it. */
  readonly code: EndReason | ProblemCode
  readonly sentence: string
  readonly advice: string
  readonly link: string
}

/** Why the call ended, for people. */
export interface TraceEnd {
  readonly reason_code: EndReason
  readonly reason_label: string
  /** Why, with what this call has shown. */
  readonly sentence: string
  /** What to do about it; empty where nothing is wrong. */
  readonly advice: string
  /** Path of the page that says more, on this server. */
  readonly link: string
  /** What had gone wrong before, where the end does not name it; the oldest first. */
  readonly problems: readonly TraceProblem[]
}

/** What a call's recorder knows, for one reader. */
export interface Trace {
  readonly uuid: string
  readonly sid: string
  readonly account: string
  readonly direction: string
  readonly fromNumber: string
  readonly toNumber: string
  /** False while the call lives. */
  readonly isOver: boolean
  /** False: the oldest entries were overwritten, or the switch was started again meanwhile. */
  readonly isComplete: boolean
  readonly legs: readonly TraceLeg[]
  readonly entries: readonly TraceEntry[]
  readonly rtp: readonly TraceRtp[]
  readonly charges: readonly TraceCharge[]
  readonly cost: string
  readonly end: TraceEnd | null
  /** The highest `seq` of this page. */
  readonly last: number
  /** More follows now. */
  readonly hasMore: boolean
}

/** Who reads: a customer sees neither trunks' addresses nor their names. */
export type TraceReader = 'customer' | 'operator'

export interface TracePage {
  /** Only what came after this `seq`. */
  readonly after: number
  /** Entries and RTP points of a page. */
  readonly limit: number
}

export const traceForms = ['json', 'text', 'pcapng'] as const
type TraceForm = (typeof traceForms)[number]

/** How a trace is asked for. */
export interface TraceQuery extends TracePage {
  readonly reader: TraceReader
  readonly form: TraceForm
  /** Width of `text`. */
  readonly columns: number
  /** Of `pcapng`: whole packets of the legs whose audio was captured. Default false. */
  readonly audio?: boolean
  /** How the call ended, where the trace does not know it: the switch was stopped meanwhile. */
  readonly ended?: TraceEnding | undefined
}

/** What a call's record says of its end. */
export interface TraceEnding {
  readonly reasonCode: EndReason
  readonly status: string
}

/** A trace as it is sent. */
export interface TraceAnswer {
  /** Whose call it is; empty: not known. */
  readonly account: string
  /** False: the trace knows no end of the call. */
  readonly isOver: boolean
  readonly body: Uint8Array
}
