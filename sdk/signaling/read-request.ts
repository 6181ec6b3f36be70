import {
  branchOf,
  type Flow,
  headerOf,
  type IncomingRequest,
  type SipRequest,
  tagOf,
  validateRequest,
} from '../../sip/index.ts'

/** A request with the fields that every layer asks for; undefined: it lacks some, and the switch sends no such thing. */
export function readRequest(message: SipRequest, flow: Flow): IncomingRequest | undefined {
  const validated = validateRequest(message)
  if (!validated.ok) return undefined
  const { via, viaText, from, to, callId, cseq } = validated.value
  return {
    message,
    flow,
    replyTo: flow,
    // There is one way back: nothing needs to be stamped into Via (RFC 7118 §5.2).
    via: { branch: branchOf(via), host: via.host.toLowerCase(), port: via.port, text: viaText, stamped: viaText },
    from: headerOf(message, 'From') ?? '',
    to: headerOf(message, 'To') ?? '',
    callId,
    fromTag: tagOf(from) ?? '',
    toTag: tagOf(to) || undefined,
    cseq: cseq.sequence,
    cseqText: headerOf(message, 'CSeq') ?? '',
  }
}
