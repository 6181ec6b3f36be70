import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeWav, parseWav, pcmu } from '../../rtp/index.ts'
import { SrtpReceiver } from '../../rtp/srtp/srtp-receiver.ts'
import { SrtpSender } from '../../rtp/srtp/srtp-sender.ts'
import { callId, leg, MediaBed, portIn } from '../core/bed/media-bed.ts'
import { until } from '../rig/probes/wait.ts'
import { MediaPeer, noise, sleep } from '../rtp/bed/media-peer.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-srtp-'))
test.after(() => rmSync(folder, { recursive: true }))

const theirs = Uint8Array.from({ length: 30 }, (_, at) => at + 1)
const keysOf = (master: Uint8Array) =>
  ({ profile: 'AES_CM_128_HMAC_SHA1_80', key: master.slice(0, 16), salt: master.slice(16) }) as const
const cryptoOf = (master: Uint8Array) =>
  `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${Buffer.from(master).toString('base64')}\r\n`
const sdpOf = (peer: MediaPeer, protocol: string, lines = '') =>
  `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${peer.port} ${protocol} 0\r\n` +
  `a=rtcp:${peer.rtcp.address().port}\r\n${lines}`
const masterIn = (sdp: string) =>
  Uint8Array.from(Buffer.from(/a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:(\S{40})/.exec(sdp)?.[1] ?? '', 'base64'))

/** Sends protected audio to a leg that records, receives its beep, and compares both. */
async function speaks(bed: MediaBed, name: string, peer: MediaPeer, ours: Uint8Array): Promise<void> {
  const sender = new SrtpSender(keysOf(theirs))
  const receiver = new SrtpReceiver(keysOf(ours))
  const path = join(folder, `${name}.wav`)
  const limits = { silenceMs: 0, maxLengthMs: 10_000, trimSilence: false }
  bed.do({ type: 'media.record', legId: leg(name), recordId: 'r', path, limits })
  bed.do({ type: 'media.play', legId: leg(name), playId: 'p', source: { kind: 'tone', tone: 'beep' }, loop: 1 })
  await sleep(20)
  const said = noise(160 * 25, 9)
  for (let at = 0; at < said.length; at += 160) {
    const packet = Buffer.alloc(12 + 160 + 20)
    packet.set(peer.packet(said.subarray(at, at + 160)))
    const plain = Buffer.from(packet.subarray(0, 172))
    peer.send(packet.subarray(0, sender.sealRtp(packet, 172)))
    // Packets that are not protected, or by another key, are not played.
    plain.writeUInt16BE((plain.readUInt16BE(2) + 1000) & 0xffff, 2)
    peer.send(plain)
    await sleep(20)
  }
  bed.do({ type: 'media.stop-record', legId: leg(name), recordId: 'r' })
  await bed.next('media.recorded', name)
  const file = readFileSync(path)
  const wav = parseWav(file)
  assert.ok(wav.ok)
  const pcm = decodeWav(file, wav.value)
  const sent = new Int16Array(said.length)
  pcmu.decodeInto(sent, 0, said, 0, said.length)
  assert.ok(Math.abs(pcm.length - sent.length) <= 320)
  const from = pcm.findIndex((_, at) => sent.slice(160, 200).every((sample, i) => pcm[at + i] === sample))
  assert.ok(from !== -1, 'what was said is what was recorded')
  const opened = peer.received.map(({ marker, payloadType, sequence, timestamp, ssrc, payload }) => {
    const packet = Buffer.alloc(12 + payload.length)
    packet[0] = 0x80
    packet[1] = (marker ? 0x80 : 0) | payloadType
    packet.writeUInt16BE(sequence, 2)
    packet.writeUInt32BE(timestamp, 4)
    packet.writeUInt32BE(ssrc, 8)
    packet.set(payload, 12)
    return receiver.openRtp(packet, packet.length)
  })
  assert.ok(opened.length > 10)
  assert.ok(
    opened.every(length => length === 172),
    'all that we send opens with the key that our SDP names',
  )
}

test('a trunk that demands SRTP: our offer is protected, and so are both ways', async () => {
  const bed = await MediaBed.open()
  const peer = await MediaPeer.open()
  bed.do({ type: 'media.open', legId: leg('a'), callId, srtp: 'required' })
  const { sdp } = await bed.next('media.opened', 'a')
  assert.match(sdp, /^m=audio \d+ RTP\/SAVP /m)
  assert.is(masterIn(sdp).length, 30)
  peer.to = portIn(sdp)
  bed.do({ type: 'media.answered', legId: leg('a'), sdp: sdpOf(peer, 'RTP/SAVP', cryptoOf(theirs)) })
  await bed.next('media.ready', 'a')
  await speaks(bed, 'a', peer, masterIn(sdp))
  peer.close()
  await bed.media.close()
})

