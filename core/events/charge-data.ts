import type { LegUuid } from '../model/ids.ts'
import { formatMoney, type Money } from '../model/money.ts'
import type { Rate } from '../model/rate.ts'

interface SettledCharge {
  readonly legUuid: LegUuid
  /** The number that was called, or that called. */
  readonly number: string
  readonly rate: Rate
  readonly talkSeconds: number
  readonly billedSeconds: number
  readonly charge: Money
}

/** `data` of BILL.0200: what one leg was charged, and why. */
export const chargeData = (settled: SettledCharge): Readonly<Record<string, unknown>> => ({
  leg_uuid: settled.legUuid,
  number: settled.number,
  direction: settled.rate.direction,
  prefix: settled.rate.prefix,
  rate_per_minute: formatMoney(settled.rate.ratePerMinute),
  talk_seconds: settled.talkSeconds,
  billed_seconds: settled.billedSeconds,
  charge: formatMoney(settled.charge),
})
