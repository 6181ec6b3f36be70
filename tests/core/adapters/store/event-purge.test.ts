import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { EventPurge } from '../../../../core/adapters/store/event-purge.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import type { EventCode } from '../../../../core/events/catalogue.ts'
import { retentionBatch, retentionPause } from '../../../../core/events/retention.ts'
import type { AccountUuid } from '../../../../core/model/ids.ts'
import type { Log } from '../../../../core/ports/log.ts'
import { addAccount, openBed, type StoreBed, startUnix } from '../../bed/store-bed.ts'

const hour = 3_600_000
const day = 24 * hour
const keptMs = 90 * day

let made = 0
async function emit(
  bed: StoreBed,
  account: AccountUuid,
  count: number,
  createdUnix: number,
  code: EventCode,
): Promise<void> {
  await bed.calls.commit(
    Array.from({ length: count }, () => ({
      type: 'event.append' as const,
      event: {
        uuid: `event-${++made}`,
        code,
        accountUuid: account,
        callUuid: null,
        sid: null,
        number: null,
        customPayload: null,
        createdUnix,
        data: {},
      },
    })),
  )
}

const purgeOf = (bed: StoreBed, log: Log = silentLog, kept = keptMs): EventPurge =>
  new EventPurge({ oldEvents: bed.oldEvents, clock: bed.clock, log, keptMs: kept })
const seqs = (bed: StoreBed, account: AccountUuid) => bed.events.after(account, 0, 100_000).map(({ seq }) => seq)
async function pass(bed: StoreBed, purge: EventPurge, ms: number): Promise<void> {
  bed.clock.pass(ms)
  await purge.pass
}

test('events go when they are as old as they are kept, not before; the next ones keep counting', async () => {
  const bed = openBed()
  const [one, two] = [addAccount(bed.database), addAccount(bed.database)]
  await emit(bed, one, 3, startUnix - keptMs, 'DTMF.0100')
  await emit(bed, two, 1, startUnix - keptMs, 'DTMF.0100')
  await emit(bed, one, 2, startUnix - keptMs + 2 * hour, 'DTMF.0100')
  await emit(bed, two, 1, startUnix, 'DTMF.0100')
  const purge = purgeOf(bed)
  purge.start()
  await purge.pass
  assert.equal(seqs(bed, one), [4, 5])
  assert.is(bed.events.oldestSeq(one), 4)
  assert.equal(seqs(bed, two), [2])
  await pass(bed, purge, hour)
  await pass(bed, purge, hour - 1)
  assert.equal(seqs(bed, one), [4, 5])
  await pass(bed, purge, 1)
  assert.equal(seqs(bed, one), [])
  assert.is(bed.events.oldestSeq(one), 6, 'nothing is kept: the oldest will be the next')
  assert.is(bed.events.lastSeq(one), 5)
  await emit(bed, one, 1, bed.clock.unixMs(), 'DTMF.0100')
  assert.equal(seqs(bed, one), [6])
  await purge.stop()
  bed.close()
})

test('an account without events has none that is gone', () => {
  const bed = openBed()
  assert.is(bed.events.oldestSeq(addAccount(bed.database)), 1)
  bed.close()
})

test('many go in batches, with pauses between them, in which others write', async () => {
  const bed = openBed()
  const account = addAccount(bed.database)
  await emit(bed, account, 2 * retentionBatch + 7, startUnix - keptMs - day, 'DTMF.0100')
  const purge = purgeOf(bed)
  purge.start()
  await purge.pass
  assert.is(seqs(bed, account).length, retentionBatch + 7)
  await pass(bed, purge, 250)
  assert.is(seqs(bed, account).length, 7)
  await pass(bed, purge, 250)
  assert.is(seqs(bed, account).length, 0)
  await purge.stop()
  bed.close()
})

test('an event whose callback has not ended stays, and what is younger and older than it goes', async () => {
  const bed = openBed()
  const account = addAccount(bed.database, { endpoint_status: 'https://a.test/status' })
  await emit(bed, account, 1, startUnix - keptMs - 1, 'DTMF.0100')
  await emit(bed, account, 1, startUnix - keptMs - 1, 'CALL.0100')
  await emit(bed, account, 1, startUnix - keptMs - 1, 'DTMF.0100')
  const purge = purgeOf(bed)
  purge.start()
  await purge.pass
  assert.equal(seqs(bed, account), [2])
  const [waiting] = bed.outbox.pendingAfter(0, 10)
  assert.ok(waiting !== undefined && bed.outbox.message(waiting.id) !== undefined)
  await bed.database.write(() => bed.outbox.delivered(waiting.id))
  await pass(bed, purge, hour)
  assert.equal(seqs(bed, account), [])
  await purge.stop()
  bed.close()
})

test('a restart goes on; a database that fails is tried again; without a term nothing goes', async () => {
  let bed = openBed()
  const account = addAccount(bed.database)
  await emit(bed, account, retentionBatch + 1, startUnix - keptMs - day, 'DTMF.0100')
  const first = purgeOf(bed)
  first.start()
  await first.stop()
  bed = bed.reopen()
  assert.is(seqs(bed, account).length, 1)
  const never = purgeOf(bed, silentLog, Number.POSITIVE_INFINITY)
  never.start()
  await pass(bed, never, 1000 * day)
  assert.is(seqs(bed, account).length, 1)
  await never.stop()

  const errors: string[] = []
  const failing = purgeOf(bed, { ...silentLog, error: (_fields, message) => errors.push(message) })
  const { write } = bed.database
  bed.database.write = () => Promise.reject(new Error('disk full'))
  failing.start()
  await failing.pass
  assert.equal(errors, ['purging events failed'])
  assert.is(seqs(bed, account).length, 1)
  bed.database.write = write
  await pass(bed, failing, 600_000)
  assert.is(seqs(bed, account).length, 0)
  await failing.stop()
  bed.close()
})

test('when to look again', () => {
  assert.is(retentionPause(true, startUnix, keptMs, startUnix), 250)
  assert.is(retentionPause(false, undefined, keptMs, startUnix), hour)
  assert.is(retentionPause(false, startUnix - keptMs + 5000, keptMs, startUnix), 5000)
  assert.is(retentionPause(false, startUnix - keptMs - 5000, keptMs, startUnix), 1000)
  assert.is(retentionPause(false, startUnix, keptMs, startUnix), hour)
})

test.run()
