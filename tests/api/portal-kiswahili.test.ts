import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { fieldSentences, schemaSentences } from '../../api/answer/field-sentences.ts'
import { refusalSentences } from '../../api/answer/refusal-sentences.ts'
import { endFacts } from '../../api/portal/app/sw-end-facts.ts'
import { swSentence } from '../../api/portal/app/sw-sentences.ts'
import { event, field, problem, refusal } from '../../api/portal/app/switch-texts/sw.ts'
import { swEvents } from '../../api/portal/app/switch-texts/sw-events.ts'
import { swFetches, swParser, swProblems, swProblemValues } from '../../api/portal/app/switch-texts/sw-problems.ts'
import { swFields, swRefusals, swRefusalValues } from '../../api/portal/app/switch-texts/sw-refusals.ts'
import { swVocabulary } from '../../api/portal/app/switch-texts/sw-vocabulary.ts'
import { bundlePortal } from '../../api/portal/portal-bundle.ts'
import { audioSentences } from '../../core/adapters/audio/audio-sentences.ts'
import { orderFieldSentences, orderSentences } from '../../core/contract/order-sentences.ts'
import { eventCatalogue } from '../../core/events/catalogue.ts'
import { dialNouns, vocabulary } from '../../core/index.ts'
import { q850Text, q850Words } from '../../core/model/q850.ts'
import { quotas } from '../../core/model/quota.ts'
import { quotaSentences } from '../../core/model/quota-sentences.ts'
import { checkDocument } from '../../core/verbs/document.ts'
import { problemSentences, urlProblems, wantedValues, xmlProblems } from '../../core/verbs/problem-sentences.ts'
import { sourceFiles } from '../../scripts/docs/import-graph.ts'
import { ApiBed } from './bed/api-bed.ts'

// What the switch writes in English has its Kiswahili in the portal: every sentence of the lists beyond which the compiler
// lets no refusal and no problem of a document be written, every verb, attribute and event.

type Texts = Readonly<Record<string, string>>

const root = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8')
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort()

