import { offeredAlgorithms } from '../../digest/challenge.ts'
import type { Challenger } from '../../digest/challenger.ts'
import { quote } from '../../grammar/quoted-string.ts'
import type { HeaderField, SipRequest } from '../../message/message.ts'
import { isWebSocket, type TransportName } from '../../network/flow.ts'
import type { PhoneDirectory, PhoneIdentity } from '../../registrar/phone.ts'
import type { ReasonHeader } from '../services/reason-header.ts'
import type { Claims } from './claims.ts'

/** The refusal of a softphone whose token is revoked or of an inactive user (docs/errors.md). */
export const tokenEnded: ReasonHeader = {
  status: 403,
  q850: 57,
  text: 'The phone token is not valid',
  code: 'END.0403',
}

/**
 * `refused`: a token of ours that is revoked or whose user is not active; another try would not help. `unproven`:
 * challenge; `error` says what was wrong with a Bearer token (RFC 6750 §3.1).
 */
export type SignIn =
  | { readonly kind: 'signed-in'; readonly phone: PhoneIdentity }
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'unproven'
      readonly stale: boolean
      readonly error: 'invalid_token' | undefined
      /** It came with a digest for a challenge of ours, and that opens nothing. A token cannot be guessed. */
      readonly isWrong: boolean
    }

/** Signs softphones in: by their token as Bearer (RFC 8898), or by digest with the token as password. */
export class PhoneSignIn {
  readonly #phones: PhoneDirectory
  readonly #challenger: Challenger
  readonly #realm: string

  constructor(phones: PhoneDirectory, challenger: Challenger, realm: string) {
    this.#phones = phones
    this.#challenger = challenger
    this.#realm = realm
  }

  check(message: SipRequest, { source, token, digests, isStale }: Claims, now: number): SignIn {
    if (token !== undefined) {
      const phone = this.#phones.byToken(token)
      if (phone === undefined || phone.remainingMs <= 0)
        return { kind: 'unproven', stale: false, error: 'invalid_token', isWrong: false }
      return phone.isUsable ? { kind: 'signed-in', phone } : { kind: 'refused' }
    }
    if (digests.length === 0) return { kind: 'unproven', stale: isStale, error: undefined, isWrong: false }
    const candidatesOf = (user: string) =>
      this.#phones.byUser(user).map(phone => ({ username: user, password: phone.password, owner: phone }))
    const { owner, stale, isWrong } = this.#challenger.check(message, source, digests, candidatesOf, now)
    if (owner === undefined) return { kind: 'unproven', stale, error: undefined, isWrong }
    return owner.isUsable && owner.remainingMs > 0 ? { kind: 'signed-in', phone: owner } : { kind: 'refused' }
  }

  /** A valid token: it cannot be guessed, so no limit of its address holds its phone up. */
  isValid(token: string): boolean {
    const phone = this.#phones.byToken(token)
    return phone?.isUsable === true && phone.remainingMs > 0
  }

  /**
   * RFC 8898 §2.1: both ways are offered, the stronger first (RFC 8760 §2.3). MD5 stands last: the libraries of browsers
   * know only that, and of several challenges only the last. Phones that are no browsers get MD5 alone: libre (baresip)
   * gives up at a challenge of another scheme or algorithm, wherever it stands among others that it knows. The password
   * is a signed token that lives an hour at most: what MD5 lacks is not needed here.
   */
  challenge(
    { stale, error }: Pick<Extract<SignIn, { kind: 'unproven' }>, 'stale' | 'error'>,
    source: string,
    transport: TransportName,
    now: number,
  ): readonly HeaderField[] {
    const isBrowser = isWebSocket(transport)
    const reason = error === undefined ? '' : `, error=${quote(error)}`
    const bearer = { name: 'WWW-Authenticate', value: `Bearer realm=${quote(this.#realm)}${reason}` }
    return [
      ...(isBrowser || error !== undefined ? [bearer] : []),
      ...this.#challenger.challenge(source, now, stale, isBrowser ? offeredAlgorithms : ['MD5']),
    ]
  }
}
