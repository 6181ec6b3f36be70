import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { type BedAccount, expectStatus } from '../beds/account.ts'
import { until } from '../probes/wait.ts'
import { type ChromiumOptions, launchChromium } from './chromium.ts'

export interface PhoneUser {
  readonly uuid: string
  readonly extension: string
}

export async function makeUser(account: BedAccount, name: string): Promise<PhoneUser> {
  const email = `${name.toLowerCase().replace(/\W/g, '.')}.${Math.random().toString(36).slice(2)}@bed.test`
  const { body } = expectStatus(await account.api('POST', '/users/create', { email, display_name: name }), 201)
  return { uuid: body.uuid, extension: body.extension_number }
}

export async function mint(account: BedAccount, user: PhoneUser, more: Record<string, unknown> = {}) {
  const { body } = expectStatus(
    await account.api('POST', '/phone-tokens/mint', { uuid: user.uuid, max_concurrent: 5, ...more }),
    200,
  )
  return {
    token: body.token as string,
    iceServers: body.iceServers as unknown[],
    uuid: body.phone_token.uuid as string,
  }
}

interface SeenCall {
  readonly direction: string
  readonly remoteIdentity: string
  readonly remoteName: string
  readonly state: string
  readonly isOnHold: boolean
  readonly isMuted: boolean
  readonly endReason?: { cause: string; by: string; status?: number; code?: string }
  readonly quality?: { mos: number; lossPercent: number; codec?: string; sentBitrate: number; receivedBitrate: number }
  readonly events: readonly string[]
}

export interface Heard {
  /** Root mean square, 0 to 1. */
  readonly loudness: number
  /** Power of each frequency against the whole. */
  readonly shares: readonly number[]
}

/** Debian's Chromium, whose microphone plays one tone for ever, with the SDK in a page of the switch. */
export class BrowserPhone {
  readonly page: Page
  readonly complaints: string[] = []
  readonly #browser: Browser

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser
    this.page = page
    page.on('pageerror', fault => this.complaints.push(fault.message))
  }

  /** `options`: the Phone's. */
  static async launch(
    baseUrl: string,
    microphoneHz: number,
    options: Record<string, unknown> = {},
    browser: ChromiumOptions = {},
  ): Promise<BrowserPhone> {
    const launched = await launchChromium({ microphoneHz, ...browser })
    const page = await launched.newPage()
    const phone = new BrowserPhone(launched, page)
    await page.addInitScript({ path: fileURLToPath(new URL('phone-page.js', import.meta.url)) })
    // localhost is a secure context without HTTPS.
    await page.goto(`${baseUrl.replace('127.0.0.1', 'localhost')}/phone`)
    await phone.run('load', { iceServers: [], ...options })
    return phone
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }

  /** Another page of the same browser. */
  async open(url: string): Promise<Page> {
    const page = await (await this.#browser.newContext()).newPage()
    await page.goto(url)
    return page
  }

  /** Calls `bed.<method>` in the page. */
  run<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    return this.page.evaluate(`bed.${method}(...${JSON.stringify(args)})`) as Promise<T>
  }

  evaluate<T>(expression: string): Promise<T> {
    return this.page.evaluate(expression) as Promise<T>
  }

  signIn(credentials: unknown): Promise<unknown> {
    return this.run('signIn', credentials)
  }

  dial(destination: string, options: Record<string, unknown> = {}): Promise<number> {
    return this.run('dial', destination, options)
  }

  act(call: number, method: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.run('act', call, method, ...args)
  }

  call(index: number): Promise<SeenCall> {
    return this.run('call', index)
  }

  hear(index: number, ms: number, frequencies: readonly number[]): Promise<Heard> {
    return this.run('hear', index, ms, frequencies)
  }

  async events(): Promise<string[]> {
    return this.evaluate('bed.events.map(({ name }) => name)')
  }

  /** Of the SDK's own tones. */
  hearTones(ms: number, frequencies: readonly number[]): Promise<Heard> {
    return this.run('hearTones', ms, frequencies)
  }

  /** Index of the next call that comes. */
  incoming(): Promise<number> {
    return this.until('a call to come', async () => {
      const index = await this.evaluate<number>(
        'bed.calls.findIndex(({ call }) => call.direction === "inbound" && call.state === "ringing")',
      )
      return index >= 0 ? { index } : undefined
    }).then(({ index }) => index)
  }

  state(index: number, state: string, timeoutMs = 10_000): Promise<SeenCall> {
    return this.until(
      `call ${index} to be ${state}`,
      async () => {
        const call = await this.call(index)
        if (call.state === 'ended' && state !== 'ended')
          throw new Error(`the call ended: ${JSON.stringify(call.endReason)}`)
        return call.state === state && call
      },
      timeoutMs,
    )
  }

  /** Polls; what the phone logged goes into the error. */
  async until<T>(what: string, probe: () => Promise<T | undefined | false>, timeoutMs = 10_000): Promise<T> {
    try {
      return await until(what, probe, timeoutMs)
    } catch (fault) {
      const log = await this.evaluate<string[]>('bed.log.slice(-14)').catch(() => [])
      throw new Error(`${String(fault)}\n${log.join('\n')}`)
    }
  }
}
