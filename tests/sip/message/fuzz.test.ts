import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chooseChallenges } from '../../../sip/digest/answer-challenge.ts'
import { parseCredentials } from '../../../sip/digest/credentials.ts'
import { acceptsType } from '../../../sip/header/accept.ts'
import { parseAssertedIdentity } from '../../../sip/header/asserted-identity.ts'
import { parseAuthentication } from '../../../sip/header/authentication.ts'
import { parseCallId } from '../../../sip/header/call-id.ts'
import { parseContact } from '../../../sip/header/contact.ts'
import { parseContentLength } from '../../../sip/header/content-length.ts'
import { parseMediaType } from '../../../sip/header/content-type.ts'
import { parseCSeq } from '../../../sip/header/cseq.ts'
import { parseDate } from '../../../sip/header/date.ts'
import { parseExpires } from '../../../sip/header/expires.ts'
import { parseMaxForwards } from '../../../sip/header/max-forwards.ts'
import { parseNameAddr } from '../../../sip/header/name-addr.ts'
import { parseRAck } from '../../../sip/header/rack.ts'
import { parseReason, q850CauseOf } from '../../../sip/header/reason.ts'
import { parseRetryAfter } from '../../../sip/header/retry-after.ts'
import { parseRSeq } from '../../../sip/header/rseq.ts'
import { parseMinSe, parseSessionExpires } from '../../../sip/header/session-expires.ts'
import { parseTokens } from '../../../sip/header/token-list.ts'
import { parseVia } from '../../../sip/header/via.ts'
import {
  answerOffer,
  createOffer,
  formatMessage,
  formatSdp,
  formatUri,
  type HeaderField,
  headersOf,
  type LocalMedia,
  parseMessage,
  parseSdp,
  parseUri,
  pcma,
  pcmu,
  readAnswer,
  type SipMessage,
} from '../../../sip/index.ts'
import { messageLimits } from '../../../sip/message/limits.ts'
import { validateRequest, validateResponse } from '../../../sip/message/validate.ts'
import { StreamFramer } from '../../../sip/stream/framer.ts'
import { sameUri } from '../../../sip/uri/compare.ts'
import { userOf } from '../../../sip/uri/format.ts'
import { type InputSet, inputs } from '../../fixtures/inputs.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { bytes, options, wire } from '../bed/text.ts'

/** Time that one input may take, at any length within the limits; with an allowance for slow machines. */
const inputMs = 250

const local: LocalMedia = {
  address: '192.0.2.1',
  port: 10000,
  codecs: [pcmu, pcma],
  telephoneEvent: 101,
  ptimeMs: 20,
  sessionId: '1',
}
const ourOffer = createOffer(local)

/** Every reader of one header value. */
const readers: readonly ((value: string) => unknown)[] = [
  parseVia,
  parseNameAddr,
  parseContact,
  parseCSeq,
  parseCallId,
  parseMaxForwards,
  parseContentLength,
  parseMediaType,
  parseExpires,
  parseReason,
  parseRetryAfter,
  parseAuthentication,
  parseCredentials,
  parseDate,
  parseRAck,
  parseRSeq,
  parseSessionExpires,
  parseMinSe,
  parseUri,
  value => parseTokens([value]),
  value => chooseChallenges([value]),
  value => q850CauseOf([value]),
  value => acceptsType([value], 'application/sdp'),
  value => parseAssertedIdentity([value]),
]

function readMessage(message: SipMessage): void {
  for (const { value } of message.headers.slice(0, 40)) for (const read of readers) read(value)
  for (const name of ['Via', 'Contact', 'Route', 'Supported'])
    for (const value of headersOf(message, name)) parseVia(value)
  if (message.kind === 'response') validateResponse(message)
  else {
    const valid = validateRequest(message)
    if (valid.ok) {
      const { uri } = valid.value
      userOf(uri)
      assert.ok(sameUri(uri, uri))
      const again = parseUri(formatUri(uri))
      assert.ok(again.ok && sameUri(again.value, uri))
    }
  }
  const again = parseMessage(formatMessage(message))
  assert.ok(again.ok)
  if (again.ok) assert.equal(again.value.headers, message.headers)
  if (again.ok) assert.equal(again.value.body.length, message.body.length)
  readSdp(message.body)
}

function readSdp(body: string | Uint8Array): void {
  const session = parseSdp(body)
  if (!session.ok) return
  const again = parseSdp(formatSdp(session.value))
  assert.ok(again.ok)
  if (again.ok) assert.equal(again.value, session.value)
  const answered = answerOffer(session.value, local)
  if (answered.ok) {
    const { answer, negotiated } = answered.value
    assert.is(answer.media.length, session.value.media.length)
    assert.ok(negotiated.ptimeMs >= 10 && negotiated.ptimeMs <= 60)
    assert.ok(parseSdp(formatSdp(answer)).ok)
    createOffer({ ...local, previous: answer })
  }
  readAnswer(ourOffer, session.value)
}

function readStream(data: Uint8Array, random: () => number): void {
  const framer = new StreamFramer()
  for (let at = 0; at < data.length; ) {
    const end = at + 1 + Math.floor(random() * 200)
    framer.push(data.subarray(at, end))
    at = end
  }
}

