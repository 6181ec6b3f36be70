import type { EndReason, LocalCause } from './base/end-reason.ts'
import { PhoneError } from './base/errors.ts'

const tryAgain = 'Please try again in a moment.'
const tokenRevoked = 'The phone token is no longer valid. Get a new one.'
const signInRefused = 'The sign-in was refused. Get a new phone token.'

/** By the switch's own reason codes, where they say more than the SIP status that they hold. */
const byCode: Readonly<Record<string, string>> = {
  'END.0200': 'The call has ended.',
  'END.0201': 'The call was ended by the service.',
  'END.0202': 'The call has ended.',
  'END.0210': 'The call reached its time limit.',
  'END.0211': 'The call was cut off because the balance ran out.',
  'END.0212': 'The call was cut off because the connection went silent.',
  'END.0500': 'The carrier could not complete the call.',
  'END.1401': 'The carrier refused the service.',
  'END.1408': 'The destination could not be reached.',
  'END.1480': 'The person is not signed in.',
  'END.2408': 'The call was cut off because no audio came.',
  'END.2409': 'The audio connection could not be secured.',
  'END.2410': 'The audio connection could not be made.',
  'END.3404': 'There is no call flow for this number.',
  'END.3408': 'The call flow did not answer in time.',
  'END.3413': 'The call flow is too large.',
  'END.3422': 'The call flow is not valid.',
  'END.3482': 'The call flow runs in circles.',
  'END.3502': 'The call flow could not be fetched.',
  'END.4403': 'The account is suspended.',
  'END.4429': `The account has reached its limit of calls at once. ${tryAgain}`,
  'END.4430': `Too many calls were placed at once. ${tryAgain}`,
  'END.4433': 'Calls to this destination are not allowed.',
  'END.5410': 'The service restarted during the call.',
  'END.5500': `The service had an internal error. ${tryAgain}`,
  'END.5503': `The service is being restarted. ${tryAgain}`,
  'LIMIT.0429': `The account has reached its limit of calls at once. ${tryAgain}`,
  'LIMIT.0430': `Too many calls were placed at once. ${tryAgain}`,
  'LIMIT.0503': `The service is busy. ${tryAgain}`,
}

const byStatus: Readonly<Record<number, string>> = {
  400: 'The call was rejected.',
  401: signInRefused,
  402: 'There is not enough balance for this call.',
  403: 'This call is not allowed.',
  404: 'This number is not in service.',
  406: 'The other side cannot take this call.',
  407: signInRefused,
  408: 'Nobody answered.',
  410: 'This number has changed.',
  415: 'The two sides have no audio format in common.',
  416: 'This address cannot be called.',
  480: 'The person is not available right now.',
  481: 'The call was no longer known to the service.',
  484: 'The number is incomplete.',
  486: 'The line is busy.',
  487: 'The call was cancelled.',
  488: 'The two sides have no audio format in common.',
  503: `The service is not available. ${tryAgain}`,
  504: 'The service did not answer in time.',
  600: 'The line is busy.',
  603: 'The call was declined.',
  604: 'This number does not exist.',
  606: 'The other side cannot take this call.',
  607: 'The call is not wanted.',
  608: 'The call was declined.',
}

const byCause: Readonly<Record<LocalCause, string>> = {
  'Hung up': 'The call has ended.',
  Rejected: 'You declined the call.',
  Cancelled: 'The call was cancelled.',
  'Answered elsewhere': 'The call was answered on another phone.',
  'No answer from the service': 'The service did not answer.',
  'Connection lost': 'The connection to the service was lost.',
  'Microphone refused': 'The browser was not allowed to use the microphone.',
  'Microphone missing': 'No microphone was found.',
  'Microphone failed': 'The microphone could not be opened.',
  'Media failed': 'The audio connection could not be made.',
  'No common codec': 'The two sides have no audio format in common.',
  'Token expired': 'The phone token has expired. Get a new one.',
  Revoked: tokenRevoked,
  'Signed out': 'You signed out.',
}

const general = 'The call could not be completed.'

/**
 * One line for a person: why a call ended or failed, or why signing in did. Takes what the events carry, an error, a
 * SIP status, or a status line such as `SIP/2.0 486 Busy Here`. Never throws, whatever it gets.
 */
export function describeFailure(reason: EndReason | Error | string | number | null | undefined): string {
  try {
    return sentenceOf(reason)
  } catch {
    return general
  }
}

function sentenceOf(reason: Parameters<typeof describeFailure>[0]): string {
  if (typeof reason === 'number') return ofStatus(reason)
  if (typeof reason === 'string') return ofText(reason)
  if (reason instanceof Error) {
    const status = reason instanceof PhoneError ? reason.status : undefined
    // Of a 403 its own words say more: whether the token or the call was refused.
    return status === undefined || status === 403 ? String(reason.message || general) : ofStatus(status)
  }
  const { cause = '', code, status, text = '' } = reason as EndReason
  // Sentences that no code and no status says: another phone took the call; the token opens nothing any more.
  if (cause === 'Answered elsewhere') return byCause[cause]
  if (/phone token/.test(text)) return tokenRevoked
  return (code && ofCode(code)) || (status === undefined ? ofText(cause) : ofStatus(status))
}

function ofCode(code: string): string | undefined {
  if (Object.hasOwn(byCode, code)) return byCode[code]
  if (code.startsWith('BILL.')) return byStatus[402]
  // END.0486 is 486, and so on.
  return /^END\.0[4-6]/.test(code) ? byStatus[Number(code.slice(4))] : undefined
}

function ofStatus(status: number): string {
  if (Object.hasOwn(byStatus, status)) return byStatus[status] ?? general
  if (status >= 500 && status < 600) return `The service could not complete the call (${status}).`
  return status >= 300 && status < 700 ? `The call was refused (${status}).` : general
}

function ofText(text: string): string {
  const trimmed = text.trim()
  if (Object.hasOwn(byCause, trimmed)) return byCause[trimmed as LocalCause]
  const known = ofCode(trimmed)
  if (known !== undefined) return known
  const status = /^(?:SIP\/2\.0\s+)?([1-6]\d\d)(?:\s|$)/i.exec(trimmed)
  return status?.[1] === undefined ? general : ofStatus(Number(status[1]))
}
