import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatMessage } from '../../../../sip/message/format.ts'
import type { SipResponse } from '../../../../sip/message/message.ts'
import type { Flow } from '../../../../sip/network/flow.ts'
import type { PhoneIdentity } from '../../../../sip/registrar/phone.ts'
import { field, PhoneBed, realm } from '../../bed/phone-bed.ts'

const uri = `sip:${realm}`
const usual = [
  'Contact: <sip:1001@10.0.0.5:5062>;expires=3600',
  'User-Agent: a desk phone of some maker, release 1.2.3.4',
]
const must = (response: SipResponse | undefined): SipResponse => {
  if (response === undefined) throw new Error('no answer')
  return response
}

/** An unknown source on UDP. */
const sourceOf = (bed: PhoneBed, address: string, set: Partial<Flow> = {}) =>
  bed.flow({ transport: 'udp', socket: 1, port: 5060, address, ...set })

const shapeOf = (response: SipResponse) =>
  new TextDecoder()
    .decode(formatMessage(response))
    .replace(/nonce="[^"]*"|branch=\w+/g, part => 'x'.repeat(part.length))

test('a name that exists and one that does not get the same 401, and no user is looked up', () => {
  for (const transport of ['udp', 'tcp', 'ws'] as const)
    for (const method of ['REGISTER', 'INVITE']) {
      const bed = new PhoneBed()
      for (let n = 0; n < 5; n++) bed.token('1001')
      const asked = bed.lookUps
      const shapes = ['1001', '1009'].map(user => {
        const flow = bed.flow({ transport, socket: transport === 'udp' ? 1 : 77, port: 5060, address: '203.0.113.5' })
        const response = must(bed.ask(flow, { method, user, headers: usual, branch: `z9hG4bK${user}`, callId: 'one' }))
        assert.is(response.status, 401)
        return shapeOf(response).replaceAll(user, 'NAME')
      })
      assert.is(shapes[0], shapes[1], `${method} ${transport}`)
      assert.is(bed.lookUps, asked)
    }
})

test('an INVITE of a foreign realm, and every other method, get silence', () => {
  const bed = new PhoneBed()
  bed.token('1001')
  const flow = sourceOf(bed, '203.0.113.5')
  for (const method of [
    'BYE',
    'CANCEL',
    'MESSAGE',
    'SUBSCRIBE',
    'NOTIFY',
    'PUBLISH',
    'REFER',
    'INFO',
    'PRACK',
    'UPDATE',
    'FOO',
  ])
    assert.is(bed.ask(flow, { method, headers: usual }), undefined, method)
  assert.is(bed.ask(flow, { method: 'INVITE', user: '1001@carrier.example;x=', headers: usual }), undefined)
  assert.is(bed.ask(flow, { method: 'REGISTER', toTag: 'x', headers: usual }), undefined)
})

test('no answer to a datagram is longer than 1.5 times the question; one that is too small gets none', () => {
  for (const pad of [0, 20, 60, 120, 200, 300])
    for (const method of ['OPTIONS', 'REGISTER', 'INVITE']) {
      const bed = new PhoneBed()
      const flow = sourceOf(bed, '203.0.113.5')
      const headers = [`Subject: ${'x'.repeat(pad)}`]
      const response = bed.ask(flow, { method, headers })
      if (response === undefined) assert.ok(pad < 200, `${method} with ${pad}`)
      else assert.ok(formatMessage(response).length <= 1.5 * bed.lastAsked, `${method} with ${pad}`)
    }
})

test('an address that asks on and on gets silence after 100, its /24 after 400, others are answered', () => {
  const bed = new PhoneBed()
  const answers = (address: string, times: number) => {
    let answered = 0
    for (let n = 0; n < times; n++) if (bed.ask(sourceOf(bed, address), { user: `${n}`, headers: usual })) answered++
    return answered
  }
  assert.is(answers('203.0.113.5', 300), 100)
  assert.is(answers('203.0.113.6', 300), 100)
  assert.is(answers('203.0.113.7', 300), 100)
  assert.is(answers('203.0.113.8', 300), 100)
  assert.is(answers('203.0.113.9', 300), 0)
  assert.is(answers('203.0.114.9', 50), 50)
  assert.is(answers('2001:db8:0:1::5', 300), 100)
  assert.is(answers('2001:db8:0:1:ffff::6', 300), 0, 'one /64 is one source')
  assert.ok(bed.endpoint.counters.throttled > 1000)
  bed.pass(60_000)
  assert.is(answers('203.0.113.5', 300), 100)
})