/** What is to be typed or looked up, and what stands for a value: the same in every language. */
const kept = (text: string): string[] =>
  sorted(text.match(/\{\w+\}|`[^`]+`|<[A-Z]\w*>?|\b[A-Z]+\.\d{4}\b|\bRFC \d+|\bSAUTI_\w+|\b[a-z]+_\w+|https?\b/g) ?? [])

function sameOf(texts: Texts, english: Iterable<string>): void {
  const sentences = sorted(english)
  assert.equal(sorted(Object.keys(texts)), sentences)
  for (const sentence of sentences) {
    const text = texts[sentence] ?? ''
    assert.ok(text !== '' && text !== sentence, sentence)
    assert.equal(kept(text), kept(sentence), sentence)
  }
}

test('every refusal of the API has its Kiswahili, with the same values', () => {
  sameOf(swRefusals, [...refusalSentences, ...orderSentences, ...quotaSentences])
  sameOf(swFields, [...fieldSentences, ...schemaSentences, ...orderFieldSentences])
  const types = ['string', 'number', 'integer', 'boolean', 'object', 'array']
  const whats = Object.values(quotas).map(({ what }) => what)
  const [, endless = ''] = /fault: '(it ran [^']+)'/.exec(read('api/simulation/run.ts')) ?? []
  sameOf(swRefusalValues, [...types, ...whats, ...audioSentences, endless])
})

test('every problem of a document has its Kiswahili, with the same values', () => {
  sameOf(swProblems, [...problemSentences, ...xmlProblems])
  sameOf(swProblemValues, [...wantedValues, ...urlProblems])
})

test('every sentence of the XML parser has its Kiswahili', () => {
  const source = read('node_modules/saxes/saxes.js').replaceAll('\\\n', '')
  const literal = /(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/
  const failures = source
    .split(/\bfail\(/)
    .slice(1)
    .flatMap(call => [...(call.split(');')[0] ?? '').matchAll(new RegExp(literal, 'g'))])
    .map(([, plain, template]) => (plain ?? template ?? '').replaceAll('\\"', '"').replaceAll('\\\\', '\\'))
    .map(text => text.replace(/\$\{[^}]*\}/g, '{}').replace(/\.$/, ''))
  // `parseXml` turns namespaces off, is closed once, and joins no names itself.
  const never = /^$|xmlns|namespace|prefix|after close/
  const named = (text: string) => text.replace(/\{\w*\}/g, '{}')
  assert.equal(sorted(Object.keys(swParser).map(named)), sorted(failures.filter(text => !never.test(text))))
})

test('a text is found by what the switch has written, with its values', () => {
  const tried = [
    [{ ...swRefusals }, refusal],
    [{ ...swFields }, field],
    [{ ...swProblems, ...swParser, ...swFetches }, problem],
  ] as const
  for (const [texts, found] of tried)
    for (const [sentence, text] of Object.entries<string>(texts)) {
      const filled = (from: string) => from.replace(/\{(\w+)\}/g, (_whole, name: string) => `"${name}7"`)
      assert.is(found(filled(sentence)), filled(text), sentence)
    }
  assert.is(
    problem('<Dial> timeout="x": must be a number of seconds from 1 to 600'),
    '<Dial> timeout="x": lazima iwe idadi ya sekunde kutoka 1 hadi 600',
  )
  assert.is(
    problem('<RecordSession> state="x or y": must be start or pause or resume or stop'),
    '<RecordSession> state="x or y": lazima iwe start au pause au resume au stop',
  )
  assert.is(
    problem('<Dial> action="ftp://a.test": must be a URL: only http and https are allowed'),
    '<Dial> action="ftp://a.test": lazima iwe URL: ni http na https tu zinazoruhusiwa',
  )
  assert.is(field('must be string or array'), 'lazima iwe maandishi au orodha')
  assert.is(
    refusal('The asset cannot be played: the MP3 says 96000 Hz.'),
    'Sauti haiwezi kuchezwa: MP3 inasema Hz 96000.',
  )
  assert.is(problem('connect ECONNREFUSED 192.0.2.1:80'), undefined)
})

test('what a schema says of a field is in the list of sentences', async () => {
  const problems = sourceFiles(['api']).flatMap(file => {
    const source = read(file)
    const said = [...source.matchAll(/'x-problem': (?:'([^']+)'|`([^`]+)`)/g)]
    const places = source.split("'x-problem':").length - 1
    assert.is(said.length, places, `${file}: an x-problem that is no literal`)
    return said.map(([, plain, template]) => plain ?? template ?? '')
  })
  assert.ok(problems.length > 20)
  for (const text of problems) assert.ok(field(text.replace(/\$\{[^}]+\}/g, '7')) !== undefined, text)
  // Ajv has a sentence of its own for every other keyword.
  const known =
    'type properties items required enum anyOf pattern minLength maxLength minimum maximum maxItems additionalProperties format'
  const notes = 'description examples default $ref'
  const keywords = new Set<string>()
  const bed = await ApiBed.open()
  const { paths, components } = bed.document as unknown as { paths: object; components: { schemas: Texts } }
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { properties, items, anyOf, $ref } = schema as Record<string, never>
    for (const keyword of Object.keys(schema)) keywords.add(keyword)
    if ($ref !== undefined) walk(components.schemas[String($ref).split('/').at(-1) ?? ''])
    for (const part of Object.values(properties ?? {})) walk(part)
    for (const part of [items, ...Object.values(anyOf ?? [])]) walk(part)
  }
  type Operation = {
    readonly parameters?: readonly { readonly schema: unknown }[]
    readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> }
  }
  for (const { parameters = [], requestBody } of Object.values<object>(paths as never).flatMap(
    path => Object.values(path) as Operation[],
  )) {
    for (const { schema } of parameters) walk(schema)
    for (const { schema } of Object.values(requestBody?.content ?? {})) walk(schema)
  }
  await bed.close()
  const others = [...keywords].filter(keyword => !`${known} ${notes}`.split(' ').includes(keyword))
  assert.equal(others, [])
})

test('every verb and attribute has its Kiswahili for completion in the editor', () => {
  const english: Record<string, string> = {}
  for (const [name, { about }] of [...vocabulary, ...dialNouns]) {
    english[name] = about.summary
    for (const [attribute, summary] of Object.entries(about.attributes)) english[`${name}.${attribute}`] = summary
  }
  assert.equal(sorted(Object.keys(swVocabulary)), sorted(Object.keys(english)))
  for (const [name, text] of Object.entries(swVocabulary)) assert.equal(kept(text), kept(english[name] ?? ''), name)
})

test('every event has its Kiswahili', () => {
  assert.equal(sorted(Object.keys(swEvents)), sorted(Object.keys(eventCatalogue)))
})

