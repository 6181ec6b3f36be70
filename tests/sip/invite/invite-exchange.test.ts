import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { InviteExchange } from '../../../sip/invite/invite-exchange.ts'
import { type OfferState, offerAnswer } from '../../../sip/invite/offer-answer.ts'
import { type SessionState, sessionTable } from '../../../sip/invite/session-states.ts'
import type { IncomingRequest } from '../../../sip/transaction/incoming.ts'
import { TimerQueue } from '../../../sip/transaction/timer-queue.ts'
import { defaultTimers } from '../../../sip/transaction/timer-settings.ts'
import { ServerTransaction, type TimerOwner } from '../../../sip/transaction/transaction.ts'

const cseq = 7
/** Nothing of a transaction is used but the number of its request. */
const invite: ServerTransaction = Object.assign(Object.create(ServerTransaction.prototype), {
  request: { cseq } as IncomingRequest,
})
const offers = Object.keys(offerAnswer) as OfferState[]
const states = Object.keys(sessionTable) as SessionState[]

/** A session of which nothing is real but what it waits for. */
class Bed extends InviteExchange {
  readonly timers: TimerQueue<TimerOwner>
  readonly ownOffers = { isOpen: false }
  readonly done: string[] = []

  constructor(state: SessionState, offer: OfferState) {
    const timers = new TimerQueue<TimerOwner>()
    super(timers, defaultTimers, state, offer)
    this.timers = timers
  }

  repeat(): void {
    this.done.push('repeat')
  }

  gaveUp(): void {
    this.done.push('gave up')
  }

  answerSent(now = 0): void {
    this.acceptSent(invite, new Uint8Array(), now)
  }
  keep(sdp: string | undefined): void {
    this.keepPending(invite, sdp)
  }
  take(): boolean {
    return this.takePending() === invite
  }
  withdraw(): boolean {
    return this.withdrawPending() === invite
  }
  accepts(): boolean {
    return this.mayAccept()
  }
  ack(sdp: string | undefined, number = cseq): string {
    return this.ackTaken(number, sdp) ?? '-'
  }
  ends(): boolean {
    return this.endNow()
  }
  move(input: 'accept' | 'end-on-ack' | 'bye' | 'close'): boolean {
    return this.moveOn(input)
  }
  adopt(early: InviteExchange): void {
    this.adoptFrom(early)
  }

  /** The timers that are due by then. */
  run(until: number): void {
    for (let at = this.timers.deadline(); at !== undefined && at <= until; at = this.timers.deadline()) {
      const timer = this.timers.takeExpired(at)
      timer?.owner.expired(timer.name, at)
    }
  }
}

/** What is open beside the offer, the first of these that holds. */
const opened: Readonly<Record<string, (bed: Bed) => void>> = {
  none: () => {},
  theirs: bed => bed.keep(undefined),
  ours: bed => {
    bed.ownOffers.isOpen = true
  },
  unacknowledged: bed => bed.answerSent(),
}

test('what is open: their request before ours, and both before a missing ACK', () => {
  for (const [word, open] of Object.entries(opened)) {
    const bed = new Bed('open', 'stable')
    open(bed)
    assert.is(bed.openRequest, word)
  }
  const all = new Bed('open', 'stable')
  all.answerSent()
  all.ownOffers.isOpen = true
  assert.is(all.openRequest, 'ours')
  all.keep('offer')
  assert.is(all.openRequest, 'theirs')
  assert.is(new Bed('early', 'stable').openRequest, 'early')
})

test('a request of theirs, by what is open and whose offer is: every cell', () => {
  const rows: string[] = []
  for (const [word, open] of Object.entries(opened))
    for (const offer of offers) {
      const bed = new Bed('open', offer)
      open(bed)
      const answers = [bed.refusalOf('INVITE', 'offer'), bed.refusalOf('INVITE', undefined)]
      answers.push(
        bed.refusalOf('UPDATE', 'offer'),
        bed.refusalOf('UPDATE', undefined),
        bed.refusalOf('PRACK', 'offer'),
      )
      rows.push(`${word} ${bed.offerState} ${answers.map(status => status ?? '-').join(' ')} ${bed.isSettled}`)
    }
  assert.equal(rows, [
    // INVITE with an offer, without; UPDATE with an offer, without; PRACK with one. Whether we may offer.
    'none initial - - - - 500 false',
    'none local-offer 491 491 491 - 491 false',
    'none remote-offer 500 500 500 - 500 false',
    'none stable - - - - - true',
    'theirs initial 500 500 500 500 500 false',
    'theirs local-offer 500 500 500 500 500 false',
    'theirs remote-offer 500 500 500 500 500 false',
    'theirs stable 500 500 500 500 500 false',
    'ours initial 491 491 491 - 491 false',
    'ours local-offer 491 491 491 - 491 false',
    'ours remote-offer 491 491 491 - 491 false',
    'ours stable 491 491 491 - 491 false',
    'unacknowledged initial 491 491 - - 500 false',
    'unacknowledged local-offer 491 491 491 - 491 false',
    'unacknowledged remote-offer 491 491 500 - 500 false',
    'unacknowledged stable 491 491 - - - false',
  ])
})

