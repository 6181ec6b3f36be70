import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { callId, leg, MediaBed } from '../core/bed/media-bed.ts'
import { WeriftPeer } from '../core/bed/werift-peer.ts'
import { until } from '../rig/probes/wait.ts'
import { sleep } from '../rtp/bed/media-peer.ts'

test('a browser’s leg has protected reports too: live figures, the round trip, and the quality that the browser received', async () => {
  const bed = await MediaBed.open()
  const browser = new WeriftPeer()
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer: await browser.offer() })
  bed.do({ type: 'media.play', legId: leg('a'), playId: 'p', source: { kind: 'tone', tone: 'ringback-ke' }, loop: 0 })
  await browser.accept((await bed.next('media.opened', 'a')).sdp)
  await browser.connected()
  assert.is(bed.media.statsOf(leg('a')), undefined, 'nothing is reported yet')
  await browser.speak(randomBytes(160 * 50 * 6))
  // Reported every few seconds; on a busy machine the last packets come later.
  await until('live figures of what was said', () => (bed.media.statsOf(leg('a'))?.packetsReceived ?? 0) > 200)
  await browser.speak(randomBytes(160 * 50 * 3))
  bed.do({ type: 'media.close', legId: leg('a') })
  const { stats } = await bed.next('media.closed', 'a')
  assert.ok((stats.mos ?? 0) > 4, JSON.stringify(stats))
  assert.is(stats.lossPercent, 0)
  assert.ok(stats.roundTripMs !== undefined && stats.roundTripMs < 50, `round trip ${stats.roundTripMs}`)
  assert.ok(stats.far !== undefined && stats.far.lossPercent < 1, JSON.stringify(stats.far))
  assert.is(bed.media.statsOf(leg('a')), undefined, 'a leg that is over has no live figures')
  await sleep(10)
  await bed.media.close()
  await browser.close()
})

test.run()