/** REGISTER with the digest of a password; the status. */
function tryOut(bed: PhoneBed, flow: Flow, user: string, password: string, challenged: SipResponse, cseq: number) {
  const headers = [bed.digest(challenged, { user, password }, 'REGISTER', uri), ...usual]
  return bed.ask(flow, { user, cseq, headers })?.status
}

/** Asks for a challenge, and answers it with a wrong password for each of the names; the status, undefined = silence. */
function guess(bed: PhoneBed, flow: Flow, names: readonly string[], n: number) {
  const challenged = bed.ask(flow, { cseq: 2 * n + 1, headers: usual })
  if (challenged === undefined) return undefined
  const digests = names.map(user => bed.digest(challenged, { user, password: `guess ${n}` }, 'REGISTER', uri))
  return bed.ask(flow, { cseq: 2 * n + 2, headers: [...digests, ...usual] })?.status
}

test('300 wrong digests in a row: 20 are answered, and no digest is computed for the others', () => {
  const bed = new PhoneBed()
  bed.token('1001')
  const flow = sourceOf(bed, '203.0.113.5')
  const challenged = must(bed.ask(flow, { headers: usual }))
  const statuses: (number | undefined)[] = []
  for (let n = 0; n < 300; n++) statuses.push(tryOut(bed, flow, '1001', `guess ${n}`, challenged, n + 2))
  assert.is(statuses.filter(status => status === 401).length, 20)
  assert.ok(bed.lookUps <= 20)
  assert.is(bed.endpoint.counters.throttled, 280)
})

test('guesses for a name from many addresses are bounded, and its real phone still signs in, from old and new places', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const own = sourceOf(bed, '198.51.100.9')
  assert.is(bed.register(own, token)?.status, 200)
  let answered = 0
  for (let n = 0; n < 1000; n++) {
    const flow = sourceOf(bed, `10.${n % 50}.0.1`)
    if (guess(bed, flow, ['1001'], n) === 401) answered++
  }
  assert.ok(answered <= 100, `${answered}`)
  for (const flow of [own, sourceOf(bed, '192.0.2.77')]) {
    const again = must(bed.ask(flow, { callId: 'real', cseq: 5000, headers: usual }))
    const headers = [bed.digest(again, token, 'REGISTER', uri), ...usual]
    assert.is(bed.ask(flow, { callId: `real-${flow.address}`, cseq: 5001, headers })?.status, 200)
  }
})

test('a name that is guessed from hundreds of networks is closed to new ones, and open to where its phone signed in', () => {
  for (const user of ['1001', '1009']) {
    const bed = new PhoneBed()
    const token = bed.token('1001')
    const own = sourceOf(bed, '198.51.100.9')
    const first = must(bed.ask(own, { headers: usual }))
    const rightFirst = [bed.digest(first, token, 'REGISTER', uri), ...usual]
    assert.is(bed.ask(own, { cseq: 2, headers: rightFirst })?.status, 200)
    let answered = 0
    for (let n = 0; n < 1000; n++) {
      const flow = sourceOf(bed, `10.${n >> 8}.${n & 255}.1`)
      if (guess(bed, flow, [user], n) === 401) answered++
    }
    assert.is(answered, 100, 'the same for a name that does not exist')
    const again = must(bed.ask(own, { callId: 'real', cseq: 5000, headers: usual }))
    const right = [bed.digest(again, token, 'REGISTER', uri), ...usual]
    assert.is(bed.ask(own, { callId: 'real', cseq: 5001, headers: right })?.status, 200)
    const other = bed.token('1002')
    const elsewhere = sourceOf(bed, '192.0.2.77')
    const asked = must(bed.ask(elsewhere, { user: '1002', callId: 'other', headers: usual }))
    const theirs = [bed.digest(asked, other, 'REGISTER', uri), ...usual]
    assert.is(bed.ask(elsewhere, { user: '1002', callId: 'other', cseq: 2, headers: theirs })?.status, 200)
  }
})

test('guesses that stand after the credentials of another name count for their own', () => {
  const bed = new PhoneBed()
  bed.token('1001')
  let answered = 0
  for (let n = 0; n < 300; n++) {
    const flow = sourceOf(bed, `10.${n >> 8}.${n & 255}.1`)
    if (guess(bed, flow, [`no-one-${n}`, '1001'], n) === 401) answered++
  }
  assert.is(answered, 100)
})

