// A switch's store under load, made to be killed: calls come, grow, end, one after another, as fast as it goes.
// Prints what is durable: "settled <call>" once the unit that ended the call has resolved.

import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../../core/adapters/store/database.ts'
import { Heartbeat } from '../../../core/adapters/store/heartbeat.ts'
import { storeOver } from '../../../core/adapters/store/store.ts'
import { silentLog } from '../../../core/adapters/system/silent-log.ts'
import { systemClock } from '../../../core/adapters/system/system-clock.ts'
import { billedSecondsFor, chargeFor, paidSecondsOf, secondsBetween } from '../../../core/billing/charge.ts'
import { openingCoverage } from '../../../core/billing/hold-schedule.ts'
import type { AccountUuid, CallUuid, HoldUuid, LegUuid, Sid } from '../../../core/model/ids.ts'
import { addAccount, callOf, eventOf, holdOf, legOf, rateOf } from '../../core/bed/store-bed.ts'

const [folder = '', seed = '1'] = process.argv.slice(2)
const database = openDatabase(folder)
const store = storeOver(database, { clock: systemClock, log: silentLog })
new Heartbeat({ heartbeat: store.heartbeat, clock: systemClock, log: silentLog }).start()

let account = database.get(database.sql.selectFrom('accounts').select('uuid'))?.uuid
if (account === undefined) {
  account = addAccount(database, { endpoint_status: 'https://a.example/status' })
  await store.ledger.credit(account, 1_000_000_000, Date.now())
}

const pause = (turns: number) =>
  Array.from({ length: turns }).reduce<Promise<void>>(
    before => before.then(() => new Promise(resolve => setImmediate(resolve))),
    Promise.resolve(),
  )

async function oneCall(owner: AccountUuid, nth: number): Promise<void> {
  const now = Date.now()
  const ids = { uuid: randomUUID() as CallUuid, sid: randomUUID() as unknown as Sid }
  const call = callOf(owner, { ...ids, startedUnix: now, createdUnix: now })
  const dial = { kind: 'number', sid: randomUUID() as unknown as Sid, from: call.fromNumber } as const
  const leg = { ...legOf(call, { dial }), uuid: randomUUID() as LegUuid, startedUnix: now }
  const dialled = (code: 'DIAL.0100' | 'DIAL.0300' | 'DIAL.0400') =>
    ({
      type: 'event.append',
      event: eventOf(call, code, { uuid: randomUUID(), data: { sid: call.sid, dial_sid: dial.sid } }),
    }) as const
  const rate = rateOf({ incrementSeconds: 1 + (nth % 7), connectionFee: nth % 3 })
  const hold = { ...holdOf(call, leg, { rate, amount: openingCoverage(rate).amount }), uuid: randomUUID() as HoldUuid }
  await store.calls.commit([
    { type: 'hold.open', hold },
    { type: 'call.insert', call },
    { type: 'leg.insert', leg },
    { type: 'event.append', event: eventOf(call, 'CALL.0100', { uuid: randomUUID() }) },
    dialled('DIAL.0100'),
  ])
  await pause(nth % 5)
  if (nth % 4 !== 0) {
    const answeredUnix = Date.now()
    await store.calls.commit([
      { type: 'call.update', uuid: call.uuid, set: { status: 'answered', answeredUnix } },
      { type: 'leg.update', uuid: leg.uuid, set: { answeredUnix } },
      { type: 'event.append', event: eventOf(call, 'CALL.0200', { uuid: randomUUID() }) },
    ])
    await store.calls.commit([{ type: 'hold.grow', uuid: hold.uuid, amount: nth % 11 }])
    await pause(nth % 9)
  }
  const stored = await store.calls.get(owner, call.uuid)
  const answeredUnix = stored?.answeredUnix ?? null
  // A leg is cut at its last paid second.
  const talkSeconds = answeredUnix === null ? 0 : Math.min(1 + (nth % 90), paidSecondsOf(rate, hold.amount))
  // A part of the last second was talked.
  const endedUnix = answeredUnix === null ? Date.now() : answeredUnix + talkSeconds * 1000 - (nth % 1000)
  const durationSeconds = secondsBetween(call.startedUnix ?? call.createdUnix, endedUnix)
  await store.calls.commit([
    { type: 'leg.update', uuid: leg.uuid, set: { endedUnix, reasonCode: 'END.0200', dial: null } },
    dialled(answeredUnix === null ? 'DIAL.0400' : 'DIAL.0300'),
    {
      type: 'hold.settle',
      uuid: hold.uuid,
      charge: chargeFor(rate, talkSeconds),
      talkSeconds,
      billedSeconds: billedSecondsFor(rate, talkSeconds),
    },
    {
      type: 'call.update',
      uuid: call.uuid,
      set: {
        status: answeredUnix === null ? 'failed' : 'completed',
        reasonCode: 'END.0200',
        endedUnix,
        durationSeconds,
        talkSeconds,
      },
    },
    { type: 'event.append', event: eventOf(call, 'CALL.0300', { uuid: randomUUID() }) },
  ])
  process.stdout.write(`settled ${call.uuid}\n`)
}

const owner = account
const worker = async (lane: number) => {
  for (let nth = lane; ; nth += 8) await oneCall(owner, nth + Number(seed))
}
await Promise.all(Array.from({ length: 8 }, (_, lane) => worker(lane)))
