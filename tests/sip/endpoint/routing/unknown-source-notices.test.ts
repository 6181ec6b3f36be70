import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { mostNoticed, noticeEveryMs } from '../../../../sip/base/notice-limit.ts'
import type { DroppedCall } from '../../../../sip/endpoint/routing/unknown-source-notices.ts'
import { defaultLimits, defaultTimers, Endpoint } from '../../../../sip/index.ts'
import { wire } from '../../bed/text.ts'

/** An endpoint without peers, and its reports about unknown sources. */
function alone() {
  const endpoint = new Endpoint({
    timers: defaultTimers,
    limits: defaultLimits,
    realm: 'sauti.test',
    userAgent: 'Sauti',
    random: length => new Uint8Array(length).fill(7),
    hash: (_algorithm, text) => text,
    newId: () => 'id',
  })
  let branches = 0
  const knock = (
    address: string,
    now: number,
    method = 'INVITE',
    more: readonly string[] = [],
  ): readonly DroppedCall[] => {
    const bytes = wire(
      `${method} sip:+254700000001@192.0.2.1 SIP/2.0`,
      `Via: SIP/2.0/UDP ${address};branch=z9hG4bK${++branches}`,
      `From: "Friend" <sip:+1900@${address}>;tag=${branches}`,
      'To: <sip:+254700000001@192.0.2.1>',
      `Call-ID: ${branches}@${address}`,
      `CSeq: 1 ${method}`,
      `Contact: <sip:x@${address}>`,
      'Max-Forwards: 70',
      ...more,
      'Content-Length: 0',
      '',
    )
    const local = { localHost: '192.0.2.1', localPort: 5060, socket: undefined }
    const flow = { transport: 'udp', address, port: 5060, ...local } as const
    const outputs = endpoint.handle({ type: 'received', bytes: new TextEncoder().encode(bytes), flow }, now)
    assert.equal(
      outputs.filter(output => output.type === 'send'),
      [],
    )
    return outputs.flatMap(output => (output.type === 'unknown-source' ? [output.call] : []))
  }
  return { endpoint, knock }
}

test('the first call of an unknown source is logged, then one line a minute with the number of others', () => {
  const { endpoint, knock } = alone()
  const reported = { address: '203.0.113.9', transport: 'udp', from: '+1900', to: '+254700000001' }
  assert.equal(knock('203.0.113.9', 1000), [{ ...reported, dropped: 1 }])
  for (let now = 2000; now < 1000 + noticeEveryMs; now += 1000) assert.equal(knock('203.0.113.9', now), [])
  assert.equal(knock('203.0.113.9', 1000 + noticeEveryMs), [{ ...reported, dropped: 60 }])
  assert.equal(knock('203.0.113.10', 1001 + noticeEveryMs), [{ ...reported, address: '203.0.113.10', dropped: 1 }])
  assert.equal(knock('203.0.113.9', 1002 + noticeEveryMs), [])
  assert.is(endpoint.counters.dropped, 63)
})

test('what would have been no call is dropped without a word', () => {
  const { endpoint, knock } = alone()
  for (const method of ['BYE', 'NOTIFY', 'SUBSCRIBE', 'MESSAGE']) assert.equal(knock('203.0.113.9', 0, method), [])
  assert.equal(knock('203.0.113.9', 0, 'INVITE', ['Require: nonsense']), [])
  assert.is(endpoint.counters.dropped, 5)
})

test('a flood of forged addresses makes no more lines in a minute than are kept in mind', () => {
  const { knock } = alone()
  const lines = (from: number, until: number): number => {
    let count = 0
    for (let now = from; now < until; now += 5) count += knock(`10.${now & 255}.${(now >> 8) & 255}.1`, now).length
    return count
  }
  assert.is(lines(0, noticeEveryMs), mostNoticed)
  const later = lines(2 * noticeEveryMs, 3 * noticeEveryMs)
  assert.ok(later > 0 && later <= mostNoticed, `${later}`)
})

test.run()
