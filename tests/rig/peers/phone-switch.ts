import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Serving, serve } from '../../../api/serving.ts'
import { silentLog } from '../../../core/adapters/system/silent-log.ts'
import { type AccountUuid, defaultSettings, type EndUserRecord, type Settings, Switch } from '../../../core/index.ts'
import type { SwitchOptions } from '../../../core/switch.ts'
import { freeMediaPorts } from '../probes/ports.ts'

export interface SignedUser {
  readonly user: EndUserRecord
  readonly extension: string
  readonly token: string
  readonly tokenUuid: string
}

const rates = [
  {
    prefix: '+254',
    direction: 'outbound',
    ratePerMinute: 30_000,
    incrementSeconds: 60,
    minimumSeconds: 0,
    connectionFee: 0,
  },
] as const

const mediaPorts = freeMediaPorts()

/** A whole switch with its HTTP side in this process: an account, its number, and end-users with tokens. */
export class PhoneSwitch {
  readonly sauti: Switch
  readonly serving: Serving
  readonly account: AccountUuid
  readonly number = '+254700000001'
  readonly url: string
  readonly #folder: string
  #users = 0

  private constructor(sauti: Switch, serving: Serving, account: AccountUuid, folder: string) {
    this.sauti = sauti
    this.serving = serving
    this.account = account
    this.url = `ws://127.0.0.1:${serving.http[0]!.port}/sip`
    this.#folder = folder
  }

  static async open(given: Partial<Settings> = {}, options: SwitchOptions = {}): Promise<PhoneSwitch> {
    const folder = mkdtempSync(join(tmpdir(), 'sauti-phones-'))
    const settings: Settings = {
      ...defaultSettings,
      dataFolder: folder,
      http: [{ scheme: 'http', address: '127.0.0.1', port: 0 }],
      sip: { realm: 'localhost', listeners: [{ transport: 'tcp', address: '127.0.0.1', port: 0 }] },
      media: { ports: mediaPorts, workers: 0, timeoutSeconds: 60, weakFingerprints: false },
      allowPrivateUrls: true,
      // The machine may do other things beside the test.
      admission: {
        loopDelayMs: 0,
        inviteWaitMs: 0,
        storeBacklog: 0,
        mediaLatePercent: 0,
        mediaBusyPercent: 0,
        memoryPercent: 0,
      },
      ...given,
    }
    let sauti: Switch | undefined
    const serving = await serve(settings, silentLog, async opened => {
      sauti = await Switch.open(opened, options)
      return sauti
    })
    if (sauti === undefined) throw new Error('no switch was opened')
    const { repositories } = sauti
    const now = Date.now()
    const made = await repositories.accounts.create({ name: 'Phones', walletBalance: 1_000_000 }, now)
    const phones = new PhoneSwitch(sauti, serving, made.account.uuid, folder)
    const pool = await repositories.numbers.add(phones.number, 0, now)
    await repositories.numbers.acquire(phones.account, pool?.uuid ?? '', now)
    await repositories.rates.replace([...rates])
    return phones
  }

  /** Where desk phones register. */
  get tcpUrl(): string {
    const listener = this.sauti.sipListeners.find(({ transport }) => transport === 'tcp')
    return `tcp://127.0.0.1:${listener?.port}`
  }

  /** A hosted document for calls of softphones. */
  async document(body: string, purpose: 'voice_outbound' | 'voice_inbound' = 'voice_outbound'): Promise<void> {
    const { documents, webhookSettings } = this.sauti.repositories
    const made = await documents.create(this.account, { name: `d${++this.#users}`, body }, Date.now())
    await webhookSettings.change(this.account, { endpoint: { purpose, url: made.url } })
  }

  async user(options: { readonly maxConcurrent?: number; readonly ttlSeconds?: number } = {}): Promise<SignedUser> {
    const { users } = this.sauti.repositories
    const email = `user${++this.#users}@example.com`
    const user = await users.create(this.account, { email, displayName: `User ${this.#users}` }, Date.now())
    if (user === undefined) throw new Error('an email twice')
    return this.token(user, options)
  }

  async token(
    user: EndUserRecord,
    options: { readonly maxConcurrent?: number; readonly ttlSeconds?: number } = {},
  ): Promise<SignedUser> {
    const { phoneTokens } = this.sauti.repositories
    const { ttlSeconds = 3600, maxConcurrent = 1 } = options
    const order = { endUserUuid: user.uuid, ttlSeconds, maxConcurrent, realm: this.sauti.settings.sip.realm }
    const minted = await phoneTokens.mint(this.account, order, Date.now())
    if (!minted.ok) throw new Error(minted.refused)
    return { user, extension: user.extensionNumber, token: minted.token, tokenUuid: minted.record.uuid }
  }

  async close(): Promise<void> {
    await this.serving.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
