import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { requirePeers } from '../rig/beds/debian.ts'
import { consolePages, customerPages } from '../rig/beds/portal-bed.ts'
import { launchChromium } from '../rig/peers/chromium.ts'
import { ownAddress } from '../rig/probes/own-address.ts'
import { freePort } from '../rig/probes/ports.ts'
import { until } from '../rig/probes/wait.ts'

// A customer in Chromium who has only the link that `npm start` prints: a document with a mistake, mended, simulated, given
// to a number, called from the phone in the page, seen live, and its page. Then hostile names on every page.
const portal = suite('portal: a customer with a link')

const root = new URL('../../', import.meta.url).pathname
const hostile = '"><img src=x onerror="globalThis.attacked=1"><script>globalThis.attacked=1</script>'

let folder: string
let child: ChildProcess
let browser: Browser
let page: Page
let link = ''
let consoleLink = ''
let output = ''
const complaints: string[] = []

portal.before(async () => {
  requirePeers('chromium')
  folder = mkdtempSync(join(tmpdir(), 'sauti-portal-'))
  const [http, sip] = [await freePort(), await freePort()]
  child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/start.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      SAUTI_DATA: folder,
      SAUTI_HTTP: `127.0.0.1:${http}`,
      SAUTI_PUBLIC_URL: `http://localhost:${http}`,
      SAUTI_SIP: `udp:127.0.0.1:${sip}`,
      SAUTI_EXTERNAL_ADDRESS: ownAddress(),
    },
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      output += chunk
    })
  await until('the links', () => /Console +\S+/.test(output), 30_000)
  link = /Portal +(\S+)/.exec(output)?.[1] ?? ''
  consoleLink = /Console +(\S+)/.exec(output)?.[1] ?? ''
  browser = await launchChromium()
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })).newPage()
  page.on('pageerror', fault => complaints.push(String(fault)))
  page.on('console', message => {
    // A script that the policy refused is one that an attacker tried to run; a style is one that is missing.
    if (/Content Security Policy|TrustedHTML|TrustedScript/.test(message.text())) complaints.push(message.text())
  })
})

portal.after(async () => {
  await browser?.close()
  child?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const go = async (path: string) => {
  await page.goto(`${new URL(link).origin}/#/${path}`)
  await page.waitForSelector('main h1')
}
const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()

portal('the link signs in once, and leaves the address', async () => {
  await page.goto(link)
  await page.waitForSelector('.tiles')
  assert.not.match(page.url(), /link=/)
  const stored = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie')
  assert.not.match(String(stored), /vk_|sauti_/)
  const other = await (await browser.newContext()).newPage()
  await other.goto(link)
  await other.waitForSelector('[role=alert]')
  await other.close()
})

portal('a document: mistake underlined, mended, simulated, given to a number, called, and its page', async () => {
  await go('documents')
  await press('New document')
  const editor = page.locator('.editor .cm-content')
  await editor.click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('<Response><Shout>Hello</Shout><Say>Hello there</Say><Pause length="8"/></Response>')
  await page.waitForSelector('.found li')
  await page.waitForSelector('.editor .cm-lintRange')
  assert.match((await page.textContent('.found')) ?? '', /Shout/)
  const found = await page.locator('.found li').first().boundingBox()
  assert.ok(found !== null && found.y + found.height <= 900, 'what is wrong is seen without scrolling')
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(
    '<Response><Say>Hello there</Say><Pause length="4"/><Pause length="3"/><Record maxLength="4" timeout="2"/></Response>',
  )
  await page.waitForSelector('.found .badge.good')
  await press('Save')
  await page.waitForSelector('.notices p')
  await press('Simulate')
  await page.waitForSelector('.course li')
  assert.match((await page.textContent('.course')) ?? '', /say "Hello there"[\s\S]*END\./)
  await press('Give to a number')
  await page.locator('dialog .button.main').click()
  await page.getByRole('button', { name: 'Test call', exact: true }).click()
  await go('calls')
  await page.waitForSelector('td .badge.live', { timeout: 20_000 })
  await page.locator('.call-link').first().click()
  // The mark moves with the call, also between verbs that raise no event.
  for (const verb of ['<Pause length="3"/>', '<Record'])
    await page.locator('mark[aria-current=step]', { hasText: verb }).waitFor({ timeout: 20_000 })
  await go('calls')
  await page.locator('td .badge.good').first().waitFor({ timeout: 30_000 })
  await page.locator('.call-link').first().click()
  await page.waitForSelector('.timeline li')
  await page.reload()
  await page.waitForSelector('.timeline li')
  assert.match((await page.textContent('main')) ?? '', /Cost explained[\s\S]*\d+ packets lost/)
  for (const plot of ['Loss and concealed gaps', 'Jitter and delay'])
    assert.ok((await page.getByRole('img', { name: plot }).count()) > 0, plot)
  assert.is(await page.locator('mark[aria-current=step]').count(), 0)
  assert.is(await page.locator('.outcome.good').count(), 1)
  // The phone's own call has dialled this one: it has the messages, and what calling cost.
  await page.locator('#ladder a', { hasText: 'Calls of' }).click()
  await page.locator('.call-link:has([title=Outbound])').click()
  await page.locator('#ladder svg').waitFor()
  assert.match(
    (await page.textContent('main')) ?? '',
    /\+254 700 000 101[\s\S]*Cost explained\+254 700 000 101\d+ s of talk/,
  )
})

portal('the filters stay with reload and back', async () => {
  await go('calls')
  await page.getByLabel('State').selectOption('failed')
  assert.match(page.url(), /status=failed/)
  await page.reload()
  await page.waitForSelector('main h1')
  assert.is(await page.getByLabel('State').inputValue(), 'failed')
  await page.goBack()
  assert.is(await page.getByLabel('State').inputValue(), '')
})

portal('names and bodies that would be scripts run nowhere', async () => {
  const key = /API key +(\S+)/.exec(output)?.[1] ?? ''
  const post = (path: string, body: object) =>
    fetch(`${new URL(link).origin}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'user-agent': hostile },
      body: JSON.stringify(body),
    })
  assert.is(
    (await post('/documents/', { name: hostile, body: `<Response><Say>${hostile}</Say></Response>` })).status,
    201,
  )
  assert.is((await post('/users/create', { email: 'x@example.com', display_name: hostile })).status, 201)
  assert.is((await post('/keys/create', { name: hostile.slice(0, 100) })).status, 201)
  assert.is((await post('/portal/session', { key })).status, 201)
  await page.goto(consoleLink)
  await page.waitForSelector('main h1')
  for (const path of [...customerPages, ...consolePages]) {
    await go(path)
    await page.waitForTimeout(150)
  }
  assert.is(await page.evaluate('globalThis.attacked'), undefined)
  assert.equal(complaints, [])
})

portal.run()
