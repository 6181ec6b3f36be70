import type { QuotaSentence } from './quota-sentences.ts'

/** What an account may store and hold open (docs/errors.md, "Quotas of an account"), by its setting and its account field. */
export const quotas = {
  assetBytes: { field: 'asset_bytes', what: 'bytes of assets' },
  recordingBytes: { field: 'recording_bytes', what: 'bytes of recordings' },
  documents: { field: 'documents', what: 'hosted documents' },
  endUsers: { field: 'end_users', what: 'end-users' },
  liveTokens: { field: 'live_tokens', what: 'phone tokens that are valid now' },
  streamConnections: { field: 'stream_connections', what: 'open streams' },
} as const

export type QuotaName = keyof typeof quotas
export type Quotas = Readonly<Record<QuotaName, number>>

/** From this share on the account gets ACCT.0100. */
const noticeShare = 0.8

export const isNoticed = (used: number, limit: number): boolean => used >= noticeShare * limit

/** The sentence of the 409. */
export const quotaSentence = (name: QuotaName, limit: number): QuotaSentence =>
  `The account may have at most ${limit} ${quotas[name].what} (quota max_${quotas[name].field}); delete some, or ask the operator for more.`
