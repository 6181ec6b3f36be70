import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { endReasons } from '../../core/model/end-reason.ts'
import { endOf, explanations } from '../../core/trace/explanation.ts'
import { drawLadder } from '../../core/trace/ladder.ts'
import { problemExplanations } from '../../core/trace/problem-explanations.ts'
import type { Trace, TraceReader } from '../../core/trace/trace.ts'
import { traceJson } from '../../core/trace/trace-json.ts'
import { traceOfRecord } from '../../core/trace/trace-of-record.ts'
import { ApiBed } from './bed/api-bed.ts'

const packets = new TextEncoder().encode('pcapng')
const kept: { trace?: Trace; reading?: (id: string) => Promise<void> } = {}
const bed = await ApiBed.open(
  {},
  {
    traces: {
      read: async (id, wish) => {
        await kept.reading?.(id)
        const { trace } = kept
        if (trace === undefined || (id !== trace.sid && id !== trace.uuid)) return undefined
        if (wish.form === 'pcapng')
          return id === trace.sid ? { account: trace.account, isOver: true, body: packets } : undefined
        const known = asked(trace, wish.reader)
        const { ended } = wish
        const shown =
          ended === undefined
            ? known
            : { ...known, isOver: true, end: { ...endOf(ended.reasonCode, {}), problems: [] } }
        const text = wish.form === 'json' ? JSON.stringify(traceJson(shown)) : drawLadder(shown, wish.columns)
        return { account: trace.account, isOver: trace.isOver, body: Buffer.from(text) }
      },
    },
  },
)
const asked = (trace: Trace, reader: TraceReader): Trace => ({ ...trace, isComplete: reader === 'operator' })
const order = { to: '+254722000001', from: '+254700000001', url: 'https://a.test/v' }

test('a call without a trace still says why it ended; another account gets 404, as does an unknown id', async () => {
  const { uuid, sid } = (await bed.customer('POST', '/calls/originate', order)).body
  const live = await bed.customer('GET', `/calls/${uuid}/trace`)
  assert.equal([live.status, live.body.end, live.body.is_over, live.body.is_complete], [200, null, false, false])
  await bed.customer('POST', '/calls/hangup', { sid })
  const { body } = await bed.customer('GET', `/calls/${uuid}/trace`)
  assert.equal((await bed.customer('GET', `/calls/${sid}/trace`)).body, body)
  assert.equal([body.sid, body.end.reason_code, body.end.link], [sid, 'END.0201', '/docs/reasons#END.0201'])
  assert.match(body.end.sentence, /API was asked to hang up/)
  const { key } = (await bed.operator('POST', '/operator/accounts', { name: 'Stranger' })).body
  for (const path of ['trace', 'trace?format=text'])
    assert.is((await bed.conforming('GET', `/calls/${uuid}/${path}`, { key })).status, 404, path)
  assert.is((await bed.customer('GET', '/calls/00000000-0000-4000-8000-000000000000/trace')).status, 404)
  assert.is((await bed.customer('GET', `/calls/${uuid}/trace?limit=0`)).status, 422)
  assert.is((await bed.conforming('GET', `/calls/${uuid}/trace`, { key: 'vk_x' })).status, 401)
})

test('packets of a call without a trace are not found, and audio is for the operator alone', async () => {
  const { uuid } = (await bed.customer('POST', '/calls/originate', order)).body
  for (const path of ['trace.pcapng', 'trace?format=pcapng']) {
    for (const reader of ['customer', 'operator'] as const) {
      const { status, body } = await bed[reader]('GET', `/calls/${uuid}/${path}`)
      assert.equal([status, body.detail], [404, 'There is no such call, or its trace is no longer kept.'], path)
    }
  }
  const { status, body } = await bed.customer('GET', `/calls/${uuid}/trace.pcapng?audio=true`)
  assert.equal([status, body.detail], [403, 'Only the operator can export audio.'])
})

test('every reason is explained, and has its place on the page of reasons', async () => {
  const page = await bed.ask('GET', '/docs/reasons', { key: '' })
  assert.is(page.status, 200)
  const text = page.text
  for (const [code, { why, cases = [] }] of Object.entries({ ...explanations, ...problemExplanations })) {
    assert.ok(text.includes(`id="${code}"`), code)
    for (const each of [why, ...cases.map(other => other.why)])
      assert.ok(each({}).endsWith('.'), `${code}: ${each({})}`)
  }
  assert.ok(text.includes('<code>') && !text.includes('`'), 'what is to be typed looks so')
})

