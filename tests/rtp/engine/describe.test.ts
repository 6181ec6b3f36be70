import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { agreed } from '../bed/agreement.ts'
import { bridged } from '../bed/virtual-peer.ts'

test('a session describes how it sends: its sources by priority, its packets, its port', () => {
  const { media } = bridged()
  const { engine } = media
  assert.match(
    engine.describe('a') ?? '',
    /^dtmf \| prompt \| bridge\(forward PCMU\) \| silence → packetize\(20 ms\) → udp:\d+$/,
  )
  media.do({ type: 'unbridge', session: 'a' })
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { ptimeMs: 40 }), talk: true })
  assert.match(engine.describe('a') ?? '', /^dtmf \| prompt \| silence → packetize\(40 ms\) → udp:\d+$/)
  media.do({ type: 'close', session: 'a' })
  assert.is(engine.describe('a'), undefined)
})

test.run()
