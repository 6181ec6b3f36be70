import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headersOf } from '../../../../sip/message/headers.ts'
import type { SipResponse } from '../../../../sip/message/message.ts'
import { field, PhoneBed, realm } from '../../bed/phone-bed.ts'

const sdp = 'v=0\r\n'
const challengesOf = (response: SipResponse | undefined) =>
  response === undefined ? [] : headersOf(response, 'WWW-Authenticate')
const bearer = (token: { readonly password: string }) => `Authorization: Bearer ${token.password}`

test('without credentials: Bearer, SHA-512-256, SHA-256, and last the MD5 that libraries of browsers read (RFC 8898 §2.1)', () => {
  const bed = new PhoneBed()
  for (const method of ['REGISTER', 'INVITE']) {
    const refused = bed.ask(bed.flow(), { method })
    assert.is(refused?.status, 401)
    const [first, strongest = '', second = '', third = '', ...more] = challengesOf(refused)
    assert.is(first, 'Bearer realm="sauti.test"')
    assert.match(strongest, /algorithm=SHA-512-256/)
    assert.match(second, /algorithm=SHA-256/)
    assert.match(third, /^Digest realm="sauti\.test", nonce="[^"]+", algorithm=MD5, qop="auth"$/)
    assert.equal(more, [])
  }
  assert.equal(bed.events, [])
  assert.equal(bed.trusted, [])
})

test('phones that are no browsers are offered MD5 alone: libre gives up at any other challenge, wherever it stands', () => {
  const bed = new PhoneBed()
  bed.token('1001')
  for (const transport of ['udp', 'tcp', 'tls'] as const) {
    // As large as a phone's REGISTER is: the answer to a datagram is at most half as long again.
    const phone = ['Contact: <sip:1001@10.0.0.5:5062>;expires=3600', `User-Agent: ${'a desk phone '.repeat(8)}`]
    const [only = '', ...more] = challengesOf(bed.ask(bed.flow({ transport }), { headers: phone }))
    assert.match(only, /^Digest realm="sauti\.test", nonce="[^"]+", algorithm=MD5, qop="auth"$/, transport)
    assert.equal(more, [])
    // A sender with a token learns what was wrong with it.
    const [bad, digest = '', ...others] = challengesOf(
      bed.ask(bed.flow({ transport }), { headers: ['Authorization: Bearer bad', ...phone] }),
    )
    assert.is(bad, 'Bearer realm="sauti.test", error="invalid_token"')
    assert.match(digest, /algorithm=MD5/)
    assert.equal(others, [])
  }
})

test('a Bearer token: ours, altered, expired, revoked', () => {
  const bed = new PhoneBed()
  const good = bed.token('1001')
  const expired = bed.token('1001', { remainingMs: 0, isUsable: false })
  const revoked = bed.token('1001', { isUsable: false })
  const flow = bed.flow()
  assert.is(bed.register(flow, good)?.status, 200)
  assert.equal(bed.trusted, [flow])
  for (const bad of [`${good.password}x`, '', expired.password]) {
    const refused = bed.ask(bed.flow(), { headers: [`Authorization: Bearer ${bad}`] })
    assert.is(refused?.status, 401, bad)
    assert.is(challengesOf(refused)[0], 'Bearer realm="sauti.test", error="invalid_token"')
  }
  const refused = bed.ask(bed.flow(), { headers: [bearer(revoked)] })
  assert.is(refused?.status, 403)
  assert.is(field(refused, 'X-Voice-Reason-Code'), 'END.0403')
  assert.match(field(refused, 'Reason') ?? '', /^Q\.850;cause=57;/)
})

test('a registered desk phone gets an error for malformed bytes; before it registers it gets no answer', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  for (const transport of ['udp', 'tcp', 'tls'] as const) {
    const flow = bed.flow({ transport })
    const headers = ['Content-Length: many']
    assert.is(bed.ask(flow, { headers })?.status, undefined, transport)
    assert.is(bed.register(flow, token)?.status, 200)
    assert.is(bed.ask(flow, { headers })?.status, 400, transport)
  }
})

