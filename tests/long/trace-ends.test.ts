import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { blockHeadBytes, readBlockHead } from '../../core/adapters/trace/trace-block.ts'
import { addTrunk, BedAccount, expectStatus, setRates } from '../rig/beds/account.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { launchChromium } from '../rig/peers/chromium.ts'
import { Customer } from '../rig/peers/customer.ts'
import { PlainCaller } from '../rig/peers/plain-caller.ts'
import { RefusingPeer } from '../rig/peers/refusing-peer.ts'
import { until } from '../rig/probes/wait.ts'

// Every kind of failed call, made to fail by real peers of a served switch, and what its trace says by the API and its page in
// the portal shows: a reader of that page alone learns why, and what to do, and gets to where it is done. ICE is given up after
// 30 seconds; all run at the same time.

const canary = 'C4NARYC4NARY'
const nowhere = { address: '127.0.0.1', port: 9 }
const route = /^Where calls to \+254 7.* go$/
const dial = (number: string) => `<Response><Dial timeout="6"><Number>${number}</Number></Dial></Response>`
const pause = '<Response><Say>Hello</Say><Pause length="600"/></Response>'
const browserOffer = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 0 101',
  'c=IN IP4 127.0.0.1',
  'a=rtcp-mux',
  'a=ice-ufrag:abcd',
  `a=ice-pwd:${canary}abcdefghijklmnop`,
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sendrecv',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:101 telephone-event/8000',
  '',
].join('\r\n')

/** Of a phone that speaks nothing else; G729 has a number of its own, which needs no rtpmap. */
const rareOffer = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'c=IN IP4 127.0.0.1',
  'm=audio 9 RTP/AVP 18 97 101',
  'a=rtpmap:97 iLBC/8000',
  'a=rtpmap:101 telephone-event/8000',
  '',
].join('\r\n')

interface Failure {
  /** What its webhook answers. */
  readonly document?: string
  /** A document that the switch hosts. */
  readonly hosted?: string
  /** Where its document is asked for, if not of the server that answers. */
  readonly url?: string
  readonly webhook?: (response: { writeHead(status: number): { end(): void } }) => void
  readonly offer?: string
  readonly balance?: string
  /** The caller hangs up once there is an answer. */
  readonly hangsUp?: true
  /** The caller hangs up while it rings. */
  readonly cancels?: true
  /** How the page shows the end: broken down, or answered and not ended as planned. */
  readonly banner: 'bad' | 'warn'
  readonly code: string
  readonly sentence: RegExp
  readonly advice: RegExp
  /** What the page offers to open, in this order. */
  readonly next: readonly RegExp[]
  /** What went wrong before, where the end is not it. */
  readonly before?: Pick<Failure, 'code' | 'sentence' | 'advice' | 'next'>
}

