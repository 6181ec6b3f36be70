import type { Worker } from 'node:worker_threads'
import { ownModule } from '../../system/own-module.ts'
import { startThread } from '../../system/start-thread.ts'
import type { FromStore, StoreThreadConfig, ToStore } from './protocol.ts'

/** Gets the messages of a worker, and once the cause of its end. */
interface WorkerListener {
  received(message: FromStore): void
  exited(cause: Error): void
}

/** The thread itself, from its start to its end. Messages that come before there is a listener are kept for it. */
export class StoreWorker {
  readonly config: StoreThreadConfig
  readonly #worker: Worker
  #listener: WorkerListener | undefined
  #kept: FromStore[] = []
  #end: Error | undefined
  #isOpening = false

  constructor(config: StoreThreadConfig) {
    this.config = config
    // Flags of the process, as that its program came by `-e`, are not for it.
    const program = ownModule('./store-thread.ts', import.meta.url)
    this.#worker = startThread(program, { name: 'store', execArgv: [], workerData: config })
    let fault: Error | undefined
    this.#worker.on('message', (message: FromStore) => {
      if (this.#listener === undefined) this.#kept.push(message)
      else this.#listener.received(message)
    })
    this.#worker.on('error', error => {
      fault = error instanceof Error ? error : new Error(String(error))
    })
    // What cannot be read may be answers: who waits for them must not wait for ever.
    this.#worker.on('messageerror', error => {
      fault = error
      void this.#worker.terminate()
    })
    this.#worker.on('exit', code => {
      this.#end = fault ?? new Error(`it ended with code ${code}`)
      this.#listener?.exited(this.#end)
    })
  }

  /** Messages that came before are passed on at once. */
  listen(listener: WorkerListener): void {
    this.#listener = listener
    const kept = this.#kept
    this.#kept = []
    for (const message of kept) listener.received(message)
    if (this.#end !== undefined) listener.exited(this.#end)
  }

  /** Opens the database; once. */
  open(recover: boolean, doubted: readonly string[] = []): void {
    if (this.#isOpening) return
    this.#isOpening = true
    this.post({ type: 'open', recover, doubted })
  }

  post(message: ToStore): void {
    this.#worker.postMessage(message)
  }

  /** Resolves when it has ended. Idempotent. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }
}
