import type { AccountUuid } from './ids.ts'
import type { Money } from './money.ts'

export type WebhookPurpose = 'voice_inbound' | 'voice_outbound' | 'status'
export type FallbackMode = 'message' | 'play' | 'drop'

/** Where an account's webhooks go, and what a caller hears when one fails. */
export interface WebhookSettings {
  /** Account-default URL per purpose; empty = none set. */
  readonly endpoints: Readonly<Record<WebhookPurpose, string>>
  readonly fallbackMode: FallbackMode
  readonly fallbackValue: string
}

/** What a call needs to know of the account it belongs to; read when the call starts. */
export interface AccountProfile extends WebhookSettings {
  readonly uuid: AccountUuid
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly graceAmount: Money
  readonly creditLimit: Money
  readonly maxConcurrentCalls: number
  readonly maxCallsPerSecond: number
  /** Live calls to its numbers, on-net ones included. */
  readonly maxInboundCalls: number
  /** Live legs that its Dials have opened. */
  readonly maxDialledLegs: number
  /** What its recordings take on the disk, and may take; null = what the settings say. */
  readonly recordingBytes: number
  readonly maxRecordingBytes: number | null
}

/** A number that an account owns. */
export interface OwnedNumber {
  readonly uuid: string
  readonly number: string
  readonly isActive: boolean
  /** Per-number overrides; empty = inherits the account default. */
  readonly webhookUrls: Readonly<Record<WebhookPurpose, string>>
}

/** A number of this switch, with its account. */
export interface NumberOwner {
  readonly account: AccountProfile
  readonly number: OwnedNumber
}

export interface EndUserProfile {
  readonly uuid: string
  readonly email: string
  readonly displayName: string
  readonly extensionNumber: string
  readonly isActive: boolean
}
