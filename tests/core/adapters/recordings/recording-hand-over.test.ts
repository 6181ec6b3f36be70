import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { BoundedStorage } from '../../../../core/adapters/recordings/bounded-storage.ts'
import { type HandOverParts, RecordingHandOver } from '../../../../core/adapters/recordings/recording-hand-over.ts'
import { RecordingPurge } from '../../../../core/adapters/store/recording-purge.ts'
import { deletedKeptMs, Recordings } from '../../../../core/adapters/store/recordings.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import type { EventCode } from '../../../../core/events/catalogue.ts'
import type { RecordingRecord } from '../../../../core/model/call-record.ts'
import type { RecordingUuid } from '../../../../core/model/ids.ts'
import type { RecordingStorage } from '../../../../core/ports/recording-storage.ts'
import { pauseAfterFailures, storageTimeoutMs } from '../../../../core/recordings/hand-over-schedule.ts'
import { addAccount, callOf, openBed, startUnix } from '../../bed/store-bed.ts'

/** A storage whose answers a test chooses; real rows and files, virtual time. */
class HandOverBed {
  readonly bed = openBed()
  readonly account = addAccount(this.bed.database)
  readonly call = callOf(this.account, { direction: 'inbound' })
  readonly folder = join(this.bed.folder, 'recordings')
  readonly recordings = new Recordings(this.bed.database, this.bed.events, this.bed.quotas, this.folder)
  readonly kept = new Map<string, string>()
  readonly puts: string[] = []
  readonly errors: string[] = []
  answer: () => Promise<void> = async () => {}
  storage: BoundedStorage = this.#bounded()
  handOver: RecordingHandOver | undefined
  #listener: Parameters<HandOverParts['subscribe']>[0] | undefined

  #bounded(): BoundedStorage {
    const program: RecordingStorage = {
      put: async ({ uuid }, file) => {
        this.puts.push(uuid)
        await this.answer()
        this.kept.set(uuid, readFileSync(file, 'utf8'))
      },
      get: async () => undefined,
      delete: async ({ uuid }) => {
        await this.answer()
        this.kept.delete(uuid)
      },
    }
    return new BoundedStorage(program, this.bed.clock)
  }

  async open(): Promise<void> {
    await this.bed.calls.commit([{ type: 'call.insert', call: this.call }])
    mkdirSync(this.folder, { recursive: true })
    await this.start()
  }

  /** As a start of the program does. */
  async start(): Promise<void> {
    this.stop()
    this.storage = this.#bounded()
    this.handOver = new RecordingHandOver({
      storage: this.storage,
      recordings: this.recordings,
      folder: this.folder,
      subscribe: listener => {
        this.#listener = listener
        return () => {}
      },
      clock: this.bed.clock,
      log: { ...silentLog, error: (fields, message) => this.errors.push(`${message}: ${fields.detail}`) },
    })
    await this.handOver.settled()
  }

  stop(): void {
    this.handOver?.stop()
    this.storage.close()
  }

  /** A recording that runs, or has ended; `reported` as its event. */
  async record({ isOver = true, isReported = true, hasFile = true } = {}): Promise<RecordingRecord> {
    const uuid = randomUUID() as RecordingUuid
    const recording: RecordingRecord = {
      uuid,
      accountUuid: this.account,
      callUuid: this.call.uuid,
      callSid: this.call.sid,
      path: `2026/11/${this.call.sid}-${uuid}.wav`,
      durationMs: isOver ? 1000 : null,
      sizeBytes: isOver ? 5 : null,
      mediaFormat: 'wav',
      createdUnix: startUnix,
      expiresUnix: null,
    }
    if (hasFile) {
      mkdirSync(dirname(this.file(recording)), { recursive: true })
      writeFileSync(this.file(recording), 'audio')
    }
    await this.bed.calls.commit([{ type: 'recording.insert', recording }])
    if (isReported) this.tell(recording)
    return recording
  }

  tell({ uuid }: RecordingRecord, code: EventCode = 'REC.0200'): void {
    this.#listener?.({ event: { code, data: { recording: { uuid } } } })
  }

  file({ path }: RecordingRecord): string {
    return join(this.folder, path)
  }

  async pass(ms: number): Promise<void> {
    this.bed.clock.pass(ms)
    await this.handOver?.settled()
  }
}

const withBed = (name: string, run: (bed: HandOverBed) => Promise<void>) =>
  test(name, async () => {
    const bed = new HandOverBed()
    try {
      await bed.open()
      await run(bed)
    } finally {
      bed.stop()
      bed.bed.close()
    }
  })

withBed('an ended recording goes to the storage, then its file goes; one that runs stays', async bed => {
  const runs = await bed.record({ isOver: false })
  const over = await bed.record()
  await bed.pass(0)
  assert.equal([...bed.kept], [[over.uuid, 'audio']])
  assert.equal([existsSync(bed.file(over)), existsSync(bed.file(runs))], [false, true])
  assert.is(bed.handOver?.waiting, 0)
})

