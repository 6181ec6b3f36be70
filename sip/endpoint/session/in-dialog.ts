import { minSessionSeconds } from '../../dialog/session-timer.ts'
import { retryAfterSeconds } from '../../invite/offer-waits.ts'
import { headerOf } from '../../message/headers.ts'
import { bodyText, contactUriOf, q850Of, sdpOf } from '../../message/typed-fields.ts'
import type { ServerTransaction } from '../../transaction/transaction.ts'
import { acceptField, allowField, supportedField } from '../services/settings.ts'
import { parseInfoDigit } from './dtmf-info.ts'
import type { SessionContext } from './session-context.ts'
import { isIntervalTooSmall } from './session-refresh.ts'

/** Answers a request of the remote within a dialog. It has passed the screening, and its tags are right. */
export function answerInDialog(session: SessionContext, transaction: ServerTransaction, now: number): void {
  const { services, dialog } = session
  const { message, cseq } = transaction.request
  const isOpen = session.state === 'open' || session.state === 'early' || session.state === 'ending-on-ack'
  if (!isOpen && message.method !== 'BYE') {
    services.respond(transaction, 481, now)
    return
  }
  if (!dialog.takeRemoteSeq(cseq)) {
    services.respond(transaction, 500, now, { fields: [{ name: 'Retry-After', value: '0' }] })
    return
  }
  switch (message.method) {
    case 'BYE': {
      services.respond(transaction, 200, now)
      const q850 = q850Of(message)
      session.close(q850 === undefined ? { kind: 'bye' } : { kind: 'bye', q850 }, now)
      return
    }
    case 'INVITE':
    case 'UPDATE':
      offerArrived(session, transaction, message.method, now)
      return
    case 'INFO':
      infoArrived(session, transaction, now)
      return
    case 'OPTIONS':
      services.respond(transaction, 200, now, {
        fields: [allowField, acceptField, supportedField],
      })
      return
    default:
      // NOTIFY without a subscription, PRACK of nothing that we sent.
      services.respond(transaction, 481, now)
  }
}

function offerArrived(
  session: SessionContext,
  transaction: ServerTransaction,
  method: 'INVITE' | 'UPDATE',
  now: number,
): void {
  const { services } = session
  const { message } = transaction.request
  const sdp = sdpOf(message)
  const refusal = session.refusalOf(method, sdp)
  if (refusal !== undefined) {
    const retry = retryAfterSeconds(services.tokens.fraction())
    const later = { fields: [{ name: 'Retry-After', value: String(retry) }] }
    services.respond(transaction, refusal, now, refusal === 500 ? later : {})
    return
  }
  if (isIntervalTooSmall(message)) {
    services.respond(transaction, 422, now, { fields: [{ name: 'Min-SE', value: String(minSessionSeconds) }] })
    return
  }
  const contact = contactUriOf(message)
  if (contact !== undefined) {
    session.dialog.remoteTarget = contact
    session.remote.learnNextHop(session.dialog.nextHop, now)
  }
  session.allowsOf(message)
  if (method === 'UPDATE' && sdp === undefined) {
    services.respond(transaction, 200, now, { fields: session.updateFields(transaction, now) })
    return
  }
  // Without SDP (RFC 3261 §14.2) our offer goes in the 2xx, and the answer comes in the ACK.
  session.askForAnswer(transaction, sdp)
}

/**
 * A PRACK that acknowledges one of ours. An offer in it is answered in its 2xx (RFC 3262 §5); an offer
 * that may not be made because another is still open is ignored, and the PRACK gets its 200 all the same.
 */
export function prackArrived(session: SessionContext, transaction: ServerTransaction, now: number): void {
  const sdp = sdpOf(transaction.request.message)
  if (sdp === undefined || session.refusalOf('PRACK', sdp) !== undefined)
    session.services.respond(transaction, 200, now)
  else session.askForAnswer(transaction, sdp)
}

function infoArrived(session: SessionContext, transaction: ServerTransaction, now: number): void {
  const { message } = transaction.request
  if (message.body.length === 0) {
    session.services.respond(transaction, 200, now)
    return
  }
  const digit = parseInfoDigit(headerOf(message, 'Content-Type') ?? '', bodyText(message))
  if (digit === undefined) {
    const fields = [{ name: 'Accept', value: 'application/dtmf-relay, application/dtmf' }]
    session.services.respond(transaction, 415, now, { fields })
    return
  }
  session.services.respond(transaction, 200, now)
  session.services.emit({ type: 'digit', id: session.host.id, ...digit })
}
