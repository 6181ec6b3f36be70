import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { beyond, consolePages, customerPages, PortalBed, PortalTab } from '../rig/beds/portal-bed.ts'
import { type Filling, fill } from '../rig/beds/portal-filling.ts'

// Every page of the portal and the console, empty and filled, with its dialogs, its faults and the phone, held against
// WCAG 2.2 A and AA and axe-core's best practices, wide and narrow, light and dark; and nothing lies beyond the edge.
const pages = suite('portal: accessibility')

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const wide = { width: 1280, height: 900 }
const narrow = { width: 360, height: 740 }
/** All rules twice; what a theme changes is contrast, and that is looked at once more. */
const looks = [
  [wide, 'light', ''],
  [narrow, 'dark', ''],
  [wide, 'dark', `runOnly: ['color-contrast'],`],
] as const

let bed: PortalBed
let tab: PortalTab
let filling: Filling
/** All of a test, reported at its end. */
const faults: string[] = []

pages.before(async () => {
  bed = await PortalBed.open({ prefixes: ['+254'] })
  tab = await bed.tab()
})

pages.before.each(() => {
  faults.length = 0
})

pages.after(async () => {
  await bed?.close()
})

/** Something that moves, though the reader asked for less motion. */
const moving = `document.getAnimations().map(it => String(it.effect?.target?.outerHTML).slice(0, 100))`

