import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkBooks } from '../../../../core/adapters/store/check.ts'
import { Heartbeat } from '../../../../core/adapters/store/heartbeat.ts'
import { recover } from '../../../../core/adapters/store/recovery.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import type { CallRecord, RecordingRecord } from '../../../../core/model/call-record.ts'
import type { AccountUuid, HoldUuid, LegUuid, RecordingUuid } from '../../../../core/model/ids.ts'
import { wavHeader } from '../../../../rtp/index.ts'
import {
  addAccount,
  callOf,
  holdOf,
  legOf,
  openBed,
  rateOf,
  type StoreBed,
  startUnix,
  wallet,
} from '../../bed/store-bed.ts'

const nothing = { calls: 0, legs: 0, holds: 0, recordings: 0 }

const recoverBed = (bed: StoreBed) => {
  let made = 0
  return recover(bed, {
    recordingsFolder: join(bed.folder, 'recordings'),
    unixMs: bed.clock.unixMs(),
    uuid: () => `recovered-${++made}`,
  })
}

async function liveCall(
  bed: StoreBed,
  account: AccountUuid,
  answeredUnix: number | null,
  fields: Partial<CallRecord> = {},
): Promise<CallRecord> {
  const status = answeredUnix === null ? 'ringing' : 'answered'
  const call = callOf(account, { status, answeredUnix, ...fields })
  const leg = legOf(call, { answeredUnix })
  const hold = holdOf(call, leg, { rate: rateOf({ incrementSeconds: 1 }), amount: 30_000 })
  await bed.calls.commit([
    { type: 'call.insert', call },
    { type: 'leg.insert', leg },
    { type: 'hold.open', hold },
  ])
  return call
}

const holdUuidOf = (bed: StoreBed, leg: LegUuid): HoldUuid =>
  bed.database.get(bed.database.sql.selectFrom('holds').select('uuid').where('leg_uuid', '=', leg))!.uuid

const eventsOf = (bed: StoreBed, call: CallRecord) =>
  bed.events
    .after(call.accountUuid, 0, 100)
    .filter(({ event }) => event.callUuid === call.uuid)
    .map(({ event }) => event)

test('what was live is closed, billed to the last beat, released and reported', async () => {
  let bed = openBed()
  const account = addAccount(bed.database, { endpoint_status: 'https://a.example/' })
  await bed.ledger.credit(account, 1_000_000, startUnix)
  const heartbeat = new Heartbeat({ ...bed, log: silentLog })
  heartbeat.start()
  const answered = await liveCall(bed, account, startUnix + 2500, { customPayload: { a: 1 } })
  const ringing = await liveCall(bed, account, null)
  const past = { reasonCode: 'END.0200', durationSeconds: 1, talkSeconds: 1 } as const
  const ended = callOf(account, {
    ...past,
    status: 'completed',
    answeredUnix: startUnix,
    endedUnix: startUnix + 1,
  })
  await bed.calls.commit([{ type: 'call.insert', call: ended }])
  bed.clock.pass(45_700)
  heartbeat.stop()
  bed = bed.reopen()
  bed.clock.pass(3_600_000)

  assert.equal(await recoverBed(bed), { calls: 2, legs: 2, holds: 2, recordings: 0 })
  const closed = await bed.calls.get(account, answered.uuid)
  // Answered at 2.5 s, the last beat at 45 s.
  assert.equal(closed, {
    ...answered,
    status: 'completed',
    reasonCode: 'END.5410',
    endedUnix: startUnix + 45_000,
    durationSeconds: 45,
    talkSeconds: 43,
    cost: 21_500,
  })
  const [leg] = await bed.calls.legsOf(answered.uuid)
  assert.is(leg?.endedUnix, startUnix + 45_000)
  assert.is(leg?.reasonCode, 'END.5410')
  const failed = await bed.calls.get(account, ringing.uuid)
  assert.equal([failed?.status, failed?.reasonCode, failed?.cost, failed?.talkSeconds], ['failed', 'END.5410', 0, 0])
  assert.equal(await bed.calls.get(account, ended.uuid), ended)
  assert.equal(wallet(bed.database, account), { balance: 978_500, held: 0 })

  const reported = eventsOf(bed, answered)
  assert.equal(
    reported.map(({ code }) => code),
    ['BILL.0200', 'CALL.0300'],
  )
  assert.is(reported[0]?.data.charge, '2.15')
  assert.is(reported[1]?.data.cost, '2.15')
  assert.is(reported[1]?.data.reason_code, 'END.5410')
  assert.equal(reported[1]?.customPayload, { a: 1 })
  assert.equal(
    eventsOf(bed, ringing).map(({ code }) => code),
    ['CALL.0400'],
  )
  assert.is(bed.outbox.pendingAfter(0, 10).length, 3, 'callbacks are due')
  assert.equal(checkBooks(bed.database), [])

  bed = bed.reopen()
  assert.equal(await recoverBed(bed), nothing)
  bed.close()
})

