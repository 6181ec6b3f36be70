import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parameterOf } from '../../../sip/grammar/parameters.ts'
import { parseAuthentication } from '../../../sip/header/authentication.ts'
import { parseContact } from '../../../sip/header/contact.ts'
import { parseDate } from '../../../sip/header/date.ts'
import { type NameAddr, parseNameAddr } from '../../../sip/header/name-addr.ts'
import { parseTokens } from '../../../sip/header/token-list.ts'
import { branchOf, parseVia, receivedOf } from '../../../sip/header/via.ts'
import { formatMessage, headerOf, headersOf, parseMessage, parseUri } from '../../../sip/index.ts'
import { validateRequest, validateResponse } from '../../../sip/message/validate.ts'
import { uriParameterOf, userOf } from '../../../sip/uri/format.ts'
import { type InputSet, input, inputs, ownInputs } from '../../fixtures/inputs.ts'
import { parsed, parsedRequest, text } from '../bed/text.ts'

function addressOf(text: string): NameAddr {
  const address = parseNameAddr(text)
  if (!address.ok) throw new Error(`${text}: ${address.reason}`)
  return address.value
}

/** The grammar's part of each verdict: the status, or `pass` where the endpoint decides (2xx, 401, 415, 416, 420, 501…). */
const verdicts: Readonly<Record<string, 'pass' | 'response' | 400 | 501 | 505>> = {
  'rfc4475/wsinv.dat': 'pass',
  'rfc4475/intmeth.dat': 'pass',
  'rfc4475/esc01.dat': 'pass',
  'rfc4475/esc02.dat': 'pass',
  'rfc4475/lwsdisp.dat': 'pass',
  'rfc4475/longreq.dat': 'pass',
  'rfc4475/semiuri.dat': 'pass',
  'rfc4475/unreason.dat': 'response',
  'rfc4475/noreason.dat': 'response',
  'rfc4475/badinv01.dat': 400,
  'rfc4475/clerr.dat': 400,
  'rfc4475/scalar02.dat': 400,
  'rfc4475/ltgtruri.dat': 400,
  'rfc4475/lwsruri.dat': 400,
  'rfc4475/trws.dat': 'pass',
  'rfc4475/escruri.dat': 400,
  'rfc4475/baddate.dat': 'pass',
  'rfc4475/badaspec.dat': 400,
  'rfc4475/baddn.dat': 400,
  'rfc4475/badvers.dat': 505,
  'rfc4475/mismatch01.dat': 400,
  'rfc4475/mismatch02.dat': 501,
  'rfc4475/badbranch.dat': 400,
  'rfc4475/insuf.dat': 400,
  'rfc4475/unkscm.dat': 'pass',
  'rfc4475/novelsc.dat': 'pass',
  'rfc4475/bext01.dat': 'pass',
  'rfc4475/invut.dat': 'pass',
  'rfc4475/regaut01.dat': 'pass',
  'rfc4475/mcl01.dat': 400,
  'rfc4475/zeromf.dat': 'pass',
  'rfc4475/cparam01.dat': 'pass',
  'rfc4475/regescrt.dat': 'pass',
  'rfc4475/sdp01.dat': 'pass',
  'rfc5118/ipv6-good.dat': 'pass',
  'rfc5118/ipv6-bad.dat': 400,
  'rfc5118/port-unambiguous.dat': 'pass',
  'rfc5118/via-received-param-with-delim.dat': 'pass',
  'rfc5118/ipv6-in-sdp.dat': 'pass',
  'rfc5118/mult-ip-in-header.dat': 'pass',
  'rfc5118/ipv6-bug-abnf-3-colons.dat': 400,
  'rfc5118/ipv6-correct-abnf-2-colons.dat': 'pass',
}

function verdictOf(data: Uint8Array): string | number | undefined {
  const result = parseMessage(data)
  if (!result.ok) return result.status
  if (result.value.kind === 'response') return validateResponse(result.value).ok ? 'response' : 'dropped'
  const valid = validateRequest(result.value)
  return valid.ok ? 'pass' : valid.status
}

for (const set of ['rfc4475', 'rfc5118'] as const) {
  test(`every message of ${set} gets its verdict`, () => {
    const messages = ownInputs(set)
    assert.is(messages.length, Object.keys(verdicts).filter(name => name.startsWith(set)).length)
    for (const { name, bytes } of messages) assert.is(verdictOf(bytes), verdicts[name], name)
  })
}

const torture = (name: string) => parsedRequest(input('rfc4475', `${name}.dat`))

test('a request at fault still says whom to answer (badvers, clerr, mcl01, lwsruri)', () => {
  for (const name of ['badvers', 'clerr', 'mcl01', 'lwsruri', 'ltgtruri']) {
    const result = parseMessage(input('rfc4475', `${name}.dat`))
    assert.not(result.ok)
    if (result.ok || result.partial === undefined) throw new Error(`${name}: nothing to answer`)
    for (const header of ['Via', 'From', 'To', 'Call-ID', 'CSeq']) {
      assert.ok(headerOf(result.partial, header), `${name}: ${header}`)
    }
  }
})

