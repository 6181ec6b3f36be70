import { spendableOf } from '../../billing/wallet.ts'
import type { AccountProfile, EndUserProfile, NumberOwner, OwnedNumber, WebhookSettings } from '../../model/account.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Money } from '../../model/money.ts'
import type { Database } from './database.ts'
import type { Row } from './schema.ts'

type WebhookColumns =
  | 'endpoint_voice_inbound'
  | 'endpoint_voice_outbound'
  | 'endpoint_status'
  | 'fallback_mode'
  | 'fallback_value'

export const webhookSettingsOf = (row: Pick<Row<'accounts'>, WebhookColumns>): WebhookSettings => ({
  endpoints: {
    voice_inbound: row.endpoint_voice_inbound,
    voice_outbound: row.endpoint_voice_outbound,
    status: row.endpoint_status,
  },
  fallbackMode: row.fallback_mode,
  fallbackValue: row.fallback_value,
})

const profileOf = (row: Row<'accounts'>): AccountProfile => ({
  uuid: row.uuid,
  name: row.name,
  status: row.status,
  graceAmount: row.grace_amount,
  creditLimit: row.credit_limit,
  maxConcurrentCalls: row.max_concurrent_calls,
  maxCallsPerSecond: row.max_calls_per_second,
  maxInboundCalls: row.max_inbound_calls,
  maxDialledLegs: row.max_dialled_legs,
  recordingBytes: row.recording_bytes,
  maxRecordingBytes: row.max_recording_bytes,
  ...webhookSettingsOf(row),
})

export const ownedNumberOf = (row: Row<'numbers'>): OwnedNumber => ({
  uuid: row.uuid,
  number: row.number,
  isActive: row.is_active === 1,
  webhookUrls: {
    voice_inbound: row.webhook_voice_inbound,
    voice_outbound: row.webhook_voice_outbound,
    status: row.webhook_status,
  },
})

/** What every call reads of its account, by statements that are compiled once. */
export class ProfileRows {
  readonly #account
  readonly #number
  readonly #firstNumber
  readonly #endUser

  constructor(database: Database) {
    this.#account = database.prepare<[AccountUuid], Row<'accounts'>>('SELECT * FROM accounts WHERE uuid = ?')
    this.#number = database.prepare<[string], Row<'numbers'>>('SELECT * FROM numbers WHERE number = ?')
    this.#firstNumber = database.prepare<[AccountUuid], Row<'numbers'>>(
      'SELECT * FROM numbers WHERE account_uuid = ? AND is_active = 1 ORDER BY acquired_unix, number LIMIT 1',
    )
    this.#endUser = database.prepare<[AccountUuid, string, string, string], Row<'end_users'>>(
      'SELECT * FROM end_users WHERE account_uuid = ? AND (uuid = ? OR extension_number = ? OR email = ?) LIMIT 1',
    )
  }

  account(uuid: AccountUuid): AccountProfile | undefined {
    const row = this.#account.get(uuid)
    return row && profileOf(row)
  }

  numberOwner(e164: string): NumberOwner | undefined {
    const row = this.#number.get(e164)
    if (row === undefined || row.account_uuid === null) return undefined
    const account = this.account(row.account_uuid)
    return account && { account, number: ownedNumberOf(row) }
  }

  ownedNumber(account: AccountUuid, e164: string): OwnedNumber | undefined {
    const row = this.#number.get(e164)
    return row === undefined || row.account_uuid !== account ? undefined : ownedNumberOf(row)
  }

  firstNumber(account: AccountUuid): OwnedNumber | undefined {
    const row = this.#firstNumber.get(account)
    return row && ownedNumberOf(row)
  }

  spendable(account: AccountUuid): Money {
    const row = this.#account.get(account)
    if (row === undefined) return 0
    const { balance, held, grace_amount: graceAmount, credit_limit: creditLimit } = row
    return spendableOf({ balance, held, graceAmount, creditLimit })
  }

  endUser(account: AccountUuid, key: string): EndUserProfile | undefined {
    const row = this.#endUser.get(account, key, key, key)
    if (row === undefined) return undefined
    return {
      uuid: row.uuid,
      email: row.email,
      displayName: row.display_name,
      extensionNumber: row.extension_number,
      isActive: row.is_active === 1,
    }
  }
}
