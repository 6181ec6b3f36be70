import type { PhoneMove, Registrar } from '../registrar/registrar.ts'
import type { Flow } from '../transaction/flow.ts'
import type { ServerTransaction } from '../transaction/transaction.ts'
import type { Agent, TaggedCall } from './agent.ts'
import type { Who } from './dialog-party.ts'
import type { DroppedCall } from './input.ts'
import type { PeerTable } from './peer.ts'

/** What the reception may ask of the endpoint that it belongs to. */
export interface Desk extends Agent {
  readonly peers: PeerTable
  readonly callCount: number
  readonly registrar: Registrar
  /** The call to which a local tag belongs. */
  callOf(localTag: string): TaggedCall | undefined
  /** A softphone's requests go back over its flow, wherever its Contact leads. */
  openCall(id: string, transaction: ServerTransaction, who: Who): void
  /** Whoever is behind the flow is who speaks in a dialog of ours, or has a peer's credentials. */
  know(flow: Flow): void
  /** What rings on the phone goes to its new connection. */
  phoneMoved(move: PhoneMove, now: number): void
  /** Whoever is behind the flow has signed in. */
  trust(flow: Flow): void
  tellStranger(call: DroppedCall): void
}
