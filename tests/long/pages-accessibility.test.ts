import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { makeUser, mint, type PhoneUser } from '../rig/peers/browser-phone.ts'
import { launchChromium } from '../rig/peers/chromium.ts'
import { ownAddress } from '../rig/probes/own-address.ts'
import { until } from '../rig/probes/wait.ts'

// /phone in all of its states and /docs, held against WCAG 2.2 A and AA and axe-core's best practices, on screens of all
// widths, light and dark; and that numbers can be read and cards reached.
const pages = suite('pages: accessibility')

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const sizes = [
  [360, 740],
  [390, 800],
  [800, 800],
  [1280, 800],
] as const
const schemes = ['light', 'dark'] as const

let bed: SwitchBed
let browser: Browser
let base: string
/** Callers that are shown by number, as from outside. */
let users: readonly PhoneUser[]

pages.before(async () => {
  requirePeers('chromium')
  bed = await SwitchBed.open({ env: { SAUTI_EXTERNAL_ADDRESS: ownAddress() } })
  base = bed.on.baseUrl.replace('127.0.0.1', 'localhost')
  await bed.account.hosts('voice_outbound', '<Dial timeout="60"><Number>{{To}}</Number></Dial>')
  const names = ['+254711000001', 'Wanjiru wa Kamau-Nyambura Otieno', '+447911123456']
  users = await Promise.all(names.map(name => makeUser(bed.account, name)))
  browser = await launchChromium()
})

pages.after(async () => {
  await browser?.close()
  await bed?.close()
})

async function open(path: string): Promise<Page> {
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await page.goto(`${base}${path}`)
  return page
}

async function signedIn(user: PhoneUser | undefined): Promise<Page> {
  if (user === undefined) throw new Error('no such user')
  const page = await open(`/phone#token=${(await mint(bed.account, user)).token}`)
  await page.waitForSelector('#status[data-state="on"]')
  return page
}

/** In the page: what is cut, or beyond the right edge. */
const cut = `[...document.querySelectorAll('.title, .ring b, .recent b, .notice, h1, h2')]
  .filter(it => it.checkVisibility() && it.id !== 'me' && (it.scrollWidth > it.clientWidth + 1 || it.getBoundingClientRect().right > innerWidth))
  .map(it => it.textContent)`
/** Buttons that are only visible after scrolling. */
const below = `[...document.querySelectorAll('.hang-up, .choice button, .call .toggle')]
  .filter(it => it.checkVisibility() && it.getBoundingClientRect().bottom > innerHeight)
  .map(it => it.getAttribute('aria-label') ?? it.textContent)`

async function check(page: Page, state: string): Promise<void> {
  for (const [width, height] of sizes)
    for (const colorScheme of schemes) {
      const where = `${state}, ${width} px, ${colorScheme}`
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // Colours change over a tenth of a second.
      await page.waitForTimeout(250)
      await page.evaluate(axe)
      const found = await page.evaluate<string[]>(
        `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(
          ({ id, nodes }) => id + ': ' + nodes.map(({ html, any }) => html.slice(0, 120) + ' ' + (any[0]?.message ?? '')).join(' | ')))`,
      )
      assert.equal(found, [], where)
      assert.equal(await page.evaluate(cut), [], where)
      if (height >= 800 || !state.includes('keypad')) assert.equal(await page.evaluate(below), [], where)
      assert.not(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), where)
      await photographed(page, where)
    }
}

/** Where screenshots are written. */
async function photographed(_page: Page, _where: string): Promise<void> {}

const textOf = async (page: Page, selector: string) => (await page.textContent(selector)) ?? ''

pages('/phone signed out, and a token that is none', async () => {
  const page = await open('/phone')
  await check(page, 'sign-in')
  await page.fill('#token', 'nonsense')
  await page.click('#sign-in button')
  await until('the error', () => page.isVisible('#notice'))
  await check(page, 'sign-in refused')
  await page.context().close()
})

