import { drawLadder } from './ladder.ts'
import { pcapngOf } from './pcapng.ts'
import type { TraceAnswer, TraceWish } from './trace.ts'
import type { TraceBook } from './trace-book.ts'
import { traceJson } from './trace-json.ts'

const encoder = new TextEncoder()

/** The bytes that a reader asked for; undefined: nothing is kept of such a call. */
export function traceAnswer(book: TraceBook, id: string, wish: TraceWish): TraceAnswer | undefined {
  if (wish.form === 'pcapng') {
    const messages = book.messages(id)
    return messages && { account: '', body: pcapngOf(messages) }
  }
  const trace = book.read(id, wish.reader, wish)
  if (trace === undefined) return undefined
  const text = wish.form === 'json' ? JSON.stringify(traceJson(trace)) : drawLadder(trace, wish.columns)
  return { account: trace.account, body: encoder.encode(text) }
}
