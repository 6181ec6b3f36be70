import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallUuid } from '../../../core/model/ids.ts'
import { drawLadder } from '../../../core/trace/ladder.ts'
import { TraceBook } from '../../../core/trace/trace-book.ts'
import { PartsInMemory } from '../bed/trace-bed.ts'

const megabyte = 1024 * 1024
const callId = 'call-1' as CallUuid
const sid = 'CA1'
const document = new Uint8Array(60_000).fill(0x41)

/** A call whose documents lead to one another: each is kept as it came. */
function redirecting(documents: number) {
  const store = new PartsInMemory()
  const book = new TraceBook({ memoryBytes: 32 * megabyte, store })
  const call = { sid, accountUuid: 'a', direction: 'inbound', fromNumber: '+1', toNumber: '+2' }
  book.note(0, callId, '', { kind: 'call', ...call })
  for (let at = 1; at <= documents; at++) {
    book.document(at, callId, { kind: 'document-answer', id: `d${at}` }, document)
    if (at % 50 === 0) book.tick(at)
  }
  return { book, store }
}

test('of one call at most 9 MB of messages, documents and notes are kept, and its end', () => {
  const { book, store } = redirecting(1000)
  const rate = { prefix: '+2', ratePerMinute: 3, incrementSeconds: 1, minimumSeconds: 0, connectionFee: 0 }
  book.note(1001, callId, '', { kind: 'hold-opened', hold: 'h', rate, amount: 3 })
  book.note(1002, callId, '', { kind: 'settled', hold: 'h', charge: 30_000, talkSeconds: 60, billedSeconds: 60 })
  book.over(1003, callId, { uuid: callId, sid, reasonCode: 'END.0200', status: 'completed' } as never)
  book.close()
  const kept = store.kept.reduce((sum, { bytes }) => sum + bytes.length, 0)
  assert.ok(kept > 7 * megabyte && kept < 9 * megabyte, `${kept} bytes`)
  const trace = book.read(sid, 'customer', { after: 0, limit: 20_000 })
  assert.equal([trace?.isComplete, trace?.isOver, trace?.end?.reason_code], [false, true, 'END.0200'])
  assert.is(trace?.charges.length, 1)
  assert.ok(book.counters.cut > 800)
})

test('what explains the cost of a call that is full has a bound too', () => {
  const { book, store } = redirecting(200)
  const number = 'n'.repeat(1000)
  for (let at = 0; at < 20_000; at++) book.note(300 + at, callId, '', { kind: 'settled', hold: number, charge: 1 })
  book.close()
  const kept = store.kept.reduce((sum, { bytes }) => sum + bytes.length, 0)
  assert.ok(kept < 9.5 * megabyte, `${kept} bytes`)
})

test('a page has at most 2 MB of them; the pages together have all, each once', () => {
  const { book } = redirecting(120)
  const seen: number[] = []
  let after = 0
  let pages = 0
  for (let more = true; more; pages++) {
    const trace = book.read(sid, 'operator', { after, limit: 20_000 })
    if (trace === undefined) throw new Error('nothing is kept')
    assert.ok(JSON.stringify(trace).length < 2.2 * megabyte)
    assert.is(drawLadder(trace, 100).includes('more follows'), trace.hasMore)
    seen.push(...trace.entries.map(({ seq }) => seq))
    after = trace.last
    more = trace.hasMore
  }
  assert.ok(pages >= 4, `${pages} pages`)
  assert.is(seen.length, 121)
  assert.is(new Set(seen).size, 121)
})

test.run()
