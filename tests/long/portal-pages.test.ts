import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PortalBed, type PortalTab } from '../rig/beds/portal-bed.ts'
import { type Filling, fill } from '../rig/beds/portal-filling.ts'
import { SipWriter } from '../rig/peers/sip-writer.ts'
import { until } from '../rig/probes/wait.ts'

// What single pages of the portal and the console do in a browser: plots follow the window, filters take what the API
// takes, lists lead to their oldest entry, a call shows its documents, the console shows its state and what changed.
const pages = suite('portal: pages')

let bed: PortalBed
let tab: PortalTab
let filling: Filling

pages.before(async () => {
  bed = await PortalBed.open({ prefixes: ['+254'] })
  tab = await bed.tab()
  filling = await fill(bed.bed)
})

pages.after(async () => {
  await bed?.close()
})

const press = (name: string) => tab.page.getByRole('button', { name, exact: true }).first().click()

pages(
  'home opens by one answer, which the page itself asks for; another page takes no old figures to home',
  async () => {
    const { page } = tab
    const asked: string[] = []
    const note = (request: { url(): string; resourceType(): string }) => {
      const { pathname, search } = new URL(request.url())
      if (request.resourceType() !== 'document') asked.push(pathname + search)
    }
    await page.goto('about:blank')
    page.on('request', note)
    await tab.go('')
    await page.waitForSelector('.tiles')
    const figures = asked.filter(url => /session|overview/.test(url))
    assert.equal(figures, ['/portal/session?with=overview'])
    // The zone of all times comes after the page.
    await page.waitForFunction("document.querySelector('.zone')?.textContent !== ''")
    await page.goto('about:blank')
    await tab.go('keys')
    asked.length = 0
    await page.waitForTimeout(2500)
    await page.evaluate("location.hash = '#/'")
    await page.waitForSelector('.tiles')
    assert.ok(asked.includes('/account/overview'), `${asked}`)
    page.off('request', note)
  },
)

/** In the page: of each plot, how many pixels a unit of its drawing has, and the height of its words. */
const scales = `[...document.querySelectorAll('.plot svg')].map(it => ({
  unit: it.getBoundingClientRect().width / it.viewBox.baseVal.width,
  room: it.getBoundingClientRect().width / it.closest('.card').clientWidth,
  word: parseFloat(getComputedStyle(it.querySelector('.tick')).fontSize) }))`
interface Scale {
  readonly unit: number
  readonly room: number
  readonly word: number
}

pages('a plot fills its card and keeps the size of its words when the window changes', async () => {
  await tab.go('')
  for (const width of [1440, 360, 768, 1920]) {
    await tab.page.setViewportSize({ width, height: 900 })
    await until(`plots of ${width} px`, async () => {
      const found = await tab.page.evaluate<Scale[]>(scales)
      return found.length > 0 && found.every(({ unit, room }) => Math.abs(unit - 1) < 0.02 && room > 0.7)
    })
    for (const { word } of await tab.page.evaluate<Scale[]>(scales)) assert.ok(word >= 12, `${word} px`)
  }
  await tab.page.setViewportSize({ width: 1280, height: 900 })
})

/** In the page: by series, the colours of its line, of its dots and of its place in the legend. */
const colours = `[...document.querySelectorAll('.plot')].flatMap(plot => {
  const legend = [...plot.querySelectorAll('figcaption .dot')].map(it => getComputedStyle(it).backgroundColor)
  return [...plot.querySelectorAll('svg g:has(path)')].map((group, at) => ({
    legend: legend[at],
    line: getComputedStyle(group.querySelector('path')).stroke,
    dots: [...group.querySelectorAll('circle')].map(it => getComputedStyle(it).fill),
  }))
})`

pages('a series has one colour: its line, its dots and its place in the legend', async () => {
  await tab.go(`calls/${filling.call}`)
  await tab.page.waitForSelector('.plot path[d^=M]', { state: 'attached' })
  const found =
    await tab.page.evaluate<{ readonly legend: string; readonly line: string; readonly dots: string[] }[]>(colours)
  assert.ok(found.length >= 4, `${found.length}`)
  for (const { legend, line, dots } of found) {
    assert.is(line, legend)
    assert.not.match(line, /^none$|rgb\(0, 0, 0\)|rgba\(.*, 0\)$/)
    for (const dot of dots) assert.is(dot, legend)
  }
})

