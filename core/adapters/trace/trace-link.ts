import type { Worker } from 'node:worker_threads'
import { ownModule, startThread } from '../../../rtp/io/index.ts'
import { assertNever } from '../../model/assert-never.ts'
import type { Log } from '../../ports/log.ts'
import type { TraceAnswer, TraceQuery } from '../../trace/trace.ts'
import type { FromTraces, ToTraces, TraceThreadConfig } from './trace-protocol.ts'

/** No request goes to the thread while the switch starts; records wait in the shared memory. */
const startAfterMs = 500
/** A thread that died is started again after this pause. */
const respawnMs = 1000
/** Time that closing waits for the remaining records. */
const closeMs = 5000

/** The trace thread, as its users see it. */
export class TraceLink {
  readonly #config: TraceThreadConfig
  readonly #log: Log
  readonly #waiting = new Map<number, (answer: TraceAnswer | undefined) => void>()
  #worker: Worker | undefined
  #start: NodeJS.Timeout | undefined
  #ids = 0
  #isClosed = false
  #closed: () => void = () => {}

  constructor(config: TraceThreadConfig, log: Log) {
    this.#config = config
    this.#log = log
    this.#startAfter(startAfterMs)
  }

  read(call: string, query: TraceQuery): Promise<TraceAnswer | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined)
    return new Promise(resolve => {
      const id = ++this.#ids
      this.#waiting.set(id, resolve)
      const worker = this.#spawned()
      // The process must not end while an answer is awaited.
      worker.ref()
      worker.postMessage({ type: 'read', id, call, query } satisfies ToTraces)
    })
  }

  /** What was recorded before is kept first. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    const worker = this.#spawned()
    this.#isClosed = true
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      this.#closed = resolve
      timer = setTimeout(resolve, closeMs)
      worker.postMessage({ type: 'close' } satisfies ToTraces)
    })
    clearTimeout(timer)
    await worker.terminate()
    this.#answerAll()
  }

  #startAfter(ms: number): void {
    this.#start = setTimeout(() => this.#spawned(), ms)
    this.#start.unref()
  }

  #spawned(): Worker {
    clearTimeout(this.#start)
    if (this.#worker !== undefined) return this.#worker
    const program = ownModule('./trace-thread.ts', import.meta.url)
    const worker = startThread(program, { name: 'trace', execArgv: [], workerData: this.#config })
    worker.unref()
    this.#worker = worker
    let fault: unknown
    worker.on('message', (message: FromTraces) => this.#receive(message))
    worker.on('error', error => {
      fault = error
    })
    worker.on('exit', code => this.#exited(fault ?? `it ended with code ${code}`))
    return worker
  }

  #receive(message: FromTraces): void {
    switch (message.type) {
      case 'answer': {
        const resolve = this.#waiting.get(message.id)
        this.#waiting.delete(message.id)
        if (this.#waiting.size === 0) this.#worker?.unref()
        resolve?.(message.answer)
        return
      }
      case 'fault':
        this.#log.warn({ detail: message.detail }, 'the recorder of traces has a fault')
        return
      case 'closed':
        this.#closed()
        return
      default:
        assertNever(message)
    }
  }

  #exited(fault: unknown): void {
    this.#worker = undefined
    this.#closed()
    this.#answerAll()
    if (this.#isClosed) return
    this.#log.error(
      { fault: fault instanceof Error ? (fault.stack ?? fault.message) : fault },
      'the thread of traces has died',
    )
    this.#startAfter(respawnMs)
  }

  #answerAll(): void {
    for (const resolve of this.#waiting.values()) resolve(undefined)
    this.#waiting.clear()
  }
}
