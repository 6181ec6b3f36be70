import type { Tokens } from '../../base/tokens.ts'
import type { ChallengeRefusal, CredentialScope } from '../../digest/credential-scope.ts'
import type { SipRequest } from '../../message/message.ts'
import type { Flow } from '../../network/flow.ts'
import type { IncomingRequest } from '../../transaction/incoming.ts'
import type { TransactionLayer } from '../../transaction/layer.ts'
import type { ResponseParts } from '../../transaction/response.ts'
import type { TimerQueue } from '../../transaction/timer-queue.ts'
import type { ServerTransaction, TimerOwner } from '../../transaction/transaction.ts'
import type { DialTarget, HopName } from './call-command.ts'
import type { CallEvent } from './call-event.ts'
import type { Counters } from './counters.ts'
import type { UseHops } from './hop-cache.ts'
import type { EndpointSettings } from './settings.ts'

/** What registration and pings say about a peer. */
export type PeerState = 'registered' | 'registration-failed' | 'reachable' | 'unreachable'

/** What of a target decides about its credentials. */
export type Credentialed = Pick<DialTarget, 'peerId' | 'username' | 'password' | 'hop'>

/** What the parts of an endpoint (calls, registrations, pings) use of it. */
export interface EndpointServices {
  readonly settings: EndpointSettings
  readonly layer: TransactionLayer
  readonly timers: TimerQueue<TimerOwner>
  readonly tokens: Tokens
  readonly counters: Counters
  emit(event: CallEvent): void
  peerState(peerId: string, state: PeerState): void
  /** Where the credentials of a target may go: of a trunk for all its calls, else of this call; undefined = it has none. */
  scopeOf(target: Credentialed): CredentialScope | undefined
  challengeRefused(refusal: Omit<ChallengeRefusal, 'refused'>, now: number): void
  /** Sends without a transaction: the ACK of a 2xx. */
  sendAck(flow: Flow, ack: SipRequest): Uint8Array
  resend(flow: Flow, bytes: Uint8Array): void
  /** Returns the bytes, so that they can be repeated. */
  respond(transaction: ServerTransaction, status: number, now: number, parts?: ResponseParts): Uint8Array
  /** RFC 3263. `use` gets the hops at once when they are known, else when they are. */
  resolve(hop: HopName, now: number, use: UseHops): void
  /** The peer sends from that address. */
  isOfPeer(peerId: string, address: string): boolean
  /** The connection that has taken the place of this one, or the flow itself. */
  currentFlow(flow: Flow): Flow
  /** A softphone of the user has registered over just this flow. */
  isPhoneOf(userId: string, flow: Flow): boolean
  /** The call to which requests with this local tag belong; undefined ends that. */
  bindTag(localTag: string, call: TaggedCall | undefined): void
  /** The transaction of a call's INVITE is over: a copy of it would be a new one. */
  inviteFinished(merged: string): void
  /** The call is over and forgotten. */
  release(id: string): void
}

/** A call as the endpoint sees it from a request within its dialog. */
export interface TaggedCall {
  readonly callId: string
  /** Of requests in its dialogs, ended ones among them. */
  transactions: readonly ServerTransaction[]
  /** Requests within the dialog are taken from there. */
  isSource(flow: Flow): boolean
  requestArrived(transaction: ServerTransaction, now: number): void
  /** An ACK for a 2xx. */
  ackArrived(ack: IncomingRequest, now: number): void
}
