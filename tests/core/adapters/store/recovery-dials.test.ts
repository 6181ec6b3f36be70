import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkBooks } from '../../../../core/adapters/store/check.ts'
import { recover } from '../../../../core/adapters/store/recovery.ts'
import type { CallRecord, LegRecord } from '../../../../core/model/call-record.ts'
import type { AccountUuid, Sid } from '../../../../core/model/ids.ts'
import type { OpenDial } from '../../../../core/model/open-dial.ts'
import {
  addAccount,
  callOf,
  eventOf,
  holdOf,
  legOf,
  openBed,
  rateOf,
  type StoreBed,
  startUnix,
} from '../../bed/store-bed.ts'

// What a Dial had open when the switch was killed: its last event is written by the next start.

/** `failsAt`: the event at which the process ends, from 1; it makes no later one either. */
const recoverBed = (bed: StoreBed, failsAt = Number.POSITIVE_INFINITY) => {
  let made = 0
  return recover(bed, {
    recordingsFolder: join(bed.folder, 'recordings'),
    unixMs: bed.clock.unixMs(),
    uuid: () => {
      if (++made >= failsAt) throw new Error('killed')
      return `recovered-${made}`
    },
  })
}

const numberDial = (sid: string): OpenDial => ({ kind: 'number', sid: sid as Sid, from: '+254201234567' })

const reportedOf = (bed: StoreBed, call: CallRecord) =>
  bed.events
    .after(call.accountUuid, 0, 1000)
    .filter(({ event }) => event.callUuid === call.uuid)
    .map(({ event }) => event)

const dialsOf = (bed: StoreBed, call: CallRecord) => reportedOf(bed, call).filter(({ code }) => code.startsWith('DIAL'))

/** An inbound call that was answered 2 s after its start, and the legs that its Dial has. */
async function dialling(
  bed: StoreBed,
  account: AccountUuid,
  legs: readonly Partial<LegRecord>[],
  fields: Partial<CallRecord> = {},
): Promise<{ call: CallRecord; legs: readonly LegRecord[] }> {
  const answeredUnix = startUnix + 2000
  const call = callOf(account, { direction: 'inbound', status: 'answered', answeredUnix, ...fields })
  const caller = legOf(call, { role: 'caller', direction: 'inbound', answeredUnix })
  const dialled = legs.map(each => legOf(call, { number: '+255700000001', ...each }))
  await bed.calls.commit([
    { type: 'call.insert', call },
    { type: 'leg.insert', leg: caller },
    ...dialled.map(leg => ({ type: 'leg.insert', leg }) as const),
    ...[...new Set(dialled.flatMap(({ dial }) => (dial === null ? [] : [dial.sid])))].map(
      dial_sid =>
        ({ type: 'event.append', event: eventOf(call, 'DIAL.0100', { data: { sid: call.sid, dial_sid } }) }) as const,
    ),
  ])
  return { call, legs: dialled }
}

const beat = (bed: StoreBed, unix: number) => bed.database.prepare('UPDATE heartbeat SET beat_unix = ?').run(unix)

test('each dialled leg that was open is reported as ended, once, with its callback', async () => {
  let bed = openBed()
  const account = addAccount(bed.database, { endpoint_status: 'https://a.example/' })
  const { call, legs } = await dialling(bed, account, [
    { dial: numberDial('CA-won'), answeredUnix: startUnix + 2500 },
    { dial: { kind: 'client', sid: 'CA-rings' as Sid, from: '1001' }, direction: 'on-net', trunkName: '' },
  ])
  beat(bed, startUnix + 9000)
  bed.clock.pass(60_000)
  bed = bed.reopen()
  await recoverBed(bed)

  const [, , won, rings] = dialsOf(bed, call)
  assert.equal(
    reportedOf(bed, call).map(({ code }) => code),
    ['DIAL.0100', 'DIAL.0100', 'DIAL.0300', 'DIAL.0400', 'CALL.0300'],
  )
  assert.equal(won?.data, {
    sid: call.sid,
    dial_sid: 'CA-won',
    leg_uuid: legs[0]!.uuid,
    kind: 'number',
    route: 'trunk',
    trunk: 'carrier',
    from_number: '+254201234567',
    to_number: '+255700000001',
    status: 'completed',
    reason_code: 'END.5410',
    talk_seconds: 7,
    started_at: new Date(startUnix).toISOString(),
    answered_at: new Date(startUnix + 2500).toISOString(),
    ended_at: new Date(startUnix + 9000).toISOString(),
  })
  const { data } = rings!
  assert.equal(
    [data.dial_sid, data.kind, data.route, data.from_number, data.status, data.reason_code, data.talk_seconds],
    ['CA-rings', 'client', 'on-net', '1001', 'failed', 'END.5410', 0],
  )
  assert.is(data.ended_at, new Date(startUnix + 9000).toISOString())
  assert.is(won!.number, call.toNumber)
  assert.is(bed.outbox.pendingAfter(0, 10).length, 5, 'a callback for each event')

  bed = bed.reopen()
  await recoverBed(bed)
  assert.is(dialsOf(bed, call).length, 4, 'the next start adds nothing')
  bed.close()
})