const failures: Readonly<Record<string, Failure>> = {
  busy: {
    document: dial('+255700000486'),
    banner: 'bad',
    code: 'END.0486',
    sentence: /^\+255700000486 is busy\. It answered 486 Busy Here\.$/,
    advice: /voicemail or another number/,
    next: [/^See the document, line 1$/],
  },
  'no route': {
    document: dial('+256700000001'),
    banner: 'bad',
    code: 'END.0503',
    sentence: /^No trunk could take the call to \+256700000001: none has a prefix that fits it/,
    advice: /^Ask the operator, who checks that a trunk has a prefix/,
    next: [],
  },
  402: {
    document: dial('+255700000402'),
    balance: '0',
    banner: 'bad',
    code: 'END.0402',
    sentence: /balance does not cover the call/,
    advice: /Top up the wallet/,
    next: [/^Open the wallet$/],
  },
  'webhook 500': {
    webhook: response => response.writeHead(500).end(),
    banner: 'bad',
    code: 'END.3502',
    sentence: /http:\/\/127\.0\.0\.1:\d+\/webhook-500\?token=\*+ failed \(.*500.*\)/,
    advice: /must answer 200 with a document/,
    next: [route, /^See the document$/],
  },
  'webhook timeout': {
    webhook: () => {},
    banner: 'bad',
    code: 'END.3408',
    sentence: /\/webhook-timeout\?token=\*+ did not answer within 10 seconds/,
    advice: /Answer the webhook at once/,
    next: [route, /^See the document$/],
  },
  'XML error': {
    document: '<Response>\n  <Say>Hello</Sya>\n</Response>',
    banner: 'bad',
    code: 'END.3422',
    sentence: /\/xml-error\?token=\*+ cannot be run: line 2, column \d+: ./,
    advice: /POST \/documents\/check/,
    next: [/^See the document, line 2$/, route],
  },
  'media timeout': {
    document: pause,
    banner: 'warn',
    code: 'END.0212',
    sentence: /^No sound \(RTP\) came from \+254722000111 for the media timeout, so the call was ended\.$/,
    advice: /a firewall drops UDP/,
    next: [/^See the sound quality$/, /^See the timeline$/],
  },
  'ICE failure': {
    document: pause,
    offer: browserOffer,
    banner: 'bad',
    code: 'END.2410',
    sentence: /ICE failed/,
    advice: /SAUTI_EXTERNAL_ADDRESS.*SAUTI_TURN/,
    next: [/^See the timeline$/],
  },
  'codec mismatch': {
    document: dial('+255700000488'),
    banner: 'bad',
    code: 'END.0488',
    sentence: /no codec that both sides speak.*\+255700000488 was offered only PCM.*488 Not Acceptable Here/,
    advice: /Allow PCMA, PCMU, G722 or opus/,
    next: [/^See the SIP messages$/],
  },
  'codec mismatch of the caller': {
    document: pause,
    offer: rareOffer,
    banner: 'bad',
    code: 'END.0488',
    sentence: /no codec that both sides speak.* The caller offers only G729, iLBC\.$/,
    advice: /Allow PCMA, PCMU, G722 or opus/,
    next: [/^See the SIP messages$/],
  },
  'hosted document with a mistake': {
    hosted: '<Response>\n  <Say>Hello</Say>\n  <Say>Hello</Sya>\n</Response>',
    banner: 'bad',
    code: 'END.3422',
    sentence: /cannot be run: line 3, column \d+: ./,
    advice: /POST \/documents\/check/,
    next: [/^Open “Reception” at line 3$/, route],
  },
  'no document': {
    banner: 'bad',
    code: 'END.3404',
    sentence: /^There is no document for the call: no webhook is set for the number\.$/,
    advice: /^Give the number or the account a voice webhook/,
    next: [route],
  },
  '402 of the carrier': {
    document: dial('+255700000402'),
    banner: 'bad',
    code: 'END.0402',
    sentence: /^\+255700000402 refused for lack of funds\. It answered 402 Payment Required\.$/,
    advice: /If the carrier answered 402, its own account needs money/,
    next: [/^See the SIP messages$/],
  },
  declined: {
    document: dial('+255700000603'),
    banner: 'bad',
    code: 'END.0603',
    sentence: /^The call was declined by \+255700000603\. It answered 603 Decline\.$/,
    advice: /^A person who declines can be called again later\./,
    next: [/^See the document, line 1$/],
  },
  'carrier out of service': {
    document: dial('+255700000503'),
    banner: 'bad',
    code: 'END.0503',
    sentence: /^The carrier had no room or was out of service\. It answered 503 Service Unavailable\.$/,
    advice: /^Ask the operator/,
    next: [/^See the SIP messages$/],
  },
  'no answer': {
    document: dial('+255700000180'),
    banner: 'bad',
    code: 'END.0408',
    sentence: /^\+255700000180 did not answer in time\.$/,
    advice: /^Ring longer/,
    next: [/^See the document, line 1$/],
  },
  cancelled: {
    document: dial('+255700000180'),
    cancels: true,
    banner: 'bad',
    code: 'END.0487',
    sentence: /^The caller hung up before the call was answered\.$/,
    advice: /how long ringing and the first document took/,
    next: [/^See the timeline$/],
  },
  'refused by the document': {
    document: '<Response>\n  <Hangup reason="busy"/>\n</Response>',
    banner: 'bad',
    code: 'END.0486',
    sentence:
      /^The document refused the call as busy: <Hangup> in line 2, column 3 of http:\S+\/refused-by-the-document/,
    advice: /^The document asks for it/,
    next: [/^See the document, line 2$/],
  },
  'dials itself': {
    document: dial('SELF'),
    banner: 'bad',
    code: 'END.0603',
    sentence: /^(\+2547\d+) dials itself: the <Dial> of its document names the number that the call came to\.$/,
    advice: /^Dial another number/,
    next: [/^See the document, line 1$/],
  },
  'webhook that is not there': {
    url: 'http://127.0.0.1:9/in',
    banner: 'bad',
    code: 'END.3502',
    sentence: /^http:\/\/127\.0\.0\.1:9\/in\S* failed \(its host refused the connection\), so the fallback ran\.$/,
    advice: /^No request arrived: the log of the web server shows none/,
    next: [route, /^See the document$/],
  },
  'asset that is not there': {
    document: '<Response><Play asset="welcome"/><Say>Goodbye</Say></Response>',
    banner: 'warn',
    code: 'END.0202',
    sentence: /^The document had come to its end/,
    advice: /^$/,
    next: [],
    before: {
      code: 'PLAY.0404',
      sentence: /^There is no asset "welcome", so nothing was played by <Play> in line 1, column 11 of http:/,
      advice: /^Upload it under this name/,
      next: [/^Open the assets$/, /^See the document, line 1$/],
    },
  },
  'audio that is a page': {
    document: '<Response><Play>/audio-that-is-a-page</Play><Say>Goodbye</Say></Response>',
    banner: 'warn',
    code: 'END.0202',
    sentence: /^The document had come to its end/,
    advice: /^$/,
    next: [],
    before: {
      code: 'PLAY.0415',
      sentence:
        /\/audio-that-is-a-page is of a type that cannot be played.*: it is no audio; WAV, MP3 and Ogg Opus are played\.$/,
      advice: /^Save it as WAV, MP3 or Ogg Opus/,
      next: [/^See the document, line 1$/],
    },
  },
  'hung up in the fallback': {
    webhook: response => response.writeHead(500).end(),
    hangsUp: true,
    banner: 'warn',
    code: 'END.0200',
    sentence: /^\+254722000111 hung up/,
    advice: /^$/,
    next: [],
    before: {
      code: 'END.3502',
      sentence: /http:\/\/127\.0\.0\.1:\d+\/hung-up-in-the-fallback\?token=\*+ failed \(.*500.*\)/,
      advice: /must answer 200 with a document/,
      next: [route, /^See the document$/],
    },
  },
}