pages('/phone and the reasons in Kiswahili, by the portal’s choice or the browser’s language', async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'sw-KE' })
  const page = await context.newPage()
  await page.goto(`${base}/phone`)
  assert.is(await page.getAttribute('html', 'lang'), 'sw')
  assert.is((await textOf(page, '#sign-in button')).trim(), 'Ingia')
  await check(page, 'sign-in, Kiswahili')
  await page.fill('#token', 'nonsense')
  await page.click('#sign-in button')
  await until('the error', () => page.isVisible('#notice'))
  assert.is(await textOf(page, '#notice'), 'Hii si tokeni ya simu (JWT ya sehemu tatu).')
  // The portal beside it changes the language.
  const portal = await context.newPage()
  await portal.goto(`${base}/`)
  await portal.evaluate("localStorage.setItem('language', 'en')")
  await until('English', async () => (await textOf(page, '#sign-in button')).trim() === 'Sign in')
  assert.is(await page.getAttribute('html', 'lang'), 'en')
  await page.goto(`${base}/docs/reasons#END.3482`)
  assert.match(await textOf(page, 'h1'), /simu/)
  await check(page, 'reasons, Kiswahili')
  await page.click('a[lang=en]')
  assert.is(await textOf(page, 'h1'), 'Why calls end')
  await check(page, 'reasons')
  await context.close()
})

pages('/phone in calls: idle, ringing, talking, keypad, held, two calls, ended', async () => {
  const [caller, callee, other] = [await signedIn(users[0]), await signedIn(users[1]), await signedIn(users[2])]
  const dial = (page: Page) =>
    page.fill('#number', users[1]?.extension ?? '').then(() => page.press('#number', 'Enter'))
  await check(callee, 'idle')
  assert.is(await textOf(callee, '#me'), 'Wanjiru wa Kamau-Nyambura Otieno', 'the own name')
  await callee.click('#settings-button')
  await check(callee, 'settings')
  await callee.click('#settings-button')

  await dial(caller)
  await callee.waitForSelector('.ring')
  assert.is(await textOf(callee, '.ring b'), '+254 711 000 001')
  await check(callee, 'ringing')
  await check(caller, 'calling')
  await callee.click('.ring .go')
  await callee.waitForSelector('.call[data-state="accepted"]')
  await check(callee, 'in a call')
  await callee.click('.call .keypad')
  await callee.click('.call .key[data-key="5"]')
  await check(callee, 'in a call, keypad')
  await callee.click('.call .keypad')

  await dial(other)
  await callee.waitForSelector('.ring')
  await check(callee, 'in a call, another rings')
  const order = `new Promise(resolve => {
    const [first, second] = phone.calls
    second.on('accepted', () => resolve([first.isOnHold, first.isMuted]))
    document.querySelector('.ring .go').click()
  })`
  assert.equal(await callee.evaluate(order), [true, false], 'the first is on hold before the second is answered')
  assert.is(await callee.evaluate('phone.calls[1].isOnHold'), false)
  await check(callee, 'two calls')
  await callee.click('.call[data-state="held"] .hold')
  await until('the other way round', () => callee.evaluate('!phone.calls[0].isOnHold && phone.calls[1].isOnHold'))
  await callee.click('.call[data-state="accepted"] .hang-up')
  await callee.waitForSelector('.call[data-state="held"]')
  await check(callee, 'held')
  await callee.click('.hang-up')
  await callee.waitForSelector('.phone[data-view="dialler"]')
  await check(callee, 'ended')
  await callee.focus('#number')
  assert.is(await callee.inputValue('#number'), '')

  await dial(caller)
  await callee.click('.ring .stop')
  await until('the reason', () => caller.isVisible('#notice'))
  await check(caller, 'refused')
  await caller.press('#number', 'Enter')
  assert.is(await caller.inputValue('#number'), users[1]?.extension, 'Enter shows the last number')
  await Promise.all([caller, callee, other].map(page => page.context().close()))
})

pages('/docs', async () => {
  const page = await open('/docs')
  await page.waitForSelector('main h2')
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    await page.waitForTimeout(250)
    await page.evaluate(axe)
    assert.equal(
      await page.evaluate(
        "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html, any }) => html.slice(0, 120) + (any[0]?.message ?? '')).join(' | ')))",
      ),
      [],
      colorScheme,
    )
  }
  await page.context().close()
})

pages.run()
