import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ParsingTurns } from '../../api/parsing-turns.ts'

test('however many large bodies come at once, the event loop turns between two of them, first come first served', async () => {
  const turns = new ParsingTurns()
  let loops = 0
  let isOver = false
  const loop = () => {
    loops++
    if (!isOver) setImmediate(loop)
  }
  setImmediate(loop)
  const seen: { body: number; at: number }[] = []
  await Promise.all(
    Array.from({ length: 8 }, async (_, body) => {
      await turns.next()
      seen.push({ body, at: loops })
    }),
  )
  isOver = true
  assert.equal(
    seen.map(({ body }) => body),
    [0, 1, 2, 3, 4, 5, 6, 7],
  )
  assert.is(new Set(seen.map(({ at }) => at)).size, 8)
})

test.run()
