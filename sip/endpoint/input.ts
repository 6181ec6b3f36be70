import type { ChallengeRefusal } from '../digest/credential-scope.ts'
import type { ParsedMessage } from '../message/fault.ts'
import type { Flow } from '../network/flow.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { PeerConfig } from './peers/peer.ts'
import type { DroppedCall, ForeignResponse } from './routing/unknown-source-notices.ts'
import type { CallCommand, HopName } from './services/call-command.ts'
import type { CallEvent } from './services/call-event.ts'
import type { PeerState } from './services/services.ts'

export type EndpointInput =
  /**
   * One whole message, or what should be one. The bytes belong to the endpoint from now on. `waitedMs`: how long it has
   * waited since it was taken from the socket.
   */
  | { readonly type: 'received'; readonly bytes: Uint8Array; readonly flow: Flow; readonly waitedMs?: number }
  /** The same, from a framer that has parsed it already. */
  | { readonly type: 'message'; readonly parsed: ParsedMessage; readonly flow: Flow; readonly waitedMs?: number }
  /** A `send` that carried this transaction failed. */
  | { readonly type: 'send-failed'; readonly transaction: Transaction }
  /** The answer to `resolve`: where to try, in order; empty = not to be reached. */
  | {
      readonly type: 'resolved'
      readonly lookup: number
      readonly hops: readonly Flow[]
      /** There are some, and a customer may not name them. */
      readonly isRefused?: boolean
    }
  /** All peers, whenever they change. */
  | { readonly type: 'peers'; readonly peers: readonly PeerConfig[] }
  /** A connection is gone. */
  | { readonly type: 'flow-closed'; readonly flow: Flow }
  /** What was registered by this token ends; its new calls are the directory's to refuse. */
  | { readonly type: 'revoked'; readonly tokenId: string }
  /** No new calls from now on, or again. */
  | { readonly type: 'drain'; readonly on: boolean }
  | CallCommand

export type EndpointOutput =
  | {
      readonly type: 'send'
      readonly flow: Flow
      readonly bytes: Uint8Array
      readonly transaction: Transaction | undefined
    }
  | { readonly type: 'resolve'; readonly lookup: number; readonly hop: HopName }
  | { readonly type: 'peer'; readonly peerId: string; readonly state: PeerState }
  | { readonly type: 'call'; readonly event: CallEvent }
  /** A call of an unknown source was dropped without an answer. Some are reported. */
  | { readonly type: 'unknown-source'; readonly call: DroppedCall }
  /** A challenge was not answered. Some are reported. */
  | { readonly type: 'challenge-refused'; readonly refusal: ChallengeRefusal }
  /** A response from elsewhere than its request went to was dropped. Some are reported. */
  | { readonly type: 'foreign-response'; readonly response: ForeignResponse }
  /** The remote of the flow is known by a request within its dialog, or by a peer's credentials. */
  | { readonly type: 'known'; readonly flow: Flow }
  /** The remote of the flow has signed in. */
  | { readonly type: 'trusted'; readonly flow: Flow }
