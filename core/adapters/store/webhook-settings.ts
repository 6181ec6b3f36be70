import { randomBytes } from 'node:crypto'
import type { FallbackMode, WebhookPurpose, WebhookSettings } from '../../model/account.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Database } from './database.ts'
import { webhookSettingsOf } from './profile-rows.ts'

/** What a new account says to a caller when its document fails. */
export const defaultFallbackText = 'We are sorry, an application error has occurred. Goodbye.'

export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`

/** Only what is given changes. */
export interface WebhookSettingsChange {
  readonly endpoint?: { readonly purpose: WebhookPurpose; readonly url: string }
  readonly fallback?: { readonly mode: FallbackMode; readonly value?: string }
}

/** Where an account's webhooks go, what happens when one fails, and the secret that signs them. */
export class WebhookSettingsStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async get(account: AccountUuid): Promise<WebhookSettings> {
    const row = await this.#database.sql
      .selectFrom('accounts')
      .select([
        'endpoint_voice_inbound',
        'endpoint_voice_outbound',
        'endpoint_status',
        'fallback_mode',
        'fallback_value',
      ])
      .where('uuid', '=', account)
      .executeTakeFirstOrThrow()
    return webhookSettingsOf(row)
  }

  async change(account: AccountUuid, change: WebhookSettingsChange): Promise<void> {
    const { endpoint, fallback } = change
    await this.#set(account, {
      ...(endpoint === undefined ? {} : { [`endpoint_${endpoint.purpose}`]: endpoint.url }),
      ...(fallback === undefined ? {} : { fallback_mode: fallback.mode }),
      ...(fallback?.value === undefined ? {} : { fallback_value: fallback.value }),
    })
  }

  async secret(account: AccountUuid): Promise<string> {
    const row = await this.#database.sql
      .selectFrom('accounts')
      .select('signing_secret')
      .where('uuid', '=', account)
      .executeTakeFirstOrThrow()
    return row.signing_secret
  }

  /** The old secret signs nothing from now on. */
  async rotate(account: AccountUuid): Promise<string> {
    const secret = newSigningSecret()
    await this.#set(account, { signing_secret: secret })
    return secret
  }

  async #set(
    account: AccountUuid,
    set: {
      readonly endpoint_voice_inbound?: string
      readonly endpoint_voice_outbound?: string
      readonly endpoint_status?: string
      readonly fallback_mode?: FallbackMode
      readonly fallback_value?: string
      readonly signing_secret?: string
    },
  ): Promise<void> {
    if (Object.keys(set).length === 0) return
    await this.#database.write(() =>
      this.#database.run(this.#database.sql.updateTable('accounts').set(set).where('uuid', '=', account)),
    )
  }
}
