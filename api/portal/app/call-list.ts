import type { Call } from './api-types.ts'

// A list of calls that follows the event stream: an event says all that a row shows, so no page asks again for each of them.

/** The query of `GET /calls/`. */
export interface CallsAsked {
  readonly limit: number
  readonly offset: number
  /** `live`: those that have not ended. */
  readonly status?: Call['status'] | 'live'
  readonly direction?: Call['direction']
  readonly reason?: Exclude<Call['reason_code'], ''>
  readonly search?: string
  readonly from_dt?: string
  readonly to_dt?: string
}

export interface CallList {
  readonly calls: readonly Call[]
  readonly total: number
}

export interface StreamedEvent {
  readonly code: string
  readonly createdAt: string
  readonly customPayload?: Call['customPayload']
  readonly data: Readonly<Record<string, unknown>>
}

/** A call never goes back. */
const order: readonly Call['status'][] = ['initiated', 'ringing', 'answered', 'completed']
const endedRank = order.indexOf('completed')
const rankOf = ({ status }: Call): number => (status === 'failed' ? order.length : order.indexOf(status))

/** The call as an event of it (`CALL.…`) shows it. */
function callOf({ data, createdAt, customPayload }: StreamedEvent): Call {
  const { started_at: startedAt, quality = null, problem_code = '' } = data as Partial<Call>
  const also = { tts_seconds: 0, customPayload: customPayload ?? null, created_at: startedAt ?? createdAt }
  return { ...(data as unknown as Call), ...also, quality, problem_code }
}

function fits(call: Call, { status, direction, reason, search = '', from_dt: from, to_dt: to }: CallsAsked): boolean {
  const at = Date.parse(call.created_at)
  return (
    isFound(call, search) &&
    (status === undefined || (status === 'live' ? rankOf(call) < endedRank : call.status === status)) &&
    (direction === undefined || call.direction === direction) &&
    (reason === undefined || call.reason_code === reason) &&
    (from === undefined || at >= Date.parse(from)) &&
    (to === undefined || at <= Date.parse(to))
  )
}

const sidForm = /^CA[0-9A-HJKMNP-TV-Z]{16}$/

/** As `GET /calls/` searches: a whole sid, or digits of a number. */
function isFound(call: Call, search: string): boolean {
  const sid = search.trim().toUpperCase()
  if (sidForm.test(sid)) return call.sid === sid
  const digits = search.replace(/\D/g, '')
  if (digits === '') return !/[^+\s()-]/.test(search)
  return call.from_number.includes(digits) || call.to_number.includes(digits)
}

/** The list after one event. Rows of later pages stay where they are: who reads there does not want them to move. */
export function withEvent(list: CallList, asked: CallsAsked, event: StreamedEvent): CallList {
  if (!event.code.startsWith('CALL.')) return list
  const call = callOf(event)
  const { calls, total } = list
  const at = calls.findIndex(({ uuid }) => uuid === call.uuid)
  const known = calls[at]
  if (known !== undefined) {
    if (rankOf(call) < rankOf(known)) return list
    const { created_at, customPayload, tts_seconds } = known
    const changed = { ...call, created_at, customPayload, tts_seconds }
    if (asked.offset > 0 || fits(changed, asked)) return { calls: calls.with(at, changed), total }
    return { calls: calls.toSpliced(at, 1), total: total - 1 }
  }
  if (asked.offset > 0 || !fits(call, asked)) return list
  // Older than the page: it is on another one.
  const place = calls.findIndex(({ created_at }) => Date.parse(created_at) <= Date.parse(call.created_at))
  if (place === -1 && calls.length < total) return list
  const among = calls.toSpliced(place === -1 ? calls.length : place, 0, call)
  return { calls: among.slice(0, asked.limit), total: total + 1 }
}
