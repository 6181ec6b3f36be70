import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { clock, dayAndClock, grouped } from '../../api/portal/app/figures.ts'
import { changedFields, listChange } from '../../api/portal/app/operator/change-diff.ts'
import { diffOf, readRates } from '../../api/portal/app/operator/rate-csv.ts'
import { type DocumentCourse, documentCourses, piecesOf } from '../../api/portal/app/pages/document-course.ts'
import { type CallParts, nextSteps } from '../../api/portal/app/pages/next-steps.ts'
import type { TraceEntry } from '../../api/portal/app/pages/trace.ts'
import { swEditor } from '../../api/portal/app/sw-editor.ts'
import { endFacts } from '../../api/portal/app/sw-end-facts.ts'
import { swSentence } from '../../api/portal/app/sw-sentences.ts'
import { problem } from '../../api/portal/app/switch-texts/sw.ts'
import { en } from '../../api/portal/app/texts/en.ts'
import { sw } from '../../api/portal/app/texts/sw.ts'
import { swReasons } from '../../api/portal/app/texts/sw-reasons.ts'
import { bundlePortal } from '../../api/portal/portal-bundle.ts'
import { type ConnectionFault, connectionFaults } from '../../core/model/connection-fault.ts'
import { endReasons } from '../../core/model/end-reason.ts'
import type { FetchFault } from '../../core/ports/documents.ts'
import { type EndFacts, sayingOf } from '../../core/trace/end-facts.ts'
import { explanations } from '../../core/trace/explanation.ts'
import { problemExplanations } from '../../core/trace/problem-explanations.ts'
import { ApiBed } from './bed/api-bed.ts'

// The portal as it is served: its headers, its size, its two languages.

const bed = await ApiBed.open()
const get = (url: string) => bed.ask('GET', url, { key: '' })
/** What the page loads. */
const partsOf = (html: string) =>
  [...html.matchAll(/(?:src|href)="(\/portal\/[^"]+\.(?:js|css))"/g)].map(([, url = '']) => url)

test('the page and its parts carry a policy of its own script and nothing from elsewhere', async () => {
  const page = await get('/')
  assert.is(page.status, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  const parts = partsOf(page.text)
  const [, script = ''] = /<script>(.+?)<\/script>/s.exec(page.text) ?? []
  assert.is(parts.length, 2, `${parts}`)
  for (const url of ['/', ...parts]) {
    const { headers } = await get(url)
    const policy = String(headers['content-security-policy'])
    const hash = url === '/' ? ` 'sha256-${createHash('sha256').update(script).digest('base64')}'` : ''
    assert.ok(policy.includes(`default-src 'none'; script-src 'self'${hash}; style-src 'self'`), policy)
    assert.not.match(policy, /unsafe|https?:/)
    assert.equal([headers['x-content-type-options'], headers['referrer-policy']], ['nosniff', 'no-referrer'])
    assert.ok(headers.etag)
    // A part is named after its content; the page that names it is asked for again.
    assert.match(String(headers['cache-control']), url === '/' ? /^no-cache$/ : /, immutable$/, url)
  }
  const json = await bed.ask('GET', '/', { key: '', headers: { accept: 'application/json' } })
  assert.equal([json.status, json.body], [404, { detail: 'There is nothing at this path.' }])
  // The policy names the hash of the one script that stands in the page.
  assert.not.match(page.text.replace(`<script>${script}</script>`, ''), /<script(?![^>]*src=)|<style|style=|onload=/)
  for (const url of ['/portal/none.js', '/portal/..%2fportal-bundle.ts', '/portal/index.html'])
    assert.ok([404, 422].includes((await get(url)).status), url)
})

test('what is at / is chosen by Accept, and Vary says so (RFC 9110 §12.5.5)', async () => {
  const page = await get('/')
  assert.is(page.headers.vary, 'accept-encoding, accept')
  const known = { 'if-none-match': String(page.headers.etag) }
  const again = await bed.ask('GET', '/', { key: '', headers: known })
  assert.equal([again.status, again.headers.vary], [304, 'accept-encoding, accept'])
  const json = await bed.ask('GET', '/', { key: '', headers: { accept: 'application/json' } })
  assert.equal([json.status, json.headers.vary], [404, 'accept'])
  for (const url of partsOf(page.text)) assert.is((await get(url)).headers.vary, 'accept-encoding', url)
})

test('the page itself asks who is signed in, with the address that its first script asks for', async () => {
  const { text } = await get('/')
  const [, url = ''] = /<link rel="preload" as="fetch" href="([^"]+)" crossorigin>/.exec(text) ?? []
  assert.is(url, '/portal/session?with=overview')
  // The browser takes a preload for a request of the same address and credentials only.
  assert.ok(text.includes(`fetch("${url}",{credentials:"same-origin"})`))
  assert.ok(text.indexOf(url) < text.indexOf('stylesheet'), 'before all else')
  assert.equal((await get(url)).body, { customer: null, operator: null })
})