test('the page of reasons is in the language that its address names, else in the one that the browser prefers', async () => {
  const reasons = async (query: string, accepted?: string) => {
    const headers = accepted === undefined ? {} : { 'accept-language': accepted }
    const { status, text, headers: answered } = await bed.ask('GET', `/docs/reasons${query}`, { key: '', headers })
    assert.is(status, 200)
    const [, language = ''] = /<html lang="(\w+)">/.exec(text) ?? []
    assert.equal(
      [answered['content-language'], answered.vary, answered['cache-control']],
      [language, 'accept-encoding, accept-language', 'no-cache'],
    )
    return { language, text }
  }
  for (const [query, accepted, language] of [
    ['', undefined, 'en'],
    ['', 'sw-KE,sw;q=0.9,en;q=0.8', 'sw'],
    ['', 'fr, en;q=0.8, sw;q=0.7', 'en'],
    ['', 'en;q=0.2, sw;q=0.7', 'sw'],
    ['', 'sw;q=0, fr', 'en'],
    ['?lang=sw', 'en', 'sw'],
    ['?lang=en', 'sw', 'en'],
    ['?lang=fr', 'sw', 'sw'],
  ] as const)
    assert.is((await reasons(query, accepted)).language, language, `${query} ${accepted}`)
  const { text } = await reasons('?lang=sw')
  for (const [code, { why, advice, cases = [] }] of Object.entries({ ...explanations, ...problemExplanations })) {
    const [section = ''] = new RegExp(`<section id="${code}">.*?</section>`, 's').exec(text) ?? []
    const { label } = { ...endReasons, ...problemExplanations }[code as keyof typeof endReasons]
    assert.ok(section !== '' && !section.includes(label), code)
    assert.is(section.includes('La kufanya.'), advice !== '' || cases.some(other => other.advice !== ''), code)
    assert.not(section.includes(why({}).slice(0, 20)), code)
  }
})

test('a trace goes to its account and to the operator, by uuid or sid, as JSON, as a ladder and as packets', async () => {
  const { uuid, sid } = (await bed.customer('POST', '/calls/originate', order)).body
  const record = await bed.calls.get(bed.accountUuid as Parameters<typeof bed.calls.get>[0], uuid)
  if (record === undefined) throw new Error('no call')
  kept.trace = traceOfRecord(record)
  for (const id of [uuid, sid]) {
    const own = await bed.customer('GET', `/calls/${id}/trace`)
    const whole = await bed.operator('GET', `/calls/${id}/trace?after=0&limit=10`)
    assert.equal([own.body.is_complete, whole.body.is_complete, whole.body.uuid], [false, true, uuid])
  }
  assert.match((await bed.customer('GET', `/calls/${sid}/trace?format=text`)).text, new RegExp(sid))
  for (const path of ['trace.pcapng', 'trace?format=pcapng'])
    for (const reader of ['customer', 'operator'] as const)
      assert.is((await bed[reader]('GET', `/calls/${sid}/${path}`)).text, 'pcapng', path)
  const { key } = (await bed.operator('POST', '/operator/accounts', { name: 'Another' })).body
  for (const id of [uuid, sid])
    for (const path of ['trace', 'trace.pcapng', 'trace?format=pcapng'])
      assert.is((await bed.conforming('GET', `/calls/${id}/${path}`, { key })).status, 404, path)
  assert.equal(
    bed.unanswered(path => path.includes('/trace')),
    [],
  )
})

test('a trace that was broken off by a restart ends as the row of the call says', async () => {
  const { uuid, sid } = (await bed.customer('POST', '/calls/originate', order)).body
  const record = await bed.calls.get(bed.accountUuid as Parameters<typeof bed.calls.get>[0], uuid)
  if (record === undefined) throw new Error('no call')
  kept.trace = traceOfRecord(record)
  const asks = () =>
    Promise.all([bed.customer('GET', `/calls/${uuid}/trace`), bed.operator('GET', `/calls/${sid}/trace`)])
  for (const { body } of await asks()) assert.equal([body.is_over, body.end], [false, null])
  await bed.customer('POST', '/calls/hangup', { sid })
  for (const { body } of await asks()) assert.equal([body.is_over, body.end.reason_code], [true, 'END.0201'])
})

test.after(() => bed.close())
test('of one account one trace is read at a time; another account and the operator do not wait for it', async () => {
  const { key } = (await bed.operator('POST', '/operator/accounts', { name: 'Reader' })).body
  const begun: string[] = []
  const ends: (() => void)[] = []
  kept.reading = id => {
    begun.push(id)
    return new Promise(resolve => ends.push(resolve))
  }
  const path = (id: string) => `/calls/${id}/trace`
  const own = ['a', 'b', 'c'].map(id => bed.customer('GET', path(id)))
  const other = bed.ask('GET', path('d'), { key })
  for (let waits = 0; begun.length < 2 && waits < 200; waits++) await new Promise(resolve => setTimeout(resolve, 5))
  assert.equal([...begun].sort(), ['a', 'd'])
  const refused: unknown[] = []
  const more = Array.from({ length: 40 }, async (_, at) => {
    const { status, headers } = await bed.customer('GET', path(`e${at}`))
    if (status === 429) refused.push(headers['retry-after'])
  })
  for (let waits = 0; refused.length < 10 && waits < 1000; waits++) await new Promise(resolve => setTimeout(resolve, 5))
  assert.equal(refused, Array(10).fill('1'))
  assert.is(begun.length, 2)
  const release = setInterval(() => ends.shift()?.(), 1)
  for (const answer of [...(await Promise.all(own)), await other]) assert.is(answer.status, 404)
  await Promise.all(more)
  clearInterval(release)
  assert.is(begun.length, 34)
  delete kept.reading
})

test.run()