test('an offer with SRTP is taken where it is optional, and a hold in between keeps keys and counters', async () => {
  const bed = await MediaBed.open({}, 1)
  const peer = await MediaPeer.open()
  const offer = sdpOf(peer, 'RTP/SAVP', cryptoOf(theirs))
  bed.do({ type: 'media.open', legId: leg('b'), callId, offer, srtp: 'optional' })
  const { sdp } = await bed.next('media.opened', 'b')
  peer.to = portIn(sdp)
  bed.do({ type: 'media.reoffer', legId: leg('b'), offer: `${offer}a=sendonly\r\n` })
  await bed.next('media.reopened', 'b')
  bed.do({ type: 'media.reoffer', legId: leg('b'), offer })
  const again = await bed.next('media.reopened', 'b')
  assert.equal(masterIn(again.sdp), masterIn(sdp))
  bed.do({ type: 'media.reoffer', legId: leg('b') })
  assert.match((await bed.next('media.reopened', 'b')).sdp, /RTP\/SAVP/, 'what was protected is offered so again')
  await speaks(bed, 'b', peer, masterIn(sdp))
  peer.close()
  await bed.media.close()
})

test('what is protected stays so: an offer of plain packets is refused, and media goes on as it was', async () => {
  const bed = await MediaBed.open()
  const peer = await MediaPeer.open()
  const plain = sdpOf(peer, 'RTP/AVP')
  const others = await MediaPeer.open()
  const secure = sdpOf(others, 'RTP/SAVP', cryptoOf(theirs))
  const ours = {
    type: 'media.reoffer',
    legId: leg('optional'),
    offer: sdpOf(peer, 'RTP/SAVP', cryptoOf(theirs)),
  } as const
  bed.do({ ...ours, type: 'media.open', callId, srtp: 'optional' })
  await bed.next('media.opened', 'optional')
  bed.do({ type: 'media.open', legId: leg('required'), callId, offer: secure, srtp: 'required' })
  await bed.next('media.opened', 'required')
  bed.do({ type: 'media.open', legId: leg('preferred'), callId, srtp: 'preferred' })
  await bed.next('media.opened', 'preferred')
  bed.do({ type: 'media.answered', legId: leg('preferred'), sdp: secure })
  await bed.next('media.ready', 'preferred')
  // By DTLS, before and after its handshake.
  bed.do({ type: 'media.open', legId: leg('browser'), callId, webrtc: true })
  await bed.next('media.opened', 'browser')
  for (const name of ['optional', 'required', 'preferred', 'browser']) {
    bed.do({ type: 'media.reoffer', legId: leg(name), offer: plain })
    const { reoffer } = await bed.next('media.failed', name)
    assert.ok(reoffer, `${name}: 488, and the call goes on`)
    bed.do({ type: 'media.reoffer', legId: leg(name) })
    assert.match((await bed.next('media.reopened', name)).sdp, /^m=audio \d+ (RTP|UDP\/TLS\/RTP)\/SAVP/m)
  }
  bed.do(ours)
  const { sdp } = await bed.next('media.reopened', 'optional')
  peer.to = portIn(sdp)
  await speaks(bed, 'optional', peer, masterIn(sdp))
  peer.close()
  others.close()
  await bed.media.close()
})

test('plain packets only where both may: by demand none, by option as offered', async () => {
  const bed = await MediaBed.open()
  const peer = await MediaPeer.open()
  const plain = sdpOf(peer, 'RTP/AVP')
  const secure = sdpOf(peer, 'RTP/SAVP', cryptoOf(theirs))
  bed.do({ type: 'media.open', legId: leg('demand'), callId, offer: plain, srtp: 'required' })
  assert.is((await bed.next('media.failed', 'demand')).fault, 'no-common-codec')
  bed.do({ type: 'media.open', legId: leg('off'), callId, offer: secure })
  assert.is((await bed.next('media.failed', 'off')).fault, 'no-common-codec')
  bed.do({ type: 'media.open', legId: leg('answered'), callId, srtp: 'required' })
  await bed.next('media.opened', 'answered')
  bed.do({ type: 'media.answered', legId: leg('answered'), sdp: plain })
  assert.is((await bed.next('media.failed', 'answered')).fault, 'bad-sdp')
  bed.do({ type: 'media.open', legId: leg('option'), callId, offer: plain, srtp: 'optional' })
  const { sdp } = await bed.next('media.opened', 'option')
  assert.match(sdp, /^m=audio \d+ RTP\/AVP 0\r$/m)
  bed.do({ type: 'media.play', legId: leg('option'), playId: 'p', source: { kind: 'tone', tone: 'beep' }, loop: 1 })
  await until('the beep', () => peer.received.length > 5)
  assert.ok(peer.received.every(({ payload }) => payload.length === 160))
  bed.do({ type: 'media.open', legId: leg('offers'), callId, srtp: 'optional' })
  assert.match((await bed.next('media.opened', 'offers')).sdp, /^m=audio \d+ RTP\/AVP /m)
  peer.close()
  await bed.media.close()
})

test.run()