test('every page of the switch: nosniff, no referrer, no foreign frame, nothing inline', async () => {
  for (const url of ['/', '/phone/', '/docs', '/docs/reasons']) {
    const { status, headers } = await get(url)
    assert.is(status, 200, url)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/, url)
    assert.match(policy, /frame-ancestors '(none|self)'/, url)
    assert.match(policy, /base-uri 'none'/, url)
    assert.not.match(policy, /unsafe|https?:|\*/, url)
    assert.equal([headers['x-content-type-options'], headers['referrer-policy']], ['nosniff', 'no-referrer'], url)
    assert.is(headers['strict-transport-security'], undefined, url)
  }
  // A directive that a browser does not know is a warning in its console; a loudspeaker may be chosen without one.
  for (const url of ['/', '/phone/']) {
    const { headers } = await get(url)
    assert.is(headers['permissions-policy'], 'microphone=(self), camera=(), geolocation=()', url)
  }
  const { headers } = await get('/')
  assert.is(headers['cross-origin-opener-policy'], 'same-origin')
  // Answers of the API are no pages, whatever a customer put into them.
  const data = await bed.ask('GET', '/account/')
  assert.is(data.headers['x-content-type-options'], 'nosniff')
  assert.match(String(data.headers['content-type']), /^application\/json/)
})

test('over TLS: HSTS, and cookies that no other host can set', async () => {
  const proxied = await ApiBed.open({ trustedProxies: ['127.0.0.1'], publicUrl: 'https://voice.test' })
  const headers = { 'x-forwarded-proto': 'https', host: 'voice.test', origin: 'https://voice.test' }
  const page = await proxied.ask('GET', '/', { key: '', headers })
  assert.is(page.headers['strict-transport-security'], 'max-age=31536000')
  const made = await proxied.ask('POST', '/portal/session', { key: '', body: { key: proxied.key }, headers })
  assert.match(
    String(made.headers['set-cookie']),
    /^__Host-sauti_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=43200$/,
  )
  const cookie = String(made.headers['set-cookie']).split(';')[0] ?? ''
  const form = { 'x-sauti-csrf': made.body.form_token as string }
  assert.is((await proxied.ask('GET', '/account/', { key: '', headers: { ...headers, ...form, cookie } })).status, 200)
  // A cookie that another program of this host has set, without the name that only TLS can set.
  const plain = { ...headers, ...form, cookie: cookie.replace('__Host-', '') }
  assert.is((await proxied.ask('GET', '/account/', { key: '', headers: plain })).status, 401)
  await proxied.close()
})

test('Kiswahili is no part of the first load: the first script asks for its texts where it is spoken', async () => {
  const files = await bundlePortal()
  const page = String(files.get('index.html'))
  const [first = ''] = partsOf(page).filter(url => url.endsWith('.js'))
  const [, texts = ''] = /rel:"modulepreload",href:"\/portal\/(kiswahili-[A-Z0-9]{8}\.js)"/.exec(page) ?? []
  // The bundler writes what is not ASCII in its own way.
  for (const text of [sw.waiting, sw.signInLead, swReasons['END.0402'].advice]) {
    const plain = /[\w ,.:]+/.exec(text)?.[0] ?? ''
    assert.ok(plain.length > 5, text)
    assert.not(String(files.get(first.replace('/portal/', ''))).includes(plain), plain)
    assert.ok(String(files.get(texts)).includes(plain), plain)
  }
})