test('without a beat after the answer it is billed for the second that it had begun', async () => {
  let bed = openBed()
  const account = addAccount(bed.database)
  await bed.ledger.credit(account, 1_000_000, startUnix)
  const call = await liveCall(bed, account, startUnix + 700)
  bed.clock.pass(900)
  bed = bed.reopen()
  bed.clock.pass(60_000)
  await recoverBed(bed)
  const closed = await bed.calls.get(account, call.uuid)
  assert.equal([closed?.talkSeconds, closed?.cost, closed?.durationSeconds], [1, 500, 1])
  assert.equal(checkBooks(bed.database), [])
  bed.close()
})

test('no call is billed beyond what its holds pay for, however late the last beat', async () => {
  let bed = openBed()
  const account = addAccount(bed.database)
  await bed.ledger.credit(account, 100_000, startUnix)
  const one = await liveCall(bed, account, startUnix + 1000)
  const other = await liveCall(bed, account, startUnix + 2000)
  // Beside the leg that pays, one that costs nothing: the call ended with the money.
  const free = legOf(one, { answeredUnix: startUnix + 500 })
  await bed.calls.commit([{ type: 'leg.insert', leg: free }])
  const [held] = (await bed.calls.legsOf(one.uuid)).filter(({ uuid }) => uuid !== free.uuid)
  await bed.calls.commit([{ type: 'hold.grow', uuid: holdUuidOf(bed, held!.uuid), amount: 5000 }])
  const week = 7 * 24 * 3_600_000
  bed.database.prepare('UPDATE heartbeat SET beat_unix = ?').run(startUnix + week)
  bed.clock.pass(week)
  bed = bed.reopen()

  assert.equal(await recoverBed(bed), { calls: 2, legs: 3, holds: 2, recordings: 0 })
  const closed = [await bed.calls.get(account, one.uuid), await bed.calls.get(account, other.uuid)]
  assert.equal(
    closed.map(call => [call?.endedUnix, call?.talkSeconds, call?.cost]),
    [
      [startUnix + 71_000, 70, 35_000],
      [startUnix + 62_000, 60, 30_000],
    ],
  )
  assert.equal(
    (await bed.calls.legsOf(one.uuid)).map(leg => leg.endedUnix),
    [startUnix + 71_000, startUnix + 71_000],
  )
  assert.equal(wallet(bed.database, account), { balance: 35_000, held: 0 })
  assert.equal(checkBooks(bed.database), [])
  bed.close()
})

test('the heart beats only while calls live', () => {
  const bed = openBed()
  const heartbeat = new Heartbeat({ ...bed, log: silentLog })
  heartbeat.start()
  bed.clock.pass(10_000)
  assert.is(bed.database.get(bed.database.sql.selectFrom('heartbeat').selectAll())?.beat_unix, 0)
  heartbeat.stop()
  bed.close()
})

