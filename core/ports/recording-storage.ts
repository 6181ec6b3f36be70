import type { RecordingRecord } from '../model/call-record.ts'

/** A recording that has ended. `path` is unique and never changes: `2026/07/CA…-<uuid>.wav`, fit for a key. */
export type StoredRecording = Readonly<
  Pick<RecordingRecord, 'uuid' | 'accountUuid' | 'callUuid' | 'callSid' | 'path' | 'mediaFormat' | 'createdUnix'>
> & {
  readonly durationMs: number
  readonly sizeBytes: number
}

/** Bytes of a file, counted from 0, both inclusive. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * Where recordings are once they have ended, instead of in the data folder: an object store, another disk. Each method may
 * take its time and may reject; nothing of a call waits for it.
 */
export interface RecordingStorage {
  /**
   * Keeps the audio that is in `file`. When it resolves, the local file is removed; when it rejects, or takes longer than
   * ten minutes, the file stays and it is asked again, also after a restart. It may come twice for one recording, with the
   * same audio. `signal` aborts when the caller no longer waits.
   */
  put(recording: StoredRecording, file: string, signal: AbortSignal): Promise<void>
  /** These bytes of the audio; undefined: there is none. A stream of Node or of the web fits. */
  get(recording: StoredRecording, range: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Removes the audio for good. One that is not there is no fault. */
  delete(recording: StoredRecording): Promise<void>
}
