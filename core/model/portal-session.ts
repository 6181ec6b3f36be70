import type { AccountUuid } from './ids.ts'

/** How a session of the portal began: by an API key, a one-time link, or an operator who signs in as the account. */
export type SessionOrigin = 'key' | 'link' | 'operator'

/** A signed-in browser. `accountUuid` null: the operator's console. */
export interface PortalSession {
  readonly uuid: string
  readonly accountUuid: AccountUuid | null
  readonly accountName: string | null
  readonly accountStatus: 'active' | 'suspended' | null
  readonly origin: SessionOrigin
  /** The key that it was exchanged for; of the operator's console a fingerprint of it. Null: a link opened it. */
  readonly keyUuid: string | null
  readonly address: string
  readonly userAgent: string
  readonly createdUnix: number
  readonly seenUnix: number
  readonly expiresUnix: number
}
