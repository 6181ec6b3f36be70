import type { SipRequest } from '../message/message.ts'
import { ClientTransaction, ServerTransaction, type Transaction } from './transaction.ts'

const noBody = new Uint8Array(0)
const noVia = { branch: undefined, host: '', port: undefined, text: '', stamped: '' }

/** What the dialog of a later 2xx is made of, and its ACK (RFC 3261 §13.2.2.4). */
const keptFor2xx: ReadonlySet<string> = new Set(['From', 'Authorization', 'Proxy-Authorization'])

/**
 * A transaction with its final response lives half a minute more, for repetitions: thousands of them in a switch. It keeps
 * what those need and no more. Every text of a received request is a part of the message, and would keep all of it.
 */
export function trimSettled(transaction: Transaction): void {
  if (transaction instanceof ClientTransaction) {
    const { method, uri, headers } = transaction.request
    const kept = transaction.state === 'accepted' ? headers.filter(({ name }) => keptFor2xx.has(name)) : []
    transaction.request = { kind: 'request', method, uri, headers: kept, body: noBody }
  } else if (transaction instanceof ServerTransaction) {
    const { message, flow, replyTo, toTag, cseq } = transaction.request
    const bare: SipRequest = { kind: 'request', method: message.method, uri: '', headers: [], body: noBody }
    transaction.request = {
      message: bare,
      flow,
      replyTo,
      via: noVia,
      from: '',
      to: '',
      callId: '',
      fromTag: '',
      toTag: toTag === undefined ? undefined : '',
      cseq,
      cseqText: '',
    }
  }
}
