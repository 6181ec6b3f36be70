import type { Agent } from './agent.ts'
import type { EndWords } from './call-command.ts'
import { authorizationOf, type DialAnswer, sessionOf } from './dialed-session.ts'
import type { Session } from './session.ts'

export const lateForkWords: EndWords = { status: 487, q850: 26, text: 'Answered elsewhere', code: 'END.0487' }

/** Answers of forks that nobody waits for any more: ACK and BYE (RFC 3261 §13.2.2.4). */
export class LateForks {
  readonly #agent: Agent
  readonly #id: string
  #sessions: Map<string, Session> | undefined

  /** `id`: of the call that they are forks of. */
  constructor(agent: Agent, id: string) {
    this.#agent = agent
    this.#id = id
  }

  get(remoteTag: string): Session | undefined {
    return this.#sessions?.get(remoteTag)
  }

  hangUp(answered: DialAnswer, now: number): void {
    this.#sessions ??= new Map()
    if (this.#sessions.size >= this.#agent.settings.limits.forks) return
    const session = sessionOf(this.#agent, { id: this.#id, confirmed() {}, over() {} }, answered)
    this.#sessions.set(session.dialog.remoteTag, session)
    session.sender.acknowledge(answered.response.cseq, authorizationOf(answered.request), now)
    session.end(lateForkWords, now)
  }
}