test('wrong tokens from anywhere close no other token out: a token names itself', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  for (let n = 0; n < 300; n++)
    bed.register(sourceOf(bed, `10.${n >> 8}.${n & 255}.1`), { ...token, password: `wrong ${n}` })
  assert.is(bed.register(sourceOf(bed, '192.0.2.77'), token)?.status, 200)
})

test('successful sign-ins are not counted: hundreds of phones of one address sign in', () => {
  const bed = new PhoneBed()
  for (let n = 0; n < 300; n++) {
    const token = bed.token(`${2000 + n}`)
    const flow = sourceOf(bed, '203.0.113.5', { port: 10_000 + n })
    const challenged = must(bed.ask(flow, { user: token.user, headers: usual }))
    const headers = [bed.digest(challenged, token, 'REGISTER', uri), ...usual]
    assert.is(bed.ask(flow, { user: token.user, cseq: 2, headers })?.status, 200, `${n}`)
  }
})

test('a digest without qop is not taken: qop was offered', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  const challenged = must(bed.ask(flow, { headers: usual }))
  const bare = must(bed.ask(flow, { headers: usual }))
  const without = {
    ...bare,
    headers: bare.headers.map(header => ({ ...header, value: header.value.replace(/, qop="auth"/, '') })),
  }
  const headers = [bed.digest(without, token, 'REGISTER', uri), ...usual]
  assert.not.match(headers[0] ?? '', /qop/)
  assert.is(bed.ask(flow, { cseq: 2, headers })?.status, 401)
  const right = [bed.digest(challenged, token, 'REGISTER', uri), ...usual]
  assert.is(bed.ask(flow, { cseq: 3, headers: right })?.status, 200)
})

test('a nonce is good for five minutes', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const flow = bed.flow()
  const challenged = must(bed.ask(flow, { headers: usual }))
  bed.pass(300_001)
  const late = must(bed.ask(flow, { cseq: 2, headers: [bed.digest(challenged, token, 'REGISTER', uri), ...usual] }))
  assert.is(late.status, 401)
  assert.match(
    field({ ...late, headers: late.headers.filter(({ value }) => value.includes('MD5')) }, 'WWW-Authenticate') ?? '',
    /stale=true/,
  )
})

/** The digest sign-in of a phone that is not known yet, from its challenge on. */
function signIn(bed: PhoneBed, flow: Flow, token: PhoneIdentity, callId = `sign-in-${flow.socket}-${flow.port}`) {
  const challenged = bed.ask(flow, { user: token.user, callId, headers: usual })
  if (challenged === undefined) return undefined
  const headers = [bed.digest(challenged, token, 'REGISTER', uri), ...usual]
  return bed.ask(flow, { user: token.user, callId, cseq: 2, headers })?.status
}

const forged = 'Authorization: Digest username="77", realm="x", nonce="x", uri="sip:x", response="0"'
const forgedByUs = `Authorization: Digest username="77", realm="${realm}", nonce="0.a.${'0'.repeat(32)}", uri="${uri}", response="${'0'.repeat(32)}", qop=auth, nc=00000001, cnonce="c"`

test('datagrams with a forged address shut no phone out: without a nonce of ours for it, credentials are no wrong ones', () => {
  for (const line of [forged, forgedByUs]) {
    const bed = new PhoneBed()
    const [browser, desk, late] = [bed.token('1001'), bed.token('1002'), bed.token('1003')]
    const address = '203.0.113.5'
    const open = bed.flow({ address })
    assert.is(bed.register(open, browser)?.status, 200)
    for (let n = 0; n < 60; n++) bed.ask(sourceOf(bed, address), { cseq: n + 1, user: '77', headers: [line, ...usual] })
    assert.is(bed.lookUps, 0, 'no password is compared')
    assert.is(bed.register(open, browser, { cseq: 2 })?.status, 200, 'a refresh by token')
    const call = [`Authorization: Bearer ${browser.password}`]
    assert.is(bed.ask(open, { method: 'INVITE', callId: 'call', headers: call, body: 'v=0\r\n' })?.status, 100)
    assert.is(signIn(bed, bed.flow({ address }), desk), 200, 'another browser, by digest')
    assert.is(signIn(bed, sourceOf(bed, address, { port: 5070 }), late), 200, 'a desk phone by UDP')
  }
})

