import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { RecordingPurge } from '../../../../core/adapters/store/recording-purge.ts'
import { deletedKeptMs, Recordings } from '../../../../core/adapters/store/recordings.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import type { RecordingRecord } from '../../../../core/model/call-record.ts'
import type { AccountUuid, RecordingUuid } from '../../../../core/model/ids.ts'
import type { Log } from '../../../../core/ports/log.ts'
import { pauseAfter } from '../../../../core/recordings/purge-schedule.ts'
import { addAccount, callOf, openBed, type StoreBed, startUnix } from '../../bed/store-bed.ts'

const hour = 3_600_000

class PurgeBed {
  readonly errors: string[] = []
  bed: StoreBed = openBed()
  readonly account: AccountUuid = addAccount(this.bed.database, { endpoint_status: 'https://a.test/status' })
  readonly call = callOf(this.account, { direction: 'inbound', customPayload: { order: 7 } })
  recordings = this.#open()
  purge = this.#job()
  #made = 0

  async record(expiresUnix: number | null, path?: string): Promise<RecordingRecord> {
    const uuid = `recording-${++this.#made}` as RecordingUuid
    const recording: RecordingRecord = {
      uuid,
      accountUuid: this.account,
      callUuid: this.call.uuid,
      callSid: this.call.sid,
      path: path ?? `2026/${uuid}.wav`,
      durationMs: 1000,
      sizeBytes: 4,
      mediaFormat: 'wav',
      createdUnix: startUnix,
      expiresUnix,
    }
    const file = this.fileOf(recording)
    mkdirSync(dirname(file), { recursive: true })
    if (!existsSync(file)) writeFileSync(file, 'RIFF')
    await this.bed.calls.commit([{ type: 'recording.insert', recording }])
    return recording
  }

  fileOf(recording: RecordingRecord): string {
    return join(this.bed.folder, 'recordings', recording.path)
  }

  /** Virtual time; the passes that it wakes touch real files. */
  async pass(ms: number): Promise<void> {
    this.bed.clock.pass(ms)
    await this.purge.pass
  }

  codes(): string[] {
    return this.bed.events
      .after(this.account, 0, 1000)
      .map(({ event }) => `${event.code} ${(event.data.recording as { uuid: string }).uuid}`)
  }

  async restart(): Promise<void> {
    await this.purge.stop()
    this.bed = this.bed.reopen()
    this.recordings = this.#open()
    this.purge = this.#job()
  }

  async close(): Promise<void> {
    await this.purge.stop()
    this.bed.close()
  }

  #open(): Recordings {
    return new Recordings(this.bed.database, this.bed.events, this.bed.quotas, join(this.bed.folder, 'recordings'))
  }

  #job(): RecordingPurge {
    const log: Log = { ...silentLog, error: (_fields, message) => this.errors.push(message) }
    return new RecordingPurge({ recordings: this.recordings, clock: this.bed.clock, log })
  }
}

const withBed = (name: string, run: (bed: PurgeBed) => Promise<void>) =>
  test(name, async () => {
    const bed = new PurgeBed()
    await bed.bed.calls.commit([{ type: 'call.insert', call: bed.call }])
    try {
      await run(bed)
    } finally {
      await bed.close()
    }
  })

withBed('a file goes at its expiry, its row says so, and its owner is notified once', async bed => {
  const soon = await bed.record(startUnix + hour / 2)
  const later = await bed.record(startUnix + 30 * hour)
  const kept = await bed.record(null)
  bed.purge.start()
  await bed.purge.pass
  assert.equal(bed.codes(), [])
  await bed.pass(hour / 2 + 1000)
  assert.equal(bed.codes(), ['REC.0310 recording-1'])
  assert.equal(
    [soon, later, kept].map(each => existsSync(bed.fileOf(each))),
    [false, true, true],
  )
  const [{ event } = { event: undefined }] = bed.bed.events.after(bed.account, 0, 1)
  assert.equal([event?.sid, event?.customPayload], [bed.call.sid, { order: 7 }])
  assert.is(bed.bed.outbox.pendingAfter(0, 10).length, 1, 'the status webhook gets it')
  for (let passed = 0; passed < 40; passed++) await bed.pass(hour)
  assert.equal(bed.codes(), ['REC.0310 recording-1', 'REC.0310 recording-2'])
  assert.is(existsSync(bed.fileOf(kept)), true)
})

