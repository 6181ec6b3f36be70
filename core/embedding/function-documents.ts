import { type CallAnswer, type CallHandler, callContext, functionBase } from '../document-builder/call-handler.ts'
import type { AccountProfile, NumberOwner, OwnedNumber } from '../model/account.ts'
import type { CallUuid } from '../model/ids.ts'
import type { DocumentEvent, DocumentFetch, Documents, FetchFault } from '../ports/documents.ts'
import type { Log } from '../ports/log.ts'
import type { CallStore } from '../ports/store.ts'
import { maxDocumentBytes } from '../verbs/index.ts'

/** A function has as long as a webhook (10 s). */
const answerTimeoutMs = 10_000
/** Time that the handler of a placed call is kept after its end, for callbacks that are still under way. */
const keptAfterEndMs = 60_000

type Answered =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: FetchFault; readonly detail: string }

/**
 * Documents that functions of the program give, without HTTP: numbers for which there is a function are looked up with a
 * URL below `functionBase`, and requests for such URLs go to the function instead of to a server.
 */
export class FunctionDocuments {
  readonly #byNumber = new Map<string, CallHandler>()
  readonly #placed = new Map<string, CallHandler>()
  readonly #ofCall = new Map<CallUuid, CallHandler>()
  readonly #log: Log
  #forAll: CallHandler | undefined

  /** @internal */
  constructor(log: Log) {
    this.#log = log
  }

  /** Calls of the number, or without one all calls that have no function of their own. Returns what ends it. */
  handle(handler: CallHandler, number?: string): () => void {
    if (number === undefined) {
      this.#forAll = handler
      return () => {
        if (this.#forAll === handler) this.#forAll = undefined
      }
    }
    this.#byNumber.set(number, handler)
    return () => {
      if (this.#byNumber.get(number) === handler) this.#byNumber.delete(number)
    }
  }

  /** A URL under which the handler answers for one call that is about to be placed; `drop` it when it was refused. */
  place(id: string, handler: CallHandler): { readonly url: string; drop(): void } {
    this.#placed.set(id, handler)
    return { url: `${functionBase}?call=${id}`, drop: () => this.#placed.delete(id) }
  }

  /** The store as calls see it: numbers that a function answers for point at it. */
  over(store: CallStore): CallStore {
    const number = (owned: OwnedNumber): OwnedNumber =>
      this.#forAll === undefined && !this.#byNumber.has(owned.number)
        ? owned
        : { ...owned, webhookUrls: { ...owned.webhookUrls, voice_inbound: functionBase, voice_outbound: functionBase } }
    const account = (profile: AccountProfile): AccountProfile =>
      this.#forAll === undefined
        ? profile
        : { ...profile, endpoints: { ...profile.endpoints, voice_inbound: functionBase, voice_outbound: functionBase } }
    const owner = (found: NumberOwner): NumberOwner => ({
      account: account(found.account),
      number: number(found.number),
    })
    const present = <T>(value: T | undefined, map: (value: T) => T): T | undefined =>
      value === undefined ? undefined : map(value)
    return {
      commit: (unit, isAwaited) => store.commit(unit, isAwaited),
      spendable: uuid => store.spendable(uuid),
      endUser: (uuid, key) => store.endUser(uuid, key),
      account: async uuid => present(await store.account(uuid), account),
      ownedNumber: async (uuid, e164) => present(await store.ownedNumber(uuid, e164), number),
      firstNumber: async uuid => present(await store.firstNumber(uuid), number),
      numberOwner: async e164 => present(await store.numberOwner(e164), owner),
      knownOwner: e164 => present(store.knownOwner(e164), owner),
    }
  }

  /** Documents of functions, and of `others` for every other URL. */
  documents(others: Documents, emit: (event: DocumentEvent) => void): Documents {
    return {
      execute: fetch => {
        if (!fetch.url.startsWith(functionBase)) others.execute(fetch)
        else void this.#answer(fetch).then(answered => emit(eventOf(fetch, answered)))
      },
      abandon: callId => {
        others.abandon(callId)
        if (this.#ofCall.has(callId)) setTimeout(() => this.#ofCall.delete(callId), keptAfterEndMs).unref()
      },
    }
  }

  async #answer(fetch: DocumentFetch): Promise<Answered> {
    const handler = this.#handlerOf(fetch)
    if (handler === undefined) return { ok: false, fault: 'not-found', detail: 'no function answers for this call' }
    try {
      const answer = await withTimeout(Promise.resolve(handler(callContext(urlOf(fetch), fetch.fields))))
      if (answer === undefined) return { ok: false, fault: 'status', detail: 'the function gave no document' }
      if (answer === late) return { ok: false, fault: 'timeout', detail: `no document within ${answerTimeoutMs} ms` }
      const text = String(answer)
      if (Buffer.byteLength(text) <= maxDocumentBytes) return { ok: true, text }
      return { ok: false, fault: 'too-large', detail: `more than ${maxDocumentBytes} bytes` }
    } catch (fault) {
      const detail = fault instanceof Error ? fault.message : String(fault)
      this.#log.error(
        { sid: fetch.fields.CallSid, error: fault instanceof Error ? fault.stack : detail },
        'a function for calls failed',
      )
      return { ok: false, fault: 'status', detail }
    }
  }

  #handlerOf({ callId, url, fields }: DocumentFetch): CallHandler | undefined {
    const placed = new URL(url).searchParams.get('call')
    const handler = placed === null ? undefined : this.#placed.get(placed)
    if (placed !== null && handler !== undefined) {
      this.#placed.delete(placed)
      this.#ofCall.set(callId, handler)
    }
    const ours = String(fields.Direction === 'outbound' ? fields.From : fields.To)
    return this.#ofCall.get(callId) ?? this.#byNumber.get(ours) ?? this.#forAll
  }
}

/** Without the parameter that distinguishes a placed call: its first document is `/`, as of every other call. */
const urlOf = ({ url }: DocumentFetch): string => (url.startsWith(`${functionBase}?call=`) ? functionBase : url)

const late = Symbol('late')

async function withTimeout(answer: Promise<CallAnswer>): Promise<CallAnswer | typeof late> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<typeof late>(resolve => {
    timer = setTimeout(() => resolve(late), answerTimeoutMs)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function eventOf({ callId, requestId }: DocumentFetch, answered: Answered): DocumentEvent {
  if (answered.ok)
    return { type: 'document.fetched', callId, requestId, bytes: new TextEncoder().encode(answered.text) }
  return { type: 'document.failed', callId, requestId, fault: answered.fault, detail: answered.detail }
}
