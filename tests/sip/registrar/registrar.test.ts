import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultRegistrarRules } from '../../../sip/registrar/registrar.ts'
import { contactsOf, field, PhoneBed } from '../bed/phone-bed.ts'

const instance = (name: string, regId = 1) =>
  `<sip:a@df7jal23ls0d.invalid;transport=ws>;+sip.instance="<urn:uuid:${name}>";reg-id=${regId}`

test('a binding lasts as long as it was granted for, a question lists it, and a refresh keeps it (RFC 3261 §10.3)', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  const made = bed.register(flow, token)
  assert.is(made?.status, 200)
  assert.equal(contactsOf(made), [`<sip:x${flow.socket}@df7jal23ls0d.invalid;transport=ws>;expires=600`])
  bed.pass(599_000)
  const asked = bed.ask(flow, { cseq: 2, headers: [`Authorization: Bearer ${token.password}`] })
  assert.match(contactsOf(asked)[0] ?? '', /;expires=1$/)
  assert.is(bed.register(flow, token, { cseq: 3 })?.status, 200)
  bed.pass(599_999)
  assert.is(bed.endpoint.registrar.isRegistered('user-1001'), true)
  bed.pass(1)
  assert.is(bed.endpoint.registrar.isRegistered('user-1001'), false)
  assert.is(bed.endpoint.registrar.size, 0)
})

test('no more is granted than was asked for, at whatever fraction of a millisecond it was asked', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  // 17826.85 + 120000 − 17826.85 is a little more than 120000 in floating point.
  bed.pass(17826.85180664847)
  for (let cseq = 1; cseq < 50; cseq++) {
    const made = bed.register(flow, token, { cseq, expires: 120 })
    assert.match(contactsOf(made)[0] ?? '', /;expires=120$/)
    bed.pass(0.7310013)
  }
})

test('intervals: 423 with Min-Expires, the ceiling, the default, the Contact before the header, 0 removes', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  let cseq = 0
  const grant = (contact: string, headers: readonly string[] = []) =>
    bed.ask(flow, {
      cseq: ++cseq,
      headers: [`Authorization: Bearer ${token.password}`, `Contact: ${contact}`, ...headers],
    })
  const short = grant('<sip:a@x.invalid>;expires=59')
  assert.equal([short?.status, field(short, 'Min-Expires')], [423, '60'])
  assert.is(grant('<sip:a@x.invalid>', ['Expires: 1'])?.status, 423)
  assert.equal(contactsOf(grant('<sip:a@x.invalid>')), ['<sip:a@x.invalid>;expires=600'])
  assert.equal(contactsOf(grant('<sip:a@x.invalid>;expires=99999')), ['<sip:a@x.invalid>;expires=3600'])
  assert.equal(contactsOf(grant('<sip:a@x.invalid>;expires=60', ['Expires: 900'])), ['<sip:a@x.invalid>;expires=60'])
  assert.equal(contactsOf(grant('<sip:a@x.invalid>;expires=nonsense')), ['<sip:a@x.invalid>;expires=600'])
  assert.equal(contactsOf(grant('<sip:a@x.invalid>;expires=0')), [])
  assert.equal(contactsOf(grant('<sip:a@x.invalid>;expires=0')), [])
})

test('a registration ends with its token, however much was asked for', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001', { remainingMs: 90_500 })
  assert.match(contactsOf(bed.register(bed.flow(), token))[0] ?? '', /;expires=91$/)
  bed.pass(90_499)
  assert.is(bed.bindings().length, 1)
  bed.pass(1)
  assert.is(bed.bindings().length, 0)
})

test('one Call-ID counts upwards; another one may begin again', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  assert.is(bed.register(flow, token, { cseq: 5 })?.status, 200)
  assert.is(bed.register(flow, token, { cseq: 5, branch: 'z9hG4bKother' })?.status, 500)
  assert.is(bed.register(flow, token, { cseq: 4 })?.status, 500)
  assert.is(bed.register(flow, token, { cseq: 4, expires: 0 })?.status, 500)
  assert.is(bed.bindings().length, 1)
  assert.is(bed.register(flow, token, { cseq: 1, callId: 'after-a-restart' })?.status, 200)
  assert.is(bed.register(flow, token, { cseq: 6 })?.status, 200)
})

