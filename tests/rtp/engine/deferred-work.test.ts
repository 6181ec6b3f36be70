import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { EngineEvent } from '../../../rtp/contract/event.ts'
import { DeferredWork } from '../../../rtp/engine/deferred-work.ts'
import { FaultGuard } from '../../../rtp/engine/fault-guard.ts'
import type { MediaSession } from '../../../rtp/session/media-session.ts'

test('a fault in the deferred work of one session is counted, ends it, and the others have their turn', () => {
  const events: EngineEvent[] = []
  const ended: string[] = []
  const ticked: string[] = []
  const guard = new FaultGuard(
    event => events.push(event),
    session => ended.push(session.id),
  )
  const sessionOf = (id: string, tick: () => void) => ({ id, quietUntil: 0, tick }) as unknown as MediaSession
  const open = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(id =>
    sessionOf(id, () => {
      if (id === 'c') throw new Error('made so')
      ticked.push(id)
    }),
  )
  const work = new DeferredWork(guard, () => {})
  const sessions = { open, quietUntil: new Float64Array(open.length) }
  for (let round = 0; round < 4; round++) work.run(sessions, round * 5, round * 5)
  assert.is(guard.faults, 1)
  assert.equal(ended, ['c'])
  assert.equal(
    events.map(event => (event.type === 'failed' ? [event.session, event.fault] : event.type)),
    [['c', 'internal']],
  )
  assert.equal(ticked.sort(), ['a', 'b', 'd', 'e', 'f', 'g', 'h'])
})

test.run()
