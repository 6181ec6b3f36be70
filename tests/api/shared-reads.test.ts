import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SharedReads } from '../../api/stream/shared-reads.ts'

/** Reads that end when the test says so. */
function bed() {
  const reads = new SharedReads<number>()
  const begun: { end(value: number): void; fail(): void }[] = []
  const ask = (key = 'a') =>
    reads.read(
      key,
      () =>
        new Promise((resolve, reject) => {
          begun.push({ end: resolve, fail: () => reject(new Error('full')) })
        }),
    )
  return { begun, ask }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('who asks while a read runs waits for one more, and all of them share it', async () => {
  const { begun, ask } = bed()
  const first = ask()
  const others = [ask(), ask(), ask()]
  assert.is(begun.length, 1)
  begun[0]!.end(1)
  assert.is(await first, 1)
  await turn()
  assert.is(begun.length, 2)
  begun[1]!.end(2)
  assert.equal(await Promise.all(others), [2, 2, 2])
  const later = ask()
  await turn()
  assert.is(begun.length, 3, 'a read that has ended is not shared')
  begun[2]!.end(3)
  assert.is(await later, 3)
})

test('other keys do not wait, and a read that fails holds up no other', async () => {
  const { begun, ask } = bed()
  const failing = ask()
  const next = ask()
  void ask('b')
  assert.is(begun.length, 2)
  begun[0]!.fail()
  assert.is(await failing.catch(() => 'failed'), 'failed')
  await turn()
  begun[2]!.end(7)
  assert.is(await next, 7)
})

test.run()
