import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FairQueue, QueueFull } from '../../../../core/adapters/queue/fair-queue.ts'

/** Tasks that end on demand, and the order in which they began. */
function tasks() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const task = (name: string) => () => {
    begun.push(name)
    return new Promise<string>(resolve => ends.set(name, () => resolve(name)))
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  return { begun, task, end }
}

test('owners take turns: one that asks for much waits for itself', async () => {
  const queue = new FairQueue({ width: 2, maxWaiting: 100 })
  const { begun, task, end } = tasks()
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map(name => queue.run(name[0] ?? '', task(name)))
  assert.equal(begun, ['a1', 'a2'])
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']) await end(name)
  assert.equal(begun, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2'])
  assert.equal(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'])
})

test('an owner has at most its own places, and room for so many that wait', async () => {
  const queue = new FairQueue({ width: 4, widthPerOwner: 2, maxWaiting: 100, maxWaitingPerOwner: 3 })
  const { begun, task, end } = tasks()
  const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map(name => queue.run('a', task(name)))
  assert.equal(begun, ['a1', 'a2'], 'two places stay free')
  assert.instance(await queue.run('a', task('a6')).catch((fault: unknown) => fault), QueueFull)
  all.push(queue.run('b', task('b1')))
  assert.equal(begun, ['a1', 'a2', 'b1'])
  for (const name of ['a1', 'a2', 'a3', 'b1', 'a4', 'a5']) await end(name)
  assert.equal(begun, ['a1', 'a2', 'b1', 'a3', 'a4', 'a5'])
  await Promise.all(all)
})

test('a task that rejects gives its place on', async () => {
  const queue = new FairQueue({ width: 1, maxWaiting: 10 })
  const results = await Promise.allSettled([
    queue.run('a', () => Promise.reject(new Error('no'))),
    queue.run('b', () => Promise.resolve('yes')),
  ])
  assert.equal(
    results.map(result => result.status),
    ['rejected', 'fulfilled'],
  )
})

test('more than may wait is refused at once', async () => {
  const queue = new FairQueue({ width: 1, maxWaiting: 2 })
  const { task, end } = tasks()
  const first = ['x', 'y', 'z'].map(name => queue.run(name, task(name)))
  const refused = await queue.run('w', task('w')).catch((error: unknown) => error)
  assert.instance(refused, QueueFull)
  for (const name of ['x', 'y', 'z']) await end(name)
  assert.equal(await Promise.all(first), ['x', 'y', 'z'])
})

test.run()
