import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmu } from '../../rtp/index.ts'
import { LibWebrtcPeer, libWebrtc, shareAt } from '../core/bed/libwebrtc-peer.ts'
import { callId, leg, MediaBed, portIn, sdp } from '../core/bed/media-bed.ts'
import { WeriftPeer } from '../core/bed/werift-peer.ts'
import { inputs } from '../fixtures/inputs.ts'
import { MediaPeer, sleep } from '../rtp/bed/media-peer.ts'

const libTest = (name: string, run: (lib: NonNullable<typeof libWebrtc>) => Promise<void>) => {
  const lib = libWebrtc
  if (lib !== undefined) test(name, () => run(lib))
  else {
    process.stderr.write(`SKIPPED (no binary of @roamhq/wrtc here): ${name}\n`)
    test.skip(name)
  }
}

const sine = (hz: number, ms: number): Uint8Array => {
  const pcm = Int16Array.from({ length: ms * 8 }, (_, i) => 8000 * Math.sin((2 * Math.PI * hz * i) / 8000))
  const bytes = new Uint8Array(pcm.length)
  pcmu.encodeInto(bytes, 0, pcm, 0, pcm.length)
  return bytes
}
/** Sends a tone until it is stopped. */
const humming = (trunk: MediaPeer, hz: number) => {
  let goesOn = true
  const done = (async () => {
    while (goesOn) await trunk.speak(sine(hz, 200))
  })()
  return () => {
    goesOn = false
    return done
  }
}

/** A tenth of a second of the other's tone, and of nothing else: both ways, within ten seconds. */
const hearEachOther = async (browser: LibWebrtcPeer, trunk: MediaPeer): Promise<void> => {
  trunk.received.length = 0
  browser.received = []
  const [browserHz, trunkHz] = [1000, 440]
  browser.hum(browserHz)
  const stop = humming(trunk, trunkHz)
  const best = [0, 0]
  for (let i = 0; i < 100 && best.some(share => share < 0.9); i++) {
    await sleep(100)
    const bytes = Buffer.concat(trunk.received.slice(-5).map(it => it.payload))
    const pcm = new Int16Array(bytes.length)
    pcmu.decodeInto(pcm, 0, bytes, 0, bytes.length)
    const rate = browser.receivedRate
    const shares = [shareAt([...pcm], 8000, browserHz), shareAt(browser.received.slice(-rate / 10), rate, trunkHz)]
    shares.forEach((share, side) => {
      best[side] = Math.max(best[side] ?? 0, share)
    })
  }
  await stop()
  assert.ok(
    best.every(share => share > 0.9),
    `the trunk hears the browser, the browser the trunk: ${best}`,
  )
}

for (const [workers, offers] of [
  [0, 'browser'],
  [1, 'browser'],
  [0, 'switch'],
] as const) {
  libTest(
    `libwebrtc, offered by the ${offers}, Opus against G.711: tones both ways (${workers} threads)`,
    async lib => {
      const bed = await MediaBed.open({}, workers)
      const browser = new LibWebrtcPeer(lib)
      const trunk = await MediaPeer.open()
      bed.do({ type: 'media.open', legId: leg('b'), callId, offer: sdp(trunk.port) })
      if (offers === 'browser') {
        bed.do({ type: 'media.open', legId: leg('a'), callId, offer: await browser.offer() })
        await browser.accept((await bed.next('media.opened', 'a')).sdp)
      } else {
        bed.do({ type: 'media.open', legId: leg('a'), callId, webrtc: true, codecs: ['opus', 'PCMU'] })
        const answer = await browser.answer((await bed.next('media.opened', 'a')).sdp)
        bed.do({ type: 'media.answered', legId: leg('a'), sdp: answer })
      }
      assert.is((await bed.next('media.ready', 'a')).codec, 'opus')
      bed.do({ type: 'media.bridge', legId: leg('a'), otherLegId: leg('b') })
      trunk.to = portIn((await bed.next('media.opened', 'b')).sdp)
      await browser.connected()
      await hearEachOther(browser, trunk)
      bed.do({ type: 'media.close', legId: leg('a') })
      const { stats } = await bed.next('media.closed', 'a')
      assert.ok(stats.packetsReceived > 5)
      await bed.media.close()
      browser.close()
      trunk.close()
    },
  )
}