withBed('a storage that refuses loses nothing: asked again, later each time, until it takes it', async bed => {
  let refusals = 12
  bed.answer = async () => {
    if (refusals-- > 0) throw new Error('no space left in the bucket')
  }
  const recording = await bed.record()
  await bed.pass(0)
  for (let failures = 1; failures <= 12; failures++) {
    assert.is(bed.puts.length, failures)
    assert.equal([existsSync(bed.file(recording)), bed.handOver?.waiting], [true, 1])
    await bed.pass(pauseAfterFailures(failures) - 1)
    assert.is(bed.puts.length, failures, 'not before its time')
    await bed.pass(1)
  }
  assert.equal(
    [bed.puts.length, bed.kept.size, existsSync(bed.file(recording)), bed.handOver?.waiting],
    [13, 1, false, 0],
  )
  assert.is(bed.errors.length, 12)
  assert.match(bed.errors[0] ?? '', /its file stays: Error: no space left/)
  assert.equal([pauseAfterFailures(1), pauseAfterFailures(2), pauseAfterFailures(1000)], [1000, 2000, 300_000])
})

withBed('what waited when the program ended is handed over at the next start', async bed => {
  bed.answer = () => Promise.reject(new Error('unreachable'))
  const recording = await bed.record()
  const untold = await bed.record({ isReported: false })
  await bed.pass(0)
  bed.stop()
  bed.answer = async () => {}
  await bed.start()
  assert.equal([...bed.kept.keys()].sort(), [recording.uuid, untold.uuid].sort())
  assert.equal([existsSync(bed.file(recording)), existsSync(bed.file(untold))], [false, false])
})

withBed('a storage that throws at once, and one that never answers, fail like any other', async bed => {
  bed.answer = () => {
    throw new Error('not connected')
  }
  const recording = await bed.record()
  await bed.pass(0)
  assert.match(bed.errors[0] ?? '', /not connected/)
  bed.answer = () => new Promise(() => {})
  bed.bed.clock.pass(pauseAfterFailures(1))
  await new Promise(resolve => setImmediate(resolve))
  while (bed.puts.length < 2) await new Promise(resolve => setImmediate(resolve))
  await bed.pass(storageTimeoutMs)
  assert.match(bed.errors[1] ?? '', /has not answered within 600 s/)
  assert.is(existsSync(bed.file(recording)), true)
})

withBed('so many at a time, and all of them', async bed => {
  let underway = 0
  let most = 0
  let open = () => {}
  const gate = new Promise<void>(resolve => (open = resolve))
  bed.answer = async () => {
    most = Math.max(most, ++underway)
    await gate
    underway--
  }
  for (let made = 0; made < 30; made++) await bed.record()
  while (underway < 4) await new Promise(resolve => setImmediate(resolve))
  assert.is(bed.handOver?.waiting, 30)
  open()
  await bed.pass(0)
  assert.equal([bed.kept.size, most], [30, 4])
})

withBed('a recording without a file, and one that is told of twice, are no fault', async bed => {
  await bed.record({ hasFile: false })
  const twice = await bed.record()
  bed.tell(twice, 'REC.0400')
  await bed.pass(0)
  bed.tell(twice)
  await bed.pass(0)
  assert.equal([bed.kept.size, bed.puts.length, bed.errors.length], [1, 1, 0])
})

withBed('deleted while it is on its way: nothing stays in the storage, the file waits for its purge', async bed => {
  let go = () => {}
  bed.answer = () => new Promise(resolve => (go = resolve))
  const recording = await bed.record()
  while (bed.puts.length === 0) await new Promise(resolve => setImmediate(resolve))
  await bed.recordings.remove(bed.account, recording.uuid, bed.bed.clock.unixMs())
  bed.answer = async () => {}
  go()
  await bed.pass(0)
  assert.equal([bed.kept.size, existsSync(bed.file(recording))], [0, true])
})

withBed('the purge removes from the storage too, and comes back when that fails', async bed => {
  const recording = await bed.record()
  await bed.pass(0)
  assert.is(bed.kept.size, 1)
  await bed.recordings.remove(bed.account, recording.uuid, bed.bed.clock.unixMs())
  bed.bed.clock.pass(deletedKeptMs)
  bed.answer = () => Promise.reject(new Error('unreachable'))
  const { recordings, storage } = bed
  const purge = new RecordingPurge({ recordings, clock: bed.bed.clock, log: silentLog, storage })
  purge.start()
  await purge.pass
  assert.equal([bed.kept.size, bed.recordings.due(bed.bed.clock.unixMs(), 10).length], [1, 1])
  bed.answer = async () => {}
  bed.bed.clock.pass(600_000)
  await purge.pass
  assert.equal([bed.kept.size, bed.recordings.due(bed.bed.clock.unixMs(), 10).length], [0, 0])
  await purge.stop()
})

test.run()
