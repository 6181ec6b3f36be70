/** Recording, chunk, samples in it. */
const entryWords = 3
const entries = 32_768
/** Positions of the writer and of the reader. */
const putAt = 0
const takenAt = 1
const headWords = 2

const mailboxBytes = 4 * (headWords + entries * entryWords)

/**
 * Chunks on their way from a media thread to the thread that writes them. There are no locks and no wake-ups: a thread of real
 * time that waits for a lock of one that is not, waits for whatever else the machine does. One writer, one reader.
 */
export class RecordingMailbox {
  readonly memory: SharedArrayBuffer
  readonly #words: Int32Array

  constructor(memory = new SharedArrayBuffer(mailboxBytes)) {
    this.memory = memory
    this.#words = new Int32Array(memory)
  }

  /** False when it is full. */
  put(recording: number, chunk: number, count: number): boolean {
    const words = this.#words
    const put = words[putAt]!
    // Counts that wrap.
    if (((put - Atomics.load(words, takenAt)) | 0) === entries) return false
    const at = headWords + (put & (entries - 1)) * entryWords
    words[at] = recording
    words[at + 1] = chunk
    words[at + 2] = count
    Atomics.store(words, putAt, put + 1)
    return true
  }

  /** Hands over what has come, in its order, up to the first that `take` refuses. */
  takeAll(take: (recording: number, chunk: number, count: number) => boolean): void {
    const words = this.#words
    const put = Atomics.load(words, putAt)
    for (let taken = words[takenAt]!; taken !== put; taken = (taken + 1) | 0) {
      const at = headWords + (taken & (entries - 1)) * entryWords
      if (!take(words[at]!, words[at + 1]!, words[at + 2]!)) return
      Atomics.store(words, takenAt, taken + 1)
    }
  }
}