test('a recovery that is killed at any event leaves nothing, and the next one reports each dialled leg once', async () => {
  const legs = ['one', 'two'].map(sid => ({ dial: numberDial(`CA-${sid}`), answeredUnix: startUnix + 2500 }))
  // BILL.0200, then DIAL.0300 of each leg, then CALL.0300.
  for (const failsAt of [1, 2, 3, 4]) {
    let bed = openBed()
    const account = addAccount(bed.database, { endpoint_status: 'https://a.example/' })
    await bed.ledger.credit(account, 1_000_000, startUnix)
    const dialled = await dialling(bed, account, legs)
    const hold = holdOf(dialled.call, dialled.legs[0]!, { rate: rateOf({ incrementSeconds: 1 }) })
    await bed.calls.commit([{ type: 'hold.open', hold }])
    beat(bed, startUnix + 5000)
    bed.clock.pass(60_000)
    bed = bed.reopen()
    const fault = await recoverBed(bed, failsAt).catch((error: unknown) => error)
    assert.match(String(fault), 'killed', `event ${failsAt}`)
    bed = bed.reopen()
    assert.is(dialsOf(bed, dialled.call).length, 2, 'nothing was written')
    await recoverBed(bed)
    assert.equal(
      reportedOf(bed, dialled.call).map(({ code }) => code),
      ['DIAL.0100', 'DIAL.0100', 'BILL.0200', 'DIAL.0300', 'DIAL.0300', 'CALL.0300'],
    )
    assert.equal(checkBooks(bed.database), [])
    bed.close()
  }
})

test('what has been reported, and the leg of a placed call, are not reported', async () => {
  let bed = openBed()
  const account = addAccount(bed.database)
  const { call } = await dialling(bed, account, [
    { dial: null, endedUnix: startUnix + 3000, reasonCode: 'END.0486' },
    { dial: null },
  ])
  bed = bed.reopen()
  await recoverBed(bed)
  assert.equal(
    reportedOf(bed, call).map(({ code }) => code),
    ['CALL.0300'],
  )
  bed.close()
})

test('a Dial between two routes has no leg, and ends with one event all the same', async () => {
  let bed = openBed()
  const account = addAccount(bed.database)
  const { call } = await dialling(bed, account, [
    { dial: numberDial('CA-over'), endedUnix: startUnix + 3000, reasonCode: 'END.0503' },
    // Its first leg was given up for a second, which names the Dial.
    { dial: null, endedUnix: startUnix + 3000, reasonCode: 'END.0503' },
    { dial: numberDial('CA-second') },
  ])
  bed = bed.reopen()
  await recoverBed(bed)
  const ends = dialsOf(bed, call).filter(({ code }) => code !== 'DIAL.0100')
  assert.equal(
    ends.map(({ code, data }) => [code, data.dial_sid, data.leg_uuid === null, data.reason_code, data.to_number]),
    [
      ['DIAL.0400', 'CA-over', true, 'END.5410', '+255700000001'],
      ['DIAL.0400', 'CA-second', false, 'END.5410', '+255700000001'],
    ],
  )
  bed = bed.reopen()
  await recoverBed(bed)
  assert.is(dialsOf(bed, call).length, 4)
  bed.close()
})

test('an open leg of a call that has ended is reported: its closing unit was refused', async () => {
  let bed = openBed()
  const account = addAccount(bed.database)
  const over = { status: 'completed', endedUnix: startUnix + 4000 } as const
  const { call } = await dialling(bed, account, [{ dial: numberDial('CA-left') }], over)
  bed = bed.reopen()
  await recoverBed(bed)
  assert.equal(
    reportedOf(bed, call).map(({ code }) => code),
    ['DIAL.0100', 'DIAL.0400'],
  )
  bed.close()
})

test('a caller who was in a room, or had asked for a place there, has left it', async () => {
  let bed = openBed()
  const account = addAccount(bed.database)
  const room = { kind: 'conference', room: 'board' } as const
  const sinceUnix = startUnix + 2100
  const inside = await dialling(bed, account, [{ dial: { ...room, sid: 'CA-in' as Sid, sinceUnix } }])
  const asking = await dialling(bed, account, [{ dial: { ...room, sid: 'CA-asks' as Sid, sinceUnix: null } }])
  beat(bed, startUnix + 9000)
  bed.clock.pass(60_000)
  bed = bed.reopen()
  await recoverBed(bed)
  const left = dialsOf(bed, inside.call)[1]
  assert.equal(
    [left?.code, left?.data],
    [
      'DIAL.0300',
      {
        sid: inside.call.sid,
        dial_sid: 'CA-in',
        leg_uuid: null,
        kind: 'conference',
        route: null,
        trunk: '',
        from_number: inside.call.fromNumber,
        to_number: 'board',
        status: 'completed',
        reason_code: 'END.5410',
        talk_seconds: 7,
        started_at: new Date(sinceUnix).toISOString(),
        answered_at: new Date(sinceUnix).toISOString(),
        ended_at: new Date(startUnix + 9000).toISOString(),
      },
    ],
  )
  const refused = dialsOf(bed, asking.call)[1]
  assert.equal(
    [refused?.code, refused?.data.dial_sid, refused?.data.reason_code, refused?.data.answered_at],
    ['DIAL.0400', 'CA-asks', 'END.5410', null],
  )
  bed.close()
})

test.run()
