import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { acme } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'

// What media a registered phone is offered: WebRTC where it is a browser, else plain RTP; and WebRTC to a desk phone that
// refuses that, because it takes nothing that is not encrypted; SRTP by keys in SDP after it.

const hook = 'https://acme.test/in'

function called(isBrowser: boolean, answers: 'plain' | 'srtp' | 'webrtc' | 'none', status = 488): CallBed {
  const bed = new CallBed()
  bed.store.addAccount({ ...acme, endpoints: { ...acme.endpoints, voice_inbound: hook } }, 10_000_000)
  const user = bed.user('1002')
  bed.bindings.set(user.uuid, [{ id: 'desk', address: '198.51.100.7', isBrowser }])
  bed.documents.set(hook, '<Response><Dial action="/after"><Client>1002</Client></Dial></Response>')
  bed.documents.set('https://acme.test/after', '<Response/>')
  const good = { answerAfter: 100, byeAfter: 1000 }
  const refuses = { endAfter: 20, cause: { kind: 'response', status } } as const
  bed.peers.set('desk', answers === (isBrowser ? 'webrtc' : 'plain') ? good : refuses)
  bed.call('+254700000001')
  const refusedDials = { plain: 1, webrtc: 1, srtp: 2, none: 1 }[answers]
  for (let ms = 0; ms < 1000 && bed.of('leg.dial').length < refusedDials; ms++) bed.run(1)
  if (answers !== 'none') bed.peers.set('desk', good)
  bed.run(60_000)
  return bed
}
/** Kinds of media that the phone was offered, in turn. */
const offered = (bed: CallBed) =>
  bed
    .of('media.open')
    .flatMap(({ offer, webrtc, srtp }) =>
      offer === undefined ? [webrtc === true ? 'webrtc' : srtp === 'preferred' ? 'srtp' : 'plain'] : [],
    )
const result = (bed: CallBed) => [bed.posts[1]?.fields.DialCallStatus, bed.posts[1]?.fields.DialReasonCode]

test('a desk phone that refuses plain RTP is offered WebRTC, then SRTP, once each, and the call goes on', () => {
  assert.equal(offered(called(false, 'srtp')), ['plain', 'webrtc', 'srtp'])
  for (const status of [415, 488, 606]) {
    const bed = called(false, 'webrtc', status)
    assert.equal(offered(bed), ['plain', 'webrtc'], String(status))
    assert.equal(result(bed), ['completed', 'END.0200'])
    assert.is(bed.store.call().cost, 0)
    assert.equal(
      bed.codes().filter(code => code.startsWith('DIAL')),
      ['DIAL.0100', 'DIAL.0200', 'DIAL.0300'],
      'one attempt, as its customer sees it',
    )
    assert.is(bed.store.holds.size, 0)
    assert.ok(bed.exchange.isEmpty)
  }
})

test('one that takes plain RTP, or refuses for another reason, or refuses all, gets no more offers', () => {
  assert.equal(offered(called(false, 'plain')), ['plain'])
  for (const status of [404, 408, 480, 486, 500, 503, 603])
    assert.equal(offered(called(false, 'none', status)), ['plain'], String(status))
  const bed = called(false, 'none')
  assert.equal(offered(bed), ['plain', 'webrtc', 'srtp'])
  assert.equal(result(bed), ['failed', 'END.0488'])
  assert.ok(bed.exchange.isEmpty)
})

test('a browser is offered WebRTC and nothing else', () => {
  assert.equal(offered(called(true, 'webrtc')), ['webrtc'])
  assert.equal(offered(called(true, 'none')), ['webrtc'])
})

test.run()
