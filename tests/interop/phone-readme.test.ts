import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sdkCode } from '../../api/phone/sdk-bundle.ts'
import { BedAccount } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { makeUser, mint } from '../rig/peers/browser-phone.ts'
import { launchChromium } from '../rig/peers/chromium.ts'
import { ownAddress } from '../rig/probes/own-address.ts'
import { until } from '../rig/probes/wait.ts'

// The page of sdk/README.md as it stands, from a web server of its own, against a real switch.
const readme = suite("the SDK's page to copy")

let on: SwitchProcess
let server: Server
let browser: Browser

readme.before(async () => {
  requirePeers('chromium', 'espeak-ng')
  on = await SwitchProcess.start({ SAUTI_EXTERNAL_ADDRESS: ownAddress() })
  const text = readFileSync(new URL('../../sdk/README.md', import.meta.url), 'utf8')
  const html = /```html\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
  const code = await sdkCode()
  server = createServer((request, response) => {
    const isCode = request.url === '/sauti-phone.js'
    response.setHeader('content-type', isCode ? 'text/javascript' : 'text/html')
    response.end(isCode ? code : html)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  browser = await launchChromium()
})

readme.after(async () => {
  await browser?.close()
  server?.close()
  await on?.close()
})

readme('signs in, calls a document, reports its end; refuses bad input in words', async () => {
  const account = await BedAccount.make(on)
  await account.hosts('voice_outbound', '<Say>Hello.</Say>')
  const user = await makeUser(account, 'Amina')
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('pageerror', fault => complaints.push(fault.message))
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
  const state = (words: RegExp) =>
    until(
      `${words}`,
      async () => words.test(String(await page.evaluate('document.querySelector("#state").value'))),
      15_000,
    )
  await page.fill('[name=url]', `${on.baseUrl.replace('http', 'ws')}/sip`)
  await page.fill('[name=token]', 'nonsense')
  await page.click('#sign-in button')
  await state(/not a phone token/)
  await page.fill('[name=token]', (await mint(account, user)).token)
  await page.click('#sign-in button')
  await state(new RegExp(`Ready as ${user.extension}`))
  await page.fill('[name=to]', '1234')
  await page.click('#call button')
  await state(/Talking with 1234/)
  await state(/has ended/)
  assert.equal(complaints, [])
})

readme.run()
