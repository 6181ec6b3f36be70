import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  mayOffer,
  type OfferInput,
  type OfferRequest,
  type OfferState,
  type OpenRequest,
  offerAnswer,
  refusalOfRequest,
} from '../../../sip/invite/offer-answer.ts'

const states: readonly OfferState[] = ['initial', 'local-offer', 'remote-offer', 'stable']
const inputs: readonly OfferInput[] = ['offer-sent', 'offer-received', 'answer-sent', 'answer-received', 'withdrawn']
const requests: readonly OfferRequest[] = ['INVITE', 'UPDATE', 'PRACK', 'refresh']

test('one offer at a time, answered by the other side or withdrawn (RFC 3264 §4): every cell', () => {
  const cells = states.map(state => inputs.map(input => offerAnswer[state][input] ?? '-'))
  assert.equal(cells, [
    ['local-offer', 'remote-offer', '-', '-', '-'],
    ['-', '-', '-', 'stable', 'stable'],
    ['-', '-', 'stable', '-', 'stable'],
    ['local-offer', 'remote-offer', '-', '-', '-'],
  ])
})

/** For each of `states`: the answers to INVITE, to UPDATE and PRACK with an offer, and to UPDATE without. */
const expected: Readonly<Record<OpenRequest, string>> = {
  none: '- - 500 - | 491 491 491 - | 500 500 500 - | - - - -',
  early: '500 - 500 - | 500 491 491 - | 500 500 500 - | 500 - - -',
  ours: '491 491 491 - | 491 491 491 - | 491 491 491 - | 491 491 491 -',
  theirs: '500 500 500 500 | 500 500 500 500 | 500 500 500 500 | 500 500 500 500',
  unacknowledged: '491 - 500 - | 491 491 491 - | 491 500 500 - | 491 - - -',
}

for (const [open, cells] of Object.entries(expected) as [OpenRequest, string][])
  test(`requests of the peer while open is "${open}" (RFC 3261 §14.2, RFC 3311 §5.2, RFC 3262 §5): every cell`, () => {
    const row = (offer: OfferState) => requests.map(request => refusalOfRequest(offer, open, request) ?? '-').join(' ')
    assert.is(states.map(row).join(' | '), cells)
  })

test('a re-INVITE of ours is sent while nothing is open in either direction (RFC 3261 §14.1)', () => {
  const opens = Object.keys(expected) as OpenRequest[]
  const allowed = opens.flatMap(open => states.filter(offer => mayOffer(offer, open)).map(offer => `${open} ${offer}`))
  assert.equal(allowed, ['none stable'])
})

test.run()
