import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventCatalogue } from '../../core/events/catalogue.ts'
import { BedAccount, expectStatus } from '../rig/beds/account.ts'
import { PortalBed, type PortalTab } from '../rig/beds/portal-bed.ts'
import { type Filling, fill } from '../rig/beds/portal-filling.ts'
import { makeUser } from '../rig/peers/browser-phone.ts'
import { SipWriter } from '../rig/peers/sip-writer.ts'
import { until } from '../rig/probes/wait.ts'

// What a customer reads off single parts of a page: how long a call has been, how it went, which browser is signed in; the
// phone beside a page, fields in one line, files, keys with Ctrl.
const details = suite('portal: details')

let bed: PortalBed
let tab: PortalTab
let filling: Filling

details.before(async () => {
  bed = await PortalBed.open({ prefixes: ['+254'] })
  tab = await bed.tab({ acceptDownloads: true })
  filling = await fill(bed.bed)
})

details.after(async () => {
  await bed?.close()
})

/** Of a shown length, `0:07`. */
const secondsOf = (text: string | null): number => {
  const [, minutes, seconds] = /^(\d+):(\d\d)$/.exec((text ?? '').trim()) ?? []
  return minutes === undefined ? Number.NaN : Number(minutes) * 60 + Number(seconds)
}

details('a call that goes on counts by the second, in its list and on its page', async () => {
  const { page } = tab
  const { account, carrierPort, on } = bed.bed
  await account.hosts('voice_inbound', '<Play asset="welcome"/><Pause length="60"/>')
  const peer = await SipWriter.open(carrierPort, on.sipPort)
  try {
    const call = peer.call({ to: account.number, from: '<sip:+254722000444@127.0.0.1>', talkMs: 9000 })
    const live = await until('the call', async () => {
      const { body } = await account.api('GET', '/calls/?status=answered')
      return body.calls[0]
    })
    await tab.go('')
    await page.locator('a.tile', { hasText: 'Live calls' }).click()
    await page.locator('.call-link').first().waitFor()
    assert.equal([await page.getByLabel('State').inputValue(), await page.locator('tbody tr').count()], ['live', 1])
    const row = page.locator('tbody tr').first().locator('td[data-head=Talk]')
    const counts = async (what: () => Promise<string | null>) => {
      const first = secondsOf(await what())
      assert.ok(first >= 0, `${await what()}`)
      await until('the next second', async () => secondsOf(await what()) > first, 4000)
    }
    await counts(() => row.textContent())
    await tab.go(`calls/${live.uuid}`)
    await page.getByText('What it cost is known once the call has ended.').waitFor()
    for (const name of ['Length', 'Talk'])
      await counts(() =>
        page
          .locator('.tile', { has: page.getByText(name, { exact: true }) })
          .locator('b')
          .textContent(),
      )
    await call
    await page.locator('.outcome').waitFor()
    const { body: ended } = await account.api('GET', `/calls/${live.uuid}`)
    const shown = page.locator('.tile', { has: page.getByText('Length', { exact: true }) }).locator('b')
    await until('its whole length', async () => secondsOf(await shown.textContent()) === ended.duration_seconds)
  } finally {
    peer.close()
  }
})

details('a call that is hung up on its page leaves the focus on that page', async () => {
  const { page } = tab
  const { account, carrierPort, on } = bed.bed
  await account.hosts('voice_inbound', '<Say>Hello</Say><Pause length="60"/>')
  const peer = await SipWriter.open(carrierPort, on.sipPort)
  try {
    const call = peer.call({ to: account.number, from: '<sip:+254722000444@127.0.0.1>', talkMs: 4000 })
    const live = await until('the call', async () => {
      const { body } = await account.api('GET', '/calls/?status=answered')
      return body.calls[0]
    })
    await tab.go(`calls/${live.uuid}`)
    await tab.press('Hang up')
    await page.locator('dialog').getByRole('button', { name: 'Hang up', exact: true }).click()
    await page.locator('.outcome').waitFor()
    await until('the focus', async () => (await page.evaluate('document.activeElement.tagName')) === 'H1')
    await call
  } finally {
    peer.close()
  }
})

details('a completed call whose webhook failed says both', async () => {
  const { page } = tab
  await tab.go(`calls/${filling.fellBack}`)
  await page.locator('.outcome').waitFor()
  assert.is(await page.locator('.outcome.good').count(), 0)
  const badges = await page.locator('.lead [role=status] .badge').allTextContents()
  assert.equal(badges, ['Completed', 'Webhook failed'])
  assert.is(await page.locator('.lead .badge.good').count(), 0)
  await tab.go(`calls/${filling.call}`)
  await page.locator('.outcome.good').waitFor()
  assert.equal(await page.locator('.lead [role=status] .badge.good').allTextContents(), ['Completed'])
})

