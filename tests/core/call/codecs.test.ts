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

/** Callers of the bed are answered with PCMU at first, and callees answer with PCMA. */
function dialled(
  offered: CallBed['offeredCodecs'],
  document = dial,
  peer: Peer = { answerAfter: 500, byeAfter: 3000 },
) {
  const bed = new CallBed()
  bed.offeredCodecs = offered
  bed.documents.set('https://acme.test/in', response(document))
  bed.peers.set(`t1:${far}`, peer)
  const caller = bed.call(number)
  bed.run(2000)
  return { bed, caller }
}

const offersTo = (bed: CallBed) =>
  bed.of('media.open').flatMap(open => (open.offer === undefined ? [open.prefer ?? []] : []))
const adaptations = (bed: CallBed): readonly Extract<MediaCommand, { type: 'media.reoffer' }>[] =>
  bed.of('media.reoffer')

test('the callee is offered the caller’s codecs first, and the caller is answered with the one that the callee took', () => {
  const { bed, caller } = dialled(['opus', 'PCMA', 'PCMU'])
  assert.equal(offersTo(bed), [['opus', 'PCMA', 'PCMU']])
  assert.equal(adaptations(bed), [{ type: 'media.reoffer', legId: caller, offer: 'offer', prefer: 'PCMA' }])
  assert.equal(
    bed.of('leg.answer').map(({ legId, sdp }) => [legId, sdp]),
    [[caller, 'reanswer']],
  )
  assert.is(bed.of('leg.reanswer').length, 0)
  assert.is(bed.of('media.bridge').length, 1)
})

test('a caller who does not offer it is answered as it was, and so is one who has it already', () => {
  for (const offered of [['PCMU'], ['PCMU', 'opus'], []] as const) {
    const { bed, caller } = dialled(offered)
    assert.is(adaptations(bed).length, 0, offered.join())
    assert.equal(
      bed.of('leg.answer').map(({ legId, sdp }) => [legId, sdp]),
      [[caller, `sdp of ${caller}`]],
    )
    assert.is(bed.of('media.bridge').length, 1)
  }
})

test('an order of codecs of the trunk goes before the offer’s, and what it leaves out is not taken', () => {
  const bed = new CallBed()
  bed.offeredCodecs = ['opus', 'PCMA', 'PCMU']
  bed.trunks = bed.trunks.map(trunk => ({ ...trunk, codecs: ['PCMU', 'opus'] }))
  bed.documents.set('https://acme.test/in', response(dial))
  bed.peers.set(`t1:${far}`, { answerAfter: 500, byeAfter: 3000 })
  bed.call(number)
  bed.run(2000)
  assert.equal(offersTo(bed), [['PCMU', 'opus']])
  assert.is(adaptations(bed).length, 0)
})

test('a caller that was answered keeps its codec, and the callee is offered that one first', () => {
  const { bed } = dialled(
    ['opus', 'PCMA', 'PCMU'],
    '<Dial answerOnBridge="false"><Number>+254722222222</Number></Dial>',
  )
  assert.is(adaptations(bed).length, 0)
  const said = dialled(['opus', 'PCMA', 'PCMU'], `<Record maxLength="1"/>${dial}`)
  said.bed.run(5000)
  assert.equal(offersTo(said.bed), [['PCMU']])
  assert.is(adaptations(said.bed).length, 0)
})

test('early media fixes the codec: the 183 has it, and the answer says the same', () => {
  const { bed } = dialled(['PCMU', 'PCMA'], dial, { earlyAfter: 200, answerAfter: 600, byeAfter: 3000 })
  assert.is(adaptations(bed).length, 1)
  assert.equal(
    [...bed.of('leg.progress'), ...bed.of('leg.answer')].map(({ sdp }) => sdp),
    ['reanswer', 'reanswer'],
  )
})

test('a caller who hangs up while its answer is made again is not answered', () => {
  const { bed, caller } = dialled(['PCMA', 'PCMU'], dial, { answerAfter: 500 })
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
  assert.is(bed.of('leg.answer').length, 1, caller)
})

test('softphones keep what they prefer', () => {
  const bed = new CallBed()
  bed.offeredCodecs = ['opus', 'PCMA']
  const hook = 'https://acme.test/phone'
  bed.store.addAccount({ ...acme, endpoints: { ...acme.endpoints, voice_outbound: hook } }, 10_000_000)
  bed.documents.set(hook, response(dial))
  bed.peers.set(`t1:${far}`, { answerAfter: 500 })
  const user = bed.user('1001')
  bed.dialFrom(user, far)
  bed.run(2000)
  assert.equal(offersTo(bed), [['opus', 'PCMA']])
  assert.is(adaptations(bed).length, 0)
  assert.is(bed.of('media.bridge').length, 1)
})

test.run()
