import type { Browser, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { launchChromium } from '../rig/peers/chromium.ts'
import { until } from '../rig/probes/wait.ts'

// The explorer in a real browser.
const explorer = suite('explorer in Chromium')

let on: SwitchProcess
let account: BedAccount
let browser: Browser

explorer.before(async () => {
  requirePeers('chromium')
  on = await SwitchProcess.start()
  account = await BedAccount.make(on)
  browser = await launchChromium()
})

explorer.after(async () => {
  await browser?.close()
  await on?.close()
})

/** The page, and everything that it ever asked for or complained of. */
async function open(): Promise<{ page: Page; asked: string[]; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } })
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', request => asked.push(request.url()))
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', fault => complaints.push(fault.message))
  await page.goto(`${on.baseUrl}/docs`)
  await page.waitForSelector('details.operation')
  return { page, asked, complaints }
}

explorer('a key, GET /account/, the answer; nothing leaves this origin', async () => {
  const { page, asked, complaints } = await open()
  await page.fill('#api-key', account.key)
  await page.click('#get-account > summary')
  await page.click('#get-account button[type=submit]')
  await page.waitForSelector('#get-account .result pre')
  assert.is(await page.textContent('#get-account .result b'), '200 OK')
  const shown = JSON.parse((await page.textContent('#get-account .result pre')) ?? '')
  assert.equal(shown, { uuid: account.uuid, name: 'Rig', wallet_balance: '1000.00', status: 'active' })
  assert.equal(
    asked.filter(url => !url.startsWith(`${on.baseUrl}/`) && !url.startsWith('data:')),
    [],
  )
  assert.ok(asked.every(url => !url.includes(account.key)))
  assert.equal(complaints, [])
  assert.equal(await page.context().cookies(), [])
  await page.close()
})

explorer('a path parameter, a query, a body, a refusal, and the key stays out of curl', async () => {
  const { page } = await open()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.fill('#api-key', account.key)

  await page.click('#get-calls > summary')
  await page.fill('#get-calls-limit', '7')
  await page.click('#get-calls button[type=submit]')
  await page.waitForSelector('#get-calls .result pre')
  assert.is(JSON.parse((await page.textContent('#get-calls .result pre')) ?? '').limit, 7)

  await page.click('#get-calls-uuid > summary')
  await page.fill('#get-calls-uuid-uuid', 'a/b')
  await page.click('#get-calls-uuid button[type=submit]')
  await page.waitForSelector('#get-calls-uuid .result pre')
  assert.is(await page.textContent('#get-calls-uuid .result b'), '404 Not Found')

  await page.click('#post-users-create > summary')
  await page.fill('#post-users-create textarea', '{ "email": "amina@example.com", "display_name": "<b>Amina</b>" }')
  await page.click('#post-users-create button[type=submit]')
  await page.waitForSelector('#post-users-create .result pre')
  assert.is(await page.textContent('#post-users-create .result b'), '201 Created')
  assert.is(await page.locator('#post-users-create .result pre b').count(), 0, 'an answer is text, never markup')

  await page.click('#post-users-create button.plain')
  const copied = await until('the clipboard', () => page.evaluate('navigator.clipboard.readText()'))
  assert.match(String(copied), /^curl -X POST 'http:\/\/127\.0\.0\.1:\d+\/users\/create'/)
  assert.not.ok(String(copied).includes(account.key))
  await page.close()
})

explorer('search finds an endpoint, an address opens it, a narrow screen needs no sideways scrolling', async () => {
  const { page } = await open()
  await page.fill('#search', 'originate')
  assert.is(await page.locator('details.operation:visible').count(), 1)
  await page.goto(`${on.baseUrl}/docs/#post-calls-originate`)
  await page.reload()
  await page.waitForSelector('#post-calls-originate[open] textarea')
  await page.setViewportSize({ width: 390, height: 844 })
  const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
  assert.equal(widths, [390, 390])
  await page.close()
})

explorer(
  'keys are in no storage, and a hosted document with a script runs nothing in the tab that used them',
  async () => {
    const { page } = await open()
    await page.fill('#api-key', account.key)
    await page.fill('#operator-key', on.operatorKey)
    await page.click('#get-account > summary')
    await page.click('#get-account button[type=submit]')
    await page.waitForSelector('#get-account .result pre')
    const stored = await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])')
    assert.equal(JSON.parse(String(stored)), [{}, {}, ''])

    const made = await account.document(
      '<html xmlns="http://www.w3.org/1999/xhtml"><script>document.documentElement.setAttribute("ran", "script")</script>' +
        '<img src="nowhere" onerror="document.documentElement.setAttribute(\'ran\', \'handler\')"/></html>',
    )
    const answer = await page.goto(made)
    const headers = answer?.headers() ?? {}
    assert.is(headers['content-security-policy'], "sandbox; default-src 'none'")
    assert.is(headers['x-content-type-options'], 'nosniff')
    assert.is(headers['cross-origin-resource-policy'], 'same-origin')
    assert.is(headers['content-type'], 'application/xml; charset=utf-8')
    await page.waitForLoadState('networkidle')
    assert.is(await page.evaluate('document.documentElement.getAttribute("ran")'), null)
    await page.goBack()
    await page.waitForSelector('details.operation')
    await page.close()
  },
)

explorer.run()