details('home says that a wallet is low, or empty and what that means, in both languages', async () => {
  const { on } = bed.bed
  const account = await BedAccount.make(on, { balance: '12' })
  const { page } = tab
  const text = page.locator('.problems a[href="#/wallet"]')
  const context = page.context()
  const signIn = async (key: string) => {
    const headers = { origin: bed.base }
    assert.is((await context.request.post(`${bed.base}/portal/session`, { data: { key }, headers })).status(), 201)
  }
  await signIn(account.key)
  const home = async (language: string, shown: string) => {
    await tab.go('')
    await page.evaluate(`localStorage.setItem('language', '${language}')`)
    await page.reload()
    await tab.settled()
    await page.locator('.problems').waitFor()
    assert.equal(await text.allTextContents(), [shown])
  }
  const credit = async (amount: string) =>
    expectStatus(await on.operator('POST', `/accounts/${account.uuid}/credit`, { amount, reference: amount }), 200)
  await home('en', 'The balance is low: KES 12.00.')
  await credit('-12')
  await home('en', 'The wallet is empty (KES 0.00): calls that cost money are refused.')
  await home('sw', 'Pochi ni tupu (KES 0.00): simu zinazogharimu pesa zinakataliwa.')
  expectStatus(await on.operator('PATCH', `/accounts/${account.uuid}`, { credit_limit: '5' }), 200)
  await home('sw', 'Salio ni dogo: KES 0.00.')
  await page.evaluate(`localStorage.removeItem('language')`)
  await signIn(bed.bed.account.key)
  await page.reload()
})