test('what the switch itself says of a failed request has its Kiswahili', () => {
  const files = [
    'http/http-client.ts',
    'http/guarded-connect.ts',
    'http/content-encoding.ts',
    'documents/document-fetcher.ts',
  ]
  const sources = [...files.map(file => `core/adapters/${file}`), 'core/embedding/function-documents.ts'].map(read)
  const said = sources.flatMap(source => [
    ...source.matchAll(
      /(?:\bfault\([^,()]+, (?:ended === 'timeout' \? )?|\bdetail: |new (?:Error|RefusedAddress|DamagedEncoding)\()(?:'([^']+)'|`((?:[^`$]|\$\{[^}]*\})+)`)/g,
    ),
  ])
  assert.ok(said.length > 12, String(said))
  for (const [, plain, template = ''] of said) {
    const text = plain ?? template.replace(/\$\{[^}]*\}/g, '7')
    assert.ok(problem(text) !== undefined, text)
  }
})

test('problems of documents, as the checker finds them, are found in Kiswahili', () => {
  const documents = [
    '<Response><Shout/><Say voice="!" loop="many" color="red"/><Play digits="x">ftp://a.test</Play></Response>',
    '<Response>Hi<Dial record="all" action="http://a b/">x<Number>12</Number><Fax/></Dial><Redirect/></Response>',
    '<Response><Dial><Sip>x</Sip><Client>?</Client><Conference>a</Conference></Dial><Hangup/><Say>x</Say></Response>',
    '<Response><Gather input="speech">x<Dial/></Gather><Say>a<bold>b</bold><break time="x"/></Say></Response>',
    '<Response><Say>Hi</Response>',
    '<Respons/>',
    '<!DOCTYPE x><Response/>',
    '<Response><Say a="1" a="2"/></Response>',
    '<Response>&nbsp;</Response>',
    '<Response a=1/>',
    '',
  ]
  const messages = documents.flatMap(document =>
    checkDocument(new TextEncoder().encode(document)).problems.map(({ message }) => message),
  )
  assert.ok(messages.length > 25, `${messages.length}`)
  for (const message of messages) assert.ok(problem(message) !== undefined, message)
})

test('what is wrong in a document and what an event reports is Kiswahili within the sentences of a call', () => {
  const inner = {
    problem,
    event: (code: string, name: string) => event(code) ?? name,
  }
  for (const [sentence, text] of [
    ['CALL.0100 call.initiated', 'CALL.0100 Simu imeingia au imepigwa'],
    [
      'DOC.0422 document.problem at line 2, column 3: nothing after <Hangup> runs',
      'DOC.0422 mstari wa 2, safu ya 3: hakuna kinachoendeshwa baada ya <Hangup>',
    ],
    ['DOC.0400 line 1:28 unexpected close tag', 'DOC.0400 mstari wa 1, safu ya 28: tagi ya kufunga isiyotarajiwa'],
    ['DOC.0404 status 404', 'DOC.0404 Hakuna hati ya simu hii: jibu 404'],
    ['failed after 12 ms: status 500', 'imeshindwa baada ya ms 12: jibu 500'],
    [
      'CALL.0400 to http://a.test/s: try 1: 200 after 2 ms',
      'CALL.0400 kwa http://a.test/s: jaribio la 1: 200 baada ya ms 2',
    ],
    [
      'CALL.0400 to http://a.test/s: try 2: failed after 2 ms: its host refused the connection',
      'CALL.0400 kwa http://a.test/s: jaribio la 2: limeshindwa baada ya ms 2: kompyuta yake ilikataa muunganisho',
    ],
    [
      'callback to http://a.test/s: try 1: failed after 10000 ms: more than 10000 ms',
      'taarifa kwa http://a.test/s: jaribio la 1: limeshindwa baada ya ms 10000: zaidi ya ms 10000',
    ],
  ] as const)
    assert.equal(swSentence(sentence, inner), { before: text, english: '', after: '' })
})

test('causes of Q.850 are Kiswahili in the sentences of a call and of its end', () => {
  for (const cause of Object.keys(q850Words)) {
    const english = q850Text(Number(cause))
    assert.match(problem(english) ?? '', new RegExp(`^sababu ${cause} ya Q\\.850: [a-z ]{8,}$`), english)
    assert.equal(endFacts(`The call was cut on the side of one party: ${english}.`, problem), [
      { text: problem(english) ?? '' },
    ])
  }
  assert.is(problem('Q.850 cause 16'), 'sababu 16 ya Q.850')
  const inner = { problem, event: (_code: string, name: string) => name }
  for (const [sentence, before] of [
    ['the remote ended the leg: bye, Q.850 cause 41, temporary failure', 'upande wa pili ulimaliza mguu: BYE, '],
    ['the leg has ended: bye, Q.850 cause 41, temporary failure', 'mguu umeisha: BYE, '],
  ] as const)
    assert.equal(swSentence(sentence, inner), {
      before: `${before}sababu 41 ya Q.850: hitilafu ya muda`,
      english: '',
      after: '',
    })
})