function within(what: () => void, input: Uint8Array | string): void {
  // Of the processor, not of the clock: a busy machine makes nothing slower.
  const started = process.cpuUsage()
  const shown = () =>
    JSON.stringify(
      typeof input === 'string' ? input.slice(0, 300) : Buffer.from(input).toString('latin1').slice(0, 2000),
    )
  try {
    what()
  } catch (error) {
    throw new Error(`on ${shown()}`, { cause: error })
  }
  const { user, system } = process.cpuUsage(started)
  const took = (user + system) / 1000
  assert.ok(took < inputMs, `${took.toFixed(0)} ms for ${shown()}`)
}

const all = (data: Uint8Array, random: () => number) => {
  const message = parseMessage(data)
  if (message.ok) readMessage(message.value)
  else if (message.partial !== undefined) formatMessage(message.partial)
  readStream(data, random)
  readSdp(data)
}

const marks = bytes('\r\n\r\n \t:;,<>"\\@=?&%[]()/.-+*0\x00\x7f\xff')

/** One to four changes: a byte, a piece gone, a piece twice, a piece of another input, the end cut off. */
function mutate(seed: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  let data = seed
  const place = () => Math.floor(random() * (data.length + 1))
  for (let change = 1 + Math.floor(random() * 4); change > 0; change--) {
    const at = place()
    const end = Math.min(data.length, at + Math.floor(random() * 40))
    const piece = data.subarray(at, end)
    const foreign = Math.floor(random() * other.length)
    switch (Math.floor(random() * 6)) {
      case 0:
        data = Uint8Array.from(data)
        data[at] = Math.floor(random() * 256)
        break
      case 1:
        data = Uint8Array.from(data)
        data[at] = marks[Math.floor(random() * marks.length)] ?? 0
        break
      case 2:
        data = Uint8Array.from([...data.subarray(0, at), ...data.subarray(end)])
        break
      case 3:
        data = Uint8Array.from([...data.subarray(0, end), ...piece, ...piece, ...data.subarray(end)])
        break
      case 4:
        data = Uint8Array.from([
          ...data.subarray(0, at),
          ...other.subarray(foreign, foreign + 60),
          ...data.subarray(at),
        ])
        break
      default:
        data = data.subarray(0, at)
    }
  }
  return data
}

const sets: readonly InputSet[] = [
  'rfc4475',
  'rfc5118',
  'sip-seeds',
  'sdp-seeds',
  'uri-seeds',
  'advisories',
  'unauthorized-methods',
  'toll-fraud',
  'sdp-attacks',
]

for (const [seed, set] of sets.entries()) {
  test(`${set}: as it is, and mutated: never throws, never slow`, () => {
    const random = seeded(1000 + seed)
    const seeds = inputs(set).map(file => file.bytes)
    assert.ok(seeds.length > 0)
    for (const input of seeds) within(() => all(input, random), input)
    const small = seeds.filter(input => input.length < 8000)
    for (let round = 0; round < 800; round++) {
      const one = small[Math.floor(random() * small.length)]
      const two = small[Math.floor(random() * small.length)]
      if (one === undefined || two === undefined) break
      const input = mutate(one, two, random)
      within(() => all(input, random), input)
    }
  })
}

test('long runs of any mark, in any header, in a URI, in SDP, take linear time', () => {
  const units = [
    ...' \t:;,<>"\\@=?&%[]()/.-+*0a\x00',
    ';a',
    ';a=',
    '",',
    '<>',
    '%41',
    ' ;',
    ', ',
    'a b ',
    '\\"',
    '::',
    ':1',
    '(a)',
  ]
  const length = Math.floor(messageLimits.bytes / 2)
  for (const unit of units) {
    const run = unit.repeat(Math.floor(length / unit.length))
    for (const value of [
      run,
      `sip:a@b.test${run}`,
      `<sip:a@b.test>${run}x`,
      `"${run}`,
      `SIP/2.0/UDP a${run}`,
      `Digest ${run}`,
      `1${run}x`,
      `a/b${run}`,
    ]) {
      for (const read of readers) within(() => read(value), value.slice(0, 30))
    }
    const header: HeaderField = { name: 'Contact', value: run.trim() }
    within(
      () => headersOf({ kind: 'response', status: 200, reason: '', headers: [header], body: new Uint8Array() }, 'm'),
      unit,
    )
    within(() => all(bytes(options.replace('To:', `To${run}:`)), () => 0.5), unit)
    within(() => all(bytes(`${run}${options}`), () => 0.5), unit)
    for (const line of ['a=', 'm=audio ', 'c=IN IP4 ', 'o=', 'a=rtpmap:', 'm=audio 1 RTP/AVP ', 'a=fmtp:0 ']) {
      within(() => readSdp(wire('v=0', `${line}${run}`, 'm=audio 1 RTP/AVP 0', `${line}${run}`)), line + unit)
    }
  }
})

test('random bytes', () => {
  const random = seeded(7)
  for (let round = 0; round < 2000; round++) {
    const data = Uint8Array.from({ length: Math.floor(random() * 400) }, () => Math.floor(random() * 256))
    within(() => all(data, random), data)
  }
})

test.run()