details('the phone stands beside the page where there is room', async () => {
  const { page } = tab
  await tab.go(`calls/${filling.call}`)
  await tab.press('Open the phone')
  const frame = page.locator('iframe')
  await page.frameLocator('iframe').locator('#status[data-state="on"]').waitFor()
  for (const width of [1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    for (const path of [`calls/${filling.call}`, 'webhooks', '']) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${path}`)}`)
      await tab.settled()
      const [of, phone] = [await page.locator('main').boundingBox(), await frame.boundingBox()]
      assert.ok(of !== null && phone !== null && of.x + of.width <= phone.x, `${width} px, ${path}: ${of?.width} px`)
      assert.is(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${width} px, ${path}`)
    }
  }
  await tab.press('Close the phone')
  const alone = await page.locator('main').boundingBox()
  assert.ok(alone !== null && alone.width > 1400, 'closed, it takes none')
  await page.setViewportSize({ width: 1280, height: 900 })
})

details('fields that stand beside each other begin in one line', async () => {
  const { page } = tab
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await tab.go(`documents/${filling.document}`)
    const fields = [page.getByLabel('Keys pressed'), page.getByLabel('The dialled party')]
    const [one, other] = await Promise.all(fields.map(field => field.boundingBox()))
    assert.ok(one && other)
    assert.ok(one.x === other.x || Math.abs(one.y - other.y) < 1, `${width} px: ${one.y} and ${other.y}`)
    if (width === 1920) assert.not.equal(one.x, other.x)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
})

details('browsers that are signed in have names, and what they say of themselves is at hand', async () => {
  const { page } = tab
  await tab.go('keys')
  const browser = page.locator('td details').first()
  assert.match((await browser.locator('summary').textContent()) ?? '', /^Chromium \d+ on Linux$/)
  await browser.locator('summary').focus()
  await page.keyboard.press('Enter')
  await browser.getByText(/^Mozilla\/5\.0 /).waitFor()
  assert.ok((await page.getByText('Never', { exact: true }).count()) > 0, 'a key that was never used')
})

details('calls are a file for spreadsheets, as they are filtered; a call is one for support', async () => {
  const { page } = tab
  const saved = async (button: string) => {
    const [download] = await Promise.all([page.waitForEvent('download'), tab.press(button)])
    return readFileSync(await download.path(), 'utf8')
  }
  await tab.go('calls?status=failed&when=today')
  assert.is(await page.getByLabel('Period').inputValue(), 'today')
  const lines = (await saved('Export CSV')).split('\r\n')
  const { calls } = (await bed.bed.account.api('GET', '/calls/?status=failed')).body
  assert.is(lines.length, 1 + calls.length)
  assert.match(lines[0] ?? '', /^sid,direction,from_number,/)
  assert.ok(lines[1]?.startsWith(`"${calls[0].sid}","${calls[0].direction}","${calls[0].from_number}"`), lines[1])
  await tab.go(`calls/${filling.call}`)
  await page.waitForSelector('.timeline li')
  const file = JSON.parse(await saved('Download as JSON'))
  assert.is(file.call.uuid, filling.call)
  assert.ok(file.trace.entries.length > 10)
  // A pcapng file: its section begins with these octets, which read as a line in text.
  const packets = Buffer.from(await saved('Download for Wireshark'))
  assert.is(packets.toString('hex', 0, 4), '0a0d0d0a')
  assert.ok(packets.includes('INVITE sip:') && !packets.includes('127.0.0.1'), 'SIP, and no address of the carrier')
})

details('days are chosen by name or by two dates, and stay in the address', async () => {
  const { page } = tab
  await tab.go('calls')
  await page.getByLabel('Period').selectOption('yesterday')
  await page.locator('.empty').waitFor()
  await page.getByLabel('Period').selectOption('days')
  const today = await page.evaluate<string>(`(() => {
    const now = new Date()
    return new Date(now.getTime() - now.getTimezoneOffset() * 60000).toISOString().slice(0, 10)
  })()`)
  await page.getByLabel('First day').fill(today)
  await page.locator('.call-link').first().waitFor()
  await page.reload()
  await tab.settled()
  assert.equal(
    [await page.getByLabel('Period').inputValue(), await page.getByLabel('First day').inputValue()],
    ['days', today],
  )
  await page.getByLabel('Last day').fill('2001-01-01')
  await page.locator('.empty').getByRole('button', { name: 'Clear filters' }).click()
  await page.locator('.call-link').first().waitFor()
  assert.is(await page.getByLabel('Period').inputValue(), '')
})

details('home shows a day, a week or a month, which stays in the address', async () => {
  const { page } = tab
  await tab.go('')
  const totals = page.locator('.totals')
  assert.match((await totals.textContent()) ?? '', /^Calls[1-9].*Answered\d+ %.*KES/)
  await page.getByLabel('Period').selectOption('168')
  await page.getByText('Calls by the day', { exact: true }).waitFor()
  await totals.waitFor()
  await page.reload()
  await tab.settled()
  assert.is(await page.getByLabel('Period').inputValue(), '168')
  await totals.waitFor()
  assert.match((await totals.textContent()) ?? '', /^Calls[1-9]/)
})

details('events and deliveries lead to their call by its sid', async () => {
  const { page } = tab
  const { body: call } = await bed.bed.account.api('GET', `/calls/${filling.call}`)
  await tab.go(`calls/${call.sid}`)
  await page.waitForSelector('.timeline li')
  assert.match((await page.textContent('main .lead')) ?? '', new RegExp(call.sid))
  assert.ok((await page.getByText('Recordings', { exact: true }).count()) > 1, 'with all that its uuid shows')
  await tab.go(`events?sid=${call.sid}&code=CALL.0300`)
  const row = page.locator('.timeline li').first()
  assert.match((await row.textContent()) ?? '', /call\.completed · \+254 722 000 111 → /)
  await row.locator('summary').click()
  await row.getByRole('link', { name: /^Call CA/ }).click()
  await page.locator('.outcome').waitFor()
  await tab.go('webhooks')
  await page.locator('tbody a').first().click()
  await page.locator('.outcome').waitFor()
  // A failure looks like one.
  await tab.go('events?code=DOC.0502')
  await page.locator('.timeline li .badge.bad').first().waitFor()
})

details('what is typed into a search stays while calls and events come', async () => {
  const { page } = tab
  const { account, carrierPort, on } = bed.bed
  await account.hosts('voice_inbound', '<Pause length="1"/><Say>Hello</Say><Pause length="60"/>')
  const peer = await SipWriter.open(carrierPort, on.sipPort)
  const call = () => peer.call({ to: account.number, from: '<sip:+254722000444@127.0.0.1>', talkMs: 1000 })
  try {
    await tab.go('events')
    const field = page.locator('main input[type=search]')
    await field.pressSequentially('CA01')
    await call()
    await page.locator('.timeline li', { hasText: 'CALL.0300' }).first().waitFor()
    assert.is(await field.inputValue(), 'CA01')
    await tab.go('calls')
    const searched = '+254722000444'
    await Promise.all([call(), field.pressSequentially(searched, { delay: 200 })])
    await until('the search', async () => new URLSearchParams(page.url().split('?')[1]).get('search') !== null)
    assert.is(await field.inputValue(), searched)
    await page.waitForURL(url => url.href.endsWith(`search=${encodeURIComponent(searched)}`))
    await tab.press('Clear filters')
    assert.is(await field.inputValue(), '')
    await page.goBack()
    assert.is(await field.inputValue(), searched)
  } finally {
    peer.close()
  }
})

details('money that the operator takes back is a debit', async () => {
  const { account, on } = bed.bed
  expectStatus(
    await on.operator('POST', `/accounts/${account.uuid}/credit`, { amount: '-1', reference: 'Charged twice' }),
    200,
  )
  await tab.go('wallet')
  const row = tab.page.locator('tbody tr', { hasText: 'Charged twice' })
  assert.is(await row.locator('.badge').textContent(), 'Debit')
})

details('Ctrl K finds a call from everywhere, Ctrl S saves a document', async () => {
  const { page } = tab
  const isInSearch = () => page.evaluate<boolean>(`document.activeElement?.type === 'search'`)
  await tab.go('')
  await page.keyboard.press('Control+K')
  await until('the search', isInSearch)
  assert.match(page.url(), /#\/calls$/)
  await page.keyboard.type('254722')
  await page.waitForURL(/search=254722/)
  await page.getByLabel('State').focus()
  await page.keyboard.press('Control+K')
  assert.is(await isInSearch(), true)
  await tab.go(`documents/${filling.document}`)
  await page.getByLabel('Name', { exact: true }).fill('Reception, saved by keys')
  await page.keyboard.press('Control+S')
  await page.getByRole('heading', { name: 'Reception, saved by keys' }).waitFor()
  const { body } = await bed.bed.account.api('GET', `/documents/${filling.document}`)
  assert.is(body.name, 'Reception, saved by keys')
})

details('a document says what uses it, and asks before that loses it', async () => {
  const { page } = tab
  const { account } = bed.bed
  const { uuid, url } = (await account.api('POST', '/documents/', { name: 'Used', body: '<Response/>' })).body
  await tab.go(`documents/${uuid}`)
  await page.getByText('Used by: nothing yet').waitFor()
  await account.api('POST', '/numbers/configure', { uuid: account.numberUuid, webhook_urls: { voice_inbound: url } })
  await tab.go('documents')
  await page.locator('td[data-head="Used by"] a').first().waitFor()
  await tab.go(`documents/${uuid}`)
  await page.locator('.lead a', { hasText: '+254' }).waitFor()
  await tab.press('Delete')
  assert.match((await page.textContent('dialog')) ?? '', /use it: their calls will fail/)
  await page.keyboard.press('Escape')
  // Where calls go is chosen by the name of a document, or typed.
  await tab.go('numbers')
  await tab.press('Change')
  const chosen = page.getByLabel('Inbound calls', { exact: true })
  assert.is(await chosen.inputValue(), uuid)
  await chosen.selectOption({ label: 'A URL of your server…' })
  await page.getByLabel('Inbound calls: URL').fill('https://voice.test/inbound')
  await page.locator('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('https://voice.test/inbound').waitFor()
  await tab.press('Change')
  await chosen.selectOption({ label: 'Document “Used”' })
  await page.locator('dialog').getByRole('button', { name: 'Save' }).click()
  await page.locator('td').getByRole('link', { name: 'Used' }).waitFor()
  const { body: numbers } = await account.api('GET', '/numbers/')
  assert.is(numbers[0].webhook_urls.voice_inbound, url)
  // From the number back to the document.
  await tab.go('numbers')
  await page.getByRole('link', { name: 'Used' }).click()
  await page.waitForURL(new RegExp(`documents/${uuid}`))
})

details('the code of every event stands whole', async () => {
  await tab.go('events')
  await tab.page.locator('.timeline.codes summary > .badge').first().waitFor()
  const cut = await tab.page.evaluate(`${JSON.stringify(Object.keys(eventCatalogue))}.filter(code => {
    const badge = document.querySelector('.timeline.codes summary > .badge')
    badge.textContent = code
    return badge.scrollWidth > badge.clientWidth
  })`)
  assert.equal(cut, [])
})

details('messages between the parties are read out with their sides, in Kiswahili too', async () => {
  const { page } = tab
  const messages = page.locator('#ladder li button')
  const names = async () => {
    await messages.first().waitFor()
    return messages.evaluateAll(all =>
      all
        .slice(0, 2)
        .map(it => it.getAttribute('aria-label'))
        .join('; '),
    )
  }
  await tab.go(`calls/${filling.call}`)
  assert.match(await names(), /^0\.00 s, from A: INVITE [^;]*; [\d.]+ s, to A: 100 Trying$/)
  await page.evaluate(`localStorage.setItem('language', 'sw')`)
  await page.reload()
  await tab.settled()
  assert.match(await names(), /^s 0\.00, kutoka A: INVITE [^;]*; s [\d.]+, kwenda A: 100 Trying$/)
  await page.evaluate(`localStorage.setItem('language', 'en')`)
  await page.reload()
})

details('a message of the ladder is read at its arrow, by mouse and by keys, and stays open with reload', async () => {
  const { page } = tab
  const text = page.locator('dialog pre')
  await tab.go(`calls/${filling.call}`)
  await page.locator('#ladder li button').first().click()
  assert.match((await text.textContent()) ?? '', /^INVITE sip:[\s\S]*\nCSeq: /)
  await page.locator('dialog').getByRole('button', { name: 'Later', exact: true }).click()
  await page.locator('dialog pre', { hasText: 'SIP/2.0 100 Trying' }).waitFor()
  assert.match(page.url(), /message=\d/)
  await page.reload()
  await page.locator('dialog pre', { hasText: 'SIP/2.0 100 Trying' }).waitFor()
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'detached' })
  assert.not.match(page.url(), /message=/)
  await page.locator('#ladder li button').first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('dialog pre', { hasText: 'SIP/2.0 180 Ringing' }).waitFor()
  await page.keyboard.press('Escape')
})

details('a callback is sent again: what was answered is told over its dialog, which stays with reload', async () => {
  const { page } = tab
  const { account, customer } = bed.bed
  const path = '/answers-badly'
  await account.webhook(
    'status',
    customer.on(path, (_post, response) => response.writeHead(500).end('locked')),
  )
  await tab.go('webhooks')
  await page.locator('tbody tr').first().locator('.lines').first().click()
  await page.locator('dialog h3', { hasText: 'Response' }).waitFor()
  assert.match(page.url(), /delivery=\d/)
  await page.reload()
  const dialog = page.locator('dialog')
  await dialog.getByText(/^Tries: 1$/).waitFor()
  const answered = page.waitForResponse(/deliveries\/resend/)
  await dialog.getByRole('button', { name: 'Send again', exact: true }).click()
  await answered
  // It is tried again in half a minute; by then the server is mended.
  const told = page.locator('.notices p').last()
  await told.getByText('No good answer so far.').waitFor({ timeout: 15_000 })
  const isOpen = await page.evaluate<boolean>(`document.querySelector('.notices').matches(':popover-open')`)
  const { y = 0, height = 0 } = (await told.boundingBox()) ?? {}
  assert.ok(isOpen && y > 450 && y + height <= 900, 'above the dialog, at the foot of the window')
  await account.webhook(
    'status',
    customer.on('/answers', (_post, response) => response.writeHead(202).end()),
  )
  await dialog.getByRole('button', { name: 'Send again', exact: true }).click()
  await page.getByText('Delivered: the answer was 202.').waitFor({ timeout: 15_000 })
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'detached' })
  assert.not.match(page.url(), /delivery=/)
})

details(
  'home leads to the calls that it counts, a row of a table where its link does, and tabs have names',
  async () => {
    const { page } = tab
    await tab.go('')
    const tile = page.locator('a.tile', { hasText: 'Calls in 24 hours' })
    const counted = Number(await tile.locator('b').textContent())
    await tile.click()
    await page.locator('.call-link').first().waitFor()
    assert.is(await page.getByLabel('Period').inputValue(), 'day')
    assert.is(await page.locator('tbody tr').count(), Math.min(50, counted))
    assert.is(await page.title(), 'Calls – Sauti')
    await page.locator('tbody tr').first().locator('td').last().click()
    await page.locator('.outcome').waitFor()
    await page.waitForFunction(`/^\\+254 .* → .* – Sauti$/.test(document.title)`)
  },
)

details('an operator finds an account by its name and a number by its digits, and sees whose it is', async () => {
  const { page } = tab
  const { account, on } = bed.bed
  expectStatus(await on.operator('PATCH', `/accounts/${account.uuid}`, { name: 'Mama Mboga Deliveries' }), 200)
  await BedAccount.make(on)
  await tab.go('operator/accounts')
  await page.locator('main input[type=search]').pressSequentially('mboga')
  await until('one account', async () => (await page.locator('tbody tr').count()) === 1)
  await page.reload()
  await tab.settled()
  assert.is(await page.locator('main input[type=search]').inputValue(), 'mboga')
  await page.locator('tbody tr td').last().click()
  await page.getByRole('heading', { level: 1, name: 'Mama Mboga Deliveries' }).waitFor()
  await tab.go(`operator/pool?search=${account.number.slice(4)}`)
  await until('one number', async () => (await page.locator('tbody tr').count()) === 1)
  await page.locator('td').getByRole('link', { name: 'Mama Mboga Deliveries' }).waitFor()
  await tab.go('recordings')
  assert.match((await page.locator('tbody td').first().textContent()) ?? '', /\+254 722 000 111 → \+254.*CA01/)
})

details('a test call of an account whose phones cannot call out rings its phone, and one press lets them', async () => {
  const { page } = tab
  const account = await BedAccount.make(bed.bed.on)
  await makeUser(account, 'Amina')
  await account.hosts('voice_inbound', '<Pause length="60"/>')
  const signIn = async (key: string) => {
    const headers = { origin: bed.base }
    const answer = await page.context().request.post(`${bed.base}/portal/session`, { data: { key }, headers })
    assert.is(answer.status(), 201)
    await page.goto('about:blank')
  }
  await signIn(account.key)
  await tab.go('numbers')
  await tab.press('Test call')
  const ringing = await until(
    'a call to the phone',
    async () => (await account.api('GET', '/calls/')).body.calls[0],
    15_000,
  )
  assert.equal([ringing.from_number, ringing.status === 'failed'], [account.number, false])
  await page.getByText('Answer your phone', { exact: false }).waitFor()
  await account.api('POST', '/calls/hangup', { sid: ringing.sid })
  await tab.go('webhooks')
  await tab.press('Let phones call out')
  const { body: settings } = await until('the webhook', async () => {
    const answer = await account.api('GET', '/account/webhooks')
    return answer.body.endpoints.voice_outbound === '' ? undefined : answer
  })
  const made = (await account.api('GET', '/documents/')).body.documents[0]
  assert.is(made.url, settings.endpoints.voice_outbound)
  assert.equal([made.problems, /<Number>\{\{To\}\}<\/Number>/.test(made.body)], [[], true])
  await page.getByRole('button', { name: 'Let phones call out' }).waitFor({ state: 'detached' })
  await signIn(bed.bed.account.key)
})

details('a row of a list has its words at the left and its figure at the right, in one line', async () => {
  const { page } = tab
  await tab.go('')
  const [words, figure, row] = await Promise.all(
    ['.reasons li a', '.reasons li .figure', '.reasons li'].map(each => page.locator(each).first().boundingBox()),
  )
  assert.ok(words && figure && row)
  assert.ok(Math.abs(words.x - row.x) < 2, `${words.x} and ${row.x}`)
  assert.ok(Math.abs(figure.x + figure.width - row.x - row.width) < 2)
  assert.ok(Math.abs(words.y - figure.y) < 8)
})

details('documents are found by a part of their name once there are many', async () => {
  const { page } = tab
  for (let at = 0; at < 12; at++)
    await bed.bed.account.api('POST', '/documents/', { name: `Menu ${at}`, body: '<Response/>' })
  await tab.go('documents')
  await page.locator('main input[type=search]').fill('menu 11')
  await until('one of them', async () => (await page.locator('tbody tr').count()) === 1)
  await page.reload()
  await tab.settled()
  assert.is(await page.locator('tbody tr').count(), 1)
  await page.locator('main input[type=search]').fill('no such name')
  await page.getByText('No document matches.').waitFor()
})

details('people are found by a part of their name once there are many', async () => {
  const { page } = tab
  const { account } = bed.bed
  for (let at = 0; at < 60; at++)
    await account.api('POST', '/users/create', { email: `person${at}@example.com`, display_name: `Person ${at}` })
  await tab.go('people')
  await until('a page of them', async () => (await page.locator('[data-head=Registered]').count()) === 50)
  await page.locator('main input[type=search]').fill('person 59')
  await until('one of them', async () => (await page.locator('[data-head=Registered]').count()) === 1)
  await page.reload()
  await tab.settled()
  assert.is(await page.locator('[data-head=Registered]').count(), 1)
})

details.run()
