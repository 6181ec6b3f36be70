import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadLibC } from '../../rtp/io/libc.ts'

const threads = 24
const bytesEach = 4 << 20

/** A thread takes a block for the kernel, writes all of it, and is terminated in the middle of its work. */
async function terminated(): Promise<void> {
  const program = `
    import(${JSON.stringify(new URL('../../rtp/io/libc.ts', import.meta.url).href)}).then(({ loadLibC }) => {
      const memory = loadLibC().allocate(${bytesEach})
      new Uint8Array(memory.buffer).fill(1)
      setInterval(() => memory, 1000)
      require('node:worker_threads').parentPort.postMessage('taken')
    })`
  const thread = new Worker(program, { eval: true })
  await once(thread, 'message')
  await thread.terminate()
}

if (loadLibC() !== undefined) {
  test('a terminated thread leaves no memory allocated', async () => {
    for (let n = 0; n < 4; n++) await terminated()
    const before = process.memoryUsage.rss()
    for (let n = 0; n < threads; n++) await terminated()
    const grown = process.memoryUsage.rss() - before
    // A quarter of what the threads took: the allocator keeps some blocks for the next thread.
    assert.ok(grown < (threads * bytesEach) / 4, `${(grown / 1e6).toFixed(0)} MB of ${threads} threads are still there`)
  })
}

test.run()
