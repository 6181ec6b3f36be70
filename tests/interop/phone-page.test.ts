import type { Browser, Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { makeUser, mint, type PhoneUser } from '../rig/peers/browser-phone.ts'
import { launchChromium } from '../rig/peers/chromium.ts'
import { ownAddress } from '../rig/probes/own-address.ts'
import { until } from '../rig/probes/wait.ts'

// The softphone that the switch serves at /phone, as people use it.
const suitePage = suite('softphone page')

let bed: SwitchBed
let users: readonly [PhoneUser, PhoneUser]
let browser: Browser
let base: string

suitePage.before(async () => {
  requirePeers('chromium')
  bed = await SwitchBed.open({ env: { SAUTI_EXTERNAL_ADDRESS: ownAddress() } })
  base = bed.on.baseUrl.replace('127.0.0.1', 'localhost')
  await bed.account.hosts('voice_outbound', '<Dial><Number>{{To}}</Number></Dial>')
  users = [await makeUser(bed.account, 'Amina Wanjiru'), await makeUser(bed.account, 'Juma Otieno')]
  browser = await launchChromium()
})

suitePage.after(async () => {
  await browser?.close()
  await bed?.close()
})

interface Opened {
  readonly page: Page
  readonly asked: string[]
  readonly complaints: string[]
}

async function open(fragment = '', width = 1100): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height: 844 } })
  const page = await context.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', request => asked.push(request.url()))
  page.on('websocket', socket => asked.push(socket.url()))
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', fault => complaints.push(fault.message))
  await page.goto(`${base}/phone${fragment}`)
  return { page, asked, complaints }
}

async function signedIn(user: PhoneUser, width?: number): Promise<Opened> {
  const { token } = await mint(bed.account, user)
  const opened = await open(`#token=${token}`, width)
  await opened.page.waitForSelector('#status[data-state="on"]')
  return opened
}

const textOf = (page: Page, selector: string) => page.textContent(selector)
const shows = (page: Page, selector: string, words: RegExp) =>
  until(`${selector} to show ${words}`, async () => words.test((await textOf(page, selector)) ?? ''))

suitePage('signs in with a pasted token; nothing leaves this origin; the policy is strict', async () => {
  const { page, asked, complaints } = await open()
  const { token } = await mint(bed.account, users[0])
  await page.fill('#token', token)
  await page.click('#sign-in button')
  await page.waitForSelector('#status[data-state="on"]')
  assert.is(await textOf(page, '#status'), users[0].extension)
  assert.equal(
    asked.filter(url => !/^(?:(?:http|ws):\/\/localhost:\d+\/|data:)/.test(url)),
    [],
  )
  assert.ok(asked.every(url => !url.includes(token)))
  assert.equal(complaints, [])
  const policy = (await fetch(`${bed.on.baseUrl}/phone/`)).headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.not.match(policy, /unsafe|\*/)
  await page.context().close()
})

suitePage('a link signs in, and its token leaves the address bar; a bad one is shown as an error', async () => {
  const { page } = await signedIn(users[0])
  assert.is(await page.evaluate('location.hash'), '')
  await page.context().close()
  const bad = await open('#token=a.b.c')
  await shows(bad.page, '#notice', /expired|token/i)
  await bad.page.context().close()
  const pasted = await open()
  await pasted.page.fill('#token', 'nonsense')
  await pasted.page.click('#sign-in button')
  await shows(pasted.page, '#notice', /not a phone token/)
  await pasted.page.context().close()
})

suitePage(
  'a call between two pages: dial pad, ring, answer, mute, hold, keypad, quality, hang up, recent',
  async () => {
    const { page: near, complaints: nearComplaints } = await signedIn(users[0])
    const { page: far, complaints: farComplaints } = await signedIn(users[1], 390)
    for (const digit of users[1].extension) await near.click(`#keys .key[data-key="${digit}"]`)
    assert.is(await near.inputValue('#number'), users[1].extension)
    await near.click('#dial')
    await shows(near, '.call .state', /Ringing/)
    await shows(far, '.ring', /Amina Wanjiru/)
    await far.click('.ring .go')
    await shows(near, '.call .state', /^\d+:\d\d$/)
    await shows(far, '.call .title', /Amina Wanjiru/)

    await near.click('.mute')
    await near.waitForSelector('.mute[aria-pressed="true"]')
    await near.click('.mute')
    await near.waitForSelector('.mute[aria-pressed="false"]')
    await near.click('.hold')
    await shows(near, '.call .state', /On hold/)
    await near.click('.hold')
    await shows(near, '.call .state', /^\d+:\d\d$/)
    await near.click('.keypad')
    await near.click('.call .key[data-key="5"]')
    await shows(near, '.sent', /^5$/)
    await shows(near, '.quality .words', /Excellent|Good/)
    // Chromium's fake microphone beeps: the meter moves.
    await until(
      'the level meter to move',
      async () =>
        Number(await far.evaluate('getComputedStyle(document.querySelector(".theirs")).getPropertyValue("--level")')) >
        0.1,
    )
    const isWider = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth')
    assert.equal([await isWider(near), await isWider(far)], [false, false])

    await far.click('.hang-up')
    await near.waitForSelector('.phone[data-view="dialler"]')
    assert.is(await textOf(near, '#recent b'), users[1].extension)
    await shows(far, '#recent', /Amina Wanjiru/)
    assert.equal([nearComplaints, farComplaints], [[], []])
    await Promise.all([near.context().close(), far.context().close()])
  },
)

