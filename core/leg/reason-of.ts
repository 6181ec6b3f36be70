import { type EndReason, endReasons, type LegCause } from '../model/end-reason.ts'

/** Final responses by status (docs/errors.md, "From the remote"); what is not listed goes by its class. */
const byStatus: Readonly<Record<number, EndReason>> = {
  401: 'END.1401',
  402: 'END.0402',
  403: 'END.0403',
  404: 'END.0404',
  406: 'END.0406',
  407: 'END.1401',
  408: 'END.0408',
  410: 'END.0410',
  415: 'END.0488',
  416: 'END.0404',
  433: 'END.0403',
  480: 'END.0480',
  484: 'END.0484',
  485: 'END.0484',
  486: 'END.0486',
  487: 'END.0487',
  488: 'END.0488',
  503: 'END.0503',
  600: 'END.0486',
  603: 'END.0603',
  604: 'END.0404',
  606: 'END.0488',
  607: 'END.0603',
  608: 'END.0603',
}

/**
 * Causes of Q.850 that say more than the SIP status. Left out are those that say nothing of their own: 16 (normal
 * clearing), 31 (normal, unspecified) and 127 (interworking, unspecified).
 */
const byQ850: Readonly<Record<number, EndReason>> = {
  1: 'END.0404', // unallocated number
  2: 'END.1408', // no route to transit network
  3: 'END.1408', // no route to destination
  17: 'END.0486', // user busy
  18: 'END.0480', // no user responding
  19: 'END.0408', // no answer, user alerted
  20: 'END.0480', // subscriber absent
  21: 'END.0603', // call rejected
  22: 'END.0410', // number changed
  23: 'END.0410', // redirection to new destination (RFC 3398 §7.2.4.1: 410)
  26: 'END.0404', // non-selected user clearing
  27: 'END.1408', // destination out of order
  28: 'END.0484', // invalid number format
  29: 'END.0500', // facility rejected
  34: 'END.0503', // no circuit available
  38: 'END.0503', // network out of order
  41: 'END.0503', // temporary failure
  42: 'END.0503', // switching equipment congestion
  44: 'END.0503', // requested circuit not available
  47: 'END.0503', // resource unavailable
  50: 'END.0403', // facility not subscribed
  55: 'END.0403', // incoming calls barred in closed user group
  57: 'END.0403', // bearer capability not authorised
  58: 'END.0503', // bearer capability not available
  65: 'END.0488', // bearer capability not implemented
  70: 'END.0488', // only restricted digital information
  79: 'END.0500', // service not implemented
  87: 'END.0403', // not a member of the closed user group
  88: 'END.0488', // incompatible destination
  102: 'END.0500', // recovery on timer expiry
  111: 'END.0500', // protocol error
}

/**
 * A redirection is not followed: the remote would choose where the customer's money goes. What it says is that the
 * callee is elsewhere, which without following is Gone (RFC 3398 §7.2.4.1 makes 410 of Q.850's 22 and 23).
 */
function byClass(status: number): EndReason {
  if (status < 400) return 'END.0410'
  if (status < 500) return 'END.0400'
  if (status < 600) return 'END.0500'
  return 'END.0603'
}

/** Why a leg ended, from what its remote did. A Reason header with Q.850 wins over the status. */
export function reasonOf(cause: LegCause): EndReason {
  switch (cause.kind) {
    case 'bye':
      return 'END.0200'
    case 'cancel':
      return 'END.0487'
    case 'response':
      return (
        (cause.q850 === undefined ? undefined : byQ850[cause.q850]) ?? byStatus[cause.status] ?? byClass(cause.status)
      )
    case 'timeout':
    case 'unreachable':
      return 'END.1408'
    case 'refused-address':
      return 'END.0403'
    case 'auth-failed':
      return 'END.1401'
    case 'session-expired':
      return 'END.0212'
  }
}

/**
 * 408, 5xx, timeouts and transport failures try the next trunk, unless a Q.850 cause in Reason says that the user is busy
 * or did not answer: that would be so over any trunk.
 */
export function triesNextTrunk(cause: LegCause): boolean {
  if (cause.kind === 'timeout' || cause.kind === 'unreachable') return true
  if (cause.kind !== 'response') return false
  const reason = reasonOf(cause)
  if (cause.status === 408) return cause.q850 === undefined || byQ850[cause.q850] === undefined
  return reason === 'END.0500' || reason === 'END.0503' || reason === 'END.1408'
}

/** 415, 488 and 606: the media that was offered is what it cannot take. */
export const refusesOffer = (cause: LegCause): boolean =>
  cause.kind === 'response' && byStatus[cause.status] === 'END.0488'

/** What a softphone is answered when its document failed and the fallback drops the call. */
export function phoneStatusOf(reason: EndReason): number | undefined {
  if (reason === 'END.3404') return 404
  return reason.startsWith('END.3') ? 503 : undefined
}

/** A caller to an account with too many calls finds it unavailable; this switch is not congested. */
export const callerStatusOf = (reason: EndReason): number | undefined => (reason === 'END.4429' ? 480 : undefined)

/** A document that failed: a caller is rejected without a Q.850 cause, which would speak of a failing network. */
export const isOfDocument = (reason: EndReason): boolean => reason.startsWith('END.3')

/** The reason that a rejected caller's leg is ended with, so that its SIP status is the one the document asked for. */
export function rejectionReason(reason: EndReason, rejectWith: 486 | 603 | undefined): EndReason {
  if (rejectWith === undefined || endReasons[reason].sip === rejectWith) return reason
  return rejectWith === 486 ? 'END.0486' : 'END.0603'
}
