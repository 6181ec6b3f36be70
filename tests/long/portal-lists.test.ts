import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { expectStatus } from '../rig/beds/account.ts'
import { PortalBed, type PortalTab } from '../rig/beds/portal-bed.ts'
import { sine, wavOf } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// What is put into the lists of a customer, and taken out of them: files whatever they are called, the last row of a page,
// a press of a button that came twice.
const lists = suite('portal: lists')

let bed: PortalBed
let tab: PortalTab
let folder: string

lists.before(async () => {
  bed = await PortalBed.open()
  tab = await bed.tab()
  folder = mkdtempSync(join(tmpdir(), 'sauti-files-'))
})

lists.after(async () => {
  await bed?.close()
  rmSync(folder, { recursive: true, force: true })
})

const wav = (hertz: number) => Buffer.from(wavOf(sine(hertz, 0.2)))
const slugs = async (): Promise<string[]> => {
  const { body } = await bed.bed.account.api('GET', '/assets/?limit=200')
  return body.assets.map(({ slug }: { slug: string }) => slug).sort()
}
const choose = (...files: readonly { readonly name: string; readonly buffer: Buffer }[]) =>
  tab.page.setInputFiles(
    'main input[type=file]',
    files.map(file => ({ ...file, mimeType: 'audio/wav' })),
  )
/** What is told of the last thing that was done. */
const told = () => tab.page.locator('.notices p').last()

lists('files of one choice are all kept, whatever they are called', async () => {
  await tab.go('assets')
  await choose(
    { name: 'Ñandú karibù.wav', buffer: wav(300) },
    { name: 'مرحبا.wav', buffer: wav(400) },
    { name: 'привет.wav', buffer: wav(500) },
    { name: 'line\nbreak <b>.wav', buffer: wav(600) },
    { name: `${'a'.repeat(63)} ${'b'.repeat(187)}.wav`, buffer: wav(700) },
    { name: `${'a'.repeat(63)} ${'c'.repeat(187)}.wav`, buffer: wav(800) },
  )
  await told().getByText('Uploaded.').waitFor()
  const long = 'a'.repeat(63)
  assert.equal(await slugs(), [`${'a'.repeat(62)}-2`, long, 'audio', 'audio-2', 'line-break-b', 'nandu-karibu'])
  // Nothing is in its name that would say that it is the same.
  await choose({ name: 'שלום.wav', buffer: wav(900) })
  await until('the third one without a name', async () => (await slugs()).includes('audio-3'))
})

lists('a file that was mended is chosen again; those before one that is no audio are shown', async () => {
  const { page } = tab
  await tab.go('assets')
  const path = join(folder, 'mended.wav')
  writeFileSync(path, 'no audio')
  await page.setInputFiles('main input[type=file]', path)
  await told().getByText('mended.wav').waitFor()
  // A browser tells of no choice of what is chosen already.
  assert.is(await page.inputValue('main input[type=file]'), '')
  await choose({ name: 'first.wav', buffer: wav(300) }, { name: 'second.wav', buffer: Buffer.from('no audio') })
  await told().getByText('second.wav').waitFor()
  await page.locator('main td', { hasText: 'first' }).first().waitFor({ timeout: 3000 })
})

lists('a file with the name of a stored one replaces it only after a question', async () => {
  const { page } = tab
  const bytesOf = async (slug: string) => {
    const answer = await fetch(`${bed.bed.on.baseUrl}/assets/${slug}`, {
      headers: { authorization: `Bearer ${bed.bed.account.key}` },
    })
    return Buffer.from(await answer.arrayBuffer())
  }
  await tab.go('assets')
  await choose({ name: 'greeting.wav', buffer: wav(300) })
  await told().getByText('Uploaded.').waitFor()
  const first = await bytesOf('greeting')
  const again = { name: 'Greeting.wav', buffer: wav(440) }
  await choose(again, { name: 'beside.wav', buffer: wav(500) })
  const question = page.locator('dialog', { hasText: 'Stored already: greeting.' })
  await question.waitFor()
  await until('the other file', async () => (await slugs()).includes('beside'))
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  assert.ok((await bytesOf('greeting')).equals(first), 'kept')
  await choose(again)
  await question.getByRole('button', { name: 'Replace' }).click()
  await until('the new audio', async () => !(await bytesOf('greeting')).equals(first))
})

lists('a number that costs a setup fee says so where it is taken', async () => {
  const { page } = tab
  for (const [number, setup_fee] of [
    ['+254203000001', '1500'],
    ['+254203000002', '0'],
  ])
    expectStatus(await bed.bed.on.operator('POST', '/numbers', { number, setup_fee }), 201)
  await tab.go('numbers')
  await page.getByRole('button', { name: 'Get a number' }).first().click()
  await page
    .locator('dialog li', { hasText: /000.?001/ })
    .getByText('KES 1,500.00 once')
    .waitFor()
  await page
    .locator('dialog li', { hasText: /000.?002/ })
    .getByText('No setup fee')
    .waitFor()
})

