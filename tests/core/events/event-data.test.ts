import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { callData, dialData, recordingData } from '../../../core/events/call-data.ts'
import { eventCatalogue } from '../../../core/events/catalogue.ts'
import { chargeData } from '../../../core/events/charge-data.ts'
import { eventDataFields } from '../../../core/events/data-fields.ts'
import type { CallRecord, RecordingRecord } from '../../../core/model/call-record.ts'
import type { LegUuid, Sid } from '../../../core/model/ids.ts'

const call = {
  sid: 'CA1',
  reasonCode: '',
  dial: null,
  cost: 0,
  startedUnix: 1,
  answeredUnix: null,
  endedUnix: null,
} as unknown as CallRecord
const reported = (code: keyof typeof eventDataFields) => Object.keys(eventDataFields[code])

test('every code of the catalogue has its fields, in the same order', () => {
  assert.equal(Object.keys(eventDataFields), Object.keys(eventCatalogue))
})

test('what is said of the data of an event is what it carries', () => {
  assert.equal(Object.keys(callData(call)), reported('CALL.0100'))
  assert.equal(Object.keys(callData({ ...call, endedUnix: 2, quality: [] })), reported('CALL.0300'))
  const leg = {
    dialSid: 'CA2' as Sid,
    kind: 'number',
    to: '',
    from: '',
    status: 'ringing',
    leg: undefined,
    talkSeconds: 0,
  } as const
  assert.equal(Object.keys(dialData(call, leg)), reported('DIAL.0100'))
  const recording = { createdUnix: 0, durationMs: null, expiresUnix: null } as unknown as RecordingRecord
  assert.equal(Object.keys(recordingData(recording)), reported('REC.0200'))
  const rate = {
    prefix: '+254',
    direction: 'outbound',
    ratePerMinute: 1,
    incrementSeconds: 1,
    minimumSeconds: 0,
    connectionFee: 0,
  } as const
  const charge = { legUuid: 'l' as LegUuid, number: '', rate, talkSeconds: 1, billedSeconds: 1, charge: 1 }
  assert.equal(Object.keys(chargeData(charge)), reported('BILL.0200'))
})

test.run()
