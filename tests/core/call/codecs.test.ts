import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { MediaCommand } from '../../../core/ports/media.ts'
import type { Peer } from '../../../core/testing/simulated-signaling.ts'
import { acme } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'

const number = '+254700000001'
const far = '+254722222222'
const response = (...verbs: readonly string[]) => `<Response>${verbs.join('')}</Response>`
const dial = `<Dial><Number>${far}</Number></Dial>`

/** The rig's callers are answered with PCMU at first, and whoever is dialled answers with PCMA. */
function dialled(
  offered: CallBed['offeredCodecs'],
  document = dial,
  peer: Peer = { answerAfter: 500, byeAfter: 3000 },
) {
  const rig = new CallBed()
  rig.offeredCodecs = offered
  rig.documents.set('https://acme.test/in', response(document))
  rig.peers.set(`t1:${far}`, peer)
  const caller = rig.call(number)
  rig.run(2000)
  return { rig, caller }
}

const offersTo = (rig: CallBed) =>
  rig.of('media.open').flatMap(open => (open.offer === undefined ? [open.prefer ?? []] : []))
const adaptations = (rig: CallBed): readonly Extract<MediaCommand, { type: 'media.reoffer' }>[] =>
  rig.of('media.reoffer')

test('the callee is offered the caller’s codecs first, and the caller is answered with the one that the callee took', () => {
  const { rig, caller } = dialled(['opus', 'PCMA', 'PCMU'])
  assert.equal(offersTo(rig), [['opus', 'PCMA', 'PCMU']])
  assert.equal(adaptations(rig), [{ type: 'media.reoffer', legId: caller, offer: 'offer', prefer: 'PCMA' }])
  assert.equal(
    rig.of('leg.answer').map(({ legId, sdp }) => [legId, sdp]),
    [[caller, 'reanswer']],
  )
  assert.is(rig.of('leg.reanswer').length, 0)
  assert.is(rig.of('media.bridge').length, 1)
})

test('a caller who does not offer it is answered as it was, and so is one who has it already', () => {
  for (const offered of [['PCMU'], ['PCMU', 'opus'], []] as const) {
    const { rig, caller } = dialled(offered)
    assert.is(adaptations(rig).length, 0, offered.join())
    assert.equal(
      rig.of('leg.answer').map(({ legId, sdp }) => [legId, sdp]),
      [[caller, `sdp of ${caller}`]],
    )
    assert.is(rig.of('media.bridge').length, 1)
  }
})

test('an order of codecs of the trunk goes before the offer’s, and what it leaves out is not taken', () => {
  const rig = new CallBed()
  rig.offeredCodecs = ['opus', 'PCMA', 'PCMU']
  rig.trunks = rig.trunks.map(trunk => ({ ...trunk, codecs: ['PCMU', 'opus'] }))
  rig.documents.set('https://acme.test/in', response(dial))
  rig.peers.set(`t1:${far}`, { answerAfter: 500, byeAfter: 3000 })
  rig.call(number)
  rig.run(2000)
  assert.equal(offersTo(rig), [['PCMU', 'opus']])
  assert.is(adaptations(rig).length, 0)
})

test('a caller that was answered keeps its codec, and the callee is offered that one first', () => {
  const { rig } = dialled(
    ['opus', 'PCMA', 'PCMU'],
    '<Dial answerOnBridge="false"><Number>+254722222222</Number></Dial>',
  )
  assert.is(adaptations(rig).length, 0)
  const said = dialled(['opus', 'PCMA', 'PCMU'], `<Record maxLength="1"/>${dial}`)
  said.rig.run(5000)
  assert.equal(offersTo(said.rig), [['PCMU']])
  assert.is(adaptations(said.rig).length, 0)
})

test('early media fixes the codec: the 183 has it, and the answer says the same', () => {
  const { rig } = dialled(['PCMU', 'PCMA'], dial, { earlyAfter: 200, answerAfter: 600, byeAfter: 3000 })
  assert.is(adaptations(rig).length, 1)
  assert.equal(
    [...rig.of('leg.progress'), ...rig.of('leg.answer')].map(({ sdp }) => sdp),
    ['reanswer', 'reanswer'],
  )
})

test('a caller who hangs up while its answer is made again is not answered', () => {
  const { rig, caller } = dialled(['PCMA', 'PCMU'], dial, { answerAfter: 500 })
  const again = new CallBed()
  again.offeredCodecs = ['PCMA', 'PCMU']
  again.documents.set('https://acme.test/in', response(dial))
  again.peers.set(`t1:${far}`, { answerAfter: 500 })
  const leg = again.call(number)
  while (again.of('media.reoffer').length === 0) again.run(1)
  again.hangUpCaller(leg)
  again.run(5000)
  assert.is(again.of('leg.answer').length, 0)
  assert.is(again.of('leg.reanswer').length, 0)
  assert.is(again.dialled.length, 0)
  assert.is(rig.of('leg.answer').length, 1, caller)
})

test('softphones keep what they prefer', () => {
  const rig = new CallBed()
  rig.offeredCodecs = ['opus', 'PCMA']
  const hook = 'https://acme.test/phone'
  rig.store.addAccount({ ...acme, endpoints: { ...acme.endpoints, voice_outbound: hook } }, 10_000_000)
  rig.documents.set(hook, response(dial))
  rig.peers.set(`t1:${far}`, { answerAfter: 500 })
  const user = rig.user('1001')
  rig.dialFrom(user, far)
  rig.run(2000)
  assert.equal(offersTo(rig), [['opus', 'PCMA']])
  assert.is(adaptations(rig).length, 0)
  assert.is(rig.of('media.bridge').length, 1)
})

test.run()
