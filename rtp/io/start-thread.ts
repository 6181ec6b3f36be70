import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** V8 reads this once for each thread, where it makes the thread's heap. */
const sweepsAlone = '--single-threaded-gc'
const sweepsWithV8 = '--no-single-threaded-gc'

/** Threads whose heap may not have been made yet. */
let starting = 0

/**
 * Starts a thread of ours, whose heap of C++ objects is swept by itself. By default one of V8's threads sweeps it after a collection
 * of the old space, and meanwhile ours asks at each turn of its event loop, without a pause, whether that is done. A thread in real
 * time, or one that goes before others, so keeps the processor from the one it waits for: a media thread on the only processor
 * did so for seconds, and signalling and the database stood still. What is swept is small: Node's own objects, some tens.
 */
export function startThread(program: URL, options: WorkerOptions): Worker {
  if (starting++ === 0) setFlagsFromString(sweepsAlone)
  let isStarted = false
  const started = () => {
    if (isStarted) return
    isStarted = true
    if (--starting === 0) setFlagsFromString(sweepsWithV8)
  }
  try {
    const worker = new Worker(program, options)
    worker.once('online', started)
    worker.once('exit', started)
    return worker
  } catch (fault) {
    started()
    throw fault
  }
}
