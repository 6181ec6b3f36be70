import type { HeaderField } from '../../message/message.ts'
import { reasonCodeHeader } from './settings.ts'

/** What the remote receives when we end a call: the final response, and its Reason header (RFC 3326). */
export interface ReasonHeader {
  /** The final response, when the call is not answered yet. */
  readonly status: number
  readonly q850: number
  /** Set for a final response: the Reason header repeats its status instead. */
  readonly withoutQ850?: true
  readonly text: string
  /** Goes into `X-Voice-Reason-Code`. */
  readonly code: string
  readonly retryAfterSeconds?: number
  /** Another of those who rang has answered. */
  readonly isAnsweredElsewhere?: boolean
  /** Set for a final response to an offer that cannot be taken. */
  readonly warning?: SdpWarning
}

/** Why an offer cannot be taken (RFC 3261 §20.43). */
export interface SdpWarning {
  readonly code: number
  readonly text: string
}

/** A pseudonym: the address that we are known by says nothing more than the response's source does. */
const warnAgent = 'sauti'

/** What a 488 says besides its status; a request has no Warning (RFC 3261 table 3). */
export const warningFields = (warning: SdpWarning | undefined): HeaderField[] =>
  warning === undefined ? [] : [{ name: 'Warning', value: `${warning.code} ${warnAgent} "${safeText(warning.text)}"` }]

const safeText = (text: string): string => text.replace(/["\\\r\n]/g, ' ')

/** RFC 3326 §3.2: by this a phone knows a call that it did not miss. */
const elsewhere = 'SIP;cause=200;text="Call completed elsewhere"'

const causeOf = ({ withoutQ850, status, q850 }: ReasonHeader): string =>
  withoutQ850 ? `SIP;cause=${status}` : `Q.850;cause=${q850}`

/** RFC 3326 Reason and our own code: what a BYE, a CANCEL and a refusal say. */
export function reasonFields(reason: ReasonHeader): HeaderField[] {
  const fields: HeaderField[] = [
    {
      name: 'Reason',
      value: reason.isAnsweredElsewhere ? elsewhere : `${causeOf(reason)};text="${safeText(reason.text)}"`,
    },
    { name: reasonCodeHeader, value: reason.code },
  ]
  if (reason.retryAfterSeconds !== undefined)
    fields.push({ name: 'Retry-After', value: String(Math.max(0, Math.ceil(reason.retryAfterSeconds))) })
  return fields
}
