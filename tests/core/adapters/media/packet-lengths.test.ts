import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LegSdp, readSdp } from '../../../../core/adapters/media/leg-sdp.ts'

// What a remote's `a=ptime` and `a=maxptime` (RFC 8866 §6.4, RFC 7587 §7) make of the packets that we send it.

const leg = () =>
  new LegSdp({
    address: '192.0.2.1',
    port: 10_000,
    sessionId: '1',
    codecs: [],
    prefer: [],
    browser: undefined,
    keys: undefined,
  })

const theirs = (codec: '0' | '111', lines: readonly string[]) =>
  ['v=0', 'o=- 1 1 IN IP4 192.0.2.9', 's=-', 'c=IN IP4 192.0.2.9', 't=0 0', `m=audio 5000 RTP/AVP ${codec}`]
    .concat(codec === '0' ? [] : ['a=rtpmap:111 opus/48000/2'], lines, '')
    .join('\r\n')

for (const codec of ['0', '111'] as const) {
  for (const [lines, packets] of [
    [[], [20, false, undefined]],
    [['a=ptime:20'], [20, true, undefined]],
    [['a=ptime:60'], [60, true, undefined]],
    [
      ['a=ptime:40', 'a=maxptime:60'],
      [40, true, 60],
    ],
    [
      ['a=ptime:60', 'a=maxptime:30'],
      [30, true, 30],
    ],
    [['a=maxptime:10'], [10, false, 10]],
    [['a=maxptime:150'], [20, false, 150]],
  ] as const) {
    test(`${codec === '0' ? 'PCMU' : 'Opus'}, ${lines.join(', ') || 'nothing'}: in an offer and in an answer`, () => {
      const offer = readSdp(theirs(codec, lines))
      assert.ok(offer)
      const answered = leg().answer(offer)
      assert.ok(answered.ok)
      const offering = leg()
      const ours = offering.offer()
      const number = codec === '0' ? '0' : (/a=rtpmap:(\d+) opus/.exec(ours)?.[1] ?? '')
      const taken = offering.takeAnswer(theirs(codec, lines).replaceAll('111', number))
      assert.ok(taken.ok)
      for (const { agreement } of [answered.value, taken.value]) {
        assert.equal([agreement.ptimeMs, agreement.ptimeAsked, agreement.maxPtimeMs], packets)
      }
    })
  }
}

test.run()