test('digest: the user is the extension, the password any usable token; a revoked one gets that reason', () => {
  const bed = new PhoneBed()
  bed.token('1001')
  const second = bed.token('1001')
  const revoked = bed.token('1001', { isUsable: false })
  const flow = bed.flow()
  const uri = `sip:${realm}`
  const ask = (token: { readonly user: string; readonly password: string }, cseq: number) => {
    const challenged = bed.ask(flow, { cseq })
    if (challenged === undefined) throw new Error('no answer')
    const headers = [bed.digest(challenged, token, 'REGISTER', uri), 'Contact: <sip:a@x.invalid>']
    return bed.ask(flow, { cseq: cseq + 1, headers })?.status
  }
  assert.is(ask(second, 1), 200)
  assert.is(ask({ ...second, password: 'guess' }, 3), 401)
  assert.is(ask({ ...second, user: '1002' }, 5), 401)
  assert.is(ask(revoked, 7), 403)
  assert.is(bed.bindings().length, 1)
})

test('a digest answer counts once: its repetition as a new request is challenged as stale', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  const challenged = bed.ask(flow, {})
  if (challenged === undefined) throw new Error('no answer')
  const headers = [bed.digest(challenged, token, 'REGISTER', `sip:${realm}`)]
  assert.is(bed.ask(flow, { cseq: 2, headers })?.status, 200)
  const again = bed.ask(flow, { cseq: 3, headers })
  assert.is(again?.status, 401)
  assert.match(challengesOf(again)[2] ?? '', /stale=true/)
})

test('a call is the token’s extension, whatever From and P-Asserted-Identity say', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  bed.ask(bed.flow(), {
    method: 'INVITE',
    user: '+254700000999',
    headers: [bearer(token), 'P-Asserted-Identity: <sip:+254700000998@x>', 'X-Service-Custom-Payload: {"a":1}'],
    body: sdp,
  })
  const [event] = bed.events
  assert.equal(event, {
    type: 'offered',
    id: 'call-1',
    phone: { userId: 'user-1001', tokenId: token.tokenId, customPayload: '{"a":1}' },
    from: { user: '1001', displayName: '' },
    to: '1002',
    source: '198.51.100.7',
    sdp,
  })
})

const dialled: readonly [uri: string, to: string][] = [
  [`sip:+254711223344@${realm}`, '+254711223344'],
  ['sip:1002@192.0.2.1:8080;transport=ws', '1002'],
  ['sip:1002@LOCALHOST', '1002'],
  ['sip:1002@xyz.invalid', '1002'],
  ['sip:alice@example.com:5070;transport=tcp', 'sip:alice@example.com:5070'],
  ['sips:alice@example.com', 'sips:alice@example.com'],
  ['tel:+254711223344', '+254711223344'],
]
for (const [uri, to] of dialled) {
  test(`dialling ${uri} means ${to}`, () => {
    const bed = new PhoneBed()
    const token = bed.token('1001')
    bed.ask(bed.flow(), { method: 'INVITE', uri, headers: [bearer(token)], body: sdp })
    const [event] = bed.events
    assert.is(event?.type === 'offered' && event.to, to)
  })
}

test('a phone is no trunk, though it shares a trunk’s address; an unknown source on UDP is challenged as anybody’s phone', () => {
  const bed = new PhoneBed()
  bed.peers([{ inboundHosts: ['198.51.100.0/24'] }])
  assert.is(bed.ask(bed.flow(), { method: 'INVITE', body: sdp })?.status, 401)
  const udp = { transport: 'udp', socket: 1 } as const
  const headers = ['User-Agent: a desk phone that says in many words what it is', 'Contact: <sip:1001@10.0.0.5:5062>']
  const flow = bed.flow({ ...udp, address: '203.0.113.5' })
  assert.is(bed.ask(flow, { method: 'INVITE', body: sdp, headers })?.status, 401)
  assert.is(bed.ask(flow, { method: 'REGISTER', headers })?.status, 401)
  assert.equal(bed.events, [])
})