pages('calls are filtered by every reason of the API, and the choice shows it', async () => {
  const { page } = tab
  const { calls } = (await bed.bed.account.api('GET', '/calls/')).body
  const failed = calls.find(({ uuid }: { readonly uuid: string }) => uuid === filling.failed)
  for (const [reason, seen] of [
    [failed.reason_code, true],
    ['END.5410', false],
    ['END.1401', false],
  ] as const) {
    await tab.go(`calls?reason=${reason}`)
    assert.is(await page.getByLabel('Reason').inputValue(), reason)
    assert.is((await page.locator('.call-link').count()) > 0, seen, reason)
  }
  assert.match((await page.textContent('.empty')) ?? '', /No call matches these filters/)
  // Home leads there.
  await tab.go('')
  await page.locator('.reasons a').first().click()
  await page.waitForURL(/reason=END/)
  await page.locator('.call-link').first().waitFor()
  assert.not.equal(await page.getByLabel('Reason').inputValue(), '')
})

const lines = (page: Page) => page.locator('.ran[open] .line')

pages('the page of a finished call shows its documents, what ran of them and why one failed', async () => {
  const { page } = tab
  await tab.go(`calls/${filling.call}`)
  await page.waitForSelector('.ran')
  assert.match((await lines(page).allTextContents()).join('\n'), /<RecordSession\/><Play asset="welcome"\/>/)
  const ran = await page.locator('.ran[open] mark').allTextContents()
  assert.equal(ran.slice(0, 2), ['<RecordSession/>', '<Play asset="welcome"/>'])
  assert.is(await page.locator('mark[aria-current]').count(), 0)
  await page.getByRole('link', { name: 'Open in the editor' }).click()
  await page.waitForURL(new RegExp(`documents/${filling.document}`))
  // Its webhook answered 500, and the fallback ran.
  const { calls } = (await bed.bed.account.api('GET', '/calls/?status=completed')).body
  await tab.go(`calls/${calls[0].uuid}`)
  await page.waitForSelector('.ran')
  assert.match((await page.textContent('.ran')) ?? '', /failed after \d+ ms.*500/)
})

pages('the page of a call does not wait for the recorder', async () => {
  const page = await tab.page.context().newPage()
  let answer = () => {}
  await page.route(/\/calls\/[^/]+\/trace/, async route => {
    await new Promise<void>(resolve => {
      answer = resolve
    })
    await route.fallback()
  })
  await page.goto(`${bed.base}/#/calls/${filling.failed}`)
  await page.locator('h1', { hasText: '+254' }).waitFor()
  assert.is(await page.locator('.timeline li').count(), 0)
  assert.is(await page.locator('.outcome').count(), 0, 'no reason is shown that is not the whole one')
  answer()
  await page.locator('.timeline li').first().waitFor()
  await page.locator('.outcome').waitFor()
  await page.close()
})

pages('a mistake in a document stands at its line', async () => {
  const { account } = bed.bed
  const { page } = tab
  const body = '<Response>\n  <Say>Hello</Say>\n  <Shout/>\n  <Hangup/>\n</Response>'
  const { url } = (await account.api('POST', '/documents/', { name: 'With a mistake', body })).body
  await account.webhook('voice_inbound', url)
  const peer = await SipWriter.open(bed.bed.carrierPort, bed.bed.on.sipPort)
  await peer.call({ to: account.number, from: '<sip:+254722000333@127.0.0.1>' })
  peer.close()
  const made = await until('the call', async () => {
    const { body: found } = await account.api('GET', '/calls/?search=254722000333')
    return found.calls.find((call: { readonly ended_at: unknown }) => call.ended_at !== null)
  })
  await tab.go(`calls/${made.uuid}`)
  await page.waitForSelector('.ran .wrong')
  assert.is(await page.locator('.wrong').count(), 1)
  assert.match((await page.locator('.wrong').textContent()) ?? '', /^3 {2}<Shout\/>\s*Line 3, column 3: .*Shout/)
  assert.ok((await page.locator('mark').allTextContents()).includes('<Hangup/>'))
})

