import type { AccountUuid } from './ids.ts'

/** The softphone that a call comes from: its end-user, and the token that it signed in with. */
export interface PhoneCaller {
  readonly endUserUuid: string
  readonly accountUuid: AccountUuid
  readonly tokenUuid: string
  /** How many calls this token may have placed at once. */
  readonly maxConcurrent: number
  /** As the phone sent it. */
  readonly customPayload?: string
}

/** One registered softphone of an end-user. */
export interface PhoneBinding {
  readonly id: string
  /** IP literal from which it has registered. */
  readonly address: string
  /** A browser: its media is WebRTC. */
  readonly isBrowser: boolean
}
