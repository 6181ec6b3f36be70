import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PortalBed, type PortalTab } from '../rig/beds/portal-bed.ts'
import { makeUser } from '../rig/peers/browser-phone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// A customer's way from a document to the page of a call, with the keyboard alone; and the history of the browser.
const keyboard = suite('portal: by keyboard')

let bed: PortalBed
let tab: PortalTab

keyboard.before(async () => {
  bed = await PortalBed.open()
  const { account } = bed.bed
  await account.hosts('voice_outbound', '<Dial><Number>{{To}}</Number></Dial>')
  await makeUser(account, 'Amina')
  tab = await bed.tab()
})

keyboard.after(async () => {
  await bed?.close()
})

const press = (key: string) => tab.page.keyboard.press(key)

/** In the page: what has the focus, by its name, and whether that can be seen. */
const focused = `(() => {
  let it = document.activeElement
  while (it?.shadowRoot?.activeElement) it = it.shadowRoot.activeElement
  const name = (it?.getAttribute('aria-label') ?? it?.labels?.[0]?.textContent ?? it?.textContent ?? '').trim()
  const style = it && getComputedStyle(it.closest('.cm-editor') ?? it)
  return { name, tag: it?.tagName ?? '', isSeen: style?.outlineStyle !== 'none' && parseFloat(style?.outlineWidth) > 0 }
})()`
interface Focused {
  readonly name: string
  readonly tag: string
  readonly isSeen: boolean
}
const focus = () => tab.page.evaluate<Focused>(focused)

/** Tab after Tab, each with a focus that is seen, until what has this name is reached. */
async function reach(name: string, key = 'Tab'): Promise<void> {
  const passed: string[] = []
  for (let turn = 0; turn < 90; turn++) {
    await press(key)
    let now = await focus()
    // The editor draws its frame a moment after it has the focus.
    for (let wait = 0; wait < 10 && !now.isSeen; wait++) {
      await sleep(20)
      now = await focus()
    }
    if (now.tag !== 'BODY' && now.tag !== 'IFRAME') assert.ok(now.isSeen, `the focus on ${now.tag} ${now.name} is seen`)
    if (now.name === name || now.name.startsWith(`${name} `)) return
    passed.push(now.name.slice(0, 20))
  }
  throw new Error(`no Tab leads to ${name}: ${passed.join(', ')}`)
}
const use = async (name: string, key = 'Enter') => {
  await reach(name)
  await press(key)
}

keyboard('the first Tab skips the menu', async () => {
  await tab.go('documents')
  await reach('Skip to content')
  await press('Enter')
  assert.is((await focus()).name, 'Documents')
})

keyboard('the head of a page has the focus, though its script comes late', async () => {
  const { page } = tab
  await tab.go('documents')
  await page.route(/\/portal\/wallet-/, async route => {
    await sleep(400)
    await route.continue()
  })
  await page.getByRole('link', { name: 'Wallet', exact: true }).focus()
  await press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Wallet' }).waitFor()
  await until('the focus on the head', async () => (await focus()).tag === 'H1')
  await tab.go('documents')
})

keyboard('a document is written, mended, simulated, given to a number and called', async () => {
  const { page } = tab
  await use('New document')
  await page.waitForSelector('.editor')
  const isThere = `document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content') != null`
  await until('the editor', () => page.evaluate<boolean>(isThere))
  await reach('Document')
  await press('Control+A')
  await page.keyboard.insertText('<Response><Shout>Hello</Shout></Response>')
  await page.waitForSelector('.found li')
  // From a problem to its place in the text.
  await press('Escape')
  await use('Line')
  assert.is((await focus()).name, 'Document')
  await press('Control+A')
  await page.keyboard.insertText('<Response><Pause length="60"/></Response>')
  await page.waitForSelector('.found .badge.good')
  // Escape closes what the editor offers; Tab leaves it.
  await press('Escape')
  await use('Simulate')
  await page.waitForSelector('.course li')
  await use('Save')
  await page.waitForSelector('.notices p')
  await use('Give to a number')
  await page.waitForSelector('dialog select')
  await use('Give to a number')
  await page.getByRole('button', { name: 'Test call' }).waitFor()
  await use('Test call')
  await page.waitForSelector('dialog', { state: 'detached' })
  await until('the focus to be back', async () => (await focus()).name === 'Give to a number')
})

keyboard('the call is seen live, opened, hung up and explained', async () => {
  const { page } = tab
  await use('Calls')
  await page.waitForSelector('td .badge.live', { timeout: 20_000 })
  await page.locator('.call-link').first().waitFor()
  const to = bed.bed.account.number.slice(-3)
  for (let turn = 0; turn < 60; turn++) {
    await press('Tab')
    const { tag, name } = await focus()
    if (tag === 'A' && name.endsWith(to)) break
  }
  await press('Enter')
  await page.waitForSelector('.timeline li')
  await use('Hang up')
  await page.waitForSelector('dialog[open]')
  // Escape closes, and gives the focus back.
  await press('Escape')
  await page.waitForSelector('dialog', { state: 'detached' })
  await until('the focus to be back', async () => (await focus()).name === 'Hang up')
  await press('Enter')
  await use('Hang up')
  await page.waitForSelector('.outcome')
  await until('the focus to be somewhere', async () => (await focus()).tag !== 'BODY')
  await use('Event')
  assert.match(page.url(), /kind=event/)
  await reach('Close the phone', 'Shift+Tab')
  await press('Enter')
  assert.is((await focus()).name, 'Open the phone')
  await press('Enter')
  assert.is((await focus()).name, 'Close the phone')
})

keyboard('back, forward and reload keep place, filters and how far down one was', async () => {
  const { page } = tab
  const { account } = bed.bed
  for (let place = 0; place < 40; place++)
    await account.api('POST', '/documents/', { name: `Document ${place}`, body: '<Response/>' })
  await tab.go('calls')
  await page.getByLabel('Direction').selectOption('inbound')
  await page.getByLabel('State').selectOption('completed')
  await page.getByPlaceholder('Number or sid').fill('+2547')
  await page.waitForURL(/search=/)
  await page.reload()
  await tab.settled()
  const shown = async () => [
    await page.getByLabel('Direction').inputValue(),
    await page.getByLabel('State').inputValue(),
    await page.getByPlaceholder('Number or sid').inputValue(),
  ]
  assert.equal(await shown(), ['inbound', 'completed', '+2547'])
  await page.goBack()
  assert.equal(await shown(), ['inbound', '', ''])
  await page.goForward()
  assert.equal(await shown(), ['inbound', 'completed', '+2547'])
  for (const [path, label, value] of [
    ['events', 'Kind', 'CALL.'],
    ['webhooks', 'Outcome', 'failed'],
  ] as const) {
    await tab.go(path)
    await page.getByLabel(label, { exact: true }).selectOption(value)
    await page.reload()
    await tab.settled()
    assert.is(await page.getByLabel(label, { exact: true }).inputValue(), value)
  }
  await tab.go('documents')
  await page.getByRole('link', { name: 'Document 3', exact: true }).click()
  await page.waitForSelector('.editor')
  assert.is(await page.evaluate('scrollY'), 0)
  await page.goBack()
  await until('the list where it was', async () => ((await page.evaluate('scrollY')) as number) > 300)
})

keyboard.run()
