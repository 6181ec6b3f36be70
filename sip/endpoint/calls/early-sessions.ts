import { headerOf } from '../../message/headers.ts'
import { requires, sdpOf } from '../../message/typed-fields.ts'
import type { ServerTransaction } from '../../transaction/transaction.ts'
import type { EndpointServices } from '../services/services.ts'
import { answerInDialog } from '../session/in-dialog.ts'
import type { InviteSession } from '../session/invite-session.ts'
import { type DialAnswer, sessionOf } from './dialed-session.ts'

/** One fork of our INVITE before its answer. */
interface Fork {
  readonly progress: DialAnswer
  /** An answer has come in a reliable provisional: offer and answer are complete (RFC 3262 §5). */
  isAgreed: boolean
  /** Once something was asked within its dialog. */
  session: InviteSession | undefined
  remoteSeq: number
}

/** Of all calls that have none. */
const noForks: Map<string, Fork> = new Map()

/** What a remote may ask of us before it has answered. */
const taken: ReadonlySet<string> = new Set(['UPDATE', 'INFO', 'OPTIONS'])

/** The early dialogs of a call that we dial, fork by fork, for requests within them (RFC 3261 §12.1, RFC 3311 §5.2). */
export class EarlySessions {
  readonly #services: EndpointServices
  readonly #id: string
  #forks: Map<string, Fork> = noForks
  /** The fork whose description was reported last: only it may change the media. */
  #reported: string | undefined

  /** `id`: of the call. */
  constructor(services: EndpointServices, id: string) {
    this.#services = services
    this.#id = id
  }

  /** The one that waits for our answer to its offer. */
  get awaitingAnswer(): InviteSession | undefined {
    for (const { session } of this.#forks.values()) if (session?.awaitsAnswer === true) return session
    return undefined
  }

  /** A provisional response has come in its turn. */
  progressed(progress: DialAnswer): void {
    const { toTag, message } = progress.response
    if (toTag === undefined) return
    let fork = this.#forks.get(toTag)
    if (fork === undefined) {
      if (this.#forks.size >= this.#services.settings.limits.forks) return
      fork = { progress, isAgreed: false, session: undefined, remoteSeq: 0 }
      if (this.#forks === noForks) this.#forks = new Map()
      this.#forks.set(toTag, fork)
    }
    if (sdpOf(message) === undefined) return
    if (!this.hasReoffered(toTag)) this.#reported = toTag
    if (requires(message, '100rel') && headerOf(message, 'RSeq') !== undefined) fork.isAgreed = true
  }

  /** It has offered again since its answer, so its answer no longer holds. */
  hasReoffered(toTag: string | undefined): boolean {
    const session = toTag === undefined ? undefined : this.#forks.get(toTag)?.session
    return session?.hasReoffered === true
  }

  requestArrived(transaction: ServerTransaction, now: number): void {
    const { message, fromTag, cseq } = transaction.request
    const fork = this.#forks.get(fromTag)
    if (fork === undefined || !taken.has(message.method)) {
      this.#services.respond(transaction, 481, now)
      return
    }
    const session = this.#sessionOf(fork)
    if (message.method === 'UPDATE' && sdpOf(message) !== undefined && fromTag !== this.#reported) {
      // The media is another fork's: it may ask again once one of them has answered.
      if (session.dialog.takeRemoteSeq(cseq)) fork.remoteSeq = cseq
      this.#services.respond(transaction, 491, now)
      return
    }
    fork.remoteSeq = Math.max(fork.remoteSeq, cseq)
    answerInDialog(session, transaction, now)
  }

  /** The fork has answered: `session`, of its 2xx, goes on where its early one stopped; the others end. */
  confirmed(session: InviteSession, now: number): void {
    const fork = this.#forks.get(session.dialog.remoteTag)
    this.#forks.delete(session.dialog.remoteTag)
    if (fork?.session !== undefined) session.continueFrom(fork.session, fork.remoteSeq)
    this.close(now)
  }

  /** Nothing is asked any more; what waits for an answer gets a 487. */
  close(now: number): void {
    for (const { session } of this.#forks.values()) session?.close({ kind: 'bye' }, now)
    this.#forks = noForks
  }

  #sessionOf(fork: Fork): InviteSession {
    const host = { id: this.#id, confirmed() {}, over() {} }
    fork.session ??= sessionOf(this.#services, host, fork.progress, 'early')
    if (fork.isAgreed) fork.session.step('answer-received')
    return fork.session
  }
}