async function check(page: Page, state: string, all: readonly (typeof looks)[number][] = looks): Promise<void> {
  for (const [size, colorScheme, rules] of all) {
    const where = `${state}, ${size.width} px, ${colorScheme}`
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(`globalThis.axe === undefined && (0, eval)(${JSON.stringify(axe)})`).catch(() => {})
    if ((await page.evaluate('typeof globalThis.axe')) === 'undefined') await page.evaluate(axe)
    const found = await page.evaluate<string[]>(
      `axe.run(document, { ${rules} resultTypes: ['violations'], elementRef: false }).then(({ violations }) => violations.map(
        ({ id, nodes }) => id + ': ' + nodes.slice(0, 4).map(({ html, any, all }) => html.slice(0, 140) + ' ' + ((any[0] ?? all[0])?.message ?? '')).join(' | ')))`,
    )
    for (const [what, list] of [
      ['axe', found],
      ['beyond the edge', await page.evaluate<string[]>(beyond)],
      ['moves', await page.evaluate<string[]>(moving)],
      ['scrolls', (await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')) ? ['x'] : []],
    ] as const)
      for (const each of list) faults.push(`${where}: ${what}: ${each}`)
    await photographed(page, where)
  }
}

/** Where screenshots are written. */
async function photographed(_page: Page, _where: string): Promise<void> {}

pages('the sign-in, and a key that is none', async () => {
  const context = await bed.browser.newContext({ reducedMotion: 'reduce' })
  const { page } = new PortalTab(await context.newPage(), bed.base)
  for (const path of ['', 'operator']) {
    await page.goto(`${bed.base}/#/${path}`)
    await page.waitForSelector('form')
    await check(page, `sign-in ${path}`, looks.slice(0, 2))
  }
  await page.fill('input[name=key]', 'nonsense')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[role=alert]')
  await check(page, 'sign-in refused')
  await context.close()
  assert.equal(faults, [])
})

pages('every page of an account that has nothing yet', async () => {
  for (const path of [...customerPages, ...consolePages]) {
    await tab.go(path)
    await check(tab.page, `empty ${path}`, looks.slice(0, 2))
  }
  assert.equal(faults, [])
})

pages('every page once there is something', async () => {
  filling = await fill(bed.bed)
  const { call, failed, document } = filling
  const more = [
    `calls/${call}`,
    `calls/${failed}`,
    `documents/${document}`,
    `operator/accounts/${bed.bed.account.uuid}`,
  ]
  for (const path of [...customerPages, ...more, ...consolePages]) {
    await tab.go(path)
    await tab.page.evaluate(`document.querySelectorAll('main details').forEach((it, at) => { it.open = at < 3 })`)
    await check(tab.page, `filled ${path}`)
  }
  assert.equal(faults, [])
})

/** Page, what is pressed there, and what is then seen. */
const states: readonly (readonly [path: string, press: string, seen: string])[] = [
  ['documents/{document}', 'Revisions', 'dialog .diff'],
  ['documents/{document}', 'Give to a number', 'dialog select'],
  ['documents/{document}', 'Simulate', '.course li'],
  ['documents/{document}', 'Delete', 'dialog'],
  ['numbers', 'Change', 'dialog'],
  ['numbers', 'Get a number', 'dialog li'],
  ['people', 'New person', 'dialog'],
  ['people', 'Phone link', 'dialog code'],
  ['keys', 'New key', 'dialog'],
  ['webhooks', 'Details', 'dialog pre'],
  ['recordings', 'Listen', '.audio canvas'],
  ['operator/trunks', 'New trunk', 'dialog'],
  ['operator/trunks', 'Test', 'dialog'],
  ['operator/accounts', 'New account', 'dialog'],
  ['operator/trunks', 'Match', '.sums li'],
  ['operator/trunks', 'Delete', 'dialog'],
  ['operator', 'Drain', 'dialog'],
  ['operator/accounts/{account}', 'Suspend', 'dialog'],
  ['numbers', 'Release', 'dialog'],
  ['people', 'Delete', 'dialog'],
  ['keys', 'Revoke', 'dialog'],
  ['webhooks', 'Rotate', 'dialog'],
]

pages('in Swahili, whose words are longer', async () => {
  const { page } = tab
  await tab.go('')
  await page.evaluate(`localStorage.setItem('language', 'sw')`)
  await page.reload()
  for (const path of [...customerPages, `calls/${filling.failed}`, ...consolePages]) {
    await tab.go(path)
    assert.is(await page.evaluate('document.documentElement.lang'), 'sw')
    await check(page, `Swahili ${path}`, looks.slice(1, 2))
  }
  await page.evaluate(`localStorage.removeItem('language')`)
  await page.reload()
  await tab.settled()
  assert.equal(faults, [])
})

pages('dialogs and what buttons show', async () => {
  const { page } = tab
  for (const [path, press, seen] of states) {
    await page.setViewportSize(wide)
    await tab.go(path.replace('{document}', filling.document).replace('{account}', bed.bed.account.uuid))
    if (press === 'Match') await page.fill('main form.row input[inputmode="tel"]', '+254711000001')
    await page
      .getByRole('button', { name: new RegExp(`^${press}`) })
      .first()
      .click()
    await page.waitForSelector(seen)
    await check(page, `${path}, ${press}`, looks.slice(0, 2))
    if (!seen.startsWith('dialog')) continue
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { state: 'detached' })
    const name = await page.evaluate('document.activeElement.textContent.trim()')
    assert.match(String(name), new RegExp(`^${press}`), `${path}: the focus is back`)
  }
  assert.equal(faults, [])
})

pages('rates before they are applied, the menu, the phone, and faults', async () => {
  const { page } = tab
  await page.setViewportSize(wide)
  await tab.go('operator/rates')
  const csv = 'prefix,direction,rate_per_minute\n+254,outbound,4\n+257,outbound,9\n+1,sideways,2\n'
  await page.setInputFiles('main input[type=file]', { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  await page.waitForSelector('dialog')
  await check(page, 'rates', looks.slice(0, 2))
  await page.keyboard.press('Escape')

  await page.setViewportSize(narrow)
  await tab.go('')
  await tab.press('Menu')
  await check(page, 'the menu', looks.slice(1, 2))
  await page.setViewportSize(wide)
  await tab.press('Open the phone')
  await page.frameLocator('iframe').locator('#status[data-state="on"]').waitFor()
  await check(page, 'the phone', looks.slice(0, 2))

  await page.route(
    /\/(account|calls|documents|numbers|events|keys|users|recordings|assets|operator|portal)\b/,
    route =>
      // What the page preloads with the session are figures of home.
      route.request().resourceType() === 'document' ||
      /\/portal\/(session|[^?]+\.(js|css))$/.test(route.request().url())
        ? route.fallback()
        : route.fulfill({ status: 503, json: { detail: 'The service is busy: try again.' } }),
  )
  for (const path of [...customerPages, ...consolePages, `calls/${filling.call}`, 'nowhere']) {
    await page.goto('about:blank')
    await page.goto(`${bed.base}/#/${path}`)
    await page.waitForSelector(path === 'nowhere' ? 'main h1' : 'main [role=alert]')
    assert.is(await page.locator('main h1').count(), 1, `${path} keeps its name`)
    assert.is(await page.locator('main .waiting').count(), 0, `${path} does not wait for what has failed`)
    await check(page, `fault ${path}`, looks.slice(1, 2))
  }
  assert.is(await page.getByRole('button', { name: 'Save' }).count(), 0, 'nothing unread can be saved')
  await page.unrouteAll()
  assert.equal(faults, [])
})

pages('a console that drains, a page that does not load, a session that ended', async () => {
  const { page } = tab
  await bed.bed.on.operator('POST', '/drain', {})
  await tab.go('operator')
  await page.getByText(/^Draining/).waitFor()
  await check(page, 'draining', looks)
  await bed.bed.on.operator('DELETE', '/drain')

  const another = await tab.page.context().newPage()
  await another.route(/\/portal\/wallet-.*\.js/, route => route.abort())
  await another.goto(`${bed.base}/#/wallet`)
  await another.waitForSelector('main [role=alert]')
  await check(another, 'a page that does not load', looks)
  await another.evaluate(`location.hash = '#/keys'`)
  await another.waitForSelector('main table')
  await another.close()

  const context = await bed.browser.newContext({ reducedMotion: 'reduce' })
  await bed.signIn(context)
  const ended = await context.newPage()
  await ended.goto(`${bed.base}/#/numbers`)
  await ended.waitForSelector('main table')
  await context.clearCookies()
  await ended.evaluate(`location.hash = '#/keys'`)
  await ended.waitForSelector('form [role=alert]')
  await check(ended, 'a session that ended', looks)
  await context.close()
  assert.equal(faults, [])
})

pages.run()
