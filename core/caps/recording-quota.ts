import type { AccountProfile } from '../model/account.ts'

/**
 * The bytes that the recordings of each account take. What the database says when a call begins is the measure; what
 * the account's calls have recorded since is added.
 */
export class RecordingQuota {
  readonly #used = new Map<string, number>()

  /** As the database has it now. */
  seen({ uuid, recordingBytes }: AccountProfile): void {
    this.#used.set(uuid, recordingBytes)
  }

  add(account: string, bytes: number): void {
    this.#used.set(account, (this.#used.get(account) ?? 0) + bytes)
  }

  /** `defaultMax`: of an account whose operator has said nothing else. */
  hasRoom({ uuid, recordingBytes, maxRecordingBytes }: AccountProfile, defaultMax: number): boolean {
    return (this.#used.get(uuid) ?? recordingBytes) < (maxRecordingBytes ?? defaultMax)
  }
}
