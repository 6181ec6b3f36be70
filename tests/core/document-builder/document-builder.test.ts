import { createHmac } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { signatureHeaders } from '../../../core/adapters/http/signature.ts'
import { attributeNames } from '../../../core/document-builder/attribute-names.ts'
import { DocumentError, response, verifySignature } from '../../../core/document-builder/index.ts'
import { dialNouns } from '../../../core/verbs/dial-children.ts'
import { parseDocument } from '../../../core/verbs/index.ts'
import { vocabulary } from '../../../core/verbs/registry.ts'
import { seeded } from '../../rig/probes/seeded.ts'

const inside = (text: string) => text.replace(/^<\?xml[^>]*\?>\n<Response>(.*)<\/Response>\n$/s, '$1')
const parse = (text: string) => parseDocument(new TextEncoder().encode(text))
const refusal = (build: () => unknown): string => {
  try {
    build()
  } catch (fault) {
    assert.instance(fault, DocumentError)
    return (fault as Error).message
  }
  throw new Error('nothing was refused')
}

test('the builder has every verb, noun and attribute of the vocabulary and no other', () => {
  const known = new Map(
    [...vocabulary.values(), ...[...dialNouns].map(([name, noun]) => ({ name, ...noun }))].map(verb => [
      verb.name,
      Object.keys(verb.about.attributes),
    ]),
  )
  assert.equal(Object.keys(attributeNames).sort(), [...known.keys()].sort())
  for (const [name, names] of Object.entries(attributeNames))
    assert.equal([...names].sort(), known.get(name)?.sort(), name)
})

test('a document reads as it is written', () => {
  const text = response().say('Hello +254 & <you>').dial({ number: '+254711000001', timeout: '20s' }).toString()
  assert.is(
    inside(text),
    '<Say>Hello +254 &amp; &lt;you&gt;</Say><Dial timeout="20"><Number>+254711000001</Number></Dial>',
  )
})

test('every verb with every attribute is understood without a problem', () => {
  const text = response()
    .say({ ssml: 'Karibu <break time="300ms"/>' }, { language: 'sw', voice: 'espeak:sw', loop: 2 })
    .play('https://example.com/a.wav?x=1&y=2', { loop: 2, digits: '1w2' })
    .play({ asset: 'welcome' })
    .play({ digits: '12#' })
    .pause('1500ms')
    .recordSession({
      state: 'start',
      channels: 'mono',
      track: 'inbound',
      maxLength: '1h',
      format: 'ogg',
      playBeep: true,
    })
    .record({
      timeout: 0,
      maxLength: '2m',
      finishOnKey: '',
      playBeep: false,
      trim: 'trim-silence',
      format: 'ogg',
      channels: 'mono',
    })
    .gather({ input: 'dtmf', numDigits: 1, timeout: 3, finishOnKey: '*' }, prompt =>
      prompt.say('One').pause(1).play({ asset: 'beep' }),
    )
    .dial({
      conference: 'Board "7"',
      muted: true,
      startOnEnter: false,
      endOnExit: true,
      beep: 'onEnter',
      waitAsset: 'silence',
      maxMembers: 5,
    })
    .dial({
      to: [
        { number: '1001', sendDigits: 'w1' },
        { client: 'amina@example.com' },
        { sip: 'sip:desk@pbx.example.com', username: 'a', password: '"<&' },
      ],
      action: '/done?a=1&b=2',
      callerId: '+254700000001',
      timeout: '20s',
      timeLimit: '1h',
      answerOnBridge: false,
      hangupOnStar: true,
      sequential: true,
      ringTone: 'us',
      record: 'record-from-answer-dual',
    })
    .toString()
  const parsed = parse(text)
  assert.equal(parsed.problems, [])
  assert.is(parsed.ok && parsed.verbs.length, 10)
  assert.ok(
    text.includes('length="1.5"') && text.includes('maxLength="3600"') && text.includes('password="&quot;&lt;&amp;"'),
  )
})