test('why audio was not played is Kiswahili in the sentences of a call and of its problems', () => {
  const inner = { problem, event: (_code: string, name: string) => name }
  const of = (detail: string) => endFacts(`x.test cannot be played, so nothing was played: ${detail}.`, problem)
  for (const sentence of [
    ...audioSentences.map(each => each.replace('{fault}', 'timeout')),
    'no asset "welcome"',
    'it could not be fetched',
    'the server answered 404',
    'more than 10000 ms; the account downloads much at once',
    'more than 5 redirects',
    'the account has stored as many bytes of recordings as it may',
    'only http and https are played',
    'its host refused the connection',
  ]) {
    const own = problem(sentence)
    assert.ok(own !== undefined && own !== sentence, sentence)
    assert.equal(swSentence(`PLAY.0400: ${sentence}`, inner), { before: `PLAY.0400: ${own}`, english: '', after: '' })
    assert.equal(of(sentence).at(-1), { text: own })
  }
  for (const why of [
    'no document is set',
    'the URL is not http or https, or has more than 2048 characters as it is sent',
  ])
    assert.ok(problem(why) !== undefined, why)
})

test('what an operating system says within a sentence of a call is set apart as English', () => {
  const inner = { problem, event: (code: string, name: string) => event(code) ?? name }
  const refused = 'connect ECONNREFUSED 192.0.2.1:80'
  for (const [sentence, before, after] of [
    [`failed after 12 ms: ${refused}`, 'imeshindwa baada ya ms 12: ', ''],
    [`DOC.0404 ${refused}`, 'DOC.0404 Hakuna hati ya simu hii: ', ''],
    [
      `CALL.0400 to http://a.test/s: try 1: failed after 2 ms: ${refused}`,
      'CALL.0400 kwa http://a.test/s: jaribio la 1: limeshindwa baada ya ms 2: ',
      '',
    ],
    [refused, '', ''],
  ] as const)
    assert.equal(swSentence(sentence, inner), { before, english: refused, after })
})

test('refusals, as the API answers them, are found in Kiswahili', async () => {
  const bed = await ApiBed.open()
  const answers = [
    await bed.ask('GET', '/calls/', { key: 'wrong' }),
    await bed.ask('GET', '/calls/none'),
    await bed.ask('GET', '/nothing'),
    await bed.ask('POST', '/keys/create', { body: {} }),
    await bed.ask('POST', '/keys/create', { body: { name: '' } }),
    await bed.ask('POST', '/keys/create', { body: { name: 7 } }),
    await bed.ask('POST', '/keys/create', { raw: '{' }),
    await bed.ask('POST', '/users/create', { body: { name: 'x', email: 'x', extension_number: 'x' } }),
    await bed.ask('POST', '/calls/originate', { body: { to: 'x', from: '+254700000001', url: 'x' } }),
    await bed.ask('POST', '/numbers/acquire', { body: { uuid: 'x' } }),
    await bed.ask('POST', '/phone/tokens', { body: { end_user: 'x' } }),
    await bed.ask('POST', '/documents/simulate', { body: { body: '', press: ['x'], answer: 'x' } }),
    await bed.ask('GET', '/calls/?limit=0'),
    await bed.ask('GET', '/calls/?since=yesterday'),
  ]
  for (const { status, body } of answers) {
    if (status < 400) continue
    for (const { message } of body.errors ?? []) assert.ok(field(message) !== undefined, message)
    if (body.errors === undefined) {
      const sentence = body.code === undefined ? body.detail : body.detail.slice(`${body.code}: `.length)
      assert.ok(refusal(sentence) !== undefined, sentence)
    }
  }
  assert.ok(answers.filter(({ status }) => status >= 400).length > 10, String(answers.map(({ status }) => status)))
  await bed.close()
})

test('English loads nothing of it', async () => {
  const files = await bundlePortal()
  const named = [...String(files.get('index.html')).matchAll(/\/portal\/([\w.-]+\.js)/g)].map(([, name = '']) => name)
  const holding = [...files].filter(([, bytes]) => bytes.includes('Hakuna akaunti kama hiyo')).map(([name]) => name)
  assert.is(holding.length, 1)
  assert.ok(named.length > 0 && !named.includes(holding[0] ?? ''), String(holding))
})

test.run()
