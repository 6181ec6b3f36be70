import type { Repositories } from '../adapters/store/repositories.ts'
import type { EndUserRecord } from '../adapters/store/users.ts'
import { assertNever } from '../model/assert-never.ts'
import type { AccountUuid } from '../model/ids.ts'
import { SwitchError } from './errors.ts'

/** An identity with a phone: an extension of an account. */
export interface EndUser {
  readonly uuid: string
  readonly email: string
  readonly displayName: string
  /** Digits that `<Dial><Client>`, `<Dial><Number>` and other phones dial; the switch gives them. */
  readonly extension: string
  readonly isActive: boolean
}

/** What a browser phone signs in with: give `token` to the SDK. */
export interface PhoneToken {
  readonly uuid: string
  /** Shown only here. */
  readonly token: string
  /** End of its validity, Unix ms. */
  readonly expiresUnix: number
}

/** How long a token is valid and how many calls it may have at once. */
export interface PhoneTokenOptions {
  /** Seconds, 1 to 3600. Default 3600. */
  readonly ttlSeconds?: number
  /** Calls at once, 1 to 10. Default 1. */
  readonly maxConcurrent?: number
}

/**
 * End-users of accounts and the tokens of their phones, as `/users/` and `/phone-tokens/` have them.
 *
 *     const user = await sauti.endUsers.create(account.uuid, { email: 'amina@shamba.example', displayName: 'Amina' })
 *     const { token } = await sauti.endUsers.mintToken(account.uuid, user.uuid, { ttlSeconds: 600 })
 */
export class EndUsers {
  readonly #users: Repositories['users']
  readonly #tokens: Repositories['phoneTokens']
  readonly #realm: string
  readonly #unixMs: () => number

  /** @internal */
  constructor(parts: Pick<Repositories, 'users' | 'phoneTokens'>, realm: string, unixMs: () => number) {
    this.#users = parts.users
    this.#tokens = parts.phoneTokens
    this.#realm = realm
    this.#unixMs = unixMs
  }

  /** Makes an end-user with the next free extension. Throws `exists` when the account has one with that address. */
  async create(account: string, fields: { readonly email: string; readonly displayName: string }): Promise<EndUser> {
    const made = await this.#users.create(account as AccountUuid, fields, this.#unixMs())
    if (made === undefined) throw new SwitchError('exists', `the account has an end-user with ${fields.email} already`)
    return endUserOf(made)
  }

  /** All end-users of an account. */
  async list(account: string): Promise<readonly EndUser[]> {
    return (await this.#users.list(account as AccountUuid)).map(endUserOf)
  }

  /** Changes what is given; one that is not active has its tokens revoked. Throws `not-found`. */
  async update(
    account: string,
    uuid: string,
    fields: { readonly displayName?: string; readonly isActive?: boolean },
  ): Promise<EndUser> {
    const changed = await this.#users.change(account as AccountUuid, uuid, fields)
    if (changed === undefined) throw new SwitchError('not-found', `the account has no end-user ${uuid}`)
    if (fields.isActive === false) await this.#tokens.revokeAllOf(account as AccountUuid, uuid, this.#unixMs())
    return endUserOf(changed)
  }

  /** The end-user's tokens are revoked; the extension is not given again. Throws `not-found`. */
  async remove(account: string, uuid: string): Promise<void> {
    await this.#tokens.revokeAllOf(account as AccountUuid, uuid, this.#unixMs())
    if (!(await this.#users.remove(account as AccountUuid, uuid)))
      throw new SwitchError('not-found', `the account has no end-user ${uuid}`)
  }

  /** A token for one phone of the end-user. Throws `not-found`, `inactive`, `insufficient-funds`. */
  async mintToken(account: string, endUser: string, options: PhoneTokenOptions = {}): Promise<PhoneToken> {
    const { ttlSeconds = 3600, maxConcurrent = 1 } = options
    inRange('ttlSeconds', ttlSeconds, 1, 3600)
    inRange('maxConcurrent', maxConcurrent, 1, 10)
    const order = { endUserUuid: endUser, ttlSeconds, maxConcurrent, realm: this.#realm }
    const minted = await this.#tokens.mint(account as AccountUuid, order, this.#unixMs())
    if (minted.ok) return { uuid: minted.record.uuid, token: minted.token, expiresUnix: minted.record.expiresUnix }
    switch (minted.refused) {
      case 'unknown':
      case 'other-account':
        throw new SwitchError('not-found', `the account has no end-user ${endUser}`)
      case 'inactive':
        throw new SwitchError('inactive', `the end-user ${endUser} is not active`)
      case 'insufficient-funds':
        throw new SwitchError('insufficient-funds', 'the account cannot pay for a call')
      default:
        assertNever(minted.refused)
    }
  }

  /** The token is of no use at once; live calls go on. Throws `not-found`. */
  async revokeToken(account: string, uuid: string): Promise<void> {
    if (!(await this.#tokens.revoke(account as AccountUuid, uuid, this.#unixMs())))
      throw new SwitchError('not-found', `the account has no token ${uuid}`)
  }
}

function inRange(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new SwitchError('config.invalid', `${name}: a whole number from ${least} to ${most}`)
}

const endUserOf = ({ uuid, email, displayName, extensionNumber, isActive }: EndUserRecord): EndUser => ({
  uuid,
  email,
  displayName,
  extension: extensionNumber,
  isActive,
})
