import type { OfferState, OpenRequest } from '../invite/offer-answer.ts'
import type { SessionState } from '../invite/session-states.ts'
import type { Flow } from '../network/flow.ts'
import type { TransactionLayer } from '../transaction/layer.ts'
import type { Timer } from '../transaction/timer-queue.ts'
import { ClientTransaction, type ServerTransaction, type TimerOwner } from '../transaction/transaction.ts'
import { IncomingCall } from './calls/incoming-call.ts'
import type { OutgoingCall } from './calls/outgoing-call.ts'
import type { OutgoingState } from './calls/outgoing-states.ts'
import type { InviteSession } from './session/invite-session.ts'

interface TimerDump {
  readonly name: string
  readonly dueInMs: number
}

interface TransactionDump {
  readonly role: 'client' | 'server'
  readonly method: string
  readonly cseq: number
  /** By the tables of RFC 3261 §17 and RFC 6026. */
  readonly state: string
  /** Where its messages go: `udp 192.0.2.1:5060`. */
  readonly flow: string
  readonly timers: readonly TimerDump[]
}

interface DialogDump {
  readonly state: SessionState
  /** RFC 3264: whose offer is open. */
  readonly offer: OfferState
  readonly open: OpenRequest
  readonly localTag: string
  readonly remoteTag: string
  readonly localSeq: number
  readonly remoteSeq: number | undefined
  readonly remoteTarget: string
  readonly routeSet: readonly string[]
  readonly nextHop: string
  readonly remoteAllowsUpdate: boolean
}

/** A SIP call as it is now, for support. Each field is listed by name: credentials and bodies are none of them. */
export interface EndpointCallDump {
  readonly direction: 'incoming' | 'outgoing'
  readonly state: IncomingCall['state'] | OutgoingState
  readonly callId: string
  /** Undefined before a dialled call has an answer. */
  readonly dialog: DialogDump | undefined
  readonly timers: readonly TimerDump[]
  readonly transactions: readonly TransactionDump[]
}

type RunningTimer = Timer<TimerOwner>

export function dumpOfCall(
  call: IncomingCall | OutgoingCall,
  layer: TransactionLayer,
  running: readonly RunningTimer[],
  now: number,
): EndpointCallDump {
  const owners: readonly TimerOwner[] = call.timerOwners
  const { callId, session } = call
  const transactions = [
    ...[...layer.clients.values()].filter(({ request }) => headerValue(request.headers, 'Call-ID') === callId),
    ...[...layer.servers.values()].filter(({ request }) => request.callId === callId),
  ]
  return {
    direction: call instanceof IncomingCall ? 'incoming' : 'outgoing',
    state: call.state,
    callId,
    dialog: session && dialogOf(session),
    timers: timersOf(running, now, owner => owners.includes(owner)),
    transactions: transactions.map(transaction => transactionOf(transaction, running, now)),
  }
}

const dialogOf = (session: InviteSession): DialogDump => {
  const { dialog } = session
  return {
    state: session.state,
    offer: session.offerState,
    open: session.openRequest,
    localTag: dialog.localTag,
    remoteTag: dialog.remoteTag,
    localSeq: dialog.localSeq,
    remoteSeq: dialog.remoteSeq,
    remoteTarget: withoutPassword(dialog.remoteTarget),
    routeSet: dialog.routeSet.map(withoutPassword),
    nextHop: withoutPassword(dialog.nextHop),
    remoteAllowsUpdate: session.remoteAllowsUpdate,
  }
}

function transactionOf(
  transaction: ClientTransaction | ServerTransaction,
  running: readonly RunningTimer[],
  now: number,
): TransactionDump {
  const isClient = transaction instanceof ClientTransaction
  const { request } = transaction
  const [cseq = ''] = isClient ? headerValue(transaction.request.headers, 'CSeq').split(' ') : []
  return {
    role: transaction.role,
    method: 'message' in request ? request.message.method : request.method,
    cseq: 'cseq' in request ? request.cseq : Number(cseq),
    state: transaction.state,
    flow: flowText(transaction.flow),
    timers: timersOf(running, now, owner => owner === transaction),
  }
}

const timersOf = (
  running: readonly RunningTimer[],
  now: number,
  isWanted: (owner: TimerOwner) => boolean,
): readonly TimerDump[] =>
  running
    .filter(({ owner }) => isWanted(owner))
    .map(({ name, at }) => ({ name, dueInMs: Math.round(at - now) }))
    .sort((a, b) => a.dueInMs - b.dueInMs)

const headerValue = (headers: readonly { readonly name: string; readonly value: string }[], name: string): string =>
  headers.find(header => header.name === name)?.value ?? ''

const flowText = ({ transport, address, port }: Flow): string => `${transport} ${address}:${port}`

/** `sip:user:password@host` (RFC 3261 §19.1.1): the password is left out. */
const withoutPassword = (uri: string): string => uri.replace(/(sips?:[^:@;>]*):[^@>]*@/gi, '$1:…@')