libTest('libwebrtc restarts ICE in a call by a new offer: new names, the same handshake, audio goes on', async lib => {
  const bed = await MediaBed.open()
  const browser = new LibWebrtcPeer(lib)
  const trunk = await MediaPeer.open()
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer: await browser.offer() })
  bed.do({ type: 'media.open', legId: leg('b'), callId, offer: sdp(trunk.port) })
  bed.do({ type: 'media.bridge', legId: leg('a'), otherLegId: leg('b') })
  const first = (await bed.next('media.opened', 'a')).sdp
  trunk.to = portIn((await bed.next('media.opened', 'b')).sdp)
  await browser.accept(first)
  await browser.connected()
  await hearEachOther(browser, trunk)
  const checks = async () => (await bed.media.counters()).threads[0]?.browsers
  const again = await browser.offer({ iceRestart: true })
  bed.do({ type: 'media.reoffer', legId: leg('a'), offer: again })
  const second = (await bed.next('media.reopened', 'a')).sdp
  const nameIn = (text: string) => /^a=ice-ufrag:(\S+)/m.exec(text)?.[1]
  assert.is.not(nameIn(first), nameIn(second))
  assert.is(/^a=fingerprint:(.*)$/m.exec(first)?.[1], /^a=fingerprint:(.*)$/m.exec(second)?.[1])
  await browser.accept(second)
  const before = (await checks())?.iceChecks ?? 0
  for (let i = 0; i < 300 && ((await checks())?.iceChecks ?? 0) < before + 2; i++) await sleep(20)
  await hearEachOther(browser, trunk)
  assert.is((await checks())?.dtlsConnected, 1)
  // The same offer again, as a hold would bring it, restarts nothing.
  bed.do({ type: 'media.reoffer', legId: leg('a'), offer: again })
  assert.is(nameIn((await bed.next('media.reopened', 'a')).sdp), nameIn(second))
  await bed.media.close()
  browser.close()
  trunk.close()
})

test('hostile datagrams and a thousand junk hellos a second, while calls set up and one talks', async () => {
  const bed = await MediaBed.open()
  const talker = new WeriftPeer()
  const trunk = await MediaPeer.open()
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer: await talker.offer() })
  bed.do({ type: 'media.open', legId: leg('b'), callId, offer: sdp(trunk.port) })
  bed.do({ type: 'media.bridge', legId: leg('a'), otherLegId: leg('b') })
  const opened = (await bed.next('media.opened', 'a')).sdp
  const port = portIn(opened)
  trunk.to = portIn((await bed.next('media.opened', 'b')).sdp)
  await talker.accept(opened)
  await talker.connected()
  await sleep(100)
  const hostile = (['media-attacks', 'rtp-seeds', 'rtcp-seeds', 'stun-seeds', 'dtls-seeds', 'stray-seeds'] as const)
    .flatMap(inputs)
    .map(({ bytes }) => bytes.subarray(0, 1400))
  const attacker = await MediaPeer.open()
  let at = 0
  const attack = setInterval(() => {
    for (let i = 0; i < 10; i++) attacker.rtp.send(hostile[at++ % hostile.length] ?? hostile[0]!, port, '127.0.0.1')
  }, 10)
  const callers = Array.from({ length: 5 }, () => new WeriftPeer())
  await Promise.all(
    callers.map(async (caller, i) => {
      bed.do({ type: 'media.open', legId: leg(`caller-${i}`), callId, offer: await caller.offer() })
      await caller.accept((await bed.next('media.opened', `caller-${i}`)).sdp)
      await caller.connected()
    }),
  )
  const said = new Uint8Array(randomBytes(160 * 40))
  await talker.speak(said)
  await sleep(60)
  clearInterval(attack)
  assert.ok(Buffer.concat(trunk.received.map(it => it.payload)).includes(said), 'not a packet is missing')
  const counters = (await bed.media.counters()).threads[0]
  assert.is(counters?.browsers.dtlsConnected, 6)
  assert.is(counters?.browsers.dtlsFailed, 0)
  assert.is(counters?.faults, 0)
  assert.ok((counters?.browsers.strayDropped ?? 0) + (counters?.browsers.iceDropped ?? 0) > 300, 'counted')
  assert.is(attacker.received.length, 0, 'nothing was answered')
  await bed.media.close()
  await Promise.all([...callers, talker].map(peer => peer.close()))
  trunk.close()
  attacker.close()
})

test.after(() => {
  setImmediate(() => process.exit())
})
test.run()