test('legs and holds of a call that has ended are closed too, and a leg that had ended is billed to its own end', async () => {
  let bed = openBed()
  const account = addAccount(bed.database)
  await bed.ledger.credit(account, 1_000_000, startUnix)
  const over = await liveCall(bed, account, startUnix)
  const reported = { reasonCode: 'END.0200', durationSeconds: 5, talkSeconds: 5 } as const
  const set = { ...reported, status: 'completed', endedUnix: startUnix + 5000 } as const
  await bed.calls.commit([{ type: 'call.update', uuid: over.uuid, set }])
  const call = await liveCall(bed, account, startUnix)
  const [leg] = await bed.calls.legsOf(call.uuid)
  await bed.calls.commit([{ type: 'leg.update', uuid: leg!.uuid, set: { endedUnix: startUnix + 4000 } }])
  bed.database.prepare('UPDATE heartbeat SET beat_unix = ?').run(startUnix + 9000)
  bed.clock.pass(10_000)
  bed = bed.reopen()
  assert.equal(await recoverBed(bed), { calls: 1, legs: 1, holds: 2, recordings: 0 })
  assert.is((await bed.calls.get(account, call.uuid))?.cost, 2000)
  assert.is((await bed.calls.get(account, over.uuid))?.cost, 4500)
  assert.equal(checkBooks(bed.database), [])
  bed.close()
})

test('recordings get the length of their files, and unplayable ones are reported', async () => {
  let bed = openBed()
  const account = addAccount(bed.database)
  const call = callOf(account, { status: 'completed', endedUnix: startUnix })
  const folder = join(bed.folder, 'recordings', '2026')
  mkdirSync(folder, { recursive: true })
  const header = wavHeader({ encoding: 'pcm16', sampleRate: 8000, channels: 1 }, 24_000)
  writeFileSync(join(folder, 'good.wav'), Buffer.concat([header, Buffer.alloc(24_000)]))
  writeFileSync(join(folder, 'empty.wav'), '')
  const recording = (uuid: string, path: string): RecordingRecord => ({
    uuid: uuid as RecordingUuid,
    accountUuid: account,
    callUuid: call.uuid,
    callSid: call.sid,
    path,
    durationMs: null,
    sizeBytes: null,
    mediaFormat: 'wav',
    createdUnix: startUnix,
    expiresUnix: null,
  })
  const rows = [recording('r1', '2026/good.wav'), recording('r2', '2026/empty.wav'), recording('r3', '2026/none.wav')]
  await bed.calls.commit([
    { type: 'call.insert', call },
    ...rows.map(row => ({ type: 'recording.insert', recording: row }) as const),
  ])
  bed = bed.reopen()
  assert.equal(await recoverBed(bed), { ...nothing, recordings: 3 })
  const stored = bed.database.all(bed.database.sql.selectFrom('recordings').select(['duration_ms', 'size_bytes']))
  assert.equal(stored, [
    { duration_ms: 1500, size_bytes: 24_000 + header.length },
    { duration_ms: 0, size_bytes: 0 },
    { duration_ms: 0, size_bytes: 0 },
  ])
  assert.equal(
    eventsOf(bed, call).map(({ code }) => code),
    ['REC.0200', 'REC.0400', 'REC.0400'],
  )
  bed.close()
})

test('marks of requests in flight are freed, answers stay', async () => {
  let bed = openBed()
  const account = addAccount(bed.database)
  await bed.idempotency.begin(account, 'open', 'f', startUnix)
  await bed.idempotency.begin(account, 'done', 'f', startUnix)
  const call = callOf(account)
  await bed.calls.commit([{ type: 'idempotency.placed', accountUuid: account, key: 'done', call }])
  bed = bed.reopen()
  await recoverBed(bed)
  assert.is((await bed.idempotency.begin(account, 'open', 'f', startUnix)).state, 'begun')
  assert.equal(await bed.idempotency.begin(account, 'done', 'f', startUnix), { state: 'placed', call })
  bed.close()
})

test.run()
