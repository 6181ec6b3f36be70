import type { Clock } from '../../ports/clock.ts'
import type { ByteRange, RecordingStorage, StoredRecording } from '../../ports/recording-storage.ts'
import { storageTimeoutMs } from '../../recordings/hand-over-schedule.ts'

/** A program's storage that always answers: when it takes too long, and once the switch is closed, it rejects. */
export class BoundedStorage implements RecordingStorage {
  readonly #storage: RecordingStorage
  readonly #clock: Clock
  readonly #underway = new Set<AbortController>()

  constructor(storage: RecordingStorage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  put(recording: StoredRecording, file: string): Promise<void> {
    return this.#within(signal => this.#storage.put(recording, file, signal))
  }

  get(recording: StoredRecording, range: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.#within(() => this.#storage.get(recording, range))
  }

  delete(recording: StoredRecording): Promise<void> {
    return this.#within(() => this.#storage.delete(recording))
  }

  /** Whatever is under way rejects. */
  close(): void {
    for (const abort of this.#underway) abort.abort(new Error('the switch is being closed'))
  }

  async #within<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const abort = new AbortController()
    const late = new Error(`the storage has not answered within ${storageTimeoutMs / 1000} s`)
    const cancel = this.#clock.at(this.#clock.now() + storageTimeoutMs, () => abort.abort(late))
    this.#underway.add(abort)
    try {
      return await new Promise<Result>((resolve, reject) => {
        abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true })
        // Also what is thrown at once is a rejection.
        new Promise<Result>(settle => settle(work(abort.signal))).then(resolve, reject)
      })
    } finally {
      cancel()
      this.#underway.delete(abort)
    }
  }
}