suitePage('declined: the caller reads that the line is busy; a missed call is marked', async () => {
  const { page: near } = await signedIn(users[0])
  const { page: far } = await signedIn(users[1])
  await near.fill('#number', users[1].extension)
  await near.press('#number', 'Enter')
  await far.click('.ring .stop')
  await shows(near, '#notice', /busy/)
  await near.fill('#number', users[1].extension)
  await near.press('#number', 'Enter')
  await far.waitForSelector('.ring')
  await near.click('.hang-up')
  await far.waitForSelector('.recent .missed')
  await Promise.all([near.context().close(), far.context().close()])
})

suitePage(
  'by keyboard alone: sign in, dial, answer, mute, hold, digits, hang up; the focus is where the next step is',
  async () => {
    const near = (await open()).page
    const focused = (page: Page) =>
      page.evaluate<string>(
        'document.activeElement.id || document.activeElement.className || document.activeElement.tagName',
      )
    assert.is(await focused(near), 'token')
    assert.not(await near.isVisible('#sign-out'))
    await near.keyboard.insertText((await mint(bed.account, users[0])).token)
    await near.keyboard.press('Tab')
    await near.keyboard.press('Enter')
    await near.waitForSelector('#status[data-state="on"]')
    await until('the focus on the number', async () => (await focused(near)) === 'number')
    await shows(near, '.none', /Your calls/)
    const far = (await signedIn(users[1])).page
    await near.keyboard.type(users[1].extension)
    await near.keyboard.press('Enter')
    await far.getByRole('button', { name: 'Answer Amina Wanjiru' }).waitFor()
    assert.is(await far.title(), 'Amina Wanjiru is calling')
    await until('the focus on the answer', async () => /\bgo\b/.test(await focused(far)))
    await far.keyboard.press('Enter')
    await shows(near, '.call .state', /^\d+:\d\d$/)
    await until('the tab to be named as before', async () => (await far.title()) === 'Sauti phone')
    await until('the focus on the hang-up', async () => /hang-up/.test(await focused(near)))
    await near.keyboard.press('m')
    await near.waitForSelector('.mute[aria-pressed="true"]')
    await near.keyboard.press('m')
    await near.waitForSelector('.mute[aria-pressed="false"]')
    await near.keyboard.press('h')
    await shows(near, '.call .told', /On hold/)
    await near.keyboard.press('h')
    await shows(near, '.call .told', /Connected/)
    await near.keyboard.press('4')
    await near.keyboard.press('#')
    await shows(near, '.sent', /^4#$/)
    await near.keyboard.press('Escape')
    await near.waitForSelector('.phone[data-view="dialler"]')
    await until('the focus on the number again', async () => (await focused(near)) === 'number')
    await until('no focus to be lost', async () => (await focused(far)) === 'number')
    for (const page of [near, far]) {
      const nameless = await page.evaluate<number>(
        `[...document.querySelectorAll('button, select, input, textarea')].filter(it => it.checkVisibility() &&
        !(it.getAttribute('aria-label') ?? it.textContent.trim()) && it.labels?.length !== 1).length`,
      )
      assert.is(nameless, 0)
    }
    await Promise.all([near.context().close(), far.context().close()])
  },
)

suitePage('the microphone is refused: said in words, and the dialler is back', async () => {
  const refusing = await browser.newContext()
  const page = await refusing.newPage()
  await page.addInitScript(
    "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))",
  )
  const { token } = await mint(bed.account, users[0])
  await page.goto(`${base}/phone#token=${token}`)
  await page.waitForSelector('#status[data-state="on"]')
  await page.fill('#number', users[1].extension)
  await page.press('#number', 'Enter')
  await shows(page, '#notice', /microphone/i)
  assert.is(await page.getAttribute('.phone', 'data-view'), 'dialler')
  await refusing.close()
})

suitePage('a call that the service ends says why; one that a person hangs up does not', async () => {
  const near = (await signedIn(users[0])).page
  const far = (await signedIn(users[1])).page
  const connect = async () => {
    await near.fill('#number', users[1].extension)
    await near.press('#number', 'Enter')
    await far.click('.ring .go')
    await shows(near, '.call .state', /^\d+:\d\d$/)
  }
  await connect()
  await far.click('.hang-up')
  await near.waitForSelector('.phone[data-view="dialler"]')
  assert.not(await near.isVisible('#notice'))
  await connect()
  await bed.account.api('POST', '/calls/hangup', { sid: (await bed.account.call()).sid })
  await shows(near, '#notice', /^The call was ended by the service\.$/)
  await Promise.all([near.context().close(), far.context().close()])
})

suitePage('settings: devices by name, volume, sign out', async () => {
  const { page } = await signedIn(users[0])
  await page.click('#settings-button')
  await until('the devices', async () => (await page.$$('#input option')).length > 1)
  await page.fill('#volume', '0.4')
  assert.is(await page.evaluate('phone.volume'), 0.4)
  await page.click('#sign-out')
  await page.waitForSelector('#status[data-state="off"]')
  await page.waitForSelector('.phone[data-view="sign-in"]')
  await page.context().close()
})

suitePage.run()
