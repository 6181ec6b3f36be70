import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountUuid } from '../../../core/model/ids.ts'
import { acme, own } from '../bed/acme.ts'
import type { CallBed } from '../bed/call-bed.ts'
import { at, dialling, far, other } from '../bed/dial-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

const problemsOf = (bed: CallBed) =>
  bed.store.events.filter(({ code }) => code === 'DOC.0422').map(({ data }) => [data.url, data.line, data.message])

test('callerId: an owned number is presented, any other gives way to the number of the call', () => {
  for (const [callerId, presented] of [
    ['+254700000002', '+254700000002'],
    ['+254799999999', at],
    [undefined, at],
  ]) {
    const bed = dialling(
      `<Dial${callerId === undefined ? '' : ` callerId="${callerId}"`}><Number>${far}</Number></Dial>`,
    )
    bed.store.numbers.set('+254700000002', { account: acme.uuid, number: own('+254700000002') })
    bed.peers.set(far, { endAfter: 100 })
    bed.call(at)
    expectAllEnded(bed)
    assert.is(bed.of('leg.dial')[0]?.from.user, presented)
  }
})

test('callerId: one that the account does not own is reported once, where it stands in the document', () => {
  const inactive = '+254700000003'
  for (const callerId of ['+254799999999', inactive]) {
    for (const sequential of ['', ' sequential="true"']) {
      const bed = dialling(
        `<Dial${sequential} callerId="${callerId}"><Number>${far}</Number><Sip>sip:x@pbx.test</Sip><Number>+254744444444</Number></Dial>`,
        '<Pause length="0"/>\n',
      )
      bed.store.numbers.set(inactive, { account: acme.uuid, number: { ...own(inactive), isActive: false } })
      for (const peer of [far, '+254744444444', 'sip:x@pbx.test']) bed.peers.set(peer, { endAfter: 100 })
      bed.call(at)
      expectAllEnded(bed)
      assert.equal(
        bed.of('leg.dial').map(({ from }) => from.user),
        [at, at, at],
      )
      const message = `<Dial> callerId="${callerId}": must be an active number of the account`
      assert.equal(problemsOf(bed), [['https://acme.test/in', 2, message]])
    }
  }
})

test('callerId: the number of an inbound caller goes on to SIP URIs, not to numbers', () => {
  const from = '+254711111111'
  for (const [child, presented, problems] of [
    ['<Sip>sip:x@pbx.test</Sip>', from, 0],
    [`<Number>${far}</Number>`, at, 1],
  ] as const) {
    const bed = dialling(`<Dial callerId="${from}">${child}</Dial>`)
    bed.call(at, { from })
    bed.run(1000)
    assert.is(bed.of('leg.dial')[0]?.from.user, presented)
    assert.is(problemsOf(bed).length, problems)
  }
})

test('without callerId, phones and SIP URIs see who calls; numbers see the number of the call', () => {
  const from = '+254711111111'
  const phone = { user: '1001', displayName: 'User 1001' }
  const rows: readonly [child: string, ofInbound: object, ofSoftphone: object][] = [
    ['<Client>1002</Client>', { user: from, displayName: '' }, phone],
    ['<Client>1002@acme.test</Client>', { user: from, displayName: '' }, phone],
    ['<Number>1002</Number>', { user: from, displayName: '' }, phone],
    ['<Sip>sip:x@pbx.test</Sip>', { user: from, displayName: '' }, phone],
    [`<Number>${far}</Number>`, { user: at, displayName: '' }, { user: at, displayName: '' }],
  ]
  for (const [child, ofInbound, ofSoftphone] of rows) {
    for (const isSoftphone of [false, true]) {
      const bed = dialling(`<Dial>${child}</Dial>`)
      bed.documents.set('https://acme.test/out', `<Response><Dial>${child}</Dial></Response>`)
      const account = bed.store.accounts.get(acme.uuid)
      const endpoints = { ...acme.endpoints, voice_outbound: 'https://acme.test/out' }
      if (account !== undefined) account.profile = { ...acme, endpoints }
      bed.user('1002', ['desk'])
      // The dialled number does not limit whom the document dials.
      if (isSoftphone) bed.dialFrom(bed.user('1001'), '+254722222222')
      else bed.call(at, { from })
      bed.run(1000)
      assert.equal(bed.of('leg.dial')[0]?.from, isSoftphone ? ofSoftphone : ofInbound, child)
    }
  }
})

