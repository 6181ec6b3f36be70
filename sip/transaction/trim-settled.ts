import type { OctetPool } from '../base/octet-pool.ts'
import type { SipRequest } from '../message/message.ts'
import { knownMethods } from '../message/method.ts'
import { ClientTransaction, ServerTransaction, type Transaction } from './transaction.ts'

const noBody = new Uint8Array(0)
const noVia = { branch: undefined, host: '', port: undefined, text: '', stamped: '' }

/** What the dialog of a later 2xx is made of, and its ACK (RFC 3261 §13.2.2.4). */
const keptFor2xx: ReadonlySet<string> = new Set(['From', 'Authorization', 'Proxy-Authorization'])

const withoutFields = (method: string): SipRequest => ({ kind: 'request', method, uri: '', headers: [], body: noBody })

const known = new Map([...knownMethods].map(method => [method, withoutFields(method)]))

/** One for all requests of a usual method. */
const bareRequest = (method: string): SipRequest => known.get(method) ?? withoutFields(method)

/**
 * A transaction with its final response lives half a minute more, for repetitions: thousands of them in a switch. It keeps
 * what those need and no more. Every text of a received request is a part of the message, and would keep all of it.
 */
export function trimSettled(transaction: Transaction, pool: OctetPool): void {
  if (transaction.bytes !== undefined) transaction.bytes = pool.copy(transaction.bytes)
  if (transaction instanceof ClientTransaction) {
    const { method, uri, headers } = transaction.request
    if (transaction.state === 'accepted') {
      // A copy, since what `filter` makes has room for more.
      const kept = headers.filter(({ name }) => keptFor2xx.has(name)).slice()
      transaction.request = { kind: 'request', method, uri, headers: kept, body: noBody }
    } else {
      transaction.request = bareRequest(method)
      if (transaction.ack !== undefined) transaction.ack = pool.copy(transaction.ack)
      transaction.owner = transaction.owner.atRest ?? transaction.owner
    }
  } else if (transaction instanceof ServerTransaction) {
    const { message, flow, replyTo, toTag, cseq } = transaction.request
    transaction.request = {
      message: bareRequest(message.method),
      uri: undefined,
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