pages('events and deliveries lead to the oldest', async () => {
  const { account } = bed.bed
  const { page } = tab
  for (let place = 0; place < 60; place++) await account.api('POST', '/account/webhooks/test')
  await until('deliveries', async () => {
    const { body } = await account.api('GET', '/account/webhooks/deliveries?limit=100')
    return body.length > 60
  })
  for (const [path, rows] of [
    ['events', '.timeline li'],
    ['webhooks', 'tbody tr'],
  ] as const) {
    await tab.go(path)
    await page.locator(rows).first().waitFor()
    let turns = 0
    while (await page.getByRole('button', { name: 'Older', exact: true }).isEnabled()) {
      const before = page.url()
      await press('Older')
      await page.waitForFunction(`location.href !== ${JSON.stringify(before)}`)
      await tab.settled()
      await page.locator(rows).first().waitFor()
      assert.ok(++turns < 20)
    }
    assert.ok(turns > 0, path)
    const oldest = path === 'events' ? '/events/?limit=200' : '/account/webhooks/deliveries?limit=100'
    const last = (await account.api('GET', oldest)).body.at(-1)
    assert.match((await page.locator(rows).last().textContent()) ?? '', new RegExp(last.code))
    await page.reload()
    await tab.settled()
    assert.match(page.url(), /before=/)
    await press('Newest')
    await until('the newest', () => page.getByRole('button', { name: 'Newest', exact: true }).isDisabled())
    assert.not.match(page.url(), /before=/)
  }
})

pages('the console shows whether calls are taken, and only what changes that', async () => {
  const { page } = tab
  await tab.go('operator')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.getByText('Taking calls', { exact: true }).waitFor()
  assert.is(await button('Take calls again').count(), 0)
  await press('Drain')
  await page.locator('dialog').getByRole('button', { name: 'Drain', exact: true }).click()
  await page.getByText(/^Draining: no new calls, \d+ live$/).waitFor()
  await until('one button', async () => (await button('Drain').count()) === 0)
  await page.reload()
  await page.getByText(/^Draining/).waitFor()
  await press('Take calls again')
  await page.getByText('Taking calls', { exact: true }).waitFor()
  assert.is(await button('Drain').count(), 1)
})

pages('the audit log names the fields that changed, with both values', async () => {
  const { on, account } = bed.bed
  const { page } = tab
  await on.operator('PATCH', `/accounts/${account.uuid}`, { max_concurrent_calls: 77 })
  await on.operator('PUT', '/destinations', { blocked: ['+254900', '+882'], allowed: [] })
  await tab.go('operator/changes')
  const row = (text: string) => page.locator('.timeline > li').filter({ hasText: text }).first()
  assert.match((await row('/operator/destinations').textContent()) ?? '', /blocked/)
  const limit = row(`/operator/accounts/${account.uuid}`)
  assert.match((await limit.locator('summary').first().textContent()) ?? '', /max_concurrent_calls/)
  await limit.locator('summary').first().click()
  const cells = await limit.locator('tbody tr').first().locator('td').allTextContents()
  assert.equal([cells[0], cells[2]], ['max_concurrent_calls', '77'])
  await row('/operator/destinations').locator('summary').first().click()
  assert.equal(await row('/operator/destinations').locator('ins').allTextContents(), ['+882'])
})

pages('a page in Kiswahili is never English before, and is English where its texts do not come', async () => {
  const other = await bed.tab({ locale: 'sw-KE' })
  const { page } = other
  await page.addInitScript(`globalThis.titles = []
    new MutationObserver(() => {
      for (const it of document.querySelectorAll('nav li:first-child, .waiting')) titles.push(it.textContent)
    }).observe(document, { childList: true, subtree: true, characterData: true })`)
  const shown = () => page.evaluate<string[]>(`[document.documentElement.lang, ...new Set(titles)].slice(0, 4)`)
  await other.go('')
  const [spoken, ...titles] = await shown()
  assert.is(spoken, 'sw')
  assert.ok(titles.includes('Mwanzo'), `${titles}`)
  assert.not.match(`${titles}`, /Home|moment|Loading|Wait/)
  // They come when the language is chosen, without another load of the page.
  await page.evaluate(`localStorage.setItem('language', 'en')`)
  await page.reload()
  await other.settled()
  const heading = () => page.locator('h1').textContent()
  assert.is(await heading(), 'Home')
  assert.equal(
    await page.evaluate(`performance.getEntriesByType('resource').filter(it => /kiswahili/.test(it.name)).length`),
    0,
  )
  const choice = page.getByRole('combobox', { name: 'Language' }).first()
  await choice.selectOption('sw')
  await until('Kiswahili', async () => (await heading()) === 'Mwanzo')
  assert.is((await shown())[0], 'sw')
  // The switch was replaced by another version meanwhile.
  await page.route(/kiswahili-/, route => route.abort())
  await page.reload()
  await other.settled()
  assert.equal([await heading(), (await shown())[0]], ['Home', 'en'])
  assert.equal(other.complaints, [])
  await page.context().close()
})

