import type { EndReason } from '../model/end-reason.ts'
import type { Sid } from '../model/ids.ts'
import { callerStatusOf, isOfDocument, phoneStatusOf, rejectionReason } from './reason-of.ts'

/** Retry-After of a refused or ended caller while the switch drains. */
export const drainRetrySeconds = 30
/** Retry-After of a caller over a cap, as in the API's 429. */
export const capRetrySeconds = 1

/** Retry-After of a caller who was refused by load. */
export const loadRetrySeconds = 2
/** Retry-After of a request or a caller that the database failed: its thread is started again within a second or two. */
export const databaseRetrySeconds = 2
/** The same of a caller for whom there was no media port: one becomes free when a call ends. */
const mediaRetrySeconds = 5

/** What the legs of a call are sent when it ends. */
export interface Release {
  readonly reason: EndReason
  readonly more: {
    readonly sid?: Sid
    readonly status?: number
    readonly retryAfterSeconds?: number
    readonly withoutQ850?: true
  }
}

/** How a call ended. */
interface Ending {
  readonly reason: EndReason
  /** Undefined: the call has no row. */
  readonly sid: Sid | undefined
  /** Its final response keeps the reason, since `describeFailure` reads the code, and names the call. */
  readonly isSoftphone: boolean
  readonly wasAnswered: boolean
  readonly rejectWith: 486 | 603 | undefined
  /** That ends it: another switch, or this one a little later, can take the call. */
  readonly hasDatabaseFailed?: boolean
}

export function releaseOf(ending: Ending): Release {
  const { reason, sid, isSoftphone, wasAnswered, rejectWith, hasDatabaseFailed = false } = ending
  const names = isSoftphone && !wasAnswered && sid !== undefined ? { sid } : undefined
  if (hasDatabaseFailed) return { reason, more: { ...names, status: 503, retryAfterSeconds: databaseRetrySeconds } }
  const status = isSoftphone ? phoneStatusOf(reason) : callerStatusOf(reason)
  const isSilent = !isSoftphone && !wasAnswered && (status !== undefined || isOfDocument(reason))
  const retryAfterSeconds = retryAfterOf(reason)
  return {
    reason: wasAnswered || status !== undefined ? reason : rejectionReason(reason, rejectWith),
    more: {
      ...names,
      ...(status === undefined ? undefined : { status }),
      ...(retryAfterSeconds === undefined ? undefined : { retryAfterSeconds }),
      ...(isSilent ? { withoutQ850: true } : undefined),
    },
  }
}

function retryAfterOf(reason: EndReason): number | undefined {
  if (reason === 'END.5503') return drainRetrySeconds
  if (reason === 'END.2408') return mediaRetrySeconds
  return reason === 'END.4429' || reason === 'END.4430' ? capRetrySeconds : undefined
}