test('the first load is under 120 kB compressed, the editor apart', async () => {
  const files = await bundlePortal()
  // The page names every part that its first script needs, so that none waits until another was read.
  const named = partsOf(String(files.get('index.html'))).map(url => url.replace('/portal/', ''))
  const first = new Set(named.filter(name => name.endsWith('.js')))
  for (const name of first)
    for (const [, part = ''] of String(files.get(name)).matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g))
      assert.ok(first.has(part), part)
  const bytes = [...first].reduce((sum, name) => sum + brotliCompressSync(files.get(name) ?? '').length, 0)
  assert.ok(bytes > 1000 && bytes < 120_000, `${bytes} bytes in ${[...first]}`)
  // All that home needs is one file.
  assert.is(first.size, 1, `${[...first]}`)
})

test('both languages have every text, with the same values in it', () => {
  assert.equal(Object.keys(sw).sort(), Object.keys(en).sort())
  const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
  for (const [name, text] of Object.entries(en)) {
    const other = sw[name as keyof typeof en]
    assert.ok(`${text}` !== '' && other !== '', name)
    assert.equal(valuesOf(other), valuesOf(text), name)
  }
})

test('kinds of entries in the wallet have names of their own, none of which is that of the balance', () => {
  for (const texts of [en, sw]) {
    const kinds = Object.entries(texts).flatMap(([name, text]) => (name.startsWith('ledger.') ? [text] : []))
    const names = [...kinds, texts.balance, texts.topUp, texts.wallet, texts.held]
    assert.is(new Set(names).size, names.length, String(names))
  }
})

test('figures and times are written as browsers write them in both languages', () => {
  const values = [0, 7, 0.005, 0.125, 12.5, 999, 999.999, 1000, 1234.5, 99_999.9999, 1_234_567, -1, -1234.5678, 1e12]
  const days = Array.from({ length: 24 }, (_, at) => new Date(2026, at % 12, 1 + at, at, 59 - at, at * 2))
  for (const [locale, { months }] of [
    ['en-GB', en],
    ['sw-KE', sw],
  ] as const) {
    for (const value of values)
      for (const [least, most] of [
        [0, 3],
        [0, 2],
        [2, 4],
      ] as const) {
        const format = new Intl.NumberFormat(locale, { minimumFractionDigits: least, maximumFractionDigits: most })
        assert.is(grouped(value, { least, most }), format.format(value), `${locale} ${value}`)
      }
    const times = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
    const timeFormat = new Intl.DateTimeFormat(locale, times)
    const dateTimeFormat = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', ...times })
    for (const day of days) {
      assert.is(clock(day), timeFormat.format(day))
      assert.is(dayAndClock(day, months, day), dateTimeFormat.format(day))
    }
  }
})

const allExplanations = { ...explanations, ...problemExplanations }
const explained = Object.keys(allExplanations) as (keyof typeof allExplanations)[]

