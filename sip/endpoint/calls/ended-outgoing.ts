import type { Flow } from '../../network/flow.ts'
import type { IncomingResponse } from '../../transaction/incoming.ts'
import type { ClientOwner, ClientTransaction } from '../../transaction/transaction.ts'
import type { EndpointServices } from '../services/services.ts'
import type { PastDialog } from '../session/dialog-sender.ts'
import { answerTo, type DialledCall } from './dialled-session.ts'
import { LateForks } from './late-forks.ts'
import type { PrackSender } from './prack-sender.ts'

const encoder = new TextEncoder()

/** What an ended call leaves for 2xx that are still on the way. */
interface Remains {
  readonly dialled: DialledCall
  /** The dialog that the call had; undefined = it was not answered. */
  readonly past: PastDialog | undefined
  /** Forks that were hung up before the end. */
  readonly forks: LateForks | undefined
  /** Numbers of requests in early dialogs; undefined = there were none. */
  readonly pracks: PrackSender | undefined
}

/**
 * Replaces an ended call while its INVITE accepts 2xx, half a minute (RFC 6026 §7.2): the call itself is released. A
 * repeated 2xx gets its ACK again, that of another fork ACK and BYE (RFC 3261 §13.2.2.4).
 */
export class EndedOutgoing implements ClientOwner {
  readonly #services: EndpointServices
  readonly #id: string
  readonly #dialled: DialledCall
  readonly #past: PastDialog | undefined
  readonly #pracks: PrackSender | undefined
  #forks: LateForks | undefined

  /** `id`: of the call. */
  constructor(services: EndpointServices, id: string, { dialled, past, forks, pracks }: Remains) {
    this.#services = services
    this.#id = id
    this.#dialled = dialled
    this.#past = past
    this.#forks = forks
    this.#pracks = pracks
  }

  get atRest(): ClientOwner {
    return this.#dialled.remote
  }

  isSource(flow: Flow): boolean {
    return this.#dialled.remote.isSource(flow)
  }

  responded(transaction: ClientTransaction, response: IncomingResponse, now: number): void {
    const { status } = response.message
    if (status < 200 || status >= 300) return
    const remoteTag = response.toTag ?? ''
    if (this.#past?.remoteTag === remoteTag) {
      this.#services.resend(this.#past.flow, encoder.encode(this.#past.ack))
      return
    }
    const fork = this.#forks?.get(remoteTag)
    if (fork !== undefined) {
      fork.sender.acknowledgeAgain()
      return
    }
    this.#forks ??= new LateForks(this.#services, this.#id)
    this.#forks.hangUp(answerTo(this.#dialled, transaction, response, this.#pracks?.lastSeq(response)), now)
  }

  failed(): void {}
  finished(): void {}
}
