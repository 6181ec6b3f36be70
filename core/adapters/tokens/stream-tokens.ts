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

  /** `by`: the key or session that asks for it, with which the stream ends. */
  issue(account: AccountUuid, by: readonly string[], unixMs: number): string {
    const exp = Math.ceil(unixMs / 1000) + streamTokenSeconds
    return signJwt({ acc: account, by, jti: randomUUID(), exp }, this.#key)
  }

  /** Whose stream the token opens, and by what; undefined when the token is not ours, or has expired. */
  read(token: string, unixMs: number): { readonly account: AccountUuid; readonly by: readonly string[] } | undefined {
    const claims = readJwt(token, this.#key)
    if (claims === undefined || typeof claims.exp !== 'number' || claims.exp * 1000 <= unixMs) return undefined
    return { account: claims.acc as AccountUuid, by: claims.by as readonly string[] }
  }
}
