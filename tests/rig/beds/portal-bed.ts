import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { launchChromium } from '../peers/chromium.ts'
import { ownAddress } from '../probes/own-address.ts'
import { sleep } from '../probes/wait.ts'
import { requirePeers } from './debian.ts'
import { type BedOptions, SwitchBed } from './switch-bed.ts'

/** Pages of the customer's portal, by what stands after `#/`. */
export const customerPages = [
  '',
  'calls',
  'documents',
  'numbers',
  'assets',
  'people',
  'recordings',
  'webhooks',
  'events',
  'wallet',
  'keys',
] as const

export const consolePages = [
  'operator',
  'operator/accounts',
  'operator/pool',
  'operator/trunks',
  'operator/rates',
  'operator/destinations',
  'operator/changes',
  'operator/sessions',
] as const

/** In the page: what lies beyond the right edge, and is not in a part that scrolls; else the words that make it scroll aside. */
export const beyond = `(found => found.length > 0 || document.documentElement.scrollWidth <= innerWidth ? found
  : [...document.querySelectorAll('main *')].filter(it => it.scrollWidth > it.clientWidth + 1 && !it.closest('.hidden, thead, .ladder, .diff, pre, .skip, .cut'))
    .map(it => 'scrolls aside: ' + it.outerHTML.slice(0, 100)).slice(0, 3))([...document.querySelectorAll('body *')]
  .filter(it => it.checkVisibility({ visibilityProperty: true }) && it.getBoundingClientRect().right > innerWidth + 1
    && !it.closest('.hidden, thead, .ladder, .diff, pre, .skip, .cut'))
  .map(it => it.outerHTML.slice(0, 100)).slice(0, 3))`
/** In every frame: what the policy of a page refused. */
const noteViolations = `addEventListener('securitypolicyviolation', event => {
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber)
})`

/** In the page: what it shows, and what it has loaded last. */
const shown = `(document.querySelector('main') ?? document.body).outerHTML.slice(0, 1500) + ' ' +
  performance.getEntriesByType('resource').slice(-6).map(({ name, responseEnd }) => name + ' ' + responseEnd.toFixed(0)).join(' ') +
  ' now ' + performance.now().toFixed(0)`

/** A tab that is signed in on both sides, and what went wrong in it. */
export class PortalTab {
  readonly page: Page
  readonly base: string
  /** Faults of scripts, what the policy refused, and what of it the browser does not know. */
  readonly complaints: string[] = []
  /** Requests to other origins. */
  readonly outside: string[] = []
  /** What the page wrote to its console. */
  readonly #said: string[] = []
  readonly #waiting = new Set<Request>()

  constructor(page: Page, base: string) {
    this.page = page
    this.base = base
    page.setDefaultTimeout(10_000)
    page.on('pageerror', fault => this.complaints.push(String(fault)))
    page.on('console', message => {
      if (this.#said.length < 20) this.#said.push(message.text().slice(0, 300))
      if (/policy: |Content Security Policy|Trusted|Unrecognized feature/.test(message.text()))
        this.complaints.push(message.text())
    })
    page.on('dialog', dialog => {
      this.complaints.push(`dialog: ${dialog.message()}`)
      dialog.dismiss()
    })
    page.on('requestfinished', request => this.#waiting.delete(request))
    page.on('requestfailed', request => {
      this.#waiting.delete(request)
      this.#said.push(`${request.url()}: ${request.failure()?.errorText}`)
    })
    page.on('request', request => {
      this.#waiting.add(request)
      const url = request.url()
      if (/^(https?|wss?):/.test(url) && new URL(url).host !== new URL(base).host) this.outside.push(url)
    })
  }

  /** A page of the portal once what it asks for is there. */
  async go(path: string): Promise<void> {
    await this.page.goto(`${this.base}/#/${path}`)
    await this.settled()
  }

  async settled(): Promise<void> {
    try {
      await this.page.waitForSelector('main h1')
      await this.page.waitForSelector('main .waiting', { state: 'detached' })
    } catch (fault) {
      throw new Error(`${String(fault).split('\n')[0]} ${await this.#state()}`)
    }
  }

  /** What a failure shows: the address, what the page has, what went wrong in it, and requests that have no answer yet. */
  async #state(): Promise<string> {
    const body = await Promise.race([
      this.page.evaluate<string>(shown).catch(String),
      sleep(2000).then(() => 'the page does not answer'),
    ])
    const waiting = [...this.#waiting].map(request => `${request.method()} ${request.url()}`)
    return JSON.stringify({ url: this.page.url(), body, complaints: this.complaints, said: this.#said, waiting })
  }

  press(name: string): Promise<void> {
    return this.page.getByRole('button', { name, exact: true }).first().click()
  }
}

interface PortalBedOptions extends BedOptions {
  readonly chromium?: readonly string[]
}

/** A switch, and Chromium as customer and as operator. */
export class PortalBed {
  readonly bed: SwitchBed
  readonly browser: Browser
  /** `localhost`: only there, and over https, a page may use the microphone. */
  readonly base: string

  private constructor(bed: SwitchBed, browser: Browser) {
    this.bed = bed
    this.browser = browser
    this.base = bed.on.baseUrl.replace('127.0.0.1', 'localhost')
  }

  static async open({ chromium = [], env, ...options }: PortalBedOptions = {}): Promise<PortalBed> {
    requirePeers('chromium')
    const bed = await SwitchBed.open({ ...options, env: { SAUTI_EXTERNAL_ADDRESS: ownAddress(), ...env } })
    return new PortalBed(bed, await launchChromium({ args: chromium }))
  }

  async tab(options: Parameters<Browser['newContext']>[0] = {}): Promise<PortalTab> {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    await context.addInitScript(noteViolations)
    await this.signIn(context)
    return new PortalTab(await context.newPage(), this.base)
  }

  /** Both cookies, as the page gets them. */
  async signIn(context: BrowserContext): Promise<void> {
    for (const key of [this.bed.account.key, this.bed.on.operatorKey]) {
      const answer = await context.request.post(`${this.base}/portal/session`, {
        data: { key },
        headers: { origin: this.base },
      })
      if (answer.status() !== 201) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`)
    }
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.bed.close()
  }
}
