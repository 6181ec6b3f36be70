import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Trunk } from '../../../core/model/trunk.ts'
import { acme } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'

// What a trunk is offered: where SRTP is optional, SRTP first, and the same trunk in the clear only if it refuses that.

const hook = 'https://acme.test/in'
const far = '+254733000222'
const good = { answerAfter: 100, byeAfter: 1000 }
const refusing = (status: number) => ({ endAfter: 20, cause: { kind: 'response', status } }) as const

/** The remote does `first` to the first attempt, `then` to the next ones. */
function called(trunks: (one: Trunk) => readonly Trunk[], first: number | 'timeout', then: number | 'good'): CallBed {
  const bed = new CallBed()
  bed.store.addAccount({ ...acme, endpoints: { ...acme.endpoints, voice_inbound: hook } }, 10_000_000)
  bed.trunks = bed.trunks.flatMap(trunks)
  bed.documents.set(hook, `<Response><Dial action="/after"><Number>${far}</Number></Dial></Response>`)
  bed.documents.set('https://acme.test/after', '<Response/>')
  bed.peers.set(far, first === 'timeout' ? { endAfter: 20, cause: { kind: 'timeout' } } : refusing(first))
  bed.call('+254700000001')
  for (let ms = 0; ms < 1000 && bed.of('leg.dial').length === 0; ms++) bed.run(1)
  bed.peers.set(far, then === 'good' ? good : refusing(then))
  bed.run(60_000)
  assert.ok([...bed.store.holds.values()].every(({ charge }) => charge !== undefined))
  assert.ok(bed.exchange.isEmpty)
  return bed
}
const offered = (bed: CallBed) =>
  bed.of('media.open').flatMap(({ offer, srtp }) => (offer === undefined ? [srtp ?? 'off'] : []))
const result = (bed: CallBed) => [bed.posts[1]?.fields.DialCallStatus, bed.posts[1]?.fields.DialReasonCode]
const alone =
  (srtp: Trunk['srtp'], more: Partial<Trunk> = {}) =>
  (trunk: Trunk): readonly Trunk[] => [{ ...trunk, srtp, ...more }]

test('optional: a carrier that refuses SRTP is called in the clear, as one attempt to the customer', () => {
  for (const status of [415, 488, 606]) {
    const bed = called(alone('optional'), status, 'good')
    assert.equal(offered(bed), ['preferred', 'optional'], String(status))
    assert.equal(result(bed), ['completed', 'END.0200'])
    assert.equal(
      bed.codes().filter(code => code.startsWith('DIAL')),
      ['DIAL.0100', 'DIAL.0200', 'DIAL.0300'],
    )
  }
})

test('optional: the second attempt needs no second place in a trunk that has few', () => {
  const bed = called(alone('optional', { maxCalls: 1, maxCps: 1 }), 488, 'good')
  assert.equal(offered(bed), ['preferred', 'optional'])
  assert.equal(result(bed), ['completed', 'END.0200'])
})

test('optional: a place in the trunk is given back when no turn comes for the second attempt', () => {
  const bed = new CallBed()
  bed.store.addAccount(
    { ...acme, maxCallsPerSecond: 1, endpoints: { ...acme.endpoints, voice_inbound: hook } },
    10_000_000,
  )
  bed.trunks = bed.trunks.flatMap(alone('optional', { maxCalls: 1 }))
  const numbers = [far, '+254733000333', '+254733000444']
  bed.documents.set(
    hook,
    `<Response><Dial>${numbers.map(number => `<Number>${number}</Number>`).join('')}</Dial></Response>`,
  )
  for (const number of numbers) bed.peers.set(number, refusing(488))
  bed.call('+254700000001')
  bed.run(60_000)
  assert.ok(bed.exchange.isEmpty, 'no place is taken')
})

test('optional: what another offer would not change is not tried again in the clear', () => {
  for (const status of [404, 480, 486, 603]) {
    assert.equal(offered(called(alone('optional'), status, 'good')), ['preferred'], String(status))
  }
  const both = called(alone('optional'), 488, 488)
  assert.equal(offered(both), ['preferred', 'optional'])
  assert.equal(result(both), ['failed', 'END.0488'])
})

test('optional: a trunk that fails is left for the next one, not asked in the clear', () => {
  const two = (trunk: Trunk): readonly Trunk[] => [
    { ...trunk, srtp: 'optional', priority: 1 },
    { ...trunk, uuid: '7f000000-0000-4000-8000-000000000001' as Trunk['uuid'], srtp: 'off', priority: 2 },
  ]
  for (const first of [503, 'timeout'] as const) {
    assert.equal(offered(called(two, first, 'good')), ['preferred', 'off'], String(first))
  }
  assert.equal(offered(called(two, 488, 503)), ['preferred', 'optional', 'off'])
  assert.equal(offered(called(alone('optional'), 503, 'good')), ['preferred'])
})

test('off and required: one offer, whatever is said to it', () => {
  for (const srtp of ['off', 'required'] as const) {
    const bed = called(alone(srtp), 488, 'good')
    assert.equal(offered(bed), [srtp])
    assert.equal(result(bed), ['failed', 'END.0488'])
  }
})

test.run()
