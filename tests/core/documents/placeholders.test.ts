import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { fillPlaceholders } from '../../../core/documents/placeholders.ts'
import { seeded } from '../bed/seeded.ts'

const fields = {
  CallSid: 'CA1',
  From: '+254201234567',
  To: '+254712345678',
  Direction: 'outbound',
  CallStatus: 'in-progress',
  AccountSid: 'acc',
  customPayload: '{"name":"<O\'Neil & Sons>"}',
  endUser: { uuid: 'u', email: 'a@b.example', display_name: 'Asha "A"', extension_number: '1001' },
  RecordingUuid: 'secret',
}

const cases: readonly [body: string, filled: string][] = [
  ['<Number>{{To}}</Number>', '<Number>+254712345678</Number>'],
  ['{{CallSid}} {{From}} {{Direction}} {{CallStatus}} {{AccountSid}}', 'CA1 +254201234567 outbound in-progress acc'],
  ['{{customPayload}}', '{&quot;name&quot;:&quot;&lt;O&apos;Neil &amp; Sons&gt;&quot;}'],
  ['{{endUser.display_name}} {{endUser.extension_number}}', 'Asha &quot;A&quot; 1001'],
  ['{{ To }}', '+254712345678'],
  [
    '{{endUser.email}} {{RecordingUuid}} {{constructor}} {{to}}',
    '{{endUser.email}} {{RecordingUuid}} {{constructor}} {{to}}',
  ],
  ['{To} {{To} {{}} {{{To}}}', '{To} {{To} {{}} {+254712345678}'],
]

for (const [body, filled] of cases)
  test(`fills ${body}`, () => assert.is(fillPlaceholders(body, fields, 65_536), filled))

test('what the request does not have becomes empty', () => {
  assert.is(fillPlaceholders('[{{customPayload}}{{endUser.display_name}}{{To}}]', { endUser: null, To: 7 }, 9), '[]')
})

test('what is filled in is not filled again', () => {
  assert.is(fillPlaceholders('{{From}}', { From: '{{To}}', To: 'x' }, 9), '{{To}}')
})

test('a text that becomes too long is given up at once, and each value is read once', () => {
  let reads = 0
  const long = {
    get customPayload() {
      reads++
      return '"'.repeat(8000)
    },
  }
  assert.is(fillPlaceholders('{{customPayload}}'.repeat(3855), long, 65_536)?.length, undefined)
  assert.is(reads, 1)
  assert.is(fillPlaceholders('{{customPayload}}', long, 48_000)?.length, 48_000)
  assert.is(fillPlaceholders('{{customPayload}}', long, 47_999), undefined)
  assert.is(fillPlaceholders('{{To}}-{{To}}', { To: 'ab' }, 5), 'ab-ab')
  assert.is(fillPlaceholders('{{To}}-{{To}}', { To: 'ab' }, 4), undefined)
  assert.is(fillPlaceholders('{{To}}-', { To: 'ab' }, 2), undefined)
})

test('property: whatever a caller sends, it stays text', () => {
  const random = seeded(41)
  const pieces = [
    '<',
    '>',
    '&',
    '"',
    "'",
    '{{To}}',
    '</Say>',
    '<!--',
    ']]>',
    '\u0000',
    '\u001b',
    '\ud800',
    '\uffff',
    'é',
    '😀',
    '\n',
  ]
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: random.below(12) }, () => random.pick(pieces)).join('')
    const filled = fillPlaceholders('{{customPayload}}', { customPayload: text }, 65_536) ?? '<none>'
    assert.not.match(filled, /[<>"'\u0000-\u0008\u001b\uffff]|&(?!(amp|lt|gt|quot|apos);)/)
    assert.ok(filled.isWellFormed())
  }
})

test.run()
