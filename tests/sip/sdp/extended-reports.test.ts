import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  answerOffer,
  createOffer,
  formatSdp,
  type LocalMedia,
  parseSdp,
  pcmu,
  readAnswer,
  type SessionDescription,
} from '../../../sip/index.ts'

const local: LocalMedia = {
  address: '192.0.2.1',
  port: 10_000,
  codecs: [pcmu],
  telephoneEvent: 101,
  ptimeMs: 20,
  sessionId: '1',
  extendedReports: true,
}

/** A peer's description with these attributes of the session and of its stream. */
function theirs(ofSession: readonly string[], ofStream: readonly string[]): SessionDescription {
  const parsed = parseSdp(
    [
      ...['v=0', 'o=- 1 1 IN IP4 192.0.2.9', 's=-', 'c=IN IP4 192.0.2.9', 't=0 0', ...ofSession],
      ...['m=audio 20000 RTP/AVP 0', 'a=rtpmap:0 PCMU/8000', ...ofStream, ''],
    ].join('\r\n'),
  )
  assert.ok(parsed.ok)
  return parsed.value
}

const xrLines = (session: SessionDescription): readonly string[] =>
  formatSdp(session)
    .split('\r\n')
    .filter(line => line.startsWith('a=rtcp-xr'))

// What an offer names, what our answer names then, and what is agreed on (RFC 3611 §5).
const offers: readonly [
  name: string,
  ofSession: readonly string[],
  ofStream: readonly string[],
  answered: string | undefined,
  agreed: { voipMetrics: boolean; receiverTime: 'all' | 'sender' | undefined } | undefined,
][] = [
  ['none', [], [], undefined, undefined],
  ['an empty one', [], ['a=rtcp-xr:'], undefined, undefined],
  ['a property', [], ['a=rtcp-xr'], undefined, undefined],
  ['metrics', [], ['a=rtcp-xr:voip-metrics'], 'a=rtcp-xr:voip-metrics', { voipMetrics: true, receiverTime: undefined }],
  [
    'everything, of the session',
    ['a=rtcp-xr:pkt-loss-rle=100 stat-summary=loss,dup,jitt,TTL rcvr-rtt=all:10000 voip-metrics'],
    [],
    'a=rtcp-xr:rcvr-rtt=all voip-metrics',
    { voipMetrics: true, receiverTime: 'all' },
  ],
  [
    'the stream over the session',
    ['a=rtcp-xr:voip-metrics'],
    ['a=rtcp-xr:rcvr-rtt=sender'],
    'a=rtcp-xr:rcvr-rtt=sender',
    { voipMetrics: false, receiverTime: 'sender' },
  ],
  ['what we do not know', [], ['a=rtcp-xr:pkt-loss-rle rcvr-rtt=nobody rcvr-rtt voip-metrics=1'], undefined, undefined],
  [
    'spaces and repetitions',
    [],
    ['a=rtcp-xr:  voip-metrics   rcvr-rtt=all rcvr-rtt=sender voip-metrics '],
    'a=rtcp-xr:rcvr-rtt=all voip-metrics',
    { voipMetrics: true, receiverTime: 'all' },
  ],
]

for (const [name, ofSession, ofStream, answered, agreed] of offers) {
  test(`an offer with ${name} is answered by ${answered ?? 'nothing'}`, () => {
    const result = answerOffer(theirs(ofSession, ofStream), local)
    assert.ok(result.ok)
    assert.equal(xrLines(result.value.answer), answered === undefined ? [] : [answered])
    assert.equal(result.value.negotiated.extendedReports, agreed)
    const plain = answerOffer(theirs(ofSession, ofStream), { ...local, extendedReports: false })
    assert.ok(plain.ok)
    assert.equal(xrLines(plain.value.answer), [])
    assert.is(plain.value.negotiated.extendedReports, undefined)
  })

  test(`our offer, answered with ${name}`, () => {
    const offer = createOffer(local)
    assert.equal(xrLines(offer), ['a=rtcp-xr:rcvr-rtt=all voip-metrics'])
    const read = readAnswer(offer, theirs(ofSession, ofStream))
    assert.ok(read.ok)
    assert.equal(read.value.extendedReports, agreed)
    const unasked = readAnswer(createOffer({ ...local, extendedReports: false }), theirs(ofSession, ofStream))
    assert.ok(unasked.ok)
    assert.is(unasked.value.extendedReports, undefined)
  })
}

test.run()
