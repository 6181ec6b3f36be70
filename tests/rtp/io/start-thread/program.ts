import { isMainThread, Worker } from 'node:worker_threads'
import { startThread } from '../../../../rtp/io/start-thread.ts'

// A thread that fills its old space and lets go of that, several times, and turns in its event loop meanwhile.
const own = new URL(import.meta.url)
if (isMainThread) {
  const options = { resourceLimits: { maxYoungGenerationSizeMb: 2 } }
  if (process.argv[2] === 'ours') startThread(own, options)
  else new Worker(own, options)
} else {
  let kept: object[] = []
  for (let turn = 0; turn < 60; turn++) {
    for (let n = 0; n < 30_000; n++) kept.push({ n, list: [n] })
    if (kept.length > 100_000) kept = []
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  await new Promise(resolve => setTimeout(resolve, 100))
}