lists('what is dropped and holds no file is not told to be uploaded', async () => {
  const { page } = tab
  await tab.go('assets')
  await page.reload()
  await tab.settled()
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.setData('text/plain', 'words')
    document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }))
  })()`)
  await page.waitForTimeout(500)
  assert.is(await page.locator('.notices p', { hasText: 'Uploaded' }).count(), 0)
})

lists('a folder in place of a file is refused in words of the portal', async () => {
  const { page } = tab
  await tab.go('assets')
  const path = join(folder, 'sounds.wav')
  mkdirSync(path)
  const devtools = await page.context().newCDPSession(page)
  const box = await page.locator('.drop').boundingBox()
  const at = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 10 }
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, ...at, data })
  await told().getByText('sounds.wav: this cannot be read as a file.').waitFor({ timeout: 3000 })
})

lists('a name that is written from right to left turns nothing round it', async () => {
  const { page } = tab
  await tab.go('assets')
  await choose({ name: '\u202egpj.wav', buffer: Buffer.from('no audio') })
  await told().locator('bdi').waitFor()
  expectStatus(await bed.bed.account.api('POST', '/documents/', { name: '\u202eexe.doc', body: '<Response/>' }), 201)
  await tab.go('documents')
  await page.getByText('exe.doc').click()
  await page.waitForSelector('main h1')
  await tab.press('Delete')
  const asked = await page.locator('dialog p').first().textContent()
  assert.is(asked, 'Delete “\u2068\u202eexe.doc\u2069”? This cannot be undone.')
  await page.keyboard.press('Escape')
})

lists('a page of a list that is beyond its end is the last one that there is', async () => {
  const { page } = tab
  for (const path of ['assets', 'calls', 'documents', 'recordings', 'wallet']) {
    await tab.go(`${path}?from=50`)
    await page.waitForFunction("!location.hash.includes('from=')", undefined, { timeout: 3000 }).catch(() => {
      throw new Error(path)
    })
  }
})

lists('a search among numbers stays with reload, and says what does not fit', async () => {
  const { page } = tab
  const { on, account } = bed.bed
  for (let last = 10; last < 22; last++) {
    const made = await on.operator('POST', '/numbers', { number: `+2547110009${last}`, setup_fee: '0' })
    const { uuid } = expectStatus(made, 201).body
    if (last < 21) expectStatus(await account.api('POST', '/numbers/acquire', { uuid }), 200)
  }
  await tab.go('numbers')
  await page.fill('main input[type=search]', '0915')
  await until('one number', async () => (await page.locator('main tbody tr').count()) === 1)
  await page.reload()
  await tab.settled()
  assert.is(await page.inputValue('main input[type=search]'), '0915')
  assert.is(await page.locator('main tbody tr').count(), 1)
  await tab.press('Get a number')
  await page.fill('dialog input', '99999')
  await page.getByText('No number matches.').waitFor({ timeout: 3000 })
  await page.keyboard.press('Escape')
})

lists('a button that is pressed twice does once what it asks before', async () => {
  const { page } = tab
  await tab.go('assets')
  const asked: string[] = []
  page.on('request', request => {
    if (request.method() === 'DELETE') asked.push(request.url())
  })
  const before = (await slugs()).length
  await tab.press('Delete')
  await page.locator('dialog .danger').dblclick()
  await until('one less', async () => (await slugs()).length < before)
  await page.waitForSelector('dialog', { state: 'detached' })
  assert.is(asked.length, 1)
})

lists('what is made by a button, or paid in, is made once where the button is pressed twice', async () => {
  const { page } = tab
  const { on, account } = bed.bed
  const asked: string[] = []
  page.on('request', request => {
    if (request.method() === 'POST') asked.push(new URL(request.url()).pathname)
  })
  const twice = async (button: string, path: string) => {
    await page.getByRole('button', { name: button, exact: true }).last().dblclick()
    await page.waitForTimeout(500)
    return asked.splice(0).filter(each => each.endsWith(path)).length
  }
  await tab.go(`operator/accounts/${account.uuid}`)
  const before = expectStatus(await on.operator('GET', `/accounts/${account.uuid}`), 200).body.wallet_balance
  await page.getByLabel('Amount').fill('10')
  assert.is(await twice('Top up', '/credit'), 1)
  const after = expectStatus(await on.operator('GET', `/accounts/${account.uuid}`), 200).body.wallet_balance
  assert.is(Number(after) - Number(before), 10)
  await tab.go('documents')
  assert.is(await twice('New document', '/documents/'), 1)
  await tab.go('keys')
  await tab.press('New key')
  await page.locator('dialog input').fill('program')
  assert.is(await twice('New key', '/keys/create'), 1)
  await page.keyboard.press('Escape')
  await tab.go('people')
  await tab.press('New person')
  await page.getByLabel('Email').fill('one@example.com')
  assert.is(await twice('Save', '/users/create'), 1)
})

lists('a dialog with fields begins in the first one', async () => {
  await tab.go('people')
  await tab.press('New person')
  await tab.page.waitForSelector('dialog[open]')
  assert.is(await tab.page.evaluate('document.activeElement.tagName'), 'INPUT')
  await tab.page.keyboard.press('Escape')
})

lists.run()
