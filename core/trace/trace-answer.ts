import { sdpForExport } from './export-sdp.ts'
import { drawLadder } from './ladder.ts'
import { pcapngOf, type RtpCapture } from './pcapng.ts'
import type { SipRecord } from './sip-record.ts'
import type { TraceAnswer, TraceQuery } from './trace.ts'
import type { TraceBook } from './trace-book.ts'
import { traceJson } from './trace-json.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The bytes that a reader asked for; undefined: nothing is kept of such a call. */
export function traceAnswer(book: TraceBook, id: string, query: TraceQuery): TraceAnswer | undefined {
  if (query.form === 'pcapng') {
    const messages = book.messages(id)
    if (messages === undefined) return undefined
    const rtp = capturedOf(book, id, messages, query.audio === true)
    const withRtp = new Set(rtp.map(({ leg }) => leg))
    const shown = messages.map(sip => ({ ...sip, message: sdpForExport(sip.message, withRtp.has(sip.leg)) }))
    return { account: '', isOver: true, body: pcapngOf(shown, rtp) }
  }
  const trace = book.read(id, query.reader, query, query.ended)
  if (trace === undefined) return undefined
  const text = query.form === 'json' ? JSON.stringify(traceJson(trace)) : drawLadder(trace, query.columns)
  return { account: trace.account, isOver: trace.isOver, body: encoder.encode(text) }
}

const connection = /^c=IN IP4 (\S+)/m

/** RTP of the call, with the address that our SDP gave the leg: by it Wireshark knows what is RTP. */
function capturedOf(
  book: TraceBook,
  id: string,
  messages: readonly (SipRecord & { readonly leg: number })[],
  withAudio: boolean,
): readonly (RtpCapture & { readonly leg: number })[] {
  const hosts = new Map<number, string>()
  for (const { leg, isSent, message, localHost } of messages) {
    const named = isSent ? connection.exec(decoder.decode(message))?.[1] : undefined
    if (named !== undefined || !hosts.has(leg)) hosts.set(leg, named ?? localHost)
  }
  return book.packets(id, withAudio).map(packet => ({ ...packet, localHost: hosts.get(packet.leg) ?? '0.0.0.0' }))
}