test('every reason and problem has its label in both languages, and its sentence and advice in Kiswahili', () => {
  const labels: Record<string, string> = {}
  for (const [code, { label }] of Object.entries({ ...endReasons, ...problemExplanations })) labels[code] = label
  assert.equal(Object.keys(swReasons).sort(), [...explained].sort())
  const places = (text: string) => (text.match(/<[A-Z]\w*|`[^`]+`|SAUTI_\w+|RFC \d+|BILL\.\d+/g) ?? []).sort()
  for (const code of explained) {
    assert.is(en[`end.${code}`], labels[code])
    assert.ok(sw[`end.${code}`] && sw[`end.${code}`] !== en[`end.${code}`] && swReasons[code].why, code)
    const { advice, cases = [] } = allExplanations[code]
    assert.is(swReasons[code].advice === '', advice === '', code)
    // What is to be typed or looked up is the same in every language, and so is what is counted.
    assert.equal(places(swReasons[code].advice), places(advice), code)
    const numbers = (text: string) => [...text.matchAll(/(?<![.\w])\d+\b/g)].map(([number]) => number)
    for (const number of numbers(allExplanations[code].why({})))
      assert.ok(swReasons[code].why.includes(number), `${code}: ${number}`)
    const others = (swReasons[code].cases ?? []).flatMap(([, , own]) => (own === undefined ? [] : [places(own)]))
    const wanted = cases.map(other => places(other.advice))
    assert.equal(others.map(String).sort(), wanted.map(String).sort(), code)
  }
})

test('in Kiswahili an end names what the switch’s sentence names of the call', () => {
  const facts = {
    number: '+254733000001',
    hungUp: '+254733000001',
    response: '486 Busy Here',
    document: { url: 'https://acme.test/in?token=****', detail: 'status 500: no', ms: 12 },
    problem: { line: 3, column: 7, message: 'Shout is no verb. Use Say' },
    offered: ['PCMU', 'PCMA'],
    silent: '+254733000001',
  }
  const inWords = [
    ...[facts.number, facts.response, facts.document.url, facts.document.detail, facts.problem.message],
    facts.offered.join(', '),
  ]
  for (const { why } of Object.values(allExplanations)) {
    const sentence = why(facts)
    const said = endFacts(sentence)
      .map(({ text, english = '' }) => text + english)
      .join(' · ')
    const named = inWords.filter(fact => sentence.includes(fact))
    for (const fact of named) assert.ok(said.includes(fact), `${sentence} → ${said}`)
    if (sentence.includes('line 3')) assert.match(said, /mstari wa 3, safu ya 7: Shout/)
  }
  assert.equal(endFacts(explanations['END.0486'].why(facts)), [
    { text: '+254733000001' },
    { text: 'jibu: ', english: '486 Busy Here' },
  ])
  const inSwahili = (message: string) => (message === facts.problem.message ? 'Shout si kitenzi' : undefined)
  assert.equal(endFacts('In https://a.test/in line 3, column 7: Shout is no verb. Use Say.', inSwahili).at(-1), {
    text: 'mstari wa 3, safu ya 7: Shout si kitenzi',
  })
  const loop = sayingOf(explanations['END.0603'], { number: facts.number, dialsBack: '+254733000002' })
  assert.equal(endFacts(loop.sentence), [{ text: '+254733000002' }, { text: '+254733000001' }])
  const circle = sayingOf(explanations['END.0603'], { number: facts.number, isCircle: true })
  assert.equal(endFacts(circle.sentence), [{ text: facts.number }])
  assert.equal(endFacts('The balance does not cover the call.'), [])
  const verb = { name: 'Play', url: 'https://acme.test/in', line: 3, column: 7 }
  for (const [code, more, expected] of [
    ['PLAY.0404', { source: 'welcome' }, ['https://acme.test/in', 'mstari wa 3, safu ya 7', '"welcome"']],
    [
      'PLAY.0400',
      { source: 'https://a.test/b.mp3', detail: 'no' },
      ['https://a.test/b.mp3', 'mstari wa 3, safu ya 7', 'no'],
    ],
    [
      'PLAY.0400',
      { source: 'music', detail: 'no' },
      ['https://acme.test/in', 'mstari wa 3, safu ya 7', '"music"', 'no'],
    ],
    ['SAY.0404', { voice: 'nobody' }, ['https://acme.test/in', 'mstari wa 3, safu ya 7', '"nobody"']],
    ['END.0200', { hungUp: '+254733000001', cut: 41 }, ['+254733000001', 'Q.850 cause 41, temporary failure']],
  ] as const) {
    const said = endFacts(sayingOf(allExplanations[code], { verb, ...more }).sentence)
    assert.equal(
      said.map(({ text, english = '' }) => text + english),
      expected,
      code,
    )
  }
})

test('each case of an explanation has its own sentence in Kiswahili, and no other one does', () => {
  const verb = { name: 'Hangup', url: 'https://acme.test/in', line: 3, column: 7 }
  const document = { url: 'https://acme.test/in', detail: 'status 500', ms: 12 }
  const failed = (fault: FetchFault, detail = '') => ({ document: { ...document, fault, detail } })
  /** What a call may have shown; each case is met by one of them at least. */
  const calls: readonly EndFacts[] = [
    {},
    { number: '+254733000001', response: '486 Busy Here', document },
    { silent: '+254733000001' },
    { cut: 41, hungUp: '+254733000001' },
    { isUnanswered: true },
    { verb, document },
    { document },
    { isOwnNumber: true, number: '+254733000001' },
    { dialsBack: '+254733000002', number: '+254733000001' },
    { isCircle: true, number: '+254733000001' },
    failed('refused-address', 'localhost is no public address'),
    ...(Object.keys(connectionFaults) as ConnectionFault[]).map(cause => ({
      document: { ...document, fault: 'transport' as const, cause },
    })),
    { source: 'welcome' },
    { source: 'https://a.test/b.mp3', detail: 'the server answered 403', verb },
    { detail: 'the account has stored as many bytes of recordings as it may' },
    { detail: 'a call has at most 8 recordings that have not ended' },
  ]
  for (const code of explained) {
    const { cases: own = [] } = swReasons[code]
    const { cases = [] } = allExplanations[code]
    for (const [pattern] of own)
      assert.ok(
        calls.some(facts => pattern.test(sayingOf(allExplanations[code], facts).sentence)),
        `${code} ${pattern}`,
      )
    for (const facts of calls) {
      const { sentence, advice } = sayingOf(allExplanations[code], facts)
      const found = own.filter(([pattern]) => pattern.test(sentence))
      assert.ok(found.length <= 1, `${code}: ${sentence}`)
      // An advice of its own in one language is one in the other.
      const [, , ownAdvice] = found[0] ?? []
      assert.is(ownAdvice !== undefined, advice !== allExplanations[code].advice, `${code}: ${sentence}`)
    }
    for (const { when } of cases) assert.ok(calls.some(when), code)
  }
})

test('the end of a call without sound names its cause once', () => {
  const { why } = explanations['END.0212']
  assert.is(
    why({ silent: '+254733000001' }),
    'No sound (RTP) came from +254733000001 for the media timeout, so the call was ended.',
  )
  assert.is(why({ silent: '' }), 'No sound (RTP) came from one party for the media timeout, so the call was ended.')
  const [, said = ''] = swReasons['END.0212'].cases?.find(([pattern]) => pattern.test(why({ silent: '' }))) ?? []
  assert.is(said.match(/RTP/g)?.length, 1, said)
  assert.is(said.match(/sauti/gi)?.length, 1, said)
})

test('why no answer came by HTTP has its Kiswahili', () => {
  for (const words of Object.values(connectionFaults)) assert.ok(problem(words) !== undefined, words)
})

test('an end leads to where it is mended: wallet, route, document with its line, messages', () => {
  const [url, elsewhere] = ['https://voice.test/documents/hosted/1', 'https://acme.test/in']
  const course = (of: string, line: number): DocumentCourse => ({
    seq: line,
    url: of,
    ms: 1,
    fault: undefined,
    body: '<Response/>',
    verbs: [{ name: 'Dial', line, column: 1, seq: line }],
    problems: [],
  })
  const parts: CallParts = {
    call: { direction: 'inbound', to_number: '+254711000000' },
    courses: [course(url, 3), course(elsewhere, 5)],
    own: [{ uuid: 'doc-1', name: 'Reception', url }],
    hasLadder: true,
    hasQuality: false,
  }
  const steps = (code: string, sentence = '', more: Partial<CallParts> = {}) =>
    nextSteps(code, sentence, { ...parts, ...more })
  const route = { to: 'number', number: '+254711000000' }
  assert.equal(steps('END.0402'), [{ to: 'wallet' }])
  assert.equal(steps('END.0402', '+254733000001 refused. It answered 402 Payment Required.'), [{ to: 'ladder' }])
  assert.equal(steps('END.0488'), [{ to: 'ladder' }])
  assert.equal(steps('END.0488', '', { hasLadder: false }), [])
  assert.equal(steps('END.0212'), [{ to: 'timeline' }])
  assert.equal(steps('END.0486'), [{ to: 'documents', line: 5 }])
  assert.equal(steps('END.3502', `${elsewhere} failed`), [route, { to: 'documents', line: 5 }])
  const outbound = { call: { direction: 'outbound', to_number: '+254733000001' }, courses: [] } as const
  assert.equal(steps('END.3502', `${elsewhere} failed`, outbound), [{ to: 'webhooks' }])
  const hosted = { to: 'document', uuid: 'doc-1', name: 'Reception', line: 2 }
  assert.equal(steps('END.3422', `The document of ${url} cannot be run: line 2, column 9: no.`), [hosted, route])
  assert.equal(
    steps('PLAY.0404', `There is no asset "a", so nothing was played by <Play> in line 2, column 9 of ${url}.`),
    [{ to: 'assets' }, hosted],
  )
  assert.equal(steps('REC.0400', 'A recording failed.'), [{ to: 'recordings' }])
  assert.equal(steps('END.0200', 'The call was cut on the side of +254733000001: Q.850 cause 41.'), [{ to: 'ladder' }])
  assert.equal(steps('END.9999'), [])
})

/** Sentences that the recorder and the simulator write, by the templates in their source. */
function sentencesOf(source: string): readonly string[] {
  const values: Readonly<Record<string, string>> = { direction: 'inbound', status: 'completed', name: 'Say' }
  const filled = (template: string) =>
    template.replace(/\$\{((?:[^{}]|\{[^{}]*\})*)\}/g, (_whole, inner: string) => {
      const field = /note\.(\w+)/.exec(inner)?.[1] ?? ''
      if (/^(where|trunk|timesOf)/.test(inner)) return ''
      return inner.startsWith('causeText') ? 'bye' : inner === 'what' ? 'calls' : (values[field] ?? '7')
    })
  const added = [...source.matchAll(/add\(\s*'(\w+)',\s*(`[^`]+`|'[^']+')/g)].map(([, , text = '']) => text)
  const returned = [...source.matchAll(/return (`[^`]+`|'[^']+')/g)].map(([, text = '']) => text)
  return [...added, ...(source.includes('courseOf') ? returned : [])].map(text => filled(text.slice(1, -1)))
}

test('every sentence of the recorder and the simulator has its words in Kiswahili', () => {
  const read = (file: string) => readFileSync(new URL(`../../core/${file}`, import.meta.url), 'utf8')
  const sentences = [...sentencesOf(read('trace/timeline.ts')), ...sentencesOf(read('testing/course.ts'))]
  assert.ok(sentences.length > 40, `${sentences.length}`)
  for (const text of sentences) {
    // A code and what was said of it; what is made of several templates stands below.
    if (/^[\d:. ]*$|\$\{|^settled: 7$/.test(text)) continue
    assert.is.not(swSentence(text).before, '', `no Kiswahili: ${text}`)
  }
  for (const text of [
    'no RTP for the media timeout',
    'no RTP for the media timeout from 203.0.113.5:4000, the only source by media_source',
    'no RTP for the media timeout from 203.0.113.5:4000, the only source by media_source; 203.0.113.5:4010 has sent there instead',
    'ICE failed',
    '+254711000001 calls',
    '+254711000001 is dialled by trunk carrier',
    'a leg (uri) is dialled',
    'settled: 5 s of talk, 6 s billed (increments of 6 s, at least 0 s): 6 s × 3.00 KES / 60 s = 0.30 KES',
    'the remote ended the leg: session expired',
    'the leg has ended: bye',
    'the leg has ended: response 487',
  ])
    assert.is.not(swSentence(text).before, '', `no Kiswahili: ${text}`)
  const invite = 'INVITE sip:+254711000001@voice.test'
  assert.equal(swSentence(invite), { before: '', english: invite, after: '' })
  assert.is(swSentence('answer after 12 ms, 340 characters').before, 'jibu baada ya ms 12, herufi 340')
})

test('everything that the editor says by itself has its words in Kiswahili', () => {
  const source = readFileSync(new URL('../../api/portal/app/pages/editor.ts', import.meta.url), 'utf8')
  const parts = [...source.matchAll(/from '(@codemirror\/[\w-]+)'/g)].map(([, name = '']) => name)
  const phrases = parts.flatMap(name => {
    const code = readFileSync(new URL(`../../node_modules/${name}/dist/index.js`, import.meta.url), 'utf8')
    const asked = [...code.matchAll(/\bphrase\(([^)]*)\)/g)].map(([, values = '']) => values)
    return asked.flatMap(values => [...values.matchAll(/"([^"]+)"/g)].map(([, phrase = '']) => phrase))
  })
  assert.ok(phrases.includes('Completions') && phrases.includes('$ unchanged lines'), String(phrases))
  assert.equal(Object.keys(swEditor).sort(), [...new Set(phrases)].sort())
})

test('the documents of a call: what ran of each answer, what failed, and where a mistake stands', () => {
  const entry = (seq: number, kind: TraceEntry['kind'], data: Readonly<Record<string, unknown>>): TraceEntry => ({
    seq,
    at: '',
    ms: seq,
    kind,
    leg: null,
    text: '',
    data,
  })
  const [url, other] = ['http://a.test/', 'http://b.test/']
  const body = '<Response>\n  <Gather><Say>Hi</Say></Gather><Say>Bye</Say>\n</Response>'
  const verb = (seq: number, name: string, column: number, of = url) =>
    entry(seq, 'verb', { name, line: 2, column, url: of })
  const refused = 'failed after 9 ms: its host refused the connection'
  const courses = documentCourses([
    entry(1, 'document', { url, fields: '{}' }),
    entry(2, 'document', { url, ms: 4, body }),
    verb(3, 'Gather', 3),
    { ...entry(4, 'document', { url: other, ms: 9, fault: 'transport', detail: 'ECONNREFUSED' }), text: refused },
    entry(5, 'document', { url, ms: 5, body }),
    entry(6, 'event', { code: 'DOC.0422', data: { line: 2, column: 33, message: 'no such verb' } }),
    verb(7, 'Gather', 3),
    verb(8, 'Say', 33),
  ])
  assert.equal(
    courses.map(({ fault, verbs, problems }) => [fault, verbs.map(({ name }) => name), problems.length]),
    [
      [undefined, ['Gather'], 0],
      ['its host refused the connection', [], 0],
      [undefined, ['Gather', 'Say'], 1],
    ],
  )
  const [, line = ''] = body.split('\n')
  assert.equal(piecesOf(line, courses[2]?.verbs ?? []), [
    { text: '  ' },
    { text: '<Gather>', seq: 7 },
    { text: '<Say>Hi</Say></Gather>' },
    { text: '<Say>', seq: 8 },
    { text: 'Bye</Say>' },
  ])
  // What was covered as a secret is elsewhere than the switch had read it.
  assert.equal(piecesOf('<Play url="****"/>', [{ name: 'Say', line: 1, column: 19, seq: 1 }]), [
    { text: '<Play url="****"/>' },
  ])
})

test('an entry of the audit log: the fields that differ, and what came to a list or went from it', () => {
  const before = { uuid: 'x', limits: { calls: 5, legs: 9 }, list: ['+1', '+2'] }
  const after = { uuid: 'x', limits: { calls: 7, legs: 9 }, list: ['+2', '+3'], name: 'new' }
  assert.equal(changedFields(before, after), [
    { path: 'limits.calls', before: 5, after: 7 },
    { path: 'list', before: ['+1', '+2'], after: ['+2', '+3'] },
    { path: 'name', before: undefined, after: 'new' },
  ])
  assert.equal(changedFields(after, after), [])
  assert.equal(listChange(['+1', '+2'], ['+2', '+3']), { removed: ['+1'], added: ['+3'] })
  assert.is(listChange(5, 7), undefined)
  assert.equal(
    changedFields(null, { uuid: 'y' }).map(({ path }) => path),
    ['uuid'],
  )
})

test('no script of the portal writes markup, or keeps a key', () => {
  const folder = new URL('../../api/portal/app/', import.meta.url)
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file))
    .map(file => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n')
  assert.not.match(source, /innerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|document\.write|sessionStorage|eval\(/)
  const stored = [...source.matchAll(/localStorage\.setItem\('(\w+)'/g)].map(([, name]) => name)
  assert.equal(stored.toSorted(), ['language', 'theme'])
})

test('a rate deck is read, compared with the present one, and its mistakes are named by line', () => {
  const csv =
    'prefix,direction,rate_per_minute\n+254,outbound,3.50,1\n255,outbound,28\n+1,sideways,2\n+44,outbound,x\n+254,outbound,4\n'
  const { rates, problems } = readRates(csv)
  assert.equal(problems, ['4: direction', '5: rate_per_minute', '6: prefix: twice'])
  const rate = { direction: 'outbound', minimum_seconds: 0, connection_fee: '0' } as const
  const before = [
    { ...rate, prefix: '+254', rate_per_minute: '3.00', increment_seconds: 1 },
    { ...rate, prefix: '+256', rate_per_minute: '18.00', increment_seconds: 60 },
  ]
  const { added, removed, changed, same } = diffOf(before, rates)
  assert.equal(
    [added[0]?.prefix, removed[0]?.prefix, changed[0]?.after.rate_per_minute, same],
    ['+255', '+256', '3.50', 0],
  )
})

test.run()
