import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SrtpKeys } from '../../../rtp/srtp/profile.ts'
import { agreed } from '../bed/agreement.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
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

test('a session whose packets are protected says so once its keys are agreed on', () => {
  const media = new VirtualMedia()
  media.do({ type: 'open', session: 'a', keyed: true })
  assert.match(media.engine.describe('a') ?? '', /^nothing is agreed → udp:\d+$/)
  const side = (fill: number): SrtpKeys => ({
    profile: 'AES_CM_128_HMAC_SHA1_80',
    key: new Uint8Array(16).fill(fill),
    salt: new Uint8Array(14).fill(fill),
  })
  media.do({
    type: 'agree',
    session: 'a',
    agreement: agreed(4000),
    talk: true,
    keys: { local: side(1), remote: side(2) },
  })
  assert.match(media.engine.describe('a') ?? '', /^dtmf \| prompt \| silence → packetize\(20 ms\) → srtp → udp:\d+$/)
})

test.run()
