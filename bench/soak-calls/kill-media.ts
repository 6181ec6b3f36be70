import { createRequire, syncBuiltinESMExports } from 'node:module'
import { isMainThread, Worker, type WorkerOptions } from 'node:worker_threads'

// Preloaded into a served switch (NODE_OPTIONS=--import): SIGUSR2 ends one of its media threads, as a fault of ours would.
if (isMainThread) {
  const threads = new Set<Worker>()
  class WatchedWorker extends Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(file, options)
      if (!String(file).includes('media-thread')) return
      threads.add(this)
      this.once('exit', () => threads.delete(this))
    }
  }
  const library = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker }
  library.Worker = WatchedWorker
  syncBuiltinESMExports()
  process.on('SIGUSR2', () => {
    const [thread] = threads
    if (thread !== undefined) void thread.terminate()
  })
}