pages('in Kiswahili, kinds, choices and legends are Kiswahili', async () => {
  const { page } = tab
  await page.evaluate(`localStorage.setItem('language', 'sw')`)
  await page.reload()
  await tab.go(`calls/${filling.call}`)
  await page.waitForSelector('.timeline li')
  const kinds = await page.locator('.chips button').allTextContents()
  for (const english of ['Document', 'Verb', 'Money', 'Call', 'Recording'])
    assert.not.ok(kinds.includes(english), english)
  await tab.go(`documents/${filling.document}`)
  await page.waitForSelector('.editor')
  const choices = await page.getByLabel('Anayepigiwa').locator('option').allTextContents()
  assert.not.match(choices.join(), /answer|busy|declined/i)
  await page.evaluate(`localStorage.removeItem('language')`)
  await page.reload()
})

pages('in Kiswahili, what the switch writes is Kiswahili, and what has no text is marked as English', async () => {
  const { page } = tab
  await page.evaluate(`localStorage.setItem('language', 'sw')`)
  await page.reload()
  // The checker's problems, below the editor and in its panel.
  await tab.go(`documents/${filling.document}`)
  await page.waitForSelector('.editor')
  const content = page.locator('.cm-content')
  await content.click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('<Response>\n  <Shout/>\n  <Say loop="many">Karibu</Say>\n</Response>')
  await page.locator('.found li').nth(1).waitFor()
  assert.equal(await page.locator('.found li').allTextContents(), [
    'Mstari 2, safu 3 DOC.0422 "Shout" si amri; inarukwa',
    'Mstari 3, safu 3 DOC.0422 <Say> loop="many": lazima iwe namba kamili kutoka 0 hadi 1000',
  ])
  assert.is(await page.locator('.found [lang=en]').count(), 0)
  await page.locator('.cm-lintRange').first().hover()
  const tip = page.locator('.cm-tooltip-lint')
  await tip.waitFor()
  assert.match((await tip.textContent()) ?? '', /si amri/)
  // What completion says of a verb.
  await content.click()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('<Response><Pa')
  await page.locator('.cm-completionInfo').filter({ hasText: 'Husubiri kimya' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('<Response/>')
  // Refusals: of a field, with a sentence, and one that no list holds.
  const refused = async (status: number, json: object) => {
    await page.route(/\/keys\/create/, route => route.fulfill({ status, json }))
    await tab.go('keys')
    await press('Ufunguo mpya')
    await page.locator('dialog input').first().fill('x')
    await page.locator('dialog form .button.main').click()
    const notice = page.locator('.notices .bad').last()
    await notice.waitFor()
    const shown = [await notice.textContent(), await notice.locator('[lang=en]').count()]
    await page.unrouteAll()
    await page.reload()
    return shown
  }
  const message = 'must be one line of 1 to 200 characters'
  assert.equal(await refused(422, { detail: `name: ${message}`, errors: [{ field: 'name', message }] }), [
    'name: lazima iwe mstari mmoja wa herufi 1 hadi 200',
    0,
  ])
  assert.equal(await refused(403, { detail: 'BILL.0403: the account is suspended.', code: 'BILL.0403' }), [
    'BILL.0403: akaunti imesimamishwa.',
    0,
  ])
  assert.equal(await refused(409, { detail: 'A sentence of tomorrow.' }), ['A sentence of tomorrow.', 1])
  // Events say what they report, and why a call ended.
  await tab.go('events?code=CALL.0400')
  const row = page.locator('.timeline > li').first()
  assert.match((await row.locator('summary').textContent()) ?? '', /Simu imeisha bila kujibiwa call\.failed/)
  await row.locator('summary').click()
  assert.match((await row.locator('p').first().textContent()) ?? '', /^\p{L}[\p{L} ]+ END\.\d{4}$/u)
  await page.evaluate(`localStorage.removeItem('language')`)
  await page.reload()
})

pages('a session that ended says so, and goes on where one was', async () => {
  const context = await bed.browser.newContext()
  await bed.signIn(context)
  const page = await context.newPage()
  await page.goto(`${bed.base}/#/numbers`)
  await page.waitForSelector('table')
  await context.clearCookies()
  await page.getByRole('link', { name: 'Wallet' }).click()
  await page.waitForSelector('form input[name=key]')
  assert.match((await page.textContent('[role=alert]')) ?? '', /Your session has ended/)
  await page.fill('input[name=key]', bed.bed.account.key)
  await page.keyboard.press('Enter')
  await page.waitForSelector('.tiles')
  assert.is(await page.textContent('main h1'), 'Wallet')
  await context.close()
})

pages('what could not be had is asked for again: a list by a button, the live stream by itself', async () => {
  const page = await tab.page.context().newPage()
  const refused = { list: 0, stream: 0 }
  await page.route(/\/calls\/\?/, route => (refused.list++ === 0 ? route.abort() : route.fallback()))
  await page.route(/\/stream\/token/, route => (refused.stream++ === 0 ? route.abort() : route.fallback()))
  await page.goto(`${bed.base}/#/calls`)
  await page.getByText('The service did not answer', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.call-link').first().waitFor()
  assert.is(await page.locator('[role=alert]').count(), 0)
  await page.evaluate(`location.hash = '#/events'`)
  await page.locator('.lead .badge.live').waitFor()
  assert.ok(refused.stream > 1)
  await page.close()
})

pages('a page whose script comes late does not take the place of the one that is open by then', async () => {
  const page = await tab.page.context().newPage()
  const script = /\/portal\/keys-/
  const held = Promise.withResolvers<void>()
  await page.route(script, async route => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${bed.base}/#/keys`)
  await page.locator('main .waiting').waitFor()
  await page.evaluate(`location.hash = '#/numbers'`)
  await page.locator('main h1').waitFor()
  const came = page.waitForResponse(script)
  held.resolve()
  const url = (await came).url()
  // By then the page has it, too, and has had a frame to show it.
  await page.evaluate(`import(${JSON.stringify(url)}).then(() => new Promise(requestAnimationFrame))`)
  await page.evaluate('new Promise(requestAnimationFrame)')
  assert.is(await page.textContent('main h1'), 'Numbers')
  await page.close()
})

pages('what was typed into a document is there again after another page was looked at', async () => {
  const { page } = tab
  await tab.go(`documents/${filling.document}`)
  await page.getByLabel('Name').waitFor()
  await page.getByLabel('Name').fill('Reception, renamed')
  await tab.go('numbers')
  await tab.go(`documents/${filling.document}`)
  await until('the name', async () => (await page.getByLabel('Name').inputValue()) === 'Reception, renamed')
  await press('Save')
  await page.getByRole('heading', { name: 'Reception, renamed' }).waitFor()
  await tab.go('numbers')
  await tab.go(`documents/${filling.document}`)
  await until('the name', async () => (await page.getByLabel('Name').inputValue()) === 'Reception, renamed')
  assert.is(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true)
})

pages('revisions stand beside each other where there is room, one over the other on a phone', async () => {
  const { account } = bed.bed
  const { page } = tab
  const bodyOf = (text: string) => `<Response>\n  <Say>${text}</Say>\n  <Hangup/>\n</Response>`
  const { uuid } = (await account.api('POST', '/documents/', { name: 'Twice', body: bodyOf('Hello') })).body
  await account.api('PUT', `/documents/${uuid}`, { name: 'Twice', body: bodyOf('Good morning') })
  for (const [width, beside, over] of [
    [1280, 2, 0],
    [360, 0, 1],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await tab.go(`documents/${uuid}`)
    await press('Revisions')
    const diff = page.locator('dialog .diff')
    await diff.locator('.cm-content', { hasText: 'Good morning' }).waitFor()
    assert.is(await diff.locator('.cm-mergeViewEditor').count(), beside)
    assert.is(await diff.locator('.cm-deletedChunk', { hasText: 'Hello' }).count(), over)
    const text = await diff.locator('.cm-content').last().boundingBox()
    assert.ok(text !== null && text.width > 0.6 * Math.min(width, 480), `${text?.width} px for the text`)
    await page.keyboard.press('Escape')
  }
  await page.setViewportSize({ width: 1280, height: 900 })
})

pages.run()
