import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Destinations } from '../../../core/billing/destinations.ts'
import { RateDeck } from '../../../core/billing/rate-deck.ts'
import { checkDocument } from '../../../core/verbs/index.ts'
import { acme, rate } from '../bed/acme.ts'
import type { CallBed } from '../bed/call-bed.ts'
import { action, at, dialling } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

const sip = (uri: string) => `<Dial action="/after"><Sip>${uri}</Sip></Dial>`
const desk = 'sip:desk@pbx.test'

const outcome = (bed: CallBed) => {
  bed.call(at)
  bed.run(120_000)
  expectAllEnded(bed)
  const { DialCallStatus, DialReasonCode } = action(bed)
  return [DialCallStatus, DialReasonCode]
}
const balance = (bed: CallBed) => bed.store.accounts.get(acme.uuid)?.balance

test('a <Sip> without a rate is free, and needs a balance above zero', () => {
  for (const [money, expected] of [
    [1, ['completed', 'END.0200']],
    [0, ['failed', 'END.0402']],
    [-1, ['failed', 'END.0402']],
  ] as const) {
    const bed = dialling(sip(desk))
    bed.store.addAccount(acme, money)
    bed.peers.set(desk, { answerAfter: 100, byeAfter: 30_000 })
    assert.equal(outcome(bed), expected)
    assert.is(balance(bed), money)
    assert.is(bed.of('leg.dial').length, money > 0 ? 1 : 0)
  }
})

test('a <Sip> is rated by the longest sip: prefix, held and settled like any other leg', () => {
  const bed = dialling(sip(desk))
  bed.rates = [rate('sip:', { ratePerMinute: 10_000 }), rate('sip:pbx.test', { ratePerMinute: 20_000 })]
  bed.store.addAccount(acme, 50_000)
  bed.peers.set(desk, { answerAfter: 100, byeAfter: 30_000 })
  assert.equal(outcome(bed), ['completed', 'END.0200'])
  assert.is(balance(bed), 30_000)
  assert.is(bed.store.call().cost, 20_000)
  const charge = bed.store.events.find(({ code }) => code === 'BILL.0200')
  assert.equal([charge?.data.number, charge?.data.prefix, charge?.data.charge], [desk, 'sip:pbx.test', '2.00'])

  const poor = dialling(sip(desk))
  poor.rates = bed.rates
  poor.store.addAccount(acme, 19_999)
  assert.equal(outcome(poor), ['failed', 'END.0402'])
  assert.is(poor.of('leg.dial').length, 0)
})

test('sip: prefixes fit whole hosts', () => {
  const deck = new RateDeck([
    rate('sip:', { ratePerMinute: 1 }),
    rate('sip:partner.test', { ratePerMinute: 2 }),
    rate('sip:partner.test:5080', { ratePerMinute: 3 }),
    rate('sip:[2001:db8::1]', { ratePerMinute: 4 }),
    rate('+', { ratePerMinute: 5 }),
  ])
  for (const [host, port, expected] of [
    ['partner.test', undefined, 2],
    ['partner.test', 5060, 2],
    ['partner.test', 5080, 3],
    ['partner.test.evil.net', undefined, 1],
    ['partner.testing', undefined, 1],
    ['partner.tes', undefined, 1],
    ['2001:db8::1', 5060, 4],
    ['', undefined, 1],
  ] as const)
    assert.is(deck.findSip({ host, port })?.ratePerMinute, expected, host)
  assert.is(new RateDeck([rate('+')]).findSip({ host: 'partner.test', port: undefined }), undefined)
  assert.is(deck.find('outbound', '+254711000001')?.ratePerMinute, 5)
})

