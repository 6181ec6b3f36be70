import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount, expectStatus } from '../rig/beds/account.ts'
import { PortalBed, PortalTab } from '../rig/beds/portal-bed.ts'
import { makeUser } from '../rig/peers/browser-phone.ts'
import { until } from '../rig/probes/wait.ts'

// One tab, one customer after another: what the first one's portal held, its phone, its stream and its figures, must not be
// there for the second.
const signIns = suite('portal: one sign-in after another in a tab')

let bed: PortalBed
let tab: PortalTab
let second: BedAccount

signIns.before(async () => {
  bed = await PortalBed.open()
  second = await BedAccount.make(bed.bed.on, { balance: '77' })
  await makeUser(bed.bed.account, 'Amina')
  await makeUser(second, 'Juma')
})

signIns.after(async () => {
  await bed?.close()
})

/** The first account, with its phone registered and its stream open. */
async function firstIn(): Promise<void> {
  tab = await bed.tab()
  await tab.page.context().grantPermissions(['microphone'])
  await tab.go('')
  await tab.page.waitForSelector('.tiles')
  await tab.press('Open the phone')
  await tab.page.frameLocator('iframe').locator('#status[data-state="on"]').waitFor()
  assert.ok((await validTokens()).length > 0)
  await tab.go('events')
  await placed(bed.bed.account)
  await tab.page.locator('.timeline li').first().waitFor()
}

/** A call that fails at once: events, and a row of the calls. */
async function placed(account: BedAccount): Promise<void> {
  const order = { to: '+254700000001', from: account.number, url: 'http://127.0.0.1:9/' }
  expectStatus(await account.api('POST', '/calls/originate', order), 201)
}

/** Of the first account. */
const validTokens = async (): Promise<unknown[]> =>
  expectStatus(await bed.bed.account.api('GET', '/phone-tokens/'), 200).body.filter(
    (each: { is_valid: boolean }) => each.is_valid,
  )

/** What the second account meets in the same tab. */
async function nothingOfTheFirst(): Promise<void> {
  const { page } = tab
  await page.locator('.tiles', { hasText: '77' }).waitFor()
  assert.is(await page.locator('iframe').count(), 0, 'the phone of the first')
  await tab.go('events')
  await page.locator('main .badge.live').waitFor()
  await placed(bed.bed.account)
  await placed(second)
  await page.locator('.timeline li').first().waitFor()
  // The stream tells twice a second.
  await new Promise(resolve => setTimeout(resolve, 1500))
  const { calls } = expectStatus(await second.api('GET', '/calls/'), 200).body
  const own = new Set(calls.map((call: { sid: string }) => call.sid))
  const shown = await page.locator('.timeline .soft').allTextContents()
  assert.ok(shown.length > 0)
  assert.equal(
    shown.filter(sid => sid.startsWith('CA') && !own.has(sid)),
    [],
    'events of the first',
  )
  assert.equal(tab.complaints, [])
  await page.context().close()
}

signIns('signed out, and another account signed in: no phone, no events and no figures of the first', async () => {
  await firstIn()
  await tab.press('Sign out')
  await tab.page.waitForSelector('.sign-in')
  assert.equal(await validTokens(), [], 'the token of the phone is revoked')
  await tab.page.fill('input[name=key]', second.key)
  await tab.page.evaluate('location.hash = "#/"')
  await tab.press('Sign in')
  await nothingOfTheFirst()
})

signIns('a link of another account opened in the tab of the first', async () => {
  await firstIn()
  await tab.go('')
  const { url } = expectStatus(await bed.bed.on.operator('POST', `/accounts/${second.uuid}/link`), 201).body
  await tab.page.evaluate(`location.hash = ${JSON.stringify(new URL(url).hash)}`)
  await nothingOfTheFirst()
})

signIns('a session that ended by itself', async () => {
  await firstIn()
  for (const { uuid } of expectStatus(await bed.bed.account.api('GET', '/portal/sessions'), 200).body)
    expectStatus(await bed.bed.account.api('DELETE', `/portal/sessions/${uuid}`), 200)
  await tab.page.evaluate('location.hash = "#/wallet"')
  await tab.page.waitForSelector('.sign-in')
  await tab.page.evaluate('location.hash = "#/"')
  await tab.page.fill('input[name=key]', second.key)
  await tab.press('Sign in')
  await nothingOfTheFirst()
})

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const violations = `axe.run(document, { resultTypes: ['violations'], elementRef: false })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0]?.html))`

signIns(
  'a call that is live in another tab: signing out and ending the session ask first, in both languages',
  async () => {
    await bed.bed.account.hosts('voice_outbound', '<Say>Hello</Say><Pause length="300"/>')
    await firstIn()
    const inside = tab.page.frames().at(-1)
    if (inside === undefined) throw new Error('no frame')
    const other = new PortalTab(await tab.page.context().newPage(), bed.base)
    const { page } = other
    const dialog = page.locator('dialog')
    const live = () => inside.evaluate<number>('phone.calls.filter(({ state }) => state === "accepted").length')

    await inside.evaluate('phone.call("+254722000111") && 0')
    await until('the call', async () => (await live()) === 1)
    for (const [language, signOut, sentence] of [
      ['sw', 'Toka', /Una simu inayoendelea, kwenye kichupo hiki au kingine/],
      ['en', 'Sign out', /A call of your phone is live, in this tab or in another one/],
    ] as const) {
      await other.go('')
      await page.evaluate(`localStorage.setItem('language', '${language}')`)
      await page.reload()
      await other.settled()
      const button = page.getByRole('button', { name: signOut, exact: true })
      await button.focus()
      await page.keyboard.press('Enter')
      await dialog.waitFor()
      assert.match((await dialog.textContent()) ?? '', sentence)
      await page.evaluate(axe).catch(() => page.evaluate(`(0, eval)(${JSON.stringify(axe)})`))
      assert.equal(await page.evaluate<string[]>(violations), [])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await until('the focus', async () => (await page.evaluate('document.activeElement.ariaLabel')) === signOut)
      assert.is(await live(), 1)
    }
    await other.go('keys')
    const row = page.locator('tr', { hasText: 'this one' })
    await row.getByRole('button', { name: 'End', exact: true }).click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.is(await live(), 1)
    // The tab that has the call asks, too.
    await tab.press('Sign out')
    await tab.page.locator('dialog').getByRole('button', { name: 'Cancel', exact: true }).click()
    assert.is(await live(), 1)

    await other.press('Sign out')
    await dialog.getByRole('button', { name: 'Sign out', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('.sign-in')
    assert.equal(other.complaints, [])
    await page.context().close()
  },
)

signIns.run()
