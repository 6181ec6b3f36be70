import { type MessageFault, type ParseFault, parseFaults } from './fault.ts'
import type { Head } from './head.ts'
import type { SipMessage } from './message.ts'

const nothing = new Uint8Array()

/** The message of a head that has a start line. */
export function assemble(head: Head, body: Uint8Array): SipMessage | undefined {
  const { line, headers } = head
  if (line === undefined) return undefined
  return line.kind === 'request'
    ? { kind: 'request', method: line.method, uri: line.uri, headers, body }
    : { kind: 'response', status: line.status, reason: line.reason, headers, body }
}

/** The fault with what may be answered: only requests are, with what was understood of their head. */
export function messageFault(reason: ParseFault, at: number, head?: Head): MessageFault {
  const status = parseFaults[reason]
  const partial = head === undefined ? undefined : assemble(head, nothing)
  if (status === undefined || partial?.kind !== 'request') return { ok: false, reason, at }
  return { ok: false, reason, at, status, partial }
}
