/** Identity of a softphone, by the token that it signs in with. */
export interface PhoneIdentity {
  readonly tokenId: string
  /** The end-user; its registrations are kept under this name. */
  readonly userId: string
  /**
   * Whose end-user it is: registrations of one account are bounded together, and its phones have one share of the calls that
   * phones may begin under load. Default: the end-user's alone, and none.
   */
  readonly accountId?: string
  /** Its address of record and its digest username: the extension. */
  readonly user: string
  /** Its own name; the answer to its registration says it. */
  readonly displayName?: string
  /** The token itself. */
  readonly password: string
  /** False: revoked, or its end-user is not active. */
  readonly isUsable: boolean
  /** How long the token still lasts; 0 or less = it has expired. */
  readonly remainingMs: number
}

/** The tokens that may be presented, as they are now. Answers at once. */
export interface PhoneDirectory {
  /** Undefined: no token of ours. */
  byToken(token: string): PhoneIdentity | undefined
  /** Unexpired tokens of the extension, revoked ones too; the number is bounded. */
  byUser(user: string): readonly PhoneIdentity[]
}

export const noPhones: PhoneDirectory = { byToken: () => undefined, byUser: () => [] }
