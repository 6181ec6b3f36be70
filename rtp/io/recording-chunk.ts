/** A second of 8,000 Hz, and somewhat more; what is there sooner goes sooner. */
export const chunkSamples = 9600
const stateBytes = 4
const free = 0
const taken = 1

export const newChunkMemory = (): SharedArrayBuffer => new SharedArrayBuffer(stateBytes + 2 * chunkSamples)

/** Samples that two threads hold in turns. */
export class RecordingChunk {
  readonly pcm: Int16Array
  readonly #state: Int32Array

  constructor(memory: SharedArrayBuffer) {
    this.#state = new Int32Array(memory, 0, 1)
    this.pcm = new Int16Array(memory, stateBytes)
  }

  get isFree(): boolean {
    return Atomics.load(this.#state, 0) === free
  }

  /** It is the writing thread's, until that has let go of it. */
  give(): void {
    Atomics.store(this.#state, 0, taken)
  }
  letGo(): void {
    Atomics.store(this.#state, 0, free)
  }
}