test('an ordinary phone on UDP or TLS registers and calls by digest; then its address is a phone’s', () => {
  for (const transport of ['udp', 'tls'] as const) {
    const bed = new PhoneBed()
    bed.peers([{ inboundHosts: ['198.51.100.0/24'] }])
    const token = bed.token('1001')
    const flow = bed.flow({ transport, address: '203.0.113.5' })
    const contact = 'Contact: <sip:1001@10.0.0.5:5062>'
    const challenged = bed.ask(flow, { headers: [contact] })
    if (challenged === undefined) throw new Error('no answer')
    const authorized = [bed.digest(challenged, token, 'REGISTER', `sip:${realm}`), contact]
    assert.is(bed.ask(flow, { cseq: 2, headers: authorized })?.status, 200)
    assert.is(bed.ask(flow, { method: 'INVITE', user: 'anybody', callId: 'i', body: sdp })?.status, 401)
    bed.ask(flow, { method: 'INVITE', callId: 'i', cseq: 2, headers: [bearer(token)], body: sdp })
    assert.is(bed.events[0]?.type, 'offered')
    // The call to it goes to where it registered from, not to its private Contact.
    bed.do({
      type: 'dial',
      id: 'out',
      target: { binding: bed.endpoint.registrar.bindingsOf('user-1001')[0]?.id ?? '' },
      from: { user: '1002' },
      sdp,
    })
    const [invite] = bed.requests('INVITE')
    assert.is(invite?.flow, flow)
    assert.is(invite?.message.kind === 'request' && invite.message.uri, 'sip:1001@10.0.0.5:5062')
  }
})

test('a trunk’s own REGISTER is challenged as before', () => {
  const bed = new PhoneBed()
  bed.peers([{ inboundHosts: ['198.51.100.7'] }])
  assert.is(bed.ask(bed.flow({ transport: 'udp', socket: 1 }), { user: 'pbx' })?.status, 401)
})

test('a call to a phone goes over its flow, to its Contact, named by its extension; and so do BYE and ACK', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  bed.register(flow, token, { contact: '<sip:abc@df7jal23ls0d.invalid;transport=ws;ob>' })
  const binding = bed.endpoint.registrar.bindingsOf('user-1001')[0]?.id ?? ''
  bed.do({ type: 'dial', id: 'out', target: { binding }, from: { user: '1002', displayName: 'Amina' }, sdp })
  const invite = bed.requests('INVITE')[0]
  if (invite?.message.kind !== 'request') throw new Error('no INVITE')
  assert.is(invite.flow, flow)
  assert.is(invite.message.uri, 'sip:abc@df7jal23ls0d.invalid;transport=ws;ob')
  assert.is(field(invite.message, 'To'), `<sip:1001@${realm}>`)
  assert.match(field(invite.message, 'From') ?? '', /^"Amina" <sip:1002@sauti\.test>;tag=/)
  assert.match(field(invite.message, 'Via') ?? '', /^SIP\/2\.0\/WS 192\.0\.2\.1:8080;branch=/)
  assert.is(field(invite.message, 'Contact'), '<sip:sauti@192.0.2.1:8080;transport=ws>')
  bed.answer(flow, invite.message, 200, sdp)
  assert.is(bed.events.at(-1)?.type, 'answered')
  assert.is(bed.requests('ACK')[0]?.flow, flow)
  // The phone loses its connection in mid-call and comes back: our BYE finds it there.
  const next = bed.flow()
  bed.do({ type: 'flow-closed', flow })
  bed.register(next, token, { cseq: 2, contact: '<sip:abc@df7jal23ls0d.invalid;transport=ws;ob>' })
  bed.pass(15_000)
  bed.do({ type: 'end', id: 'out', reason: { status: 480, q850: 16, text: 'Completed', code: 'END.0200' } })
  assert.is(bed.requests('BYE')[0]?.flow, next)
})

