import type { Flow } from '../../network/flow.ts'
import type { PhoneMove, Registrar } from '../../registrar/registrar.ts'
import type { OfferedInvite } from '../calls/incoming-call.ts'
import type { PeerTable } from '../peers/peer.ts'
import type { EndpointServices, TaggedCall } from '../services/services.ts'
import type { DroppedCall, ForeignResponse } from './unknown-source-notices.ts'

/** What the reception may ask of the endpoint that it belongs to. */
export interface RoutingServices extends EndpointServices {
  readonly peers: PeerTable
  readonly callCount: number
  readonly registrar: Registrar
  /** The call to which a local tag belongs. */
  callOf(localTag: string): TaggedCall | undefined
  /** A softphone's requests go back over its flow, wherever its Contact leads. */
  openCall(id: string, invite: OfferedInvite, now: number): void
  /** The remote of the flow takes part in a dialog of ours, or has a peer's credentials. */
  flowKnown(flow: Flow): void
  /** What rings on the phone goes to its new connection. */
  phoneMoved(move: PhoneMove, now: number): void
  /** The remote of the flow has signed in. */
  flowTrusted(flow: Flow): void
  unknownSourceDropped(call: DroppedCall): void
  /** A response to a request of ours came from another address than the request went to, and was dropped. */
  foreignResponse(response: Omit<ForeignResponse, 'dropped'>, now: number): void
}
