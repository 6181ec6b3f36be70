import { branchOf, formatVia, parseVia, rportOf, type Via, withSource } from '../header/via.ts'
import { firstOf, headerOf } from '../message/headers.ts'
import type { SipRequest, SipResponse } from '../message/message.ts'
import { type Refusal, validateRequest, validateResponse } from '../message/validate.ts'
import { defaultPort, type Flow } from '../network/flow.ts'
import type { IncomingRequest, IncomingResponse, TopVia } from './incoming.ts'

/** A request as it came, and what is wrong with the fields that every request needs (RFC 3261 §8.1.1). */
export interface ReadRequest {
  readonly request: IncomingRequest
  readonly refusal: Refusal | undefined
}

/** Never fails: what cannot be read is empty and named in `refusal`, so that even a bad request can be answered. */
export function readRequest(message: SipRequest, flow: Flow): ReadRequest {
  const validated = validateRequest(message)
  const essentials = validated.ok ? validated.value.essentials : undefined
  const { via, replyTo } = readVia(essentials?.via, essentials?.viaText ?? firstOf(message, 'Via') ?? '', flow)
  const request = {
    message,
    uri: validated.ok ? validated.value.uri : undefined,
    flow,
    replyTo,
    via,
    from: essentials?.fromText ?? headerOf(message, 'From') ?? '',
    to: essentials?.toText ?? headerOf(message, 'To') ?? '',
    callId: essentials?.callId ?? headerOf(message, 'Call-ID') ?? '',
    fromTag: essentials?.fromTag ?? '',
    toTag: essentials?.toTag || undefined,
    cseq: essentials?.cseq.sequence ?? 0,
    cseqText: essentials?.cseqText ?? headerOf(message, 'CSeq') ?? '',
  }
  return {
    request,
    refusal: validated.ok ? undefined : validated,
  }
}

function readVia(read: Via | undefined, text: string, flow: Flow): { via: TopVia; replyTo: Flow } {
  const parsed = read === undefined ? parseVia(text) : undefined
  const value = parsed?.ok ? parsed.value : read
  if (value === undefined)
    return { via: { branch: undefined, host: '', port: undefined, text, stamped: text }, replyTo: flow }
  // RFC 3261 §18.2.2, RFC 3581 §4. A sent-by that is not the source's address means a NAT between us, and there only
  // the source's own port leads back, whether rport was asked or not.
  const honest = value.host === flow.address && rportOf(value) === undefined
  const port = value.port ?? defaultPort(flow.transport)
  const replyTo = flow.transport === 'udp' && honest && port !== flow.port ? { ...flow, port } : flow
  return { via: new ReadVia(value, text, flow), replyTo }
}

/** It is stamped when a response is made: an ACK gets none. */
class ReadVia implements TopVia {
  readonly branch: string | undefined
  readonly host: string
  readonly port: number | undefined
  readonly text: string
  readonly #value: Via
  readonly #flow: Flow
  #stamped: string | undefined

  constructor(value: Via, text: string, flow: Flow) {
    this.branch = branchOf(value)
    this.host = value.host.toLowerCase()
    this.port = value.port
    this.text = text
    this.#value = value
    this.#flow = flow
  }

  get stamped(): string {
    if (this.#stamped === undefined) {
      const stamped = withSource(this.#value, this.#flow.address, this.#flow.port)
      this.#stamped = stamped === this.#value ? this.text : formatVia(stamped)
    }
    return this.#stamped
  }
}

/** Undefined: it lacks what would match it to a request of ours. */
export function readResponse(message: SipResponse, flow: Flow): IncomingResponse | undefined {
  const validated = validateResponse(message)
  // RFC 3261 §8.1.3.3: with more than one Via it was not meant for us.
  if (!validated.ok || validated.value.vias !== 1) return undefined
  const { via, toText, fromTag, toTag, callId, cseq } = validated.value
  const branch = branchOf(via)
  if (branch === undefined) return undefined
  return {
    message,
    flow,
    branch,
    to: toText,
    callId,
    fromTag,
    toTag: toTag === '' ? undefined : toTag,
    cseq: cseq.sequence,
    cseqMethod: cseq.method,
  }
}