const on = await SwitchProcess.start({}, undefined, ['--media-timeout', '15'])
const customer = await Customer.open()
const carrier = await RefusingPeer.open({
  '+255700000486': '486 Busy Here',
  '+255700000488': '488 Not Acceptable Here',
  '+255700000402': '402 Payment Required',
  '+255700000603': '603 Decline',
  '+255700000503': '503 Service Unavailable',
  '+255700000180': '180 Ringing',
})
const callers: PlainCaller[] = []
const made: { readonly name: string; readonly account: BedAccount; readonly sid: string; readonly uuid: string }[] = []

const traceOf = async (account: BedAccount, sid: string) =>
  expectStatus(await on.request(account.key, 'GET', `/calls/${sid}/trace`), 200).body

test.before(async () => {
  await setRates(on)
  await addTrunk(on, { name: 'carrier', port: carrier.port, prefixes: ['+255'] })
  const failing = async (name: string, failure: Failure) => {
    const { document, hosted, url, webhook, offer, balance = '1000', hangsUp, cancels } = failure
    const account = await BedAccount.make(on, { balance })
    const path = `/${name.toLowerCase().replaceAll(' ', '-')}`
    const reply =
      webhook === undefined
        ? (document ?? '').replace('SELF', account.number)
        : (_post: unknown, response: never) => webhook(response)
    if (hosted !== undefined) {
      const made = await account.api('POST', '/documents/', { name: 'Reception', body: hosted })
      await account.webhook('voice_inbound', expectStatus(made, 201).body.url)
    } else if (url !== undefined) await account.webhook('voice_inbound', `${url}?token=${canary}`)
    else if (document !== undefined || webhook !== undefined)
      await account.webhook('voice_inbound', `${customer.on(path, reply as never)}?token=${canary}`)
    const caller = await PlainCaller.open({ sipPort: on.sipPort, to: account.number, from: '+254722000111' })
    callers.push(caller)
    // What it is answered is not asked here, nor whether it is: the switch must say how the call ended.
    caller
      .invite(offer ?? nowhere)
      .then(() => (hangsUp === true ? caller.bye() : undefined))
      .catch(() => {})
    if (cancels === true) {
      await until('it rings', async () => (await account.call())?.status === 'ringing')
      caller.cancel()
    }
    const ended = async () => {
      // A number that dials itself makes more calls.
      const { body } = expectStatus(await account.api('GET', '/calls/?search=254722000111'), 200)
      const call = body.calls.at(-1)
      return call !== undefined && call.ended_at !== null ? call : undefined
    }
    const { sid, uuid } = await until(`the end of ${name}`, ended, 60_000)
    made.push({ name, account, sid, uuid })
  }
  await Promise.all(Object.entries(failures).map(([name, failure]) => failing(name, failure))).catch(fault => {
    // The runner of tests keeps silent about what a hook throws.
    process.stderr.write(`${String(fault)}\n${on.log.slice(-30).join('\n')}\n`)
    throw fault
  })
})

