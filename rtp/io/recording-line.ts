import type { RecordingSink } from '../contract/recording-sink.ts'
import { chunkSamples, newChunkMemory, RecordingChunk } from './recording-chunk.ts'
import type { RecordingMailbox } from './recording-mailbox.ts'
import type { ToRecording } from './recording-protocol.ts'

/** Chunks that wait for a slow disk, about a minute; beyond, the recording has failed. */
const maxChunks = 60

/** One recording on its way to the thread that writes it. */
export class RecordingLine implements RecordingSink {
  hasFailed = false
  readonly #id: number
  readonly #mailbox: RecordingMailbox
  readonly #send: (message: ToRecording) => void
  readonly #chunks: RecordingChunk[] = []
  /** Chunks of the thread, in the order in which it lets go of them. */
  readonly #given: number[] = []
  #filling: number
  #filled = 0
  #isClosing = false
  #finish: ((sizeBytes: number, hasFailed: boolean) => void) | undefined

  constructor(id: number, mailbox: RecordingMailbox, send: (message: ToRecording) => void) {
    this.#id = id
    this.#mailbox = mailbox
    this.#send = send
    this.#filling = this.#newChunk()
  }

  write(pcm: Int16Array, from: number, count: number): void {
    if (this.#isClosing) return
    for (let at = from; at < from + count && !this.hasFailed; ) {
      const into = this.#chunks[this.#filling]!.pcm
      const piece = Math.min(from + count - at, chunkSamples - this.#filled)
      for (let i = 0; i < piece; i++) into[this.#filled + i] = pcm[at + i]!
      this.#filled += piece
      at += piece
      if (this.#filled === chunkSamples) this.flush()
    }
  }

  /** Gives away what has come. The last chunk that there may be waits until it is full. */
  flush(): void {
    if (this.#filled === 0 || this.hasFailed || this.#isClosing) return
    if (!this.#hasRoom || !this.#give()) {
      this.hasFailed = this.#filled === chunkSamples
      return
    }
    this.#filling = this.#isOldestFree ? this.#given.shift()! : this.#newChunk()
    this.#filled = 0
  }

  close(samples: number, done: (sizeBytes: number, hasFailed: boolean) => void): void {
    this.#isClosing = true
    this.#finish = done
    this.#send({ type: 'close', id: this.#id, chunk: this.#filling, count: this.#filled, samples })
  }

  closed(sizeBytes: number, hasFailed: boolean): void {
    this.hasFailed ||= hasFailed
    const finish = this.#finish
    this.#finish = undefined
    finish?.(sizeBytes, this.hasFailed)
  }

  #give(): boolean {
    const chunk = this.#chunks[this.#filling]!
    chunk.give()
    if (!this.#mailbox.put(this.#id, this.#filling, this.#filled)) {
      chunk.letGo()
      return false
    }
    this.#given.push(this.#filling)
    return true
  }

  get #hasRoom(): boolean {
    return this.#chunks.length < maxChunks || this.#isOldestFree
  }

  get #isOldestFree(): boolean {
    const oldest = this.#given[0]
    return oldest !== undefined && this.#chunks[oldest]!.isFree
  }

  #newChunk(): number {
    const memory = newChunkMemory()
    this.#send({ type: 'chunk', id: this.#id, memory })
    return this.#chunks.push(new RecordingChunk(memory)) - 1
  }
}