withBed('a deleted one keeps its file for a while, then it goes without another event', async bed => {
  const recording = await bed.record(null)
  bed.purge.start()
  await bed.recordings.remove(bed.account, recording.uuid, bed.bed.clock.unixMs())
  await bed.pass(hour)
  assert.is(existsSync(bed.fileOf(recording)), true)
  for (let passed = 0; passed <= deletedKeptMs; passed += hour) bed.bed.clock.pass(hour)
  for (let rounds = 0; rounds < 300 && existsSync(bed.fileOf(recording)); rounds++) await bed.pass(hour)
  assert.is(existsSync(bed.fileOf(recording)), false)
  assert.equal(bed.codes(), ['REC.0300 recording-1'])
})

withBed('many at once go in batches, all of them', async bed => {
  for (let made = 0; made < 120; made++) await bed.record(startUnix - 1)
  bed.purge.start()
  await bed.purge.pass
  assert.is(bed.codes().length, 50)
  await bed.pass(250)
  assert.is(bed.codes().length, 100)
  await bed.pass(250)
  assert.is(bed.codes().length, 120)
  assert.is(new Set(bed.codes()).size, 120)
  assert.equal(readdirSync(join(bed.bed.folder, 'recordings', '2026')), [])
})

withBed('a restart in the middle forgets nothing and tells nothing twice', async bed => {
  for (let made = 0; made < 70; made++) await bed.record(startUnix - 1)
  bed.purge.start()
  await bed.purge.pass
  await bed.restart()
  bed.purge.start()
  await bed.purge.pass
  assert.is(bed.codes().length, 70)
  assert.is(new Set(bed.codes()).size, 70)
})

withBed('a file that is gone already is no fault; one that cannot go harms no other and is tried again', async bed => {
  const stuck = await bed.record(startUnix - 2, 'folder')
  const outside = { ...stuck, uuid: 'outside' as RecordingUuid, path: '../elsewhere.wav', expiresUnix: startUnix - 1 }
  const missing = { ...stuck, uuid: 'missing' as RecordingUuid, path: 'missing.wav', expiresUnix: startUnix - 1 }
  for (const recording of [outside, missing]) {
    await bed.bed.calls.commit([{ type: 'recording.insert', recording }])
  }
  writeFileSync(join(bed.bed.folder, 'elsewhere.wav'), 'not ours')
  rmSync(bed.fileOf(stuck))
  mkdirSync(join(bed.fileOf(stuck), 'occupied'), { recursive: true })
  bed.purge.start()
  await bed.purge.pass
  assert.equal(bed.codes(), ['REC.0310 outside', 'REC.0310 missing'])
  assert.is(existsSync(join(bed.bed.folder, 'elsewhere.wav')), true)
  assert.equal(bed.errors, ['recordings cannot be purged'])
  rmSync(bed.fileOf(stuck), { recursive: true })
  await bed.pass(600_000)
  assert.equal(bed.codes(), ['REC.0310 outside', 'REC.0310 missing', `REC.0310 ${stuck.uuid}`])
})

test('when the next pass is', () => {
  const pause = (pass: { isFull: boolean; failed: number }, next: number | undefined) => pauseAfter(pass, next, 1000)
  const done = { isFull: false, failed: 0 }
  assert.is(pause({ isFull: true, failed: 3 }, 0), 250)
  assert.is(pause({ isFull: false, failed: 3 }, 0), 600_000)
  assert.is(pause(done, undefined), hour)
  assert.is(pause(done, 61_000), 60_000)
  assert.is(pause(done, 0), 1000)
  assert.is(pause(done, 1000 + 99 * hour), hour)
})

test.run()
