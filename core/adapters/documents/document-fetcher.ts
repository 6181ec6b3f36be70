import { TextMap } from '../../../sip/index.ts'
import { fillPlaceholders } from '../../documents/placeholders.ts'
import type { ConnectionFault } from '../../model/connection-fault.ts'
import type { AccountUuid, CallUuid } from '../../model/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DocumentEvent, DocumentFetch, Documents, FetchFault } from '../../ports/documents.ts'
import { type HttpAnswer, type HttpClient, webhookMaxBytes } from '../http/index.ts'

/** Documents that this switch hosts. */
interface HostedTexts {
  /** Whether the URL is one of ours, so that no HTTP is needed. */
  isHosted(url: string): boolean
  byUrl(url: string): { readonly body: string } | undefined | Promise<{ readonly body: string } | undefined>
}

interface DocumentFetcherParts {
  readonly hosted: HostedTexts
  /** A client of its own, so that callbacks do not take the connections of documents. */
  readonly http: Pick<HttpClient, 'signedPost'>
  /** The secret as it is now; rejects when there is no such account. */
  readonly secret: (account: AccountUuid) => Promise<string>
  readonly clock: Pick<Clock, 'unixMs'>
  readonly emit: (event: DocumentEvent) => void
}

type Fetched =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly isConstant?: boolean }
  | { readonly ok: false; readonly fault: FetchFault; readonly detail: string; readonly cause?: ConnectionFault }

interface Running {
  readonly ignoreReply: boolean
  isAbandoned: boolean
  /** Of the request by HTTP; undefined: it needs none. */
  abort: AbortController | undefined
}

/**
 * Call-control requests: a signed POST, of which only a 200 counts, or a hosted document without HTTP. Each fetch is
 * answered by one event, never before `execute` has returned.
 */
export class DocumentFetcher implements Documents {
  readonly #parts: DocumentFetcherParts
  readonly #running = new TextMap<CallUuid, Running[]>()

  constructor(parts: DocumentFetcherParts) {
    this.#parts = parts
  }

  execute(command: DocumentFetch): void {
    const { callId } = command
    const running: Running = { ignoreReply: command.ignoreReply === true, isAbandoned: false, abort: undefined }
    const ofCall = this.#running.get(callId)
    if (ofCall === undefined) this.#running.set(callId, [running])
    else ofCall.push(running)
    void this.#fetch(command, running).then(fetched => {
      const rest = this.#running.get(callId)
      if (rest?.length === 1) this.#running.delete(callId)
      else rest?.splice(rest.indexOf(running), 1)
      if (!running.isAbandoned) this.#parts.emit(eventOf(command, fetched))
    })
  }

  /** What was asked with `ignoreReply` still reaches the customer. */
  abandon(callId: CallUuid): void {
    for (const running of this.#running.get(callId) ?? []) {
      if (running.ignoreReply) continue
      running.isAbandoned = true
      running.abort?.abort()
    }
  }

  async #fetch(command: DocumentFetch, running: Running): Promise<Fetched> {
    const { hosted, http, secret, clock } = this.#parts
    try {
      const url = canonicalUrl(command.url)
      if (hosted.isHosted(url)) return filledIn(await hosted.byUrl(url), command)
      running.abort = new AbortController()
      const answer = await http.signedPost({
        owner: command.accountId,
        url: command.url,
        body: JSON.stringify(command.fields),
        secret: await secret(command.accountId),
        unixSeconds: Math.floor(clock.unixMs() / 1000),
        wants: isDocument,
        signal: running.abort.signal,
      })
      return fetchedOf(answer)
    } catch (cause) {
      return { ok: false, fault: 'transport', detail: cause instanceof Error ? cause.message : String(cause) }
    }
  }
}

/** As hosted URLs are written; a text that is no URL as it is. */
export const canonicalUrl = (url: string): string => URL.parse(url)?.href ?? url

const utf8 = new TextEncoder()

const isDocument = (status: number): boolean => status === 200

function filledIn(document: { readonly body: string } | undefined, { fields }: DocumentFetch): Fetched {
  if (document === undefined) return { ok: false, fault: 'not-found', detail: 'there is no such hosted document' }
  const filled = fillPlaceholders(document.body, fields, webhookMaxBytes)
  const bytes = filled === undefined ? undefined : utf8.encode(filled)
  if (bytes !== undefined && bytes.length <= webhookMaxBytes)
    return { ok: true, bytes, isConstant: filled === document.body }
  return { ok: false, fault: 'too-large', detail: `more than ${webhookMaxBytes} bytes` }
}

function fetchedOf(answer: HttpAnswer): Fetched {
  if (answer.ok) {
    if (isDocument(answer.status)) return { ok: true, bytes: answer.body }
    return { ok: false, fault: 'status', detail: `status ${answer.status}` }
  }
  return { ...answer, fault: answer.fault === 'aborted' ? 'transport' : answer.fault }
}

function eventOf({ callId, requestId }: DocumentFetch, fetched: Fetched): DocumentEvent {
  if (fetched.ok) {
    const { bytes, isConstant = false } = fetched
    return { type: 'document.fetched', callId, requestId, bytes, isConstant }
  }
  const { fault, detail, cause } = fetched
  return { type: 'document.failed', callId, requestId, fault, detail, ...(cause && { cause }) }
}