const madeOf = (name: string) => {
  const call = made.find(each => each.name === name)
  if (call === undefined) throw new Error(`no call: ${name}`)
  return call
}

const checked = async (name: string) => {
  const call = madeOf(name)
  const failure = failures[name]
  if (failure === undefined) throw new Error(`no failure: ${name}`)
  const trace = await traceOf(call.account, call.sid)
  assert.is(trace.end.reason_code, failure.code)
  assert.match(trace.end.sentence, failure.sentence)
  assert.match(trace.end.advice, failure.advice)
  assert.is(trace.end.link, `/docs/reasons#${failure.code}`)
  const { before } = failure
  assert.is(trace.end.problems.length, before === undefined ? 0 : 1)
  if (before !== undefined) {
    const [problem] = trace.end.problems
    assert.is(problem.code, before.code)
    assert.match(problem.sentence, before.sentence)
    assert.match(problem.advice, before.advice)
    assert.is(problem.link, `/docs/reasons#${before.code}`)
  }
  assert.is(trace.is_complete, true)
  assert.is(trace.is_over, true)
  const page = await on.request('', 'GET', '/docs/reasons')
  assert.ok(String(page.body).includes(`id="${failure.code}"`))
  return trace
}

for (const name of Object.keys(failures))
  test(`${name}: the API says why, what to do, and where to read more`, async () => {
    const trace = await checked(name)
    const kinds = new Set(trace.entries.map(({ kind }: { readonly kind: string }) => kind))
    const asked = name === 'no document' ? [] : ['document']
    for (const kind of ['sip', ...asked, 'leg', 'call']) assert.ok(kinds.has(kind), `${kind} of ${[...kinds]}`)
    const [first] = trace.entries
    assert.match(first.text, /^INVITE sip:/)
    assert.is(first.ms, 0)
  })

let browser: Browser

/** The page of a call in a tab of its own, once why it ended is there. */
const opened = async ({ account, uuid }: ReturnType<typeof madeOf>) => {
  browser ??= await launchChromium()
  const base = on.baseUrl
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  const signedIn = await context.request.post(`${base}/portal/session`, {
    data: { key: account.key },
    headers: { origin: base },
  })
  assert.is(signedIn.status(), 201)
  context.setDefaultTimeout(5000)
  const page = await context.newPage()
  await page.goto(`${base}/#/calls/${uuid}`)
  const outcome = page.locator('.outcome')
  await outcome.waitFor()
  return { context, page, outcome }
}