test('datagrams that use up what an address may ask leave its connections as they were, and phones that it knows', () => {
  const bed = new PhoneBed()
  const [known, browser, desk] = [bed.token('1001'), bed.token('1002'), bed.token('1003')]
  const address = '203.0.113.5'
  const flow = sourceOf(bed, address, { port: 5070 })
  assert.is(signIn(bed, flow, known), 200)
  for (let n = 0; n < 300; n++) bed.ask(sourceOf(bed, address), { method: 'OPTIONS', user: `${n}`, headers: usual })
  assert.is(signIn(bed, sourceOf(bed, address, { port: 5071 }), desk), undefined, 'these are used up')
  assert.is(signIn(bed, bed.flow({ address }), browser), 200)
  assert.is(signIn(bed, bed.flow({ address, transport: 'tls' }), desk), 200)
  assert.is(signIn(bed, sourceOf(bed, address, { port: 5072 }), known, 'again'), 200, 'from its address')
})

test('a valid token is taken when its address may ask no more; an expired one is not wrong', () => {
  const bed = new PhoneBed()
  const [good, desk] = [bed.token('1001'), bed.token('1002')]
  const old = bed.token('1003', { remainingMs: -1 })
  const address = '203.0.113.5'
  for (let n = 0; n < 90; n++) assert.is(bed.register(bed.flow({ address }), old)?.status, 401)
  assert.is(signIn(bed, bed.flow({ address }), desk), 200, 'tabs with old tokens shut no office')
  for (let n = 0; n < 90; n++) bed.register(bed.flow({ address }), old)
  assert.is(bed.register(bed.flow({ address }), good)?.status, 200)
})

test('a host that guesses behind a NAT is shut out, and not the phones of that address', () => {
  const bed = new PhoneBed()
  const [mine, other] = [bed.token('1001'), bed.token('1002')]
  const address = '203.0.113.5'
  assert.is(signIn(bed, sourceOf(bed, address, { port: 5070 }), mine), 200)
  let answered = 0
  for (let n = 0; n < 60; n++) if (guess(bed, sourceOf(bed, address), ['1002'], n) === 401) answered++
  assert.is(answered, 20)
  assert.is(signIn(bed, sourceOf(bed, address, { port: 5071 }), other), undefined)
  assert.is(signIn(bed, sourceOf(bed, address, { port: 5072 }), mine, 'again'), 200)
  answered = 0
  for (let n = 0; n < 60; n++) if (guess(bed, sourceOf(bed, address), ['1001'], n) === 401) answered++
  assert.is(answered, 20, 'guesses for the name of such a phone are as few')
})

test('a nonce is for the source that asked for it: from elsewhere it is stale, and no password is compared', () => {
  const bed = new PhoneBed()
  const token = bed.token('1001')
  const challenged = must(bed.ask(sourceOf(bed, '203.0.113.1'), { headers: usual }))
  const headers = [bed.digest(challenged, token, 'REGISTER', uri), ...usual]
  const refused = must(bed.ask(sourceOf(bed, '203.0.113.2'), { cseq: 2, headers }))
  assert.is(refused.status, 401)
  assert.match(field(refused, 'WWW-Authenticate') ?? '', /stale=true/)
  assert.is(bed.lookUps, 0)
  assert.is(
    bed.ask(sourceOf(bed, '203.0.113.1', { port: 9 }), { cseq: 3, headers })?.status,
    200,
    'another port is the same',
  )
})

test('datagrams that look like those of a phone or a trunk, and prove nothing, get few challenges', () => {
  for (const whose of ['phone', 'trunk']) {
    const bed = new PhoneBed()
    const flow = sourceOf(bed, '203.0.113.5')
    if (whose === 'phone') assert.is(signIn(bed, flow, bed.token('1001')), 200)
    else bed.peers([{ inboundHosts: ['203.0.113.5'] }])
    let answered = 0
    for (let n = 0; n < 500; n++) {
      if (bed.ask(flow, { callId: `forged-${n}`, user: '77', headers: [forged, ...usual] }) !== undefined) answered++
    }
    assert.is(answered, 100, whose)
    assert.is(bed.ask(flow, { callId: 'bare' }), undefined)
    bed.pass(10_000)
    assert.is(signIn(bed, flow, bed.token('1002')), 200)
  }
})

test.run()
