import type { ReasonHeader } from '../services/reason-header.ts'
import type { EndpointServices } from '../services/services.ts'
import type { InviteSession } from '../session/invite-session.ts'
import { authorizationOf, type DialAnswer, sessionOf } from './dialled-session.ts'

export const lateForkReason: ReasonHeader = { status: 487, q850: 26, text: 'Answered elsewhere', code: 'END.0487' }

/** Answers of forks that are no longer wanted: ACK and BYE (RFC 3261 §13.2.2.4). */
export class LateForks {
  readonly #services: EndpointServices
  readonly #id: string
  readonly #sessions = new Map<string, InviteSession>()

  /** `id`: of the call that they are forks of. */
  constructor(services: EndpointServices, id: string) {
    this.#services = services
    this.#id = id
  }

  get(remoteTag: string): InviteSession | undefined {
    return this.#sessions.get(remoteTag)
  }

  hangUp(answered: DialAnswer, now: number): void {
    if (this.#sessions.size >= this.#services.settings.limits.forks) return
    const session = sessionOf(this.#services, { id: this.#id, confirmed() {}, over() {} }, answered)
    this.#sessions.set(session.dialog.remoteTag, session)
    session.sender.acknowledge(answered.response.cseq, authorizationOf(answered.request), now)
    session.end(lateForkReason, now)
  }
}