test('a repeated REGISTER is answered from its transaction', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow({ transport: 'udp', socket: 1, address: '198.51.100.9' })
  const same = { branch: 'z9hG4bKsame', cseq: 1 }
  assert.is(bed.register(flow, token, same)?.status, 200)
  assert.is(bed.register(flow, token, same)?.status, 200)
  assert.is(bed.endpoint.registrar.size, 1)
})

test('`*` removes all, alone and with Expires 0 only (RFC 3261 §10.2.2)', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const [a, b] = [bed.flow(), bed.flow()]
  bed.register(a, token)
  bed.register(b, token, { callId: 'b' })
  assert.is(bed.bindings().length, 2)
  assert.is(bed.register(a, token, { cseq: 2, contact: '*' })?.status, 400)
  assert.is(bed.register(a, token, { cseq: 2, contact: '*, <sip:a@x.invalid>', expires: 0 })?.status, 400)
  assert.is(bed.register(a, token, { cseq: 1, contact: '*', expires: 0 })?.status, 500)
  assert.is(bed.bindings().length, 2)
  const gone = bed.register(a, token, { cseq: 2, contact: '*', expires: 0 })
  assert.equal([gone?.status, contactsOf(gone)], [200, []])
  assert.is(bed.endpoint.registrar.size, 0)
})

test('several phones of one user stand beside one another; the eleventh takes the place of the oldest', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  for (let at = 0; at < defaultRegistrarRules.bindingsOfUser + 1; at++)
    bed.register(bed.flow(), token, { callId: `phone${at}`, contact: `<sip:phone${at}@x.invalid>` })
  const bindings = bed.bindings()
  assert.is(bindings.length, defaultRegistrarRules.bindingsOfUser)
  assert.is(bindings[0], 'sip:phone10@x.invalid')
  assert.not.ok(bindings.includes('sip:phone0@x.invalid'))
})

test('instance and reg-id are one place whatever the Contact says (RFC 5626 §6); 200 requires outbound', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const [a, b] = [bed.flow(), bed.flow()]
  assert.is(field(bed.register(a, token, { contact: instance('one') }), 'Require'), 'outbound')
  bed.register(b, token, { callId: 'b', contact: instance('one').replace('sip:a@', 'sip:b@') })
  assert.equal(bed.bindings(), ['sip:b@df7jal23ls0d.invalid;transport=ws'])
  bed.register(b, token, { callId: 'c', contact: instance('one', 2) })
  bed.register(b, token, { callId: 'd', contact: instance('two') })
  assert.is(bed.bindings().length, 3)
})

test('no phone registers for another user; bad Contacts change nothing', () => {
  const bed = new PhoneBed()
  const [own] = [bed.token('1001'), bed.token('1002')]
  const flow = bed.flow()
  assert.is(bed.register(flow, { ...own, user: '1002' })?.status, 403)
  assert.is(bed.register(flow, own, { contact: '<tel:+254700000001>' })?.status, 400)
  assert.is(bed.register(flow, own, { contact: 'nonsense' })?.status, 400)
  const many = Array.from({ length: 11 }, (_, at) => `<sip:a${at}@x.invalid>`).join(', ')
  assert.is(bed.register(flow, own, { contact: many })?.status, 400)
  assert.is(bed.register(flow, own, { contact: '<sip:a@x.invalid>, <sip:b@x.invalid>;expires=5' })?.status, 423)
  assert.is(bed.endpoint.registrar.size, 0)
})

test('a connection that drops: not to be called at once, gone after the grace, back by the same instance', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const [a, b] = [bed.flow(), bed.flow()]
  bed.register(a, token, { contact: instance('one') })
  const id = bed.endpoint.registrar.bindingsOf('user-1001')[0]?.id
  bed.do({ type: 'flow-closed', flow: a })
  assert.equal(bed.bindings(), [])
  assert.is(bed.endpoint.registrar.isRegistered('user-1001'), true)
  bed.pass(5_000)
  bed.register(b, token, { callId: 'b', contact: instance('one') })
  bed.pass(60_000)
  assert.is(bed.endpoint.registrar.bindingsOf('user-1001')[0]?.id, id)
  assert.is(bed.endpoint.registrar.current(a), b)
  bed.do({ type: 'flow-closed', flow: b })
  bed.pass(defaultRegistrarRules.graceMs - 1)
  assert.is(bed.endpoint.registrar.isRegistered('user-1001'), true)
  bed.pass(1)
  assert.is(bed.endpoint.registrar.isRegistered('user-1001'), false)
})