test('wsinv: white space and folds everywhere (§3.1.1.1)', () => {
  const message = torture('wsinv')
  const valid = validateRequest(message)
  assert.ok(valid.ok)
  if (!valid.ok) return
  const { essentials, maxForwards } = valid.value
  const { fromText, fromTag, toTag, cseq } = essentials
  assert.is(addressOf(fromText).displayName, 'J Rosenberg \\"')
  assert.is(fromTag, '98asjd8')
  assert.is(toTag, '1918181833n')
  assert.equal(cseq, { sequence: 9, method: 'INVITE' })
  assert.is(maxForwards, 68)
  const vias = headersOf(message, 'Via').map(parseVia)
  assert.equal(
    vias.map(via => (via.ok ? [via.value.transport, via.value.host, branchOf(via.value)] : via.reason)),
    [
      ['UDP', '192.0.2.2', '390skdjuw'],
      ['TCP', 'spindle.example.com', 'z9hG4bK9ikj8'],
      ['UDP', '192.168.255.111', 'z9hG4bK30239'],
    ],
  )
  assert.is(headerOf(message, 'NewFangledHeader'), 'newfangled value continued newfangled value')
  assert.is(headerOf(message, 'UnknownHeaderWithUnusualValue'), ';;,,;;,;')
  assert.is(headerOf(message, 'Subject'), '')
  const contact = parseContact(headersOf(message, 'Contact')[0] ?? '')
  assert.ok(contact.ok && contact.value !== '*')
  assert.is(contact.value.displayName, 'Quoted string ""')
  assert.is(parameterOf(contact.value.parameters, 'newparam'), 'newvalue')
  assert.is(parameterOf(contact.value.parameters, 'secondparam'), '')
})

test('intmeth: every character that a token may have; a quoted NUL and UTF-8 survive (§3.1.1.2)', () => {
  const message = torture('intmeth')
  assert.is(message.method, "!interesting-Method0123456789_*+`.%indeed'~")
  const valid = validateRequest(message)
  if (!valid.ok) throw new Error(valid.reason)
  assert.is(addressOf(valid.value.essentials.toText).displayName, 'BEL:\x07 NUL:\x00 DEL:\x7f')
  assert.is(parameterOf(addressOf(valid.value.essentials.fromText).parameters, "fromparam''~+*_!.-%"), 'работающий')
  assert.is(userOf(valid.value.uri), "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*")
  assert.is(headerOf(message, "extensionHeader-!.%*+_`'~"), '\ufeff大停電')
  assert.equal(formatMessage(parsed(formatMessage(message))), formatMessage(message))
})

test('esc01, esc02: escapes are resolved once, and not in methods or names (§3.1.1.3, §3.1.1.5)', () => {
  const esc01 = torture('esc01')
  const uri = parseUri(esc01.uri)
  assert.ok(uri.ok && userOf(uri.value) === 'sips:user@example.com')
  const contact = parseNameAddr(headersOf(esc01, 'Contact')[0] ?? '')
  assert.ok(contact.ok && contact.value.uri.kind === 'sip')
  if (contact.ok && contact.value.uri.kind === 'sip') {
    assert.is(userOf(contact.value.uri), 'caller')
    assert.equal(contact.value.uri.parameters[1], { name: 'n%61me', value: 'v%61lue%25%34%31' })
    assert.is(
      uriParameterOf({ ...contact.value.uri, parameters: [{ name: 'name', value: 'v%61lue%25%34%31' }] }, 'name'),
      'value%41',
    )
  }
  const esc02 = torture('esc02')
  assert.is(esc02.method, 'RE%47IST%45R')
  assert.is(headersOf(esc02, 'Contact').length, 2)
  assert.is(headerOf(esc02, 'C%6Fntact'), '<sip:alias2@host2.example.com>')
  const to = parseNameAddr(headerOf(esc02, 'To') ?? '')
  assert.ok(to.ok && to.value.displayName === '%Z%45')
})

test('longreq, semiuri, cparam01, regescrt: long and odd, yet right', () => {
  assert.is(headersOf(torture('longreq'), 'Via').length, 34)
  const semi = parseUri(torture('semiuri').uri)
  assert.ok(semi.ok && userOf(semi.value) === 'user;par=u@example.net')
  assert.is(headersOf(torture('semiuri'), 'Accept').length, 6)
  const cparam = parseNameAddr(headersOf(torture('cparam01'), 'Contact')[0] ?? '')
  assert.ok(cparam.ok && cparam.value.uri.kind === 'sip')
  assert.is(parameterOf(cparam.value.parameters, 'unknownparam'), '')
  assert.equal(cparam.value.uri.parameters, [])
  const escaped = parseNameAddr(headersOf(torture('regescrt'), 'Contact')[0] ?? '')
  assert.ok(escaped.ok && escaped.value.uri.kind === 'sip')
  assert.equal(escaped.value.uri.headers, [{ name: 'Route', value: '%3Csip:sip.example.com%3E' }])
  assert.is(headerOf(torture('regescrt'), 'Route'), undefined)
})

