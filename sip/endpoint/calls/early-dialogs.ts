import { headerOf } from '../../message/headers.ts'
import { requires, sdpOf } from '../../message/typed-fields.ts'
import type { ServerTransaction } from '../../transaction/transaction.ts'
import type { EndpointServices } from '../services/services.ts'
import { answerInDialog } from '../session/in-dialog.ts'
import type { InviteSession } from '../session/invite-session.ts'
import { type DialAnswer, sessionOf } from './dialled-session.ts'

/** The early dialog of one fork of our INVITE (RFC 3261 §12.1): made by a provisional response, until the 2xx. */
interface EarlyDialog {
  readonly remoteTag: string
  readonly progress: DialAnswer
  /** An answer has come in a reliable provisional: offer and answer are complete (RFC 3262 §5). */
  isAgreed: boolean
  /** Once something was asked within its dialog. */
  session: InviteSession | undefined
  remoteSeq: number
}

/** Shared by all calls without an early dialog. */
const noDialogs: readonly EarlyDialog[] = []

/** What a remote may ask of us before it has answered. */
const taken: ReadonlySet<string> = new Set(['UPDATE', 'INFO', 'OPTIONS'])

/** The early dialogs of a call that we dial, fork by fork, for requests within them (RFC 3261 §12.1, RFC 3311 §5.2). */
export class EarlyDialogs {
  readonly #services: EndpointServices
  readonly #id: string
  /** Mostly one. */
  #dialogs = noDialogs
  /** The fork whose description was reported last: only it may change the media. */
  #reported: string | undefined

  /** `id`: of the call. */
  constructor(services: EndpointServices, id: string) {
    this.#services = services
    this.#id = id
  }

  /** The one that waits for our answer to its offer. */
  get awaitingAnswer(): InviteSession | undefined {
    for (const { session } of this.#dialogs) if (session?.awaitsAnswer === true) return session
    return undefined
  }

  /** A provisional response has come in order. */
  progressed(progress: DialAnswer): void {
    const { toTag, message } = progress.response
    if (toTag === undefined) return
    let early = this.#dialogOf(toTag)
    if (early === undefined) {
      if (this.#dialogs.length >= this.#services.settings.limits.forks) return
      early = { remoteTag: toTag, progress, isAgreed: false, session: undefined, remoteSeq: 0 }
      this.#dialogs = [...this.#dialogs, early]
    }
    if (sdpOf(message) === undefined) return
    if (!this.hasReoffered(toTag)) this.#reported = toTag
    if (requires(message, '100rel') && headerOf(message, 'RSeq') !== undefined) early.isAgreed = true
  }

  /** It has offered again since its answer, so its answer no longer holds. */
  hasReoffered(toTag: string | undefined): boolean {
    const session = toTag === undefined ? undefined : this.#dialogOf(toTag)?.session
    return session?.hasReoffered === true
  }

  requestArrived(transaction: ServerTransaction, now: number): void {
    const { message, fromTag, cseq } = transaction.request
    const early = this.#dialogOf(fromTag)
    if (early === undefined || !taken.has(message.method)) {
      this.#services.respond(transaction, 481, now)
      return
    }
    const session = this.#sessionOf(early)
    if (message.method === 'UPDATE' && sdpOf(message) !== undefined && fromTag !== this.#reported) {
      // The media is another fork's: it may ask again once one of them has answered.
      if (session.dialog.takeRemoteSeq(cseq)) early.remoteSeq = cseq
      this.#services.respond(transaction, 491, now)
      return
    }
    early.remoteSeq = Math.max(early.remoteSeq, cseq)
    answerInDialog(session, transaction, now)
  }

  /** The fork has answered: `session`, of its 2xx, goes on where its early one stopped; the others end. */
  confirmed(session: InviteSession, now: number): void {
    const early = this.#dialogOf(session.dialog.remoteTag)
    this.#dialogs = this.#dialogs.filter(dialog => dialog !== early)
    if (early?.session !== undefined) session.continueFrom(early.session, early.remoteSeq)
    this.close(now)
  }

  /** No further request is made; a request that waits for an answer gets 487. */
  close(now: number): void {
    for (const { session } of this.#dialogs) session?.close({ kind: 'bye' }, now)
    this.#dialogs = noDialogs
  }

  #dialogOf(remoteTag: string): EarlyDialog | undefined {
    for (const dialog of this.#dialogs) if (dialog.remoteTag === remoteTag) return dialog
    return undefined
  }

  #sessionOf(early: EarlyDialog): InviteSession {
    const host = { id: this.#id, confirmed() {}, over() {} }
    early.session ??= sessionOf(this.#services, host, early.progress, 'early')
    if (early.isAgreed) early.session.step('answer-received')
    return early.session
  }
}
