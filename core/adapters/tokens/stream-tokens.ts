import { type KeyObject, randomUUID } from 'node:crypto'
import type { AccountUuid } from '../../model/ids.ts'
import { readJwt, signJwt } from './jwt.ts'

export const streamTokenSeconds = 300

/** Tokens that open the event stream of one account. The stream outlives its token. */
export class StreamTokens {
  readonly #key: KeyObject

  constructor(key: KeyObject) {
    this.#key = key
  }

  issue(account: AccountUuid, unixMs: number): string {
    const exp = Math.ceil(unixMs / 1000) + streamTokenSeconds
    return signJwt({ acc: account, jti: randomUUID(), exp }, this.#key)
  }

  /** The account whose stream the token opens; undefined when the token is not ours, or has expired. */
  accountOf(token: string, unixMs: number): AccountUuid | undefined {
    const claims = readJwt(token, this.#key)
    if (claims === undefined || typeof claims.exp !== 'number' || claims.exp * 1000 <= unixMs) return undefined
    return claims.acc as AccountUuid
  }
}
