import type { Worker } from 'node:worker_threads'
import { assertNever } from '../base/assert-never.ts'
import type { RecordingSink } from '../contract/recording-sink.ts'
import { ownModule } from './own-module.ts'
import { RecordingLine } from './recording-line.ts'
import { RecordingMailbox } from './recording-mailbox.ts'
import type { FromRecording, RecordingThreadConfig, ToRecording } from './recording-protocol.ts'
import { startThread } from './start-thread.ts'

interface RecordingThread {
  readonly worker: Worker
  readonly mailbox: RecordingMailbox
}

/** A thread that writes recordings, started with the first of them, and again when it has died. */
export class RecordingThreadLink {
  readonly #niceness: number
  readonly #open = new Map<number, RecordingLine>()
  #ids = 0
  #thread: RecordingThread | undefined

  /** `niceness` of the thread, where threads have one. */
  constructor(niceness: number) {
    this.#niceness = niceness
  }

  open(path: string, channels: 1 | 2, sampleRate: number): RecordingSink & { flush(): void } {
    const id = ++this.#ids
    this.#thread ??= this.#start()
    const { worker, mailbox } = this.#thread
    const send = (message: ToRecording): void => worker.postMessage(message)
    worker.ref()
    send({ type: 'open', id, path, channels, sampleRate })
    const line = new RecordingLine(id, mailbox, send)
    this.#open.set(id, line)
    return {
      get hasFailed() {
        return line.hasFailed
      },
      flush: () => line.flush(),
      write: (pcm, from, count) => line.write(pcm, from, count),
      close: (samples, done) => {
        // A thread that has died cannot be sent the end.
        if (this.#open.has(id)) line.close(samples, done)
        else setImmediate(done, 0, true)
      },
    }
  }

  #start(): RecordingThread {
    // Each has its own: what one that has died has not taken is nothing to the next.
    const mailbox = new RecordingMailbox()
    const workerData: RecordingThreadConfig = { mailbox: mailbox.memory, niceness: this.#niceness }
    // Flags of the process, as that its program came by `-e`, are not for it.
    const worker = startThread(ownModule('./recording-thread.ts', import.meta.url), {
      name: 'recording',
      execArgv: [],
      workerData,
    })
    worker.on('message', (message: FromRecording) => this.#received(message))
    // An error is followed by the exit.
    worker.on('error', () => {})
    worker.on('exit', () => this.#died(worker))
    return { worker, mailbox }
  }

  #received(message: FromRecording): void {
    const line = this.#open.get(message.id)
    if (line === undefined) return
    switch (message.type) {
      case 'failed':
        line.hasFailed = true
        return
      case 'closed':
        this.#open.delete(message.id)
        if (this.#open.size === 0) this.#thread?.worker.unref()
        line.closed(message.sizeBytes, message.hasFailed)
        return
      default:
        assertNever(message)
    }
  }

  /** What it was writing ends where it lies; the next recording gets another thread. */
  #died(worker: Worker): void {
    if (this.#thread?.worker !== worker) return
    this.#thread = undefined
    const lost = [...this.#open.values()]
    this.#open.clear()
    for (const line of lost) line.closed(0, true)
  }
}