test('a socket that closes late takes nothing from the connection that stands in its place', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const [a, b] = [bed.flow(), bed.flow()]
  bed.register(a, token, { contact: instance('one') })
  bed.register(b, token, { callId: 'b', contact: instance('one') })
  bed.do({ type: 'flow-closed', flow: a })
  bed.pass(20_000)
  assert.is(bed.bindings().length, 1)
})

test('revocation ends what the token registered, and nothing else', () => {
  const bed = new PhoneBed()
  const [first, second] = [bed.token('1001'), bed.token('1001')]
  bed.register(bed.flow(), first)
  bed.register(bed.flow(), second, { callId: 'b' })
  bed.do({ type: 'revoked', tokenId: first.tokenId })
  assert.is(bed.bindings().length, 1)
  bed.do({ type: 'revoked', tokenId: second.tokenId })
  assert.is(bed.endpoint.registrar.isRegistered('user-1001'), false)
})

test('a binding ends with the token that refreshed it last, and no longer with the one that made it', () => {
  const bed = new PhoneBed()
  const [first, second] = [bed.token('1001'), bed.token('1001')]
  const flow = bed.flow()
  bed.register(flow, first, { contact: instance('one') })
  bed.register(flow, second, { callId: 'b', contact: instance('one') })
  bed.do({ type: 'revoked', tokenId: first.tokenId })
  assert.is(bed.bindings().length, 1)
  bed.do({ type: 'revoked', tokenId: second.tokenId })
  assert.is(bed.bindings().length, 0)
})

test('no timers are left', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  for (let at = 0; at < 50; at++) {
    const flow = bed.flow()
    bed.register(flow, token, { callId: `c${at}` })
    if (at % 2 === 0) bed.do({ type: 'flow-closed', flow })
  }
  bed.do({ type: 'revoked', tokenId: token.tokenId })
  bed.pass(40_000)
  assert.is(bed.endpoint.timers.running.length, 0)
  assert.is(bed.endpoint.registrar.size, 0)
})

test('a full registrar keeps what it has: refreshes and removals are taken, one more gets 503', () => {
  for (const rules of [{ bindings: 3 }, { bindingsOfAccount: 3 }]) {
    const bed = new PhoneBed({ registrar: { ...defaultRegistrarRules, ...rules } })
    const tokens = ['1001', '1002', '1003', '1004'].map(user => bed.token(user, { accountId: 'one' }))
    const flows = tokens.map(() => bed.flow())
    const register = (at: number, cseq: number, expires = 600) =>
      bed.register(flows[at]!, tokens[at]!, { callId: `${at}`, cseq, expires })?.status
    assert.equal(
      [0, 1, 2, 3].map(at => register(at, 1)),
      [200, 200, 200, 503],
    )
    assert.is(bed.endpoint.counters.overloaded, 1)
    assert.equal(
      [0, 1, 2].map(at => register(at, 2)),
      [200, 200, 200],
      'refreshed',
    )
    const other = bed.token('2001', { accountId: 'two' })
    assert.is(bed.register(bed.flow(), other)?.status, 'bindings' in rules ? 503 : 200, 'another account')
    assert.is(register(0, 3, 0), 200, 'removed')
    assert.is(register(3, 4), 200)
  }
})

test('a binding keeps little: a Contact or Call-ID that no phone sends is refused', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  assert.is(bed.register(bed.flow(), token, { contact: `<sip:${'x'.repeat(1100)}@x.invalid>` })?.status, 400)
  assert.is(bed.register(bed.flow(), token, { callId: 'x'.repeat(257) })?.status, 400)
  assert.is(bed.register(bed.flow(), token, { contact: `<sip:${'x'.repeat(900)}@x.invalid>` })?.status, 200)
})

test.run()
