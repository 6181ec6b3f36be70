import type { Worker } from 'node:worker_threads'
import type { Log } from '../../../ports/log.ts'
import { ownModule } from '../../system/own-module.ts'
import { startThread } from '../../system/start-thread.ts'

/** What the thread is made with; plain data. */
export interface CheckpointConfig {
  readonly file: string
  readonly nativeBinding?: string | undefined
}

/** A thread that died is started again after this. Meanwhile the writer copies the log, when it has grown long. */
const respawnMs = 1000
/** Time that closing waits for a copy under way. */
const closeMs = 10_000
/** It has next to no objects. */
const memoryMb = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 }

/** The thread that copies the write-ahead log, and another in its place when it dies. */
export class CheckpointLink {
  readonly #config: CheckpointConfig
  readonly #log: Log
  #worker: Worker | undefined
  #respawn: NodeJS.Timeout | undefined
  #isClosed = false

  /** The thread starts. */
  constructor(config: CheckpointConfig, log: Log) {
    this.#config = config
    this.#log = log
    this.#spawn()
  }

  /** A copy that is under way is ended first. Idempotent. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#isClosed = true
    clearTimeout(this.#respawn)
    if (worker === undefined) return
    const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()))
    worker.postMessage('end')
    const timer = setTimeout(() => void worker.terminate(), closeMs)
    await ended
    clearTimeout(timer)
  }

  #spawn(): void {
    const worker = startThread(ownModule('./checkpoint-thread.ts', import.meta.url), {
      name: 'checkpoints',
      execArgv: [],
      resourceLimits: memoryMb,
      workerData: this.#config,
    })
    this.#worker = worker
    let fault: unknown
    worker.on('error', error => {
      fault = error
    })
    worker.on('exit', code => {
      this.#worker = undefined
      if (this.#isClosed) return
      this.#log.error({ fault: String(fault ?? `it ended with code ${code}`) }, 'a thread of the store has died')
      this.#respawn = setTimeout(() => this.#spawn(), respawnMs)
    })
  }
}
