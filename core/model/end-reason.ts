/**
 * Why a call or a leg ended, decided once. The BYE, the final response, the call record, the DialCallStatus, the
 * callback and the metric all read this table (docs/errors.md).
 *
 * `sip`: the final response that we give to a caller whose leg ends for this reason before it was answered.
 * `q850`: the cause in the Reason header of our BYE or CANCEL. `dial`: the DialCallStatus of a dialled leg.
 */
interface Cause {
  readonly label: string
  readonly sip: number
  readonly q850: number
  readonly dial: DialCallStatus
}

export type DialCallStatus = 'completed' | 'busy' | 'no-answer' | 'failed'

/** Why a call or a leg ended, code by code: its label, the SIP status and Q.850 cause that are sent, and what Dial reports. */
export const endReasons = {
  'END.0200': { label: 'Completed', sip: 480, q850: 16, dial: 'completed' },
  'END.0201': { label: 'Hung up by API', sip: 480, q850: 16, dial: 'failed' },
  'END.0202': { label: 'Call flow finished', sip: 603, q850: 16, dial: 'failed' },
  'END.0210': { label: 'Time limit reached', sip: 480, q850: 16, dial: 'completed' },
  'END.0211': { label: 'Balance exhausted', sip: 402, q850: 16, dial: 'completed' },
  'END.0212': { label: 'Session expired', sip: 480, q850: 102, dial: 'failed' },
  'END.0400': { label: 'Request rejected', sip: 400, q850: 127, dial: 'failed' },
  'END.0402': { label: 'Insufficient funds', sip: 402, q850: 21, dial: 'failed' },
  'END.0403': { label: 'Forbidden', sip: 403, q850: 57, dial: 'failed' },
  'END.0404': { label: 'Number not in service', sip: 404, q850: 1, dial: 'failed' },
  'END.0406': { label: 'Not acceptable', sip: 406, q850: 127, dial: 'failed' },
  'END.0408': { label: 'No answer', sip: 480, q850: 19, dial: 'no-answer' },
  'END.0410': { label: 'Number changed', sip: 410, q850: 22, dial: 'failed' },
  'END.0480': { label: 'Unavailable', sip: 480, q850: 18, dial: 'no-answer' },
  'END.0484': { label: 'Number incomplete', sip: 484, q850: 28, dial: 'failed' },
  'END.0486': { label: 'Busy', sip: 486, q850: 17, dial: 'busy' },
  'END.0487': { label: 'Cancelled', sip: 487, q850: 31, dial: 'no-answer' },
  'END.0488': { label: 'No common codec', sip: 488, q850: 88, dial: 'failed' },
  'END.0500': { label: 'Carrier error', sip: 500, q850: 41, dial: 'failed' },
  'END.0503': { label: 'Carrier unavailable', sip: 503, q850: 34, dial: 'failed' },
  'END.0603': { label: 'Declined', sip: 603, q850: 21, dial: 'busy' },
  'END.1401': { label: 'Trunk authentication failed', sip: 503, q850: 38, dial: 'failed' },
  'END.1408': { label: 'Destination unreachable', sip: 480, q850: 3, dial: 'failed' },
  'END.1480': { label: 'End-user not registered', sip: 480, q850: 20, dial: 'no-answer' },
  'END.2408': { label: 'No media', sip: 503, q850: 41, dial: 'failed' },
  'END.2409': { label: 'DTLS failed', sip: 488, q850: 41, dial: 'failed' },
  'END.2410': { label: 'ICE failed', sip: 488, q850: 41, dial: 'failed' },
  'END.3404': { label: 'No document', sip: 404, q850: 1, dial: 'failed' },
  'END.3408': { label: 'Webhook timeout', sip: 603, q850: 41, dial: 'failed' },
  'END.3413': { label: 'Document too large', sip: 603, q850: 41, dial: 'failed' },
  'END.3422': { label: 'Document invalid', sip: 603, q850: 41, dial: 'failed' },
  'END.3482': { label: 'Redirect loop', sip: 603, q850: 41, dial: 'failed' },
  'END.3502': { label: 'Webhook failed', sip: 603, q850: 41, dial: 'failed' },
  'END.4403': { label: 'Account suspended', sip: 403, q850: 57, dial: 'failed' },
  'END.4429': { label: 'Concurrency cap', sip: 503, q850: 42, dial: 'failed' },
  'END.4430': { label: 'Rate cap', sip: 503, q850: 42, dial: 'failed' },
  'END.4433': { label: 'Destination not allowed', sip: 403, q850: 57, dial: 'failed' },
  'END.5410': { label: 'Interrupted by restart', sip: 503, q850: 41, dial: 'failed' },
  'END.5500': { label: 'Internal error', sip: 500, q850: 41, dial: 'failed' },
  'END.5503': { label: 'Draining', sip: 503, q850: 42, dial: 'failed' },
} as const satisfies Record<string, Cause>

/** A code of `endReasons`, such as `END.0486`. */
export type EndReason = keyof typeof endReasons

/** What the remote of a leg did, as the signalling port reports it. */
export type LegCause =
  | { readonly kind: 'bye'; readonly q850?: number }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'response'; readonly status: number; readonly q850?: number }
  /** No final response in time: Timer B, or no answer to our CANCEL. */
  | { readonly kind: 'timeout' }
  /** DNS, transport or TLS failure. */
  | { readonly kind: 'unreachable' }
  /** A document's target is an address that documents may not name: a trunk's, our own, a private one. Nothing was sent. */
  | { readonly kind: 'refused-address' }
  | { readonly kind: 'auth-failed' }
  | { readonly kind: 'session-expired' }
