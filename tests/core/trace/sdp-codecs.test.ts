import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { explanations } from '../../../core/trace/explanation.ts'
import { codecsIn } from '../../../core/trace/sdp-codecs.ts'

// Whose codecs are named where two sides have none in common.

const sdp = (media: string, ...maps: string[]) =>
  ['INVITE sip:a@b SIP/2.0', '', 'v=0', `m=audio 40000 ${media}`, ...maps, ''].join('\r\n')

test('codecs are named by their rtpmap, else by RFC 3551, in the order of the offer', () => {
  assert.equal(codecsIn(sdp('RTP/AVP 18 8 0')), ['G729', 'PCMA', 'PCMU'])
  assert.equal(
    codecsIn(sdp('UDP/TLS/RTP/SAVPF 111 0 101 13', 'a=rtpmap:111 opus/48000/2', 'a=rtpmap:101 telephone-event/8000')),
    ['opus', 'PCMU'],
  )
  assert.equal(codecsIn(sdp('RTP/AVP 97', 'a=rtpmap:97 iLBC/8000', 'a=rtpmap:13 CN/8000')), ['iLBC'])
  assert.equal(codecsIn('SIP/2.0 488 Not Acceptable Here\r\n\r\n'), [])
})

test('a dialled party that refuses was offered codecs; a caller that is refused offers them', () => {
  const { why } = explanations['END.0488']
  const [number, response] = ['+254733000001', '488 Not Acceptable Here']
  // What the caller offered before says nothing of the dialled party.
  assert.match(
    why({ number, response, codecs: ['opus'], offered: ['PCMA', 'PCMU'] }),
    / \+254733000001 was offered only PCMA, PCMU\. It answered 488 Not Acceptable Here\.$/,
  )
  assert.not.match(why({ number, response, codecs: ['opus'] }), /opus/)
  assert.match(why({ codecs: ['G729'] }), / The caller offers only G729\.$/)
})

test.run()
