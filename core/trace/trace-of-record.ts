import type { CallRecord } from '../model/call-record.ts'
import { formatMoney } from '../model/money.ts'
import { endOf } from './explanation.ts'
import type { Trace } from './trace.ts'

/** What can be said of a call of which no trace is kept: why it ended. */
export const traceOfRecord = (record: CallRecord): Trace => ({
  uuid: record.uuid,
  sid: record.sid,
  account: record.accountUuid,
  direction: record.direction,
  fromNumber: record.fromNumber,
  toNumber: record.toNumber,
  isOver: record.endedUnix !== null,
  isComplete: false,
  legs: [],
  entries: [],
  rtp: [],
  charges: [],
  cost: formatMoney(record.cost),
  end:
    record.reasonCode === ''
      ? null
      : {
          ...endOf(record.reasonCode, { number: record.direction === 'inbound' ? record.fromNumber : record.toNumber }),
          problems: [],
        },
  last: 0,
  hasMore: false,
})
