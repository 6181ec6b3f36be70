import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { expectStatus } from '../rig/beds/account.ts'
import { beyond, consolePages, customerPages, PortalBed, type PortalTab } from '../rig/beds/portal-bed.ts'
import { makeUser, mint, type PhoneUser } from '../rig/peers/browser-phone.ts'
import { SipWriter } from '../rig/peers/sip-writer.ts'
import { WsPhone } from '../rig/peers/ws-phone.ts'
import { sine, wavOf } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// Every field that a customer, a caller, a callee, a customer's server or whoever makes a link can write holds something
// that would be a script: every page of both sessions is opened, with its dialogs, and nothing may run.
const attack = suite('portal: hostile fields')

const payloads = [
  `"><img src=x onerror="attacked('img')">`,
  `<script>attacked('script')</script>`,
  `javascript:attacked('url')`,
  `<svg xmlns="http://www.w3.org/2000/svg" onload="attacked('svg')"/>`,
  `<h:script xmlns:h="http://www.w3.org/1999/xhtml">attacked('xhtml')</h:script>`,
  `{{constructor.constructor("attacked('template')")()}}\${attacked('literal')}`,
  `</textarea></title></style></script><iframe srcdoc="<script>parent.attacked('frame')</script>">`,
  `'];attacked('break')//\u2028attacked('line')\u2029`,
  `\u202e\u2067gpj.elif\u2066<b onmouseover=attacked('rtl')>`,
  `<a href="javascript:attacked('link')" autofocus onfocus="attacked('focus')">x</a>`,
] as const
/** As a name may have them: no line separators. */
const oneLine = payloads.map(text => text.replace(/[\u2028\u2029]/g, ''))
/** As a header may have them: quotes escaped, too. */
const inHeader = oneLine.map(text => text.replace(/["\\]/g, '\\$&'))
const all = payloads.join(' ')

/** In every frame, before its scripts: reports to the top what was run. */
const trap = `globalThis.attacked = what => { (globalThis.top ?? globalThis).ran ??= []; (globalThis.top ?? globalThis).ran.push(what) }`

let bed: PortalBed
let tab: PortalTab
let peer: SipWriter
let phone: WsPhone
let callee: PhoneUser

attack.before(async () => {
  bed = await PortalBed.open({ prefixes: ['+254'] })
  peer = await SipWriter.open(bed.bed.carrierPort, bed.bed.on.sipPort)
  tab = await bed.tab({ userAgent: `Browser ${payloads[1]}` })
  await tab.page.context().addInitScript(trap)
  await stored()
  await called()
})

attack.after(async () => {
  peer?.close()
  phone?.close()
  await bed?.close()
})

/** What a customer and an operator write. */
async function stored(): Promise<void> {
  const { account, on, customer } = bed.bed
  const must = async (method: string, path: string, body: unknown, status: number, key = account.key) =>
    expectStatus(await on.request(key, method, path, body, { 'user-agent': inHeader[0] ?? '' }), status).body
  for (const [place, text] of oneLine.entries()) {
    const payload = payloads[place] ?? ''
    // A name takes no line separators; the text of a document does.
    if (payload !== text) await must('POST', '/documents/', { name: payload, body: '<Response/>' }, 422)
    await must('POST', '/documents/', { name: text, body: `<Response><Say>${payload}</Say></Response>` }, 201)
    await must('POST', '/users/create', { email: `x${place}@example.com`, display_name: text }, 201)
    if (place < 7) await must('POST', '/keys/create', { name: text.slice(0, 100) }, 201)
    const made = await must('POST', '/operator/accounts', { name: text }, 201, on.operatorKey)
    const credit = { amount: '1', reference: text }
    await must('POST', `/operator/accounts/${made.account.uuid}/credit`, credit, 200, on.operatorKey)
    const trunk = { name: text.slice(0, 100), host: `t${place}.test`, prefixes: [`+99${place}`] }
    await must('POST', '/operator/trunks', trunk, 201, on.operatorKey)
  }
  await must(
    'POST',
    `/operator/accounts/${account.uuid}/credit`,
    { amount: '1', reference: payloads[1] },
    200,
    on.operatorKey,
  )
  const named = { uuid: account.numberUuid, friendly_name: payloads[0] }
  await must('POST', '/numbers/configure', named, 200)
  await must('PATCH', `/operator/accounts/${account.uuid}`, { name: payloads[0] }, 200, on.operatorKey)
  await must('POST', '/account/webhooks', { fallback_mode: 'message', fallback_value: all }, 200)
  // A place that the browser would run is no URL of a webhook.
  for (const purpose of ['voice_inbound', 'status'])
    await must('POST', '/account/webhooks', { purpose, url: payloads[2] }, 422)
  const status = customer.on('/status', (_post, response) => response.writeHead(200).end(all))
  await account.webhook('status', `${status}?x=${encodeURIComponent(all)}`)
  await must('POST', '/account/webhooks/test', undefined, 200)
  // The same document twice over: revisions with something to compare.
  const page = await must('GET', '/documents/', undefined, 200)
  const [document] = page.documents
  await must('PUT', `/documents/${document.uuid}`, { name: all.slice(0, 200), body: `<Response>${all}` }, 200)
}

/** What callers, callees, phones and customers' servers send. */
async function called(): Promise<void> {
  const { account, customer, on } = bed.bed
  callee = await makeUser(account, 'Amina')
  const { token } = await mint(account, callee)
  phone = await WsPhone.open(`${on.baseUrl.replace('http', 'ws')}/sip`, { extension: callee.extension, token })
  await phone.register()
  const replies: ((response: import('node:http').ServerResponse) => void)[] = [
    response => response.writeHead(500, inHeader[0]?.replace(/[^ -~]/g, '')).end(all),
    response => response.end(`<Response><Say>${all}`),
    response => response.end(`<Response><Redirect>${payloads[2]}</Redirect></Response>`),
    response => response.end(`<Response><Play asset="${payloads[5]?.replaceAll('"', '')}"/></Response>`),
    response => response.writeHead(302, { location: payloads[2] }).end(),
    response =>
      response.end(`<Response><Dial callerId="+254733000001"><Number>+254733000001</Number></Dial></Response>`),
  ]
  let turn = 0
  customer.on('/in', (_post, response) => {
    const reply = replies[turn++ % replies.length]
    reply?.(response)
  })
  await account.webhook('voice_inbound', customer.url('/in'))
  for (const [place, text] of inHeader.entries()) {
    peer.refusal = {
      status: `486 ${text}`,
      headers: [`Reason: SIP;cause=486;text="${text}"`, `Server: ${text}`, `Warning: 399 x "${text}"`],
    }
    await peer.call({
      to: account.number,
      from: `"${text}" <sip:${place % 2 === 0 ? encodeURIComponent(text) : '+254722000111'}@127.0.0.1>`,
      headers: [`User-Agent: ${text}`, `Subject: ${text}`, `Reason: SIP;cause=200;text="${text}"`],
    })
  }
  assert.ok(peer.invited > 0, 'a call reached the callee')
  for (const to of ['+254733000001', '+254733000002']) {
    const order = { to, from: account.number, url: customer.url('/in'), customPayload: { text: all, [all]: 1 } }
    expectStatus(await account.api('POST', '/calls/originate', order), 201)
  }
  await until('all calls to end', async () => {
    const { body } = await account.api('GET', '/calls/?limit=200')
    return body.calls.length >= payloads.length && body.calls.every((call: { ended_at: unknown }) => call.ended_at)
  })
}

/** What a foreign page could have put there: links that run, and handlers. */
const dangerous = `[...document.querySelectorAll('*')].flatMap(it => [...it.attributes]
  .filter(({ name, value }) => /^on/.test(name) || (/^(href|src|action|formaction|xlink:href|srcdoc)$/.test(name) && /^\\s*(javascript|vbscript|data:text)/i.test(value)))
  .map(({ name, value }) => name + '=' + value))`

async function quiet(page: Page, where: string): Promise<void> {
  assert.equal(await page.evaluate('globalThis.ran ?? []'), [], where)
  assert.equal(await page.evaluate(dangerous), [], where)
  assert.equal(tab.complaints.splice(0), [], where)
  assert.equal(tab.outside.splice(0), [], where)
  assert.match(page.url(), new RegExp(`^${bed.base}/`), where)
}

/** Everything that unfolds on a page, and every dialog that does nothing by itself. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('main details').forEach(it => { it.open = true })`)
  const opens = /^(?!Listen|Show)/
  const names = /^(Details|Change|Test|Revisions|Give to a number|Release|Delete|Show|Listen.*|Get a number|New .*)$/
  const buttons = await page.locator('main button:enabled').allTextContents()
  for (const name of new Set(buttons.map(text => text.trim()))) {
    if (!names.test(name) || name === 'New document') continue
    const button = page.getByRole('button', { name, exact: true }).last()
    await button.click()
    if (!opens.test(name)) continue
    await page.waitForSelector('dialog[open]')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
  }
}

attack('no page of either session runs anything', async () => {
  const { page } = tab
  for (const path of [...customerPages, ...consolePages]) {
    await tab.go(path)
    await unfold(page)
    await quiet(page, path)
  }
})

attack('pages of one call, document and account each', async () => {
  const { account, on } = bed.bed
  const calls = (await account.api('GET', '/calls/?limit=200')).body.calls
  const documents = (await account.api('GET', '/documents/')).body.documents
  const accounts = (await on.operator('GET', '/accounts')).body.accounts
  const seen = calls.map(
    (call: { reason_code: string; from_number: string }) => `${call.reason_code} ${call.from_number}`,
  )
  assert.ok(new Set(seen).size > 4, `calls that failed in several ways: ${seen}`)
  const paths = [
    ...calls.map(({ uuid }: { uuid: string }) => `calls/${uuid}`),
    ...documents.slice(-3).map(({ uuid }: { uuid: string }) => `documents/${uuid}`),
    ...accounts.slice(0, 1).map(({ uuid }: { uuid: string }) => `operator/accounts/${uuid}`),
  ]
  for (const path of paths) {
    await tab.go(path)
    await unfold(tab.page)
    await quiet(tab.page, path)
  }
  await tab.press('Portal link').catch(() => {})
  // The sentences of the recorder did come from the wire.
  const traces = await Promise.all(
    calls.map(({ uuid }: { uuid: string }) => account.api('GET', `/calls/${uuid}/trace`)),
  )
  assert.match(JSON.stringify(traces.map(({ body }) => body)), /attacked/)
})

attack('search parameters and places of the address bar', async () => {
  const rest: string[] = [...payloads]
  const next = () => {
    const text = rest.shift() ?? ''
    rest.push(text)
    return encodeURIComponent(text)
  }
  for (const place of [
    () => `calls?search=${next()}&status=${next()}&reason=${next()}&from=${next()}&day=${next()}&direction=${next()}`,
    () => `calls/${next()}`,
    () => `documents/${next()}`,
    () => `events?code=${next()}&sid=${next()}`,
    () => `webhooks?outcome=${next()}&sid=${next()}`,
    () => `operator/accounts/${next()}`,
    next,
    () => rest.at(-1) ?? '',
  ])
    for (let turn = 0; turn < 3; turn++) {
      const to = place()
      await tab.page.goto(`${bed.base}/${turn === 0 ? `?${next()}` : ''}#/${to}`)
      await tab.page.waitForSelector('main :is(h1, .trouble)')
      await tab.page.waitForSelector('main .waiting', { state: 'detached' })
      await quiet(tab.page, to)
    }
  await tab.page.goto(`${bed.base}/#link=${encodeURIComponent(all)}`)
  await tab.page.waitForSelector('[role=alert], .tiles')
  await quiet(tab.page, 'a link')
})

attack('names of files that are dropped and imported', async () => {
  const { page } = tab
  await tab.go('assets')
  const tone = Buffer.from(wavOf(sine(440, 0.2)))
  const files = payloads.flatMap((text, place) => [
    { name: `${text}${place}.wav`, mimeType: 'audio/wav', buffer: tone },
    { name: `${text}.wav`, mimeType: 'text/html', buffer: Buffer.from(all) },
  ])
  const question = page.locator('dialog[open]')
  for (const file of files) {
    const stored = page.waitForResponse(response => response.request().method() === 'PUT')
    await page.setInputFiles('main input[type=file]', file)
    // Names that differ in signs alone give one slug.
    if ((await stored).status() !== 412) continue
    await question.waitFor()
    await quiet(page, 'a question about an asset')
    await question.getByRole('button', { name: 'Replace' }).click()
    await question.waitFor({ state: 'detached' })
  }
  await page.waitForSelector('.notices p')
  await tab.go('assets')
  await unfold(page)
  await quiet(page, 'assets')
  await tab.go('operator/rates')
  const csv = `prefix,direction,rate_per_minute\n${payloads.map(text => `"${text.replaceAll('"', '""')}",outbound,1`).join('\n')}`
  await page.setInputFiles('main input[type=file]', {
    name: `${all.slice(0, 100)}.csv`,
    mimeType: 'text/csv',
    buffer: Buffer.from(csv),
  })
  await page.waitForSelector('dialog [role=alert]')
  await quiet(page, 'rates')
})

attack('a caller with a hostile name rings the phone in the page', async () => {
  const { account } = bed.bed
  const { page } = tab
  await account.hosts('voice_inbound', `<Dial timeout="2"><Client>${callee.extension}</Client></Dial>`)
  await tab.go('people')
  await page.locator('tr', { hasText: 'Amina' }).getByRole('button', { name: 'Phone here' }).click()
  const frame = page.frameLocator('iframe')
  await frame.locator('#status[data-state="on"]').waitFor()
  for (const text of [inHeader[6], inHeader[8]]) {
    const from = `"${text}" <sip:${encodeURIComponent(text ?? '')}@127.0.0.1>`
    await peer.call({ to: account.number, from }, () => frame.locator('.ring').waitFor())
    await frame.locator('.ring').waitFor({ state: 'detached' })
    await quiet(page, 'the phone')
  }
})

/** Without a place to break, from right to left, without width, with marks that pile up, and longer than what is kept of an answer. */
const odd = [
  'W'.repeat(190),
  `\u202e${'مرحبا'.repeat(30)}`,
  `a${'\u200b\u200d\ufeff\u2060'.repeat(30)}b`,
  `e${'\u0301'.repeat(120)}`,
  '👩🏾‍🌾'.repeat(20),
  'Ng’ombe mwenye shughuli nyingi zisizoelezeka za kutokuwajibika '.repeat(3).trim(),
] as const

attack('texts without an end or a place to break, and answers cut within a letter, stay in their place', async () => {
  const { account, customer, on } = bed.bed
  const { page } = tab
  for (const [place, text] of odd.entries()) {
    const must = async (path: string, body: unknown) => {
      const answer = await account.api('POST', path, body)
      // What the switch does not take as a name is not shown either.
      if (answer.status !== 422) expectStatus(answer, 201)
    }
    await must('/documents/', { name: text, body: `<Response><Say>${text}</Say></Response>` })
    await must('/users/create', { email: `odd${place}@example.com`, display_name: text })
  }
  expectStatus(
    await on.operator('POST', '/trunks', { name: 'W'.repeat(60), host: `${'w'.repeat(50)}.test`, prefixes: ['+998'] }),
    201,
  )
  const answers: readonly (readonly [type: string, body: string | Buffer])[] = [
    ['text/html', `<!doctype html><script>attacked('answer')</script><meta http-equiv=refresh content=0>${all}`],
    ['image/svg+xml', payloads[3]],
    // A letter of four bytes lies across the end of what is kept.
    ['text/plain; charset=utf-8', `a${'😀'.repeat(400)}`],
    ['application/octet-stream', Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 7) % 256))],
    ['text/plain', `\u202e${'W'.repeat(5000)}`],
    ['text/plain; charset=utf-16', Buffer.from(`<script>attacked('utf-16')</script>${'W'.repeat(600)}`, 'utf16le')],
  ]
  let turn = 0
  const url = customer.on('/odd', (_post, response) => {
    const [type, body] = answers[turn++ % answers.length] ?? ['', '']
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await account.webhook('status', `${url}?${'w'.repeat(300)}`)
  for (const _ of answers) expectStatus(await account.api('POST', '/account/webhooks/test'), 200)
  await until('every answer', async () => {
    const { body } = await account.api('GET', '/account/webhooks/deliveries?limit=50')
    return turn >= answers.length && JSON.stringify(body).includes('😀')
  })
  const name = { name: 'W'.repeat(200) }
  expectStatus(await on.operator('PATCH', `/accounts/${account.uuid}`, name), 200)
  await account.hosts('voice_inbound', '<Say>Hello</Say><Pause length="3"/>')
  await peer.call({ to: account.number, from: `<sip:${'W'.repeat(100)}@127.0.0.1>`, talkMs: 1500 })
  const { uuid } = await until('the call to end', async () => {
    const call = await account.call()
    return call.ended_at !== null && call
  })
  await page.setViewportSize({ width: 360, height: 740 })
  for (const path of [...customerPages, ...consolePages, `calls/${uuid}`]) {
    await tab.go(path)
    await quiet(page, path)
    assert.equal(await page.evaluate(beyond), [], path)
  }
  await tab.go('webhooks')
  const details = page.getByRole('button', { name: 'Details', exact: true })
  for (let at = 0; at < Math.min(answers.length + 2, await details.count()); at++) {
    await details.nth(at).click()
    await page.waitForSelector('dialog[open] pre')
    assert.equal(await page.evaluate(beyond), [], `delivery ${at}`)
    await quiet(page, `delivery ${at}`)
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
  }
  await page.setViewportSize({ width: 1280, height: 900 })
})

attack('a hosted document that is opened as a page runs nothing', async () => {
  const { account } = bed.bed
  const body = `<Response xmlns:h="http://www.w3.org/1999/xhtml"><h:script>attacked('hosted')</h:script>${payloads[3]}</Response>`
  const { url } = (await account.api('POST', '/documents/', { name: 'x', body })).body
  const address = `${bed.base}${new URL(url).pathname}`
  const answer = await tab.page.goto(address)
  assert.match(answer?.headers()['content-security-policy'] ?? '', /sandbox/)
  assert.match(answer?.headers()['content-security-policy'] ?? '', /default-src 'none'/)
  assert.is(answer?.headers()['x-content-type-options'], 'nosniff')
  await tab.page.waitForTimeout(300)
  assert.equal(await tab.page.evaluate('globalThis.ran ?? []'), [])
  tab.complaints.splice(0)
})

attack.run()
