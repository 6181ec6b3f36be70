import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { WorkTurns } from '../../api/base/work-turns.ts'

/** An event loop by hand: a turn runs what was due when it began. */
class Loop {
  time = 0
  readonly rests: number[] = []
  #due: (() => void)[] = []

  readonly now = () => this.time
  readonly soon = (fire: () => void) => void this.#due.push(fire)
  readonly later = (fire: () => void, ms: number) => {
    this.rests.push(ms)
    this.#due.push(() => {
      this.time += ms
      fire()
    })
  }

  get isIdle(): boolean {
    return this.#due.length === 0
  }

  async turn(): Promise<void> {
    const due = this.#due
    this.#due = []
    for (const fire of due) {
      fire()
      await settled()
    }
  }

  async run(): Promise<void> {
    for (let turns = 0; turns < 100 && !this.isIdle; turns++) await this.turn()
  }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

test('however many pieces of work come at once, each has a turn of the event loop of its own, first come first served', async () => {
  const loop = new Loop()
  const turns = new WorkTurns(loop)
  const done: number[] = []
  for (let piece = 0; piece < 5; piece++) void turns.next('one').then(() => done.push(piece))
  for (let count = 1; count <= 5; count++) {
    await loop.turn()
    assert.equal(
      done,
      Array.from({ length: count }, (_, at) => at),
    )
  }
  await loop.run()
  assert.ok(loop.isIdle)
})

test('who has one piece does not wait for another one’s many', async () => {
  const loop = new Loop()
  const turns = new WorkTurns(loop)
  const done: string[] = []
  const piece = (owner: string) => void turns.next(owner).then(() => done.push(owner))
  for (let count = 0; count < 50; count++) piece('busy')
  piece('quiet')
  await loop.turn()
  await loop.turn()
  assert.equal(done, ['busy', 'quiet'])
})

test('after a millisecond of work, in one piece or in many, the thread is left to others for as long as it took', async () => {
  const loop = new Loop()
  const turns = new WorkTurns(loop)
  const work = (ms: number) =>
    void turns.next('one').then(() => {
      loop.time += ms
    })
  for (const ms of [7, 0.25, 400, 0.25]) work(ms)
  await loop.run()
  assert.equal(loop.rests, [7, 50])
  for (let piece = 0; piece < 9; piece++) work(0.25)
  await loop.run()
  assert.equal(loop.rests, [7, 50, 1, 1], 'and 0.5 ms are left over')
})

test('what comes after everything was done has its turn again', async () => {
  const loop = new Loop()
  const turns = new WorkTurns(loop)
  let count = 0
  for (let round = 1; round <= 3; round++) {
    void turns.next('one').then(() => count++)
    await loop.run()
    assert.is(count, round)
  }
})

test('an owner that moves many bytes waits until its average is within the limit, another goes on', async () => {
  const loop = new Loop()
  const turns = new WorkTurns(loop)
  await Promise.all([turns.nextBytes('one', 2 * 1024 * 1024), loop.run()])
  assert.equal(loop.rests, [], 'the first bytes at once')
  await Promise.all([turns.nextBytes('one', 8 * 1024 * 1024), turns.nextBytes('two', 1024), loop.run()])
  assert.is(loop.rests.length, 1)
  assert.ok(Math.abs(loop.rests[0]! - 1000) < 1, `${loop.rests[0]} ms`)
})

test.run()
