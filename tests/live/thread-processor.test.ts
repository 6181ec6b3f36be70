import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadLibC } from '../../rtp/io/libc.ts'

const fileOf = (name: string): string => JSON.stringify(new URL(`../../rtp/io/${name}.ts`, import.meta.url).href)

interface Told {
  readonly left: readonly boolean[]
  readonly before: readonly number[]
  readonly behind: readonly number[]
  /** Processors that the thread may use, before and after. */
  readonly allowed: readonly [string, string]
}

/** A thread leaves its processor so often; `pinned`: it may run on that one only. */
async function leave(times: number, pinned: boolean): Promise<Told> {
  const program = `
    const { readFileSync } = require('node:fs')
    const { parentPort } = require('node:worker_threads')
    const allowed = () => /Cpus_allowed_list:\\s*(\\S+)/.exec(readFileSync('/proc/thread-self/status', 'latin1'))[1]
    Promise.all([import(${fileOf('libc')}), import(${fileOf('thread-processor')})]).then(([{ loadLibC }, { otherProcessor }]) => {
      const native = loadLibC()
      if (${pinned}) {
        const { buffer, address } = native.allocate(128)
        const processor = native.libc.sched_getcpu()
        new Uint8Array(buffer).fill(0)[processor >> 3] = 1 << (processor & 7)
        native.libc.sched_setaffinity(0, 128, address)
      }
      const leaveIt = otherProcessor(native)
      const reported = { left: [], before: [], behind: [], allowed: [allowed()] }
      for (let n = 0; n < ${times}; n++) {
        reported.before.push(native.libc.sched_getcpu())
        reported.left.push(leaveIt())
        reported.behind.push(native.libc.sched_getcpu())
      }
      reported.allowed.push(allowed())
      parentPort.postMessage(reported)
    })`
  const [reported] = await once(new Worker(program, { eval: true }), 'message')
  return reported
}

// Elsewhere no thread has a processor of its own to leave.
if (loadLibC() !== undefined) {
  test('a thread that leaves its processor runs on another, and may run on all of them as before', async () => {
    const { left, before, behind, allowed } = await leave(50, false)
    assert.is(allowed[1], allowed[0])
    assert.is(left.length, 50)
    if (availableParallelism() === 1) return assert.ok(left.every(did => !did))
    assert.ok(left.every(did => did))
    // The system may move it once more before it has looked.
    const moved = left.filter((_, n) => before[n] !== behind[n]).length
    assert.ok(moved >= 45, `${moved} of 50`)
  })

  test('one that may run on one processor only stays there', async () => {
    const { left, before, behind, allowed } = await leave(3, true)
    assert.equal(left, [false, false, false])
    assert.equal(behind, before)
    assert.is(allowed[1], allowed[0])
  })
}

test.run()
