import type { OriginateCode } from './originate-order.ts'

/** Every code that a refusal of the API carries, with its HTTP status. The reference is made of it. */
export const refusalCodes = {
  'BILL.0402': { status: 402, meaning: 'The spendable balance does not cover the call, the number or the phone.' },
  'BILL.0403': { status: 403, meaning: 'The account is suspended: it can read, but not spend or place calls.' },
  'BILL.0404': { status: 402, meaning: 'There is no rate for the destination.' },
  'LIMIT.0429': { status: 429, meaning: 'The account has as many live calls as it may have.' },
  'LIMIT.0430': { status: 429, meaning: 'The account places more new calls a second than it may.' },
  'LIMIT.0503': {
    status: 503,
    meaning: 'The switch is loaded and takes no new calls for now; `Retry-After` says when.',
  },
  'END.0403': { status: 403, meaning: '`from` is not an active number of the account.' },
  'END.4433': { status: 403, meaning: 'The operator does not allow calls to the destination.' },
  'END.5500': {
    status: 503,
    meaning:
      'The database failed: nothing rings, and nothing is charged. Under an `Idempotency-Key` the same request makes one call at most.',
  },
  'END.5503': { status: 503, meaning: 'The switch drains and takes no new calls.' },
} as const satisfies Record<OriginateCode, { readonly status: number; readonly meaning: string }>
