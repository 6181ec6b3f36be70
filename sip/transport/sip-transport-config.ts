import type { IncomingMessage } from 'node:http'
import type { SecureContextOptions } from 'node:tls'
import type { ChallengeRefusal } from '../digest/credential-scope.ts'
import type { DroppedCall, ForeignResponse } from '../endpoint/routing/unknown-source-notices.ts'
import type { CallEvent } from '../endpoint/services/call-event.ts'
import type { PeerState } from '../endpoint/services/services.ts'
import type { Flow, ListenTransport } from '../network/flow.ts'
import type { OpenDatagrams } from './datagrams.ts'
import type { SetUpGate } from './invite-queue.ts'
import type { TransportLimits } from './limits.ts'
import type { Dns, ResolvedHop } from './resolve.ts'
import type { Turn } from './turn.ts'

export interface ListenAddress {
  readonly transport: ListenTransport
  readonly address: string
  readonly port: number
}

/** Receives every message as it was received or sent. Without it nothing is copied or formatted. */
export interface SipTap {
  message(bytes: Uint8Array, flow: Flow, isSent: boolean): void
  /** The call of that id has this Call-ID. */
  dialog(id: string, callId: string): void
}

export interface SipTransportConfig {
  /** Default: none. */
  readonly tap?: SipTap
  readonly listeners: readonly ListenAddress[]
  /** Written into Via and Contact instead of the interface's address, towards peers of its family; one a family at most. */
  readonly externalAddresses: readonly string[]
  /** Certificate and key of `tls` and `wss` listeners; `ca` for connections that we open. */
  readonly tls?: SecureContextOptions
  /** Whether a page of the request's origin may open a WebSocket on a `wss` listener. Default: every page may. */
  readonly isAllowedOrigin?: (request: IncomingMessage) => boolean
  readonly limits: TransportLimits
  /** The system's own calls for UDP sockets. Default: those of node:dgram alone. */
  readonly openDatagrams?: OpenDatagrams
  /** Limits how many new calls are set up at the same time. Default: no limit. */
  readonly gate?: SetUpGate | undefined
  /** Whether events of calls still wait to be handled: new calls are read after them. Default: they never do. */
  readonly isBehind?: (() => boolean) | undefined
  /** Shared with what else works in a turn of the event loop. Default: nothing else does. */
  readonly turn?: Turn | undefined
  readonly dns: Dns
  /** Whether a customer's call may go to all of these. Rejects: not known now. Default: it may. */
  readonly mayReach?: (hops: readonly ResolvedHop[]) => Promise<boolean>
  readonly clock: TransportClock
  /** [0, 1), for the draw of SRV records. */
  readonly random: () => number
  readonly onCall: (event: CallEvent) => void
  readonly onPeer: (peerId: string, state: PeerState) => void
  /** A call of an unknown source was dropped; a few are reported. */
  readonly onUnknownSource?: (call: DroppedCall) => void
  /** A challenge was not answered; a few are reported. */
  readonly onChallengeRefused?: (refusal: ChallengeRefusal) => void
  readonly onForeignResponse?: (response: ForeignResponse) => void
  /** A part of the system failed, and no call has an event for it. */
  readonly onFault: (what: string) => void
}

/** Monotonic milliseconds, and one wake-up. */
interface TransportClock {
  now(): number
  at(deadline: number, fire: () => void): () => void
}
