import type { PhoneDirectory, PhoneIdentity, PhoneOffer } from '../../../sip/index.ts'
import type { PhoneCaller } from '../../model/phone.ts'
import type { PhoneTokenRecord } from '../../model/phone-token.ts'
import type { Clock } from '../../ports/clock.ts'

interface Presented {
  readonly record: PhoneTokenRecord
  readonly isUsable: boolean
}

/** What signing in needs of the phone tokens. */
export interface SignInTokens {
  read(token: string, unixMs: number): Presented | undefined
  presentableOf(extension: string, unixMs: number): readonly Presented[]
  textOf(record: PhoneTokenRecord, realm: string): string
  get(uuid: string): PhoneTokenRecord | undefined
  onRevoked(listener: (revoked: PhoneTokenRecord) => void): () => void
}

/** Tokens whose text is kept for comparing digests. */
const rememberedTexts = 10_000

const extension = /^\d{3,10}$/

/** Phone tokens as SIP asks for them. */
export function phoneDirectory(tokens: SignInTokens, realm: string, clock: Pick<Clock, 'unixMs'>): PhoneDirectory {
  const identityOf = ({ record, isUsable }: Presented, password: string, unixMs: number): PhoneIdentity => ({
    tokenId: record.uuid,
    userId: record.endUserUuid,
    accountId: record.accountUuid,
    user: record.extensionNumber,
    displayName: record.displayName,
    password,
    isUsable,
    remainingMs: record.expiresUnix - unixMs,
  })
  const texts = new Map<string, string>()
  // A token's text costs a signature, and stays what it is.
  const textOf = (record: PhoneTokenRecord): string => {
    const known = texts.get(record.uuid)
    if (known !== undefined) return known
    for (const oldest of texts.keys()) {
      if (texts.size < rememberedTexts) break
      texts.delete(oldest)
    }
    const text = tokens.textOf(record, realm)
    texts.set(record.uuid, text)
    return text
  }
  return {
    byToken(token) {
      const unixMs = clock.unixMs()
      const presented = tokens.read(token, unixMs)
      return presented && identityOf(presented, token, unixMs)
    },
    byUser(user) {
      if (!extension.test(user)) return []
      const unixMs = clock.unixMs()
      const presentable = tokens.presentableOf(user, unixMs)
      return presentable.map(presented => identityOf(presented, textOf(presented.record), unixMs))
    },
  }
}

export function phoneCallerOf(tokens: SignInTokens, { tokenId, customPayload }: PhoneOffer): PhoneCaller | undefined {
  const token = tokens.get(tokenId)
  if (token === undefined) return undefined
  const { endUserUuid, accountUuid, maxConcurrent } = token
  const caller = { endUserUuid, accountUuid, tokenUuid: tokenId, maxConcurrent }
  return customPayload === undefined ? caller : { ...caller, customPayload }
}
