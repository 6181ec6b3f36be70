import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PortalBed, type PortalTab } from '../rig/beds/portal-bed.ts'
import { PlainCaller } from '../rig/peers/plain-caller.ts'
import { sine } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// The page of a call whose trace has several pages: it shows the first at once, then the others, says how far it has come,
// goes on after an error, and follows the call while it is live without reading again what it has.
const portal = suite('portal: calls of many pages')

let bed: PortalBed
let tab: PortalTab
let caller: PlainCaller
let uuid = ''

/** Documents of a call: a page of the trace holds some thirty of this size. */
const rounds = 120
const filler = `<!--${'x'.repeat(60_000)}-->`
const last = '<Response><Pause length="600"/></Response>'

portal.before(async () => {
  bed = await PortalBed.open({ prefixes: ['+254'] })
  tab = await bed.tab()
  const { account, customer, on } = bed.bed
  await account.asset('tone', sine(440, 1.2))
  const url = customer.on('/rounds', (_post, response) => {
    const round = customer.to('/rounds').length
    // Fifty documents without a second of audio are a loop.
    const sound = round % 40 === 0 ? '<Play asset="tone"/>' : ''
    const redirect = `<Response>${filler}${sound}<Redirect>${customer.url('/rounds')}</Redirect></Response>`
    response.writeHead(200, { 'content-type': 'application/xml' }).end(round < rounds ? redirect : last)
  })
  await account.webhook('voice_inbound', url)
  caller = await PlainCaller.open({ sipPort: on.sipPort, to: account.number, from: '+254722000111' })
  await caller.invite({ address: '127.0.0.1', port: 9 })
  await customer.post('/rounds', rounds - 1, 30_000)
  uuid = (await account.call()).uuid
})

portal.after(async () => {
  caller?.close()
  await bed?.close()
})

/** The `after` of each request for the trace. */
async function asked(run: (after: number[]) => Promise<void>): Promise<void> {
  const after: number[] = []
  const note = (request: { url(): string }) => {
    const url = new URL(request.url())
    if (url.pathname.endsWith('/trace')) after.push(Number(url.searchParams.get('after') ?? 0))
  }
  tab.page.on('request', note)
  await run(after)
  tab.page.off('request', note)
}

portal('a live call is followed beyond the first page of its trace, from where it was read', async () => {
  const { page } = tab
  await asked(async after => {
    await tab.go(`calls/${uuid}`)
    await page.locator('mark[aria-current=step]', { hasText: '<Pause length="600"/>' }).waitFor()
    const read = after.length
    await until('another request', () => after.length > read, 15_000)
    assert.equal(
      after,
      after.toSorted((one, other) => one - other),
    )
    assert.is(after.filter(seq => seq === 0).length, 1, `${after}`)
  })
  assert.match((await page.locator('.ran').last().textContent()) ?? '', /Pause length="600"/)
  assert.is(await page.locator('.growing').count(), 0)
  await caller.bye()
  await page.locator('.outcome.good').waitFor()
  await page.getByText('completed: END.0200', { exact: false }).waitFor()
})

portal('the first page is shown at once, then the others with a sign of progress, also after an error', async () => {
  const { page } = tab
  let [turns, isFaulty] = [0, true]
  let answer = () => {}
  await page.route(/\/calls\/[^/]+\/trace\?after=[1-9]/, async route => {
    turns++
    if (turns === 1)
      await new Promise<void>(resolve => {
        answer = resolve
      })
    if (turns === 2 && isFaulty) await route.fulfill({ status: 429, json: { detail: 'Too many requests at once.' } })
    else await route.fallback()
  })
  await page.goto('about:blank')
  await tab.go(`calls/${uuid}`)
  const growing = page.locator('.growing')
  await growing.waitFor()
  assert.match((await growing.textContent()) ?? '', /Loading the rest: \d+ entries so far, up to \d+:\d\d\./)
  assert.is(await page.locator('.outcome.good').count(), 1, 'why it ended is known with the first page')
  assert.ok((await page.locator('.timeline li').count()) > 50)
  assert.is(await page.getByText('completed: END.0200', { exact: false }).count(), 0)
  answer()
  const trouble = page.locator('.trouble')
  await trouble.waitFor()
  assert.match((await trouble.textContent()) ?? '', /^Shown up to \d+:\d\d\. The rest .* Too many requests at once\./)
  assert.is(await growing.count(), 0)
  assert.ok((await page.locator('.timeline li').count()) > 50, 'what was read stays')
  isFaulty = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'End', exact: true }).first().click()
  await page.getByText('completed: END.0200', { exact: false }).waitFor()
  assert.is(await trouble.count(), 0)
  assert.match(page.url(), /part=\d/)
  const [, total = ''] = /of ([\d,]+)/.exec((await page.locator('.pager').first().textContent()) ?? '') ?? []
  let [entries, pages] = [0, 0]
  for (let [after, more] = [0, true]; more; pages++) {
    const { body } = await bed.bed.account.api('GET', `/calls/${uuid}/trace?after=${after}`)
    entries += body.entries.length
    after = body.last
    more = body.has_more
  }
  assert.ok(pages > 2, `${pages} pages`)
  assert.is(Number(total.replace(',', '')), entries)
  await page.unroute(/\/calls\/[^/]+\/trace\?after=[1-9]/)
})

portal('documents of a long call unfold in steps', async () => {
  const { page } = tab
  assert.is(await page.locator('.ran').count(), 20)
  await page.getByRole('button', { name: '100 earlier documents' }).click()
  assert.is(await page.locator('.ran').count(), 40)
  assert.is(await page.locator('.ran[open]').count(), 1)
})

portal.run()
