import { Worker } from 'node:worker_threads'
import type { RecordingSink } from '../session/recording-sink.ts'
import type { RecordedRate } from './ogg-file.ts'
import type { FromOgg, ToOgg } from './ogg-protocol.ts'

/** Samples that go to the thread at once: a second of 8,000 Hz, and somewhat more; what is there sooner goes sooner. */
const chunkSamples = 9600
/** Chunks that wait for a slow disk, about a minute; beyond, the recording has failed. */
const maxChunks = 60

/** One recording on its way to the thread. */
class OggRecording {
  hasFailed = false
  readonly #send: (message: ToOgg, moved: ArrayBuffer[]) => void
  readonly #id: number
  #filling: Int16Array
  #filled = 0
  readonly #spare: Int16Array[] = []
  #chunks = 1
  #finish: ((sizeBytes: number, hasFailed: boolean) => void) | undefined

  constructor(id: number, send: (message: ToOgg, moved: ArrayBuffer[]) => void) {
    this.#id = id
    this.#send = send
    this.#filling = new Int16Array(chunkSamples)
  }

  write(pcm: Int16Array, from: number, count: number): void {
    for (let at = from; at < from + count && !this.hasFailed; ) {
      const piece = Math.min(from + count - at, chunkSamples - this.#filled)
      for (let i = 0; i < piece; i++) this.#filling[this.#filled + i] = pcm[at + i]!
      this.#filled += piece
      at += piece
      if (this.#filled === chunkSamples) this.flush()
    }
  }

  flush(): void {
    if (this.#filled === 0 || this.hasFailed) return
    const next = this.#spare.pop() ?? this.#newChunk()
    if (next === undefined) {
      // The last chunk that there may be waits until it is full.
      if (this.#filled === chunkSamples) this.hasFailed = true
      return
    }
    const pcm = this.#filling
    this.#send({ type: 'samples', id: this.#id, pcm, count: this.#filled }, [pcm.buffer as ArrayBuffer])
    this.#filling = next
    this.#filled = 0
  }

  close(samples: number, done: (sizeBytes: number, hasFailed: boolean) => void): void {
    this.#finish = done
    const pcm = this.#filling
    this.#send({ type: 'samples', id: this.#id, pcm, count: this.#filled }, [pcm.buffer as ArrayBuffer])
    this.#send({ type: 'close', id: this.#id, samples }, [])
  }

  taken(pcm: Int16Array): void {
    this.#spare.push(pcm)
  }

  closed(sizeBytes: number, hasFailed: boolean): void {
    this.hasFailed ||= hasFailed
    const finish = this.#finish
    this.#finish = undefined
    finish?.(sizeBytes, this.hasFailed)
  }

  #newChunk(): Int16Array | undefined {
    if (this.#chunks === maxChunks) return undefined
    this.#chunks++
    return new Int16Array(chunkSamples)
  }
}

/** Recordings as Ogg Opus: encoded and written by a thread that is started with the first of them. */
export class OggRecordings {
  readonly #open = new Map<number, OggRecording>()
  #ids = 0
  #thread: Worker | undefined

  open(path: string, channels: 1 | 2, rate: RecordedRate): RecordingSink & { flush(): void } {
    const id = ++this.#ids
    const recording = new OggRecording(id, (message, moved) => this.#thread?.postMessage(message, moved))
    this.#open.set(id, recording)
    this.#thread ??= this.#start()
    this.#thread.ref()
    this.#thread.postMessage({ type: 'open', id, path, channels, rate } satisfies ToOgg)
    return {
      get hasFailed() {
        return recording.hasFailed
      },
      flush: () => recording.flush(),
      write: (pcm, from, count) => recording.write(pcm, from, count),
      close: (samples, done) => {
        // Of a thread that has died there is nobody to tell the end.
        if (this.#open.has(id)) recording.close(samples, done)
        else setImmediate(done, 0, true)
      },
    }
  }

  #start(): Worker {
    // The same folder, whether the sources run or what was made of them.
    const file = import.meta.url.endsWith('.ts') ? './ogg-thread.ts' : './ogg-thread.js'
    // Flags of the process, as that its program came by `-e`, are not for it.
    const thread = new Worker(new URL(file, import.meta.url), { execArgv: [] })
    thread.on('message', (message: FromOgg) => this.#told(message))
    // An error is followed by the exit.
    thread.on('error', () => {})
    thread.on('exit', () => this.#died(thread))
    return thread
  }

  #told(message: FromOgg): void {
    const recording = this.#open.get(message.id)
    if (recording === undefined) return
    switch (message.type) {
      case 'taken':
        recording.taken(message.pcm)
        return
      case 'failed':
        recording.hasFailed = true
        return
      case 'closed':
        this.#open.delete(message.id)
        if (this.#open.size === 0) this.#thread?.unref()
        recording.closed(message.sizeBytes, message.hasFailed)
    }
  }

  /** What it was writing ends where it lies; the next recording gets another thread. */
  #died(thread: Worker): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    const lost = [...this.#open.values()]
    this.#open.clear()
    for (const recording of lost) recording.closed(0, true)
  }
}