test('no offer of ours in a session that is not open', () => {
  for (const state of states) assert.is(new Bed(state, 'stable').isSettled, state === 'open', state)
})

test('what waits for our answer is taken or withdrawn once, and its offer with it', () => {
  const taken = new Bed('open', 'stable')
  taken.keep('offer')
  assert.equal(
    [taken.offerState, taken.take(), taken.take(), taken.offerState],
    ['remote-offer', true, false, 'remote-offer'],
  )
  const withdrawn = new Bed('open', 'stable')
  withdrawn.keep('offer')
  assert.equal([withdrawn.withdraw(), withdrawn.withdraw(), withdrawn.offerState], [true, false, 'stable'])
  const asked = new Bed('open', 'stable')
  asked.keep(undefined)
  assert.is(asked.offerState, 'stable', 'an INVITE without an offer asks for ours')
})

test('our 2xx carries the answer to their offer, else our offer, and nothing while ours is open', () => {
  const after = offers.map(offer => {
    const bed = new Bed('open', offer)
    return `${offer} ${bed.accepts()} ${bed.offerState}`
  })
  assert.equal(after, [
    'initial true local-offer',
    'local-offer false local-offer',
    'remote-offer true stable',
    'stable true local-offer',
  ])
})

test('the ACK of our 2xx: the answer to our offer, a missing one, or nothing but an ACK; once', () => {
  for (const [offer, sdp, taken, next] of [
    ['local-offer', 'answer', 'answer', 'stable'],
    ['local-offer', undefined, 'missing', 'stable'],
    ['stable', undefined, 'plain', 'stable'],
    ['stable', 'stray', 'plain', 'stable'],
  ] as const) {
    const bed = new Bed('early', offer)
    assert.is(bed.ack(sdp), '-', 'no 2xx is out')
    bed.answerSent()
    assert.is(bed.state, 'open')
    assert.is(bed.ack(sdp, cseq + 1), '-', 'of another request')
    assert.equal([bed.ack(sdp), bed.offerState, bed.ack(sdp)], [taken, next, '-'])
    bed.run(100_000)
    assert.equal(bed.done, [])
  }
})

test('a 2xx without an ACK is repeated, and given up after 32 s (RFC 3261 §13.3.1.4)', () => {
  const bed = new Bed('early', 'stable')
  bed.answerSent()
  bed.run(31_999)
  assert.is(bed.done.length, 10)
  assert.ok(bed.done.every(word => word === 'repeat'))
  bed.run(40_000)
  assert.equal(bed.done.slice(10), ['gave up'])
  assert.is(bed.openRequest, 'none')
})

test('we end it: by a BYE now, or when our 2xx has its ACK (RFC 3261 §15); every state', () => {
  const ends = (prepare: (bed: Bed) => void) =>
    states.map(state => {
      const bed = new Bed(state, 'stable')
      prepare(bed)
      return `${state} ${bed.ends()} ${bed.state}`
    })
  assert.equal(
    ends(() => {}),
    [
      'early true early',
      'open true open',
      'ending-on-ack false ending-on-ack',
      'ending false ending',
      'over false over',
    ],
  )
  assert.equal(
    ends(bed => bed.answerSent()),
    [
      'early false ending-on-ack',
      'open false ending-on-ack',
      'ending-on-ack false ending-on-ack',
      'ending false ending',
      'over false over',
    ],
  )
})

test('what was asked in the early dialog holds in the session of the 2xx', () => {
  const early = new Bed('early', 'stable')
  early.keep('offer')
  const session = new Bed('open', 'local-offer')
  session.adopt(early)
  assert.equal([session.offerState, session.openRequest, session.take()], ['remote-offer', 'theirs', true])
})

test.run()
