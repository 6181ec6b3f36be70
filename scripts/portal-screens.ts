import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { consolePages, customerPages, PortalBed, type PortalTab } from '../tests/rig/beds/portal-bed.ts'
import { fill } from '../tests/rig/beds/portal-filling.ts'
import { SipWriter } from '../tests/rig/peers/sip-writer.ts'
import { until } from '../tests/rig/probes/wait.ts'

const help = `npm run portal:screens -- [options]

Writes a picture of every page of the portal and the console, empty, with data and where a request fails, from a switch of
its own with real calls. Needs Chromium.

  --out FOLDER      where to (default portal-screens)
  --widths LIST     in pixels (default 360,768,1920)
  --themes LIST     light,dark (default both)
  --language LANG   en or sw (default en)
  --page TEXT       only pages whose name contains it
`

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'portal-screens' },
    widths: { type: 'string', default: '360,768,1920' },
    themes: { type: 'string', default: 'light,dark' },
    language: { type: 'string', default: 'en' },
    page: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})

const widths = values.widths.split(',').map(Number)
const themes = values.themes.split(',')
const nameOf = (path: string) => (path === '' ? 'home' : path.replaceAll('/', '-'))

async function take(tab: PortalTab, name: string): Promise<void> {
  for (const width of widths)
    for (const theme of themes) {
      await tab.page.setViewportSize({ width, height: width < 700 ? 780 : 1000 })
      await tab.page.emulateMedia({ colorScheme: theme === 'dark' ? 'dark' : 'light', reducedMotion: 'reduce' })
      await tab.page.screenshot({ path: join(values.out, `${name}-${width}-${theme}.png`), fullPage: true })
    }
}

async function takeAll(tab: PortalTab, state: string, paths: readonly (readonly [name: string, path: string])[]) {
  for (const [name, path] of paths) {
    if (!name.includes(values.page)) continue
    // With one page alone the tab is there already, and would show it as it was.
    await tab.page.goto('about:blank')
    await tab.go(path)
    await take(tab, `${name}-${state}`)
  }
}

/** A call while it goes on, then with the phone over the page. */
async function takeLive({ bed }: PortalBed, tab: PortalTab): Promise<void> {
  if (!'call-live-phone'.includes(values.page)) return
  const { account } = bed
  await account.hosts('voice_inbound', '<Play asset="welcome"/><Pause length="60"/>')
  const peer = await SipWriter.open(bed.carrierPort, bed.on.sipPort)
  try {
    const call = peer.call({ to: account.number, from: '<sip:+254722000222@127.0.0.1>', talkMs: 30_000 })
    call.catch(() => {})
    const live = await until('a live call', async () => {
      const { body } = await account.api('GET', '/calls/?status=answered')
      return body.calls[0]
    })
    await tab.go('calls')
    await take(tab, 'calls-live')
    await tab.go(`calls/${live.uuid}`)
    await tab.page.waitForSelector('.timeline li')
    await take(tab, 'call-live')
    await tab.page.setViewportSize({ width: 1280, height: 900 })
    const button = tab.page.locator('.phone-overlay button')
    await button.click()
    await tab.page.frameLocator('iframe').locator('#status[data-state="on"]').waitFor()
    for (const path of [`calls/${live.uuid}`, 'calls', 'webhooks', '']) {
      await tab.page.evaluate(`location.hash = ${JSON.stringify(`#/${path}`)}`)
      await tab.settled()
      await take(tab, `phone-${path.startsWith('calls/') ? 'call' : nameOf(path)}`)
    }
    await button.click()
    await account.api('POST', '/calls/hangup', { sid: live.sid })
    await call
  } finally {
    peer.close()
  }
}

async function main(): Promise<void> {
  mkdirSync(values.out, { recursive: true })
  const bed = await PortalBed.open({ prefixes: ['+254'] })
  try {
    const tab = await bed.tab()
    await tab.page
      .context()
      .addInitScript(`localStorage.setItem('language', '${values.language === 'sw' ? 'sw' : 'en'}')`)
    const lists = [...customerPages, ...consolePages].map(path => [nameOf(path), path] as const)
    await takeAll(tab, 'empty', lists)
    const { call, failed, fellBack, document } = await fill(bed.bed)
    const single = [
      ['call', `calls/${call}`],
      ['call-failed', `calls/${failed}`],
      ['call-fell-back', `calls/${fellBack}`],
      ['document', `documents/${document}`],
      ['operator-account', `operator/accounts/${bed.bed.account.uuid}`],
      ['nowhere', 'nowhere'],
    ] as const
    await takeAll(tab, 'filled', [...lists, ...single])
    await takeLive(bed, tab)
    await tab.page.route(
      /\/(account|calls|documents|numbers|events|keys|users|recordings|assets|operator)\b.*/,
      route =>
        route.request().resourceType() === 'document'
          ? route.fallback()
          : route.fulfill({ status: 503, json: { detail: 'The service is busy: try again.' } }),
    )
    const faulty = lists.filter(([name]) => name.includes(values.page))
    for (const [name, path] of faulty) {
      await tab.page.goto(`${bed.base}/#/${path}`)
      await tab.page.reload()
      await tab.page.waitForSelector('[role=alert]').catch(() => {})
      await take(tab, `${name}-fault`)
    }
  } finally {
    await bed.close()
  }
}

if (values.help) process.stdout.write(help)
else await main()