test('a phone that has gone cannot be dialled; one that goes while it rings or calls is given up after the grace', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  bed.do({ type: 'dial', id: 'none', target: { binding: 'nothing' }, from: { user: '1' }, sdp })
  assert.equal(bed.events.at(-1), { type: 'ended', id: 'none', cause: { kind: 'response', status: 480, q850: 20 } })
  const flow = bed.flow()
  bed.register(flow, token)
  const binding = bed.endpoint.registrar.bindingsOf('user-1001')[0]?.id ?? ''
  bed.do({ type: 'dial', id: 'out', target: { binding }, from: { user: '1002' }, sdp })
  bed.answer(flow, bed.requests('INVITE')[0]?.message, 180)
  bed.ask(flow, { method: 'INVITE', callId: 'in', headers: [bearer(token)], body: sdp })
  bed.do({ type: 'flow-closed', flow })
  bed.pass(9_999)
  assert.is(bed.events.filter(({ type }) => type === 'ended').length, 1)
  bed.pass(1)
  const ended = bed.events.filter(({ type }) => type === 'ended').slice(1)
  assert.equal(ended, [
    { type: 'ended', id: 'out', cause: { kind: 'response', status: 480, q850: 20 } },
    { type: 'ended', id: 'call-1', cause: { kind: 'cancel' } },
  ])
})

test('an answer that was lost with the connection is repeated over the new one, and acknowledged there', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const [flow, next] = [bed.flow(), bed.flow()]
  bed.register(flow, token, { contact: '<sip:a@x.invalid>' })
  bed.ask(flow, { method: 'INVITE', callId: 'in', headers: [bearer(token), 'Contact: <sip:a@x.invalid>'], body: sdp })
  bed.do({ type: 'flow-closed', flow })
  bed.do({ type: 'answer', id: 'call-1', sdp: 'v=0\r\nanswer' })
  bed.pass(1_000)
  bed.register(next, token, { cseq: 2, contact: '<sip:a@x.invalid>' })
  bed.pass(4_000)
  const repeated = bed.sent.filter(({ flow: to, message }) => to === next && field(message, 'CSeq') === '1 INVITE')
  assert.ok(repeated.length > 0)
  const [answer] = repeated
  if (answer?.message.kind !== 'response') throw new Error('no answer')
  assert.is(answer.message.status, 200)
  const toTag = /;tag=(.+)$/.exec(field(answer.message, 'To') ?? '')?.[1] ?? ''
  bed.ask(next, { method: 'ACK', callId: 'in', toTag })
  assert.is(bed.events.at(-1)?.type, 'confirmed')
})

test('what is no REGISTER and no INVITE: OPTIONS is answered, unknown dialogs 481, other methods refused', () => {
  const bed = new PhoneBed()
  const flow = bed.flow()
  assert.is(bed.ask(flow, { method: 'OPTIONS' })?.status, 200)
  for (const method of ['BYE', 'INFO', 'SUBSCRIBE', 'NONSENSE', 'CANCEL', 'MESSAGE', 'ACK'])
    assert.is(bed.ask(flow, { method }), undefined, `${method} before anybody has signed in`)
  bed.register(flow, bed.token('1001'))
  assert.is(bed.ask(flow, { method: 'BYE', toTag: 'none' })?.status, 481)
  assert.is(bed.ask(flow, { method: 'INFO' })?.status, 481)
  assert.is(bed.ask(flow, { method: 'SUBSCRIBE' })?.status, 405)
  assert.is(bed.ask(flow, { method: 'NONSENSE' })?.status, 501)
  assert.is(bed.ask(flow, { method: 'CANCEL' })?.status, 481)
  assert.is(bed.ask(flow, { method: 'ACK' }), undefined)
})

test("under load the call of a phone counts as one of its account's", () => {
  const asked: (string | undefined)[][] = []
  const bed = new PhoneBed({
    gate: {
      admits: (source, _now, _waitedMs, group) => asked.push([source, group]) > 0,
      isOpenTo: () => true,
    },
  })
  const token = bed.token('1001', { accountId: 'acme' })
  bed.ask(bed.flow(), { method: 'INVITE', headers: [bearer(token)], body: sdp })
  assert.equal(asked, [['phones', 'acme']])
})

test.run()
