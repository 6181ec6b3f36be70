import type { Repositories } from '../core/index.ts'
import type { Demo } from './demo-account.ts'

export interface DemoPhone {
  readonly name: string
  readonly extension: string
  /** Signs in at once; good for an hour. */
  readonly link: string
}

const ttlSeconds = 3600
const callsAtOnce = 3
const mostPhones = 2

/** A link for each end-user of the demo, with a fresh token behind #, where no server sees it. */
export async function demoPhones(
  { users, phoneTokens }: Repositories,
  { account }: Demo,
  realm: string,
  publicUrl: string,
): Promise<readonly DemoPhone[]> {
  const phones: DemoPhone[] = []
  for (const user of (await users.list(account))
    .toSorted((a, b) => Number(a.extensionNumber) - Number(b.extensionNumber))
    .slice(0, mostPhones)) {
    const order = { endUserUuid: user.uuid, ttlSeconds, maxConcurrent: callsAtOnce, realm }
    const minted = await phoneTokens.mint(account, order, Date.now())
    if (!minted.ok) continue
    const link = `${publicUrl}/phone#token=${minted.token}`
    phones.push({ name: user.displayName, extension: user.extensionNumber, link })
  }
  return phones
}