test('what cannot run is refused where it is written', () => {
  assert.match(
    refusal(() => response().dial({ number: '+254711000001', timeout: '20m' })),
    /timeout="1200": must be a number of seconds from 1 to 600/,
  )
  assert.match(
    refusal(() => response().dial({ number: 'nobody' })),
    /neither an E.164 number nor an extension/,
  )
  assert.match(
    refusal(() => response().say('')),
    /nothing to say/,
  )
  assert.match(
    refusal(() => response().pause('soon' as '1s')),
    /must be a number of seconds/,
  )
  assert.match(
    refusal(() => response().redirect('ftp://example.com')),
    /only http and https/,
  )
  assert.match(
    refusal(() => response().say({ ssml: 'a</Say><Say>b' })),
    /SSML/,
  )
  assert.match(
    refusal(() => response().say({ ssml: '<b>' })),
    /./,
  )
  assert.match(
    refusal(() => response().hangup().say('too late')),
    /no verb after <Hangup>/,
  )
  assert.match(
    refusal(() => response().gather({}, prompt => prompt.say(''))),
    /nothing to say/,
  )
  const long = response()
  for (let at = 0; at < 20; at++) long.say('x'.repeat(4000))
  assert.match(
    refusal(() => long.toString()),
    /larger than 64 KB/,
  )
})

test('placeholders of hosted documents are taken', () => {
  assert.ok(response().dial({ number: '{{To}}' }).toString().includes('<Number>{{To}}</Number>'))
})

test('whatever the text, the document says just that (property)', () => {
  const random = seeded(17)
  const alphabet = [
    'a',
    ' ',
    '<',
    '>',
    '&',
    '"',
    "'",
    ']]>',
    '\u0000',
    '\u000b',
    '\ud800',
    '😀',
    'ñ',
    '\n',
    '{{x}}',
    '<!--',
  ]
  for (let round = 0; round < 300; round++) {
    const words = Array.from(
      { length: 1 + Math.floor(random() * 12) },
      () => alphabet[Math.floor(random() * alphabet.length)],
    ).join('')
    const parsed = parse(response().say(`x${words}x`).toString())
    assert.ok(parsed.ok)
    assert.equal(parsed.problems, [])
    assert.is(parsed.ok && parsed.verbs.length, 1)
  }
})

test('a signature is verified over URL, timestamp and raw body', () => {
  const url = 'https://example.com/voice?x=1'
  const headers = signatureHeaders(url, '{"a":1}', 'secret', 1_800_000_000)
  const request = { url, headers: { ...headers }, body: '{"a":1}' }
  const nowMs = 1_800_000_100_000
  assert.ok(verifySignature(request, 'secret', { nowMs }))
  assert.ok(
    verifySignature({ ...request, headers: new Headers({ ...headers }), body: Buffer.from('{"a":1}') }, 'secret', {
      nowMs,
    }),
  )
  const upper = {
    'X-Voice-Signature': headers['x-voice-signature'],
    'X-Voice-Timestamp': [headers['x-voice-timestamp']],
  }
  assert.ok(verifySignature({ ...request, headers: upper }, 'secret', { nowMs }))
  assert.not(verifySignature(request, 'other', { nowMs }))
  assert.not(verifySignature({ ...request, body: '{"a":2}' }, 'secret', { nowMs }))
  assert.not(verifySignature({ ...request, url: `${url}&y` }, 'secret', { nowMs }))
  assert.not(verifySignature(request, 'secret', { nowMs: nowMs + 201_000 }))
  assert.not(verifySignature(request, 'secret', { nowMs: nowMs - 401_000 }))
  assert.not(verifySignature({ ...request, headers: {} }, 'secret', { nowMs }))
  const stamp = 'NaN'
  const forged = createHmac('sha256', 'secret').update(`${url}${stamp}{"a":1}`).digest('base64')
  assert.not(
    verifySignature({ ...request, headers: { 'x-voice-signature': forged, 'x-voice-timestamp': stamp } }, 'secret', {
      nowMs,
    }),
  )
})

test('what is signed with an empty secret, or lacks a part, is not signed', () => {
  const url = 'https://customer.example/voice'
  const nowMs = 1_800_000_100_000
  const stamp = '1800000000'
  const signed = (secret: string) => ({
    'x-voice-signature': createHmac('sha256', secret).update(`${url}${stamp}{}`).digest('base64'),
    'x-voice-timestamp': stamp,
  })
  const request = { url, headers: signed('secret'), body: '{}' }
  assert.ok(verifySignature(request, 'secret', { nowMs }))
  assert.not(verifySignature({ ...request, headers: signed('') }, '', { nowMs }))
  const missing = undefined as unknown as string
  assert.not(verifySignature(request, missing, { nowMs }))
  assert.not(verifySignature({ ...request, body: missing }, 'secret', { nowMs }))
  assert.not(verifySignature({ ...request, url: missing }, 'secret', { nowMs }))
})

test.run()
