import { type KeyObject, randomUUID } from 'node:crypto'
import type { AccountUuid } from '../../model/ids.ts'
import { readJwt, signJwt } from './jwt.ts'

export const streamTokenSeconds = 300

/** What a stream token stands for. */
interface StreamGrant {
  readonly account: AccountUuid
  /** The key or session that asked for it, with which the stream ends. */
  readonly by: readonly string[]
  /** When the session ends by itself, and the stream with it; undefined for a key. */
  readonly untilUnix: number | undefined
}

/** Tokens that open the event stream of one account. The stream outlives its token. */
export class StreamTokens {
  readonly #key: KeyObject

  constructor(key: KeyObject) {
    this.#key = key
  }

  issue({ account, by, untilUnix }: StreamGrant, unixMs: number): string {
    const exp = Math.ceil(unixMs / 1000) + streamTokenSeconds
    const until = untilUnix === undefined ? {} : { until: untilUnix }
    return signJwt({ acc: account, by, ...until, jti: randomUUID(), exp }, this.#key)
  }

  /** Undefined when the token is not ours, or has expired, or its session has. */
  read(token: string, unixMs: number): StreamGrant | undefined {
    const claims = readJwt(token, this.#key)
    if (claims === undefined || typeof claims.exp !== 'number' || claims.exp * 1000 <= unixMs) return undefined
    const untilUnix = claims.until as number | undefined
    if (untilUnix !== undefined && untilUnix <= unixMs) return undefined
    return { account: claims.acc as AccountUuid, by: claims.by as readonly string[], untilUnix }
  }
}