test('a number of this switch, reached on-net, sees the number of the call, as by a trunk', () => {
  const bed = dialling(`<Dial><Number>${far}</Number></Dial>`)
  bed.store.numbers.set(far, { account: acme.uuid, number: own(far, 'https://acme.test/far') })
  bed.call(at)
  bed.run(1000)
  assert.is(bed.store.call(call => call.toNumber === far).fromNumber, at)
})

test('a call whose number is no longer the account’s presents it to no number: END.0403, and nothing is dialled', () => {
  const globex = { ...acme, uuid: 'globex' as AccountUuid }
  const losses: readonly [how: string, owner: AccountUuid | undefined, isActive: boolean][] = [
    ['released', undefined, true],
    ['of another account', globex.uuid, true],
    ['not active', acme.uuid, false],
  ]
  const children: readonly [to: string, callerId: string | undefined, legs: number, problems: number][] = [
    [far, undefined, 0, 0],
    [other, undefined, 0, 0],
    [far, '+254799999999', 0, 1],
    [far, at, 0, 1],
    [far, '+254700000002', 1, 0],
  ]
  for (const [how, owner, isActive] of losses) {
    for (const [to, callerId, legs, problems] of children) {
      const wanted = callerId === undefined ? '' : ` callerId="${callerId}"`
      const bed = dialling(`<Dial${wanted}><Number>${to}</Number></Dial>`, '<Pause length="2"/>')
      bed.store.addAccount(globex, 0)
      bed.store.numbers.set('+254700000002', { account: acme.uuid, number: own('+254700000002') })
      bed.store.numbers.set(other, { account: acme.uuid, number: own(other, 'https://acme.test/far') })
      bed.peers.set(far, { endAfter: 100 })
      bed.call(at)
      bed.run(1000)
      bed.store.numbers.delete(at)
      if (owner !== undefined) bed.store.numbers.set(at, { account: owner, number: own(at, '', isActive) })
      expectAllEnded(bed)
      const what = `${how}: ${wanted} to ${to}`
      const dialled = [...bed.of('leg.dial'), ...bed.of('loop.dial')]
      assert.equal(
        dialled.map(({ from }) => from.user),
        legs === 0 ? [] : [callerId],
        what,
      )
      assert.is(problemsOf(bed).length, problems, what)
      const failed = bed.store.events.filter(
        ({ code, data }) => code === 'DIAL.0400' && data.reason_code === 'END.0403',
      )
      assert.is(failed.length, 1 - legs, what)
    }
  }
})

test('a call whose number is no longer the account’s still shows who calls to phones and SIP URIs', () => {
  const from = '+254711111111'
  for (const child of ['<Client>1002</Client>', '<Number>1002</Number>', '<Sip>sip:x@pbx.test</Sip>']) {
    const bed = dialling(`<Dial>${child}</Dial>`, '<Pause length="2"/>')
    bed.user('1002', ['desk'])
    bed.call(at, { from })
    bed.run(1000)
    bed.store.numbers.delete(at)
    bed.run(5000)
    assert.equal(
      bed.of('leg.dial').map(leg => leg.from.user),
      [from],
      child,
    )
  }
})

test('a softphone of an account without a number dials as its extension, as before', () => {
  const bed = dialling('')
  const endpoints = { ...acme.endpoints, voice_outbound: 'https://acme.test/in' }
  bed.documents.set('https://acme.test/in', `<Response><Dial><Number>${far}</Number></Dial></Response>`)
  const account = bed.store.accounts.get(acme.uuid)
  if (account !== undefined) account.profile = { ...acme, endpoints }
  bed.store.numbers.clear()
  bed.dialFrom(bed.user('1001'), '+254722222222')
  bed.run(1000)
  assert.equal(
    bed.of('leg.dial').map(leg => leg.from.user),
    ['1001'],
  )
})

test.run()
