import type { CallRecord, LegRecord } from './call-record.ts'
import type { Money } from './money.ts'

/** A deadline of the call. The prefix of `name` shows its owner: `leg:…`, `meter:…`, `dial:…`. */
interface DeadlineDump {
  readonly name: string
  readonly dueInMs: number
}

/** Where the interpreter is in the document of a call. */
export interface DocumentDump {
  readonly state: 'idle' | 'requesting' | 'running' | 'leaving' | 'over'
  /** Without user, password and query: they may hold secrets. */
  readonly url: string
  /** The verb that runs; undefined: none does. */
  readonly verb: string | undefined
  /** Undefined: it stands in no document (the fallback's). */
  readonly line: number | undefined
  readonly column: number | undefined
  /** When the verb is woken. */
  readonly wakeInMs: number | undefined
}

/** Money that is held for one leg. */
export interface HoldDump {
  readonly uuid: string
  readonly legUuid: string
  readonly state: 'quiet' | 'asking' | 'exhausted' | 'settled'
  readonly amount: Money
  /** What it pays for, from the answer on. */
  readonly paidSeconds: number
  /** Undefined before the answer. */
  readonly talkSeconds: number | undefined
  readonly ratePrefix: string
}

/** One destination of a Dial. */
export interface BranchDump {
  readonly sid: string
  readonly kind: string
  readonly to: string
  readonly state: string
  readonly legUuid: string | undefined
}

/** A Dial that runs. */
export interface DialDump {
  readonly kind: 'dial' | 'conference'
  readonly state: string
  /** Name of the conference's room. */
  readonly room: string | undefined
  readonly bridgedLegUuid: string | undefined
  readonly branches: readonly BranchDump[]
}

export interface LegDump {
  readonly leg: LegRecord
  /** By the table of legs. */
  readonly state: 'idle' | 'offered' | 'answering' | 'dialled' | 'up' | 'ending' | 'ended'
  readonly media: 'none' | 'opening' | 'open' | 'closing' | 'closed'
  readonly isAgreed: boolean
  readonly isReady: boolean
  readonly codec: string | undefined
  readonly room: string | undefined
}

/** A call as the domain has it now, for support. Each field is listed by name; none is a secret. */
export interface CallDump {
  readonly call: CallRecord
  readonly phase: 'beginning' | 'live' | 'withdrawn' | 'ending' | 'closed' | 'void'
  /** In sentences; empty: it waits for nothing but its remotes. */
  readonly waitsFor: readonly string[]
  readonly document: DocumentDump | undefined
  readonly dial: DialDump | undefined
  readonly holds: readonly HoldDump[]
  readonly deadlines: readonly DeadlineDump[]
  readonly legs: readonly LegDump[]
}

/** A part of a path that is this long may be a token; its beginning identifies it. */
const longPart = /([\w.~-]{4})[\w.~%-]{20,}/g

/** A document's URL without what may be secret in it: user, password, query, tokens in the path. */
export const withoutSecrets = (url: string): string => {
  const read = URL.parse(url)
  if (read === null) return ''
  const path = read.pathname.replace(longPart, '$1…')
  return `${read.protocol}//${read.host}${path}${read.search === '' ? '' : '?…'}`
}

/** `sip:user:password@host` (RFC 3261 §19.1.1) without the password. */
export const withoutPassword = (uri: string): string => uri.replace(/(sips?:[^:@;>]*):[^@>]*@/gi, '$1:…@')