test('unreason, noreason: any reason phrase or none', () => {
  const unreason = parsed(input('rfc4475', 'unreason.dat'))
  const noreason = parsed(input('rfc4475', 'noreason.dat'))
  assert.ok(unreason.kind === 'response' && unreason.reason.startsWith('= 2**3 * 5**2 но сто девяносто девять'))
  assert.ok(noreason.kind === 'response' && noreason.status === 100 && noreason.reason === '')
})

test('bext01, regaut01, baddate: what the endpoint reads of them', () => {
  assert.equal(parseTokens(headersOf(torture('bext01'), 'Require')), [
    'nothingSupportsThis',
    'nothingSupportsThisEither',
  ])
  const auth = parseAuthentication(headerOf(torture('regaut01'), 'Authorization') ?? '')
  assert.ok(auth.ok && auth.value.scheme === 'NoOneKnowsThisScheme')
  assert.is(parseDate(headerOf(torture('baddate'), 'Date') ?? ''), undefined)
})

test('baddn without its last empty line, as the archive has it, is the same message', () => {
  const whole = input('rfc4475', 'baddn.dat')
  assert.is(verdictOf(whole.subarray(0, whole.length - 2)), 400)
  const result = parseMessage(whole.subarray(0, whole.length - 2))
  assert.ok(result.ok && result.value.headers.length === 8)
})

test('IPv6 in Via, received with brackets, port outside them (§4.4, §4.5, §4.7)', () => {
  const bye = parsedRequest(input('rfc5118', 'via-received-param-with-delim.dat'))
  const via = parseVia(headersOf(bye, 'Via')[0] ?? '')
  assert.ok(via.ok && via.value.host === '2001:db8::9:1' && receivedOf(via.value) === '2001:db8::9:255')
  const uri = parseUri(parsedRequest(input('rfc5118', 'port-unambiguous.dat')).uri)
  assert.ok(uri.ok && uri.value.kind === 'sip' && uri.value.host === '2001:db8::10' && uri.value.port === 5070)
  const many = headersOf(parsedRequest(input('rfc5118', 'mult-ip-in-header.dat')), 'Via').map(parseVia)
  assert.equal(
    many.map(each => each.ok),
    [true, true, true],
  )
})

test('a body whose length was counted without CRs is taken whole, and its length put right (§4.6)', () => {
  const message = parsedRequest(input('rfc5118', 'ipv6-in-sdp.dat'))
  assert.ok(text(message.body).endsWith('a=rtpmap:107 H263-1998/90000\r\n'))
  assert.is(headerOf(message, 'Content-Length'), String(message.body.length))
})

test('header names with white space are the same names (CVE-2020-28361)', () => {
  const spaced = parsed(input('advisories', 'CVE-2020-28361-asserted.dat'))
  assert.is(headerOf(spaced, 'P-Asserted-Identity'), '<sip:+254700000000@127.0.0.1>')
  assert.is(headerOf(parsed(input('advisories', 'CVE-2020-28361-fold.dat')), 'X-Custom-Payload'), 'a b')
})

test('Contacts without a user are refused (CVE-2024-42491), the others pass on to policy', () => {
  const verdict = (contact: string) => verdictOf(input('advisories', `CVE-2024-42491-contact-${contact}.dat`))
  assert.equal(['negative-port', 'star', 'empty', 'long-host'].map(verdict), [400, 400, 400, 400])
  assert.equal(['broadcast', 'link-local'].map(verdict), ['pass', 'pass'])
  assert.is(verdictOf(input('advisories', 'AST-2017-002-long-method.dat')), 400)
})

const sets: readonly InputSet[] = [
  'rfc4475',
  'rfc5118',
  'advisories',
  'unauthorized-methods',
  'toll-fraud',
  'sdp-attacks',
  'sip-seeds',
]
for (const set of sets) {
  test(`${set}: parse, format, parse is identity`, () => {
    let count = 0
    for (const { name, bytes } of inputs(set)) {
      const first = parseMessage(bytes)
      if (!first.ok) continue
      count++
      const again = parseMessage(formatMessage(first.value))
      assert.ok(again.ok, name)
      if (again.ok) assert.equal(again.value, { ...first.value, body: again.value.body }, name)
      if (again.ok) assert.is(text(again.value.body), text(first.value.body), name)
    }
    assert.ok(count > 0)
  })
}

test.run()
