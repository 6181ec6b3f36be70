import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { acme } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'

// What media a registered phone is offered: WebRTC where it is a browser, else plain RTP; and WebRTC to a desk phone that
// refuses that, because it takes nothing that is not encrypted; SRTP by keys in SDP after it.

const hook = 'https://acme.test/in'

function called(isBrowser: boolean, answers: 'plain' | 'srtp' | 'webrtc' | 'none', status = 488): CallBed {
  const rig = new CallBed()
  rig.store.addAccount({ ...acme, endpoints: { ...acme.endpoints, voice_inbound: hook } }, 10_000_000)
  const user = rig.user('1002')
  rig.bindings.set(user.uuid, [{ id: 'desk', address: '198.51.100.7', isBrowser }])
  rig.documents.set(hook, '<Response><Dial action="/after"><Client>1002</Client></Dial></Response>')
  rig.documents.set('https://acme.test/after', '<Response/>')
  const good = { answerAfter: 100, byeAfter: 1000 }
  const refuses = { endAfter: 20, cause: { kind: 'response', status } } as const
  rig.peers.set('desk', answers === (isBrowser ? 'webrtc' : 'plain') ? good : refuses)
  rig.call('+254700000001')
  const refusedDials = { plain: 1, webrtc: 1, srtp: 2, none: 1 }[answers]
  for (let ms = 0; ms < 1000 && rig.of('leg.dial').length < refusedDials; ms++) rig.run(1)
  if (answers !== 'none') rig.peers.set('desk', good)
  rig.run(60_000)
  return rig
}
/** Kinds of media that the phone was offered, in turn. */
const offered = (rig: CallBed) =>
  rig
    .of('media.open')
    .flatMap(({ offer, webrtc, srtp }) =>
      offer === undefined ? [webrtc === true ? 'webrtc' : srtp === 'preferred' ? 'srtp' : 'plain'] : [],
    )
const result = (rig: CallBed) => [rig.posts[1]?.fields.DialCallStatus, rig.posts[1]?.fields.DialReasonCode]

test('a desk phone that refuses plain RTP is offered WebRTC, then SRTP, once each, and the call goes on', () => {
  assert.equal(offered(called(false, 'srtp')), ['plain', 'webrtc', 'srtp'])
  for (const status of [415, 488, 606]) {
    const rig = called(false, 'webrtc', status)
    assert.equal(offered(rig), ['plain', 'webrtc'], String(status))
    assert.equal(result(rig), ['completed', 'END.0200'])
    assert.is(rig.store.call().cost, 0)
    assert.equal(
      rig.codes().filter(code => code.startsWith('DIAL')),
      ['DIAL.0100', 'DIAL.0200', 'DIAL.0300'],
      'one attempt, as its customer sees it',
    )
    assert.is(rig.store.holds.size, 0)
    assert.ok(rig.exchange.isEmpty)
  }
})

test('one that takes plain RTP, or refuses for another reason, or refuses all, gets no more offers', () => {
  assert.equal(offered(called(false, 'plain')), ['plain'])
  for (const status of [404, 408, 480, 486, 500, 503, 603])
    assert.equal(offered(called(false, 'none', status)), ['plain'], String(status))
  const rig = called(false, 'none')
  assert.equal(offered(rig), ['plain', 'webrtc', 'srtp'])
  assert.equal(result(rig), ['failed', 'END.0488'])
  assert.ok(rig.exchange.isEmpty)
})

test('a browser is offered WebRTC and nothing else', () => {
  assert.equal(offered(called(true, 'webrtc')), ['webrtc'])
  assert.equal(offered(called(true, 'none')), ['webrtc'])
})

test.run()