test('a <Sip> that shows by itself that it leads to a trunk, to us or to a private network: DOC.0422, END.0403', () => {
  const bed = dialling(sip('sip:+979123456@carrier.test'), '<Pause length="0"/>\n  ')
  bed.refusedHosts = ['carrier.test']
  assert.equal(outcome(bed), ['failed', 'END.0403'])
  assert.is(bed.of('leg.dial').length, 0)
  assert.is(bed.of('media.open').filter(({ offer }) => offer === undefined).length, 0)
  assert.equal(
    bed.store.events.filter(({ code }) => code === 'DOC.0422').map(({ data }) => [data.url, data.line, data.message]),
    [
      [
        'https://acme.test/in',
        2,
        '<Sip> "sip:+979123456@carrier.test" names a trunk, this switch or a private network; it is refused (END.0403)',
      ],
    ],
  )
  assert.equal(
    bed.store.events.filter(({ code }) => code === 'DIAL.0400').map(({ data }) => data.reason_code),
    ['END.0403'],
  )
})

test('what signalling refuses once the name is resolved is END.0403 as well', () => {
  const bed = dialling(sip(desk))
  bed.peers.set(desk, { endAfter: 5, cause: { kind: 'refused-address' } })
  assert.equal(outcome(bed), ['failed', 'END.0403'])
  assert.is(bed.of('leg.dial').length, 1)
  assert.is(bed.store.events.filter(({ code }) => code === 'DOC.0422').length, 0)
})

test('a number that may not be called may not be called by <Sip> either', () => {
  for (const [user, expected] of [
    ['+979123456789', 'END.4433'],
    ['00979123456789', 'END.4433'],
    ['+881612345678', 'END.4433'],
    ['979', 'END.0200'],
    ['+254711000001', 'END.0200'],
  ]) {
    const uri = `sip:${user}@pbx.test`
    const bed = dialling(sip(uri))
    bed.peers.set(uri, { answerAfter: 100, byeAfter: 1000 })
    assert.is(outcome(bed)[1], expected, user)
  }
  const open = dialling(sip('sip:+979123456789@pbx.test'))
  open.destinations = new Destinations([], ['+979'])
  open.peers.set('sip:+979123456789@pbx.test', { answerAfter: 100, byeAfter: 1000 })
  assert.equal(outcome(open), ['completed', 'END.0200'])
})

test('a <Sip> has its place among the dialled legs and its turn, as a number has', () => {
  const desks = Array.from({ length: 7 }, (_, n) => `sip:desk${n}@pbx.test`)
  const dial = `<Dial action="/after">${desks.map(uri => `<Sip>${uri}</Sip>`).join('')}</Dial>`
  for (const [caps, begun, reason] of [
    [{ maxDialledLegs: 3 }, 3, 'END.4429'],
    [{ maxCallsPerSecond: 2 }, 4, 'END.4430'],
  ] as const) {
    const bed = dialling(dial)
    const account = bed.store.accounts.get(acme.uuid)
    if (account !== undefined) account.profile = { ...account.profile, ...caps }
    for (const uri of desks) bed.peers.set(uri, { ringAfter: 10, endAfter: 5000 })
    bed.call(at)
    bed.run(3000)
    assert.is(bed.of('leg.dial').length, begun)
    const failed = bed.store.events.filter(({ code }) => code === 'DIAL.0400').map(({ data }) => data.reason_code)
    assert.equal(failed, Array(7 - begun).fill(reason))
    bed.run(60_000)
    expectAllEnded(bed)
  }
})

test('/documents/check: other spellings of IPv4 are no SIP URIs, private addresses are reported where the rules say so', () => {
  const messages = (uri: string, refusesSip: (uri: string) => boolean) =>
    checkDocument(new TextEncoder().encode(`<Response>${sip(uri)}</Response>`), { refusesSip }).problems.map(
      problem => problem.message,
    )
  const no = () => false
  for (const host of ['2130706433', '0x7f.1', '127.1', '0x7f000001', '127.0.0.1.', '017700000001', 'a.0', '1.2.3.4.5'])
    assert.match(messages(`sip:x@${host}`, no).join(), /is no SIP URI/, host)
  for (const host of ['8.8.8.8', '[::ffff:1.2.3.4]', 'a1.test', '3com.test', 'localhost', '[::1]', 'x.test.'])
    assert.equal(messages(`sip:x@${host}`, no), [], host)
  assert.match(messages('sip:x@127.0.0.1', () => true).join(), /names a trunk, this switch or a private network/)
})

test.run()
