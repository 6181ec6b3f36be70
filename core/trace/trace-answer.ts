import type { LegMessage, LegPacket } from './carriers-covered.ts'
import { sdpForExport } from './export-sdp.ts'
import { drawLadder } from './ladder.ts'
import { pcapngOf, type RtpCapture } from './pcapng.ts'
import type { TraceAnswer, TraceQuery } from './trace.ts'
import type { TraceBook } from './trace-book.ts'
import { traceJson } from './trace-json.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The bytes that a reader asked for; undefined: nothing is kept of such a call. */
export function traceAnswer(book: TraceBook, id: string, query: TraceQuery): TraceAnswer | undefined {
  if (query.form === 'pcapng') return packetsAnswer(book, id, query)
  const trace = book.read(id, query.reader, query, query.ended)
  if (trace === undefined) return undefined
  const text = query.form === 'json' ? JSON.stringify(traceJson(trace)) : drawLadder(trace, query.columns)
  return { account: trace.account, isOver: trace.isOver, body: encoder.encode(text) }
}

function packetsAnswer(book: TraceBook, id: string, { reader, audio }: TraceQuery): TraceAnswer | undefined {
  const messages = book.messages(id, reader)
  if (messages === undefined) return undefined
  // Whose call it is: operators need not know.
  const account = reader === 'customer' ? (book.read(id, reader, { after: 0, limit: 1 })?.account ?? '') : ''
  const rtp = capturedOf(book.packets(id, reader, audio === true), messages)
  const withRtp = new Set(rtp.map(({ leg }) => leg))
  const shown = messages.map(sip => ({ ...sip, message: sdpForExport(sip.message, withRtp.has(sip.leg)) }))
  return { account, isOver: true, body: pcapngOf(shown, rtp) }
}

const connection = /^c=IN IP[46] (\S+)/m

/** RTP of the call, with the address that our SDP gave the leg: by it Wireshark knows what is RTP. */
function capturedOf(
  packets: readonly LegPacket[],
  messages: readonly LegMessage[],
): readonly (RtpCapture & { readonly leg: number })[] {
  const hosts = new Map<number, string>()
  for (const { leg, isSent, message, localHost } of messages) {
    const named = isSent ? connection.exec(decoder.decode(message))?.[1] : undefined
    if (named !== undefined || !hosts.has(leg)) hosts.set(leg, named ?? localHost)
  }
  return packets.map(packet => ({ ...packet, localHost: hosts.get(packet.leg) ?? '0.0.0.0' }))
}
