import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { callId, leg, MediaBed, portIn, sdp } from '../core/bed/media-bed.ts'
import { WeriftPeer } from '../core/bed/werift-peer.ts'
import { until } from '../rig/probes/wait.ts'
import { MediaPeer, sleep } from '../rtp/bed/media-peer.ts'

test('a browser offers: answered, connected, both ways through a bridge to a trunk leg, untouched', async () => {
  const bed = await MediaBed.open()
  const browser = new WeriftPeer()
  const trunk = await MediaPeer.open()
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer: await browser.offer() })
  bed.do({ type: 'media.open', legId: leg('b'), callId, offer: sdp(trunk.port) })
  bed.do({ type: 'media.bridge', legId: leg('a'), otherLegId: leg('b') })
  const answer = (await bed.next('media.opened', 'a')).sdp
  trunk.to = portIn((await bed.next('media.opened', 'b')).sdp)
  await browser.accept(answer)
  await browser.connected()
  await sleep(100)
  const said = randomBytes(160 * 20)
  const received = randomBytes(160 * 20)
  await Promise.all([browser.speak(said), trunk.speak(received)])
  await until('what the browser said', () => Buffer.concat(trunk.received.map(it => it.payload)).includes(said))
  await until('what the trunk said', () => browser.audio.includes(received))
  await bed.media.close()
  await browser.close()
  trunk.close()
})

test('a prompt waits for the SRTP keys: none of its words is lost', async () => {
  const bed = await MediaBed.open()
  const browser = new WeriftPeer()
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer: await browser.offer() })
  bed.do({ type: 'media.play', legId: leg('a'), playId: 'p', source: { kind: 'tone', tone: 'beep' }, loop: 1 })
  const answer = (await bed.next('media.opened', 'a')).sdp
  await sleep(600)
  assert.is(
    bed.events.find(event => event.type === 'media.played'),
    undefined,
  )
  await browser.accept(answer)
  await browser.connected()
  assert.ok((await bed.next('media.played', 'a')).completed)
  const loud = () => browser.received.filter(({ payload }) => payload.some(byte => (byte & 0x7f) < 0x60))
  await until('250 ms of it', () => loud().length >= 12)
  await bed.media.close()
  await browser.close()
})

test('a certificate that the offer does not name: no media, reported as a fault of DTLS, or of ICE when no packet comes', async () => {
  const bed = await MediaBed.open()
  const browser = new WeriftPeer()
  const offer = (await browser.offer()).replace(/^(a=fingerprint:sha-256 )../gm, '$100')
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer })
  await browser.accept((await bed.next('media.opened', 'a')).sdp)
  await sleep(500)
  const { dtlsConnected } = (await bed.media.counters()).threads[0]?.browsers ?? {}
  assert.is(dtlsConnected, 0)
  await bed.media.close()
  await browser.close()
})

test('offers that name no proof or no way are refused: MD5, no ICE, no rtcp-mux', async () => {
  const bed = await MediaBed.open()
  const browser = new WeriftPeer()
  const offer = await browser.offer()
  let n = 0
  for (const broken of [
    offer.replace(/^a=fingerprint:.*$/gm, 'a=fingerprint:md5 00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF'),
    offer.replace(/^a=fingerprint:.*\r\n/gm, ''),
    offer.replace(/^a=ice-ufrag:.*\r\n/gm, ''),
    offer.replace(/^a=rtcp-mux\r\n/gm, ''),
    offer.replace(/^a=setup:.*$/gm, 'a=setup:holdconn'),
  ]) {
    const name = `broken-${n++}`
    bed.do({ type: 'media.open', legId: leg(name), callId, offer: broken })
    assert.is((await bed.next('media.failed', name)).fault, 'bad-sdp', String(n))
  }
  await bed.media.close()
  await browser.close()
})

test.after(() => {
  setImmediate(() => process.exit())
})
test.run()