for (const [name, failure] of Object.entries(failures))
  test(`${name}: the page of the call says so, and its links lead somewhere`, async () => {
    const { context, outcome } = await opened(madeOf(name))
    assert.is(await outcome.getAttribute('class'), `outcome ${failure.banner}`)
    const wanted = [failure, ...(failure.before === undefined ? [] : [failure.before])]
    assert.is(await outcome.locator('.why').count(), wanted.length)
    for (const [at, { code, sentence, advice, next }] of wanted.entries()) {
      const why = outcome.locator('.why').nth(at)
      assert.match(await why.locator('b').innerText(), sentence)
      assert.match((await why.locator('.advice').allInnerTexts()).join(), advice)
      // Whether a document is the account's own, the page knows a moment later.
      for (const [place, step] of next.entries())
        await why.locator('.next .button').nth(place).filter({ hasText: step }).waitFor()
      const steps = await why.locator('.next .button').allInnerTexts()
      assert.is(steps.length, next.length, `${steps}`)
      const about = why.locator('.about')
      assert.is(await about.innerText(), `More about ${code}`)
      const reader = await context.newPage()
      await reader.goto(new URL((await about.getAttribute('href')) ?? '', on.baseUrl).href)
      assert.ok(await reader.locator(`[id="${code}"]:target`).isVisible(), `${code} is where its link leads`)
      await reader.close()
    }
    await context.close()
  })

test('from why a call failed to the wallet, the route of the number, the line of the document and the messages', async () => {
  const follow = async (name: string, step: RegExp) => {
    const tab = await opened(madeOf(name))
    await tab.outcome.locator('.button', { hasText: step }).click()
    return tab
  }
  const poor = await follow('402', /wallet/)
  await poor.page.getByRole('heading', { level: 1, name: 'Wallet' }).waitFor()
  await poor.context.close()
  const unrouted = await follow('no document', route)
  const dialog = unrouted.page.locator('dialog')
  await dialog.getByLabel('Inbound calls').waitFor()
  assert.is((await dialog.locator('h2').innerText()).replaceAll(' ', ''), madeOf('no document').account.number)
  await unrouted.page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.not.match(unrouted.page.url(), /number=/)
  await unrouted.context.close()
  const mistaken = await follow('hosted document with a mistake', /line 3/)
  await mistaken.page.locator('.editor .cm-content:focus').waitFor()
  assert.match(await mistaken.page.locator('.cm-activeLine').innerText(), /<\/Sya>/)
  await mistaken.context.close()
  for (const [name, step, card] of [
    ['codec mismatch', /messages/, 'ladder'],
    ['XML error', /line 2/, 'documents'],
  ] as const) {
    const { page, context } = await follow(name, step)
    await page.locator(`#${card}:focus`).waitFor()
    const { y = -1 } = (await page.locator(`#${card} h2`).boundingBox()) ?? {}
    assert.ok(y > 0 && y < 900, `${card} is at ${y} px`)
    await context.close()
  }
})

test('after a restart they are all there, and no secret is on the disk', async () => {
  const kept = await on.kill('SIGTERM')
  assert.is(kept, 0)
  await on.open()
  for (const { name } of made) await checked(name)
  const folder = join(on.dataFolder, 'traces')
  let texts = ''
  for (const file of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, file))
    for (let at = 0; at < bytes.length; ) {
      const head = readBlockHead(bytes.subarray(at))
      assert.ok(head !== undefined, 'a file is a row of blocks')
      const records = bytes.subarray(at + blockHeadBytes + head.directoryBytes, at + head.length)
      texts += zstdDecompressSync(records).toString('latin1')
      at += head.length
    }
  }
  assert.ok(texts.includes('INVITE sip:') && texts.includes('a=ice-pwd:****'))
  assert.is(texts.includes(canary), false)
})

test.after(async () => {
  await browser?.close()
  for (const caller of callers) caller.close()
  carrier.close()
  await customer.close()
  await on.close()
})
test.run()
