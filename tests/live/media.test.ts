import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { MediaCommand } from '../../core/ports/media.ts'
import { decodeWav, parseWav, pcmu, wavHeader } from '../../rtp/index.ts'
import { callId, leg, MediaBed, portIn } from '../core/bed/media-bed.ts'
import { inputs } from '../fixtures/inputs.ts'
import { until } from '../rig/probes/wait.ts'
import { MediaPeer, noise, sleep, testPorts } from '../rtp/bed/media-peer.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-media-'))
test.after(() => rmSync(folder, { recursive: true }))

const sdp = (port: number, { version = 1, lines = '', types = '0 8 101', address = '127.0.0.1' } = {}) =>
  `v=0\r\no=- 1 ${version} IN IP4 ${address}\r\ns=-\r\nc=IN IP4 ${address}\r\nt=0 0\r\nm=audio ${port} RTP/AVP ${types}\r\n` +
  `a=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\na=rtpmap:101 telephone-event/8000\r\n${lines}`
const versionIn = (text: string) => /^o=\S+ \S+ (\d+) /m.exec(text)?.[1]
const receivedBy = (peer: MediaPeer) => Buffer.concat(peer.received.map(packet => packet.payload))
// Twice the port's successor is RTCP: a peer names its own by a=rtcp.
const of = (peer: MediaPeer, options: Parameters<typeof sdp>[1] = {}) =>
  sdp(peer.port, { ...options, lines: `a=rtcp:${peer.rtcp.address().port}\r\n${options.lines ?? ''}` })

for (const workers of [0, 1]) {
  test(`an offered call: played to, recorded, digits received, closed once (${workers} threads)`, async () => {
    const bed = await MediaBed.open({}, workers)
    const peer = await MediaPeer.open()
    const pcm = new Int16Array(noise(8000, 3).buffer)
    const prompt = join(folder, `prompt-${workers}.wav`)
    const format = { encoding: 'pcm16', sampleRate: 8000, channels: 1 } as const
    writeFileSync(prompt, Buffer.concat([wavHeader(format, pcm.byteLength), new Uint8Array(pcm.buffer)]))
    const path = join(folder, `recorded-${workers}.wav`)
    bed.do({ type: 'media.open', legId: leg('a'), callId, offer: of(peer) })
    bed.do({ type: 'media.play', legId: leg('a'), playId: 'p', source: { kind: 'file', path: prompt }, loop: 1 })
    const opened = await bed.next('media.opened', 'a')
    assert.match(opened.sdp, /^c=IN IP4 127\.0\.0\.1\r$/m)
    assert.match(opened.sdp, /^m=audio \d+ RTP\/AVP 0 101\r$/m)
    assert.is((await bed.next('media.ready', 'a')).codec, 'PCMU')
    assert.ok((await bed.next('media.played', 'a')).completed)
    const expected = new Uint8Array(pcm.length)
    pcmu.encodeInto(expected, 0, pcm, 0, pcm.length)
    await until('the whole prompt', () => receivedBy(peer).includes(expected))

    peer.to = portIn(opened.sdp)
    const limits = { silenceMs: 0, maxLengthMs: 10_000, trimSilence: false }
    bed.do({ type: 'media.record', legId: leg('a'), recordId: 'r', path, limits })
    await sleep(20)
    const said = noise(160 * 25, 9)
    await peer.speak(said)
    const began = peer.timestamp
    for (const duration of [160, 320, 480, 480, 480]) {
      const end = duration === 480 ? 0x80 : 0
      peer.timestamp = began
      peer.send(peer.packet(Uint8Array.of(3, end | 10, duration >> 8, duration & 255), { payloadType: 101, step: 0 }))
      await sleep(20)
    }
    assert.is((await bed.next('media.key-down', 'a')).digit, '3')
    const digit = await bed.next('media.digit', 'a')
    assert.equal([digit.digit, digit.durationMs], ['3', 60])
    bed.do({ type: 'media.stop-record', legId: leg('a'), recordId: 'r' })
    const recorded = await bed.next('media.recorded', 'a')
    assert.equal([recorded.durationMs, recorded.endedBy, recorded.sizeBytes], [500, 'stopped', 44 + 8000])
    const file = readFileSync(path)
    const parsed = parseWav(file)
    assert.ok(parsed.ok)
    const decoded = new Int16Array(said.length)
    pcmu.decodeInto(decoded, 0, said, 0, said.length)
    assert.equal([...decodeWav(file, parsed.value)], [...decoded])

    bed.do({ type: 'media.play', legId: leg('a'), playId: 'q', source: { kind: 'tone', tone: 'ringback-ke' }, loop: 0 })
    bed.do({ type: 'media.close', legId: leg('a') })
    bed.do({ type: 'media.close', legId: leg('a') })
    const { stats } = await bed.next('media.closed', 'a')
    assert.is(stats.codec, 'PCMU')
    assert.is(stats.packetsReceived, 30)
    assert.is(stats.packetsLost, 0)
    assert.is((await bed.next('media.played', 'a')).completed, false)
    await sleep(50)
    assert.equal(bed.events, [])
    await bed.media.close()
    peer.close()
  })
}

test('a media thread that dies leaves recordings with sound in them: their length and size are reported', async () => {
  const { postMessage } = Worker.prototype
  const threads = new Set<Worker>()
  Worker.prototype.postMessage = function (...args: Parameters<typeof postMessage>) {
    threads.add(this)
    postMessage.apply(this, args)
  }
  const bed = await MediaBed.open({}, 1)
  const peer = await MediaPeer.open()
  const seen = { w: 0, o: 0 }
  const [wav, ogg] = ['wav', 'ogg'].map(format => join(folder, `left.${format}`)) as [string, string]
  try {
    bed.do({ type: 'media.open', legId: leg('a'), callId, offer: of(peer) })
    peer.to = portIn((await bed.next('media.opened', 'a')).sdp)
    const rules = { channels: 'dual', track: 'both', maxLengthMs: 60_000 } as const
    const orders = [
      ['w', wav],
      ['o', ogg],
      ['n', join(folder, 'no-folder', 'none.wav')],
    ] as const
    for (const [recordId, path] of orders) {
      bed.do({ type: 'media.record-session', legId: leg('a'), recordId, path, rules })
    }
    const size = (path: string) => (existsSync(path) ? statSync(path).size : 0)
    while (seen.w < 10_000 || seen.o < 1000) {
      await peer.speak(noise(1600, 3))
      seen.w = size(wav)
      seen.o = size(ogg)
    }
    assert.is(threads.size, 1)
    for (const thread of threads) await thread.terminate()
  } finally {
    Worker.prototype.postMessage = postMessage
  }
  const reported = new Map<string, { readonly durationMs: number; readonly sizeBytes: number }>()
  for (let i = 0; i < 3; i++) {
    const { recordId, endedBy, ...measure } = await bed.next('media.recorded', 'a')
    assert.is(endedBy, 'failed')
    reported.set(recordId, measure)
  }
  for (const [recordId, path] of [
    ['w', wav],
    ['o', ogg],
  ] as const) {
    const { durationMs = 0, sizeBytes = 0 } = reported.get(recordId) ?? {}
    assert.ok(durationMs > 200, `${recordId}: ${durationMs} ms`)
    // What was being written may still arrive.
    assert.ok(sizeBytes >= seen[recordId] && sizeBytes <= statSync(path).size, `${recordId}: ${sizeBytes} bytes`)
  }
  const none = reported.get('n')
  assert.equal([none?.durationMs, none?.sizeBytes], [0, 0])
  await bed.next('media.closed', 'a')
  await bed.media.close()
  peer.close()
})

test('a leg that is being closed while its thread dies reports its end alone, and counts as no failure', async () => {
  const { postMessage } = Worker.prototype
  const threads = new Set<Worker>()
  Worker.prototype.postMessage = function (...args: Parameters<typeof postMessage>) {
    threads.add(this)
    postMessage.apply(this, args)
  }
  const bed = await MediaBed.open({}, 1)
  try {
    bed.do({ type: 'media.open', legId: leg('a'), callId, offer: sdp(4000) })
    await bed.next('media.opened', 'a')
    await bed.next('media.ready', 'a')
    for (const thread of threads) thread.terminate()
    bed.do({ type: 'media.close', legId: leg('a') })
    await bed.next('media.closed', 'a')
  } finally {
    Worker.prototype.postMessage = postMessage
  }
  assert.equal(bed.events, [])
  assert.is((await bed.media.counters()).failed.internal, 0)
  await bed.media.close()
})

test('a dialled call: our offer, early answer, final answer from another place, bridge, digits', async () => {
  const bed = await MediaBed.open()
  const [a, b, early] = [await MediaPeer.open(), await MediaPeer.open(), await MediaPeer.open()]
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer: of(a) })
  bed.do({ type: 'media.open', legId: leg('b'), callId })
  bed.do({ type: 'media.bridge', legId: leg('a'), otherLegId: leg('b') })
  const offer = (await bed.next('media.opened', 'b')).sdp
  assert.match(offer, /^m=audio \d+ RTP\/AVP 0 8 9 111 101 102\r$/m)
  assert.match(offer, /^a=fmtp:111 useinbandfec=1\r$/m)
  a.to = portIn((await bed.next('media.opened', 'a')).sdp)
  b.to = portIn(offer)
  early.to = b.to
  bed.do({ type: 'media.answered', legId: leg('b'), sdp: of(early) })
  assert.is((await bed.next('media.ready', 'b')).codec, 'PCMU')
  const ring = noise(160 * 10, 4)
  await early.speak(ring)
  await until('early media at the caller', () => receivedBy(a).includes(ring))
  bed.do({ type: 'media.answered', legId: leg('b'), sdp: of(b) })
  await bed.next('media.ready', 'b')
  const [fromA, fromB] = [noise(160 * 10, 5), noise(160 * 10, 6)]
  await Promise.all([a.speak(fromA), b.speak(fromB)])
  await until('what the caller said', () => receivedBy(b).includes(fromA))
  await until('what was answered', () => receivedBy(a).includes(fromB))
  bed.do({ type: 'media.send-digits', legId: leg('b'), digitsId: 'd', digits: '7' })
  await bed.next('media.digits-sent', 'b')
  assert.ok(b.received.some(packet => packet.payloadType === 101 && packet.payload[0] === 7))
  bed.do({ type: 'media.answered', legId: leg('b'), sdp: 'rubbish' })
  await sleep(20)
  assert.is(bed.events.filter(({ type }) => type === 'media.failed').length, 0, 'the session goes on as it was')
  await bed.media.close()
  assert.is(bed.events.filter(({ type }) => type === 'media.closed').length, 2)
  for (const peer of [a, b, early]) peer.close()
})

test('re-offers: hold, another address and ptime, an empty one; the version moves on, numbers stay', async () => {
  const bed = await MediaBed.open()
  const [peer, moved] = [await MediaPeer.open(), await MediaPeer.open()]
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer: of(peer) })
  bed.do({ type: 'media.play', legId: leg('a'), playId: 'p', source: { kind: 'tone', tone: 'ringback-ke' }, loop: 0 })
  const { sdp: first } = await bed.next('media.opened', 'a')
  await until('the ring tone', () => peer.received.length > 0)
  bed.do({ type: 'media.reoffer', legId: leg('a'), offer: of(peer, { version: 2, lines: 'a=sendonly\r\n' }) })
  const { sdp: held } = await bed.next('media.reopened', 'a')
  assert.match(held, /^a=recvonly\r$/m)
  assert.is(versionIn(first), '1')
  assert.is(versionIn(held), '2')
  await sleep(30)
  const before = peer.received.length
  await sleep(100)
  assert.is(peer.received.length, before, 'held')
  bed.do({
    type: 'media.reoffer',
    legId: leg('a'),
    offer: of(moved, { version: 3, lines: 'a=ptime:40\r\n', types: '8' }),
  })
  const { sdp: again } = await bed.next('media.reopened', 'a')
  assert.match(again, /^a=sendrecv\r$/m)
  assert.is(portIn(again), portIn(first))
  await until('packets at the other address', () => moved.received.length >= 5)
  assert.is(peer.received.length, before)
  assert.ok(moved.received.every(({ payload, payloadType }) => payload.length === 320 && payloadType === 8))
  bed.do({ type: 'media.reoffer', legId: leg('a') })
  const { sdp: ours } = await bed.next('media.reopened', 'a')
  assert.is(versionIn(ours), '4')
  bed.do({ type: 'media.answered', legId: leg('a'), sdp: of(peer) })
  await until('packets at the first address again', () => peer.received.length > before)
  bed.do({ type: 'media.reoffer', legId: leg('a'), offer: sdp(4000, { types: '18' }) })
  assert.equal(await bed.next('media.failed', 'a'), {
    type: 'media.failed',
    legId: leg('a'),
    fault: 'no-common-codec',
    reoffer: true,
    warning: { code: 305, text: 'Incompatible media format: no common codec' },
  })
  const still = peer.received.length
  await until('the session to go on', () => peer.received.length > still)
  await bed.media.close()
  peer.close()
  moved.close()
})

test('the order of codecs: the trunk’s own, else the offer’s; we offer first what the other party speaks', async () => {
  const bed = await MediaBed.open()
  const open = async (name: string, command: Partial<Extract<MediaCommand, { type: 'media.open' }>>) => {
    bed.do({ type: 'media.open', legId: leg(name), callId, ...command })
    const { sdp: local } = await bed.next('media.opened', name)
    bed.do({ type: 'media.close', legId: leg(name) })
    return /^m=audio \d+ RTP\/AVP (.*)\r$/m.exec(local)?.[1]
  }
  assert.is(await open('a', { offer: sdp(4000, { types: '8 0 101' }) }), '8 101')
  assert.is(await open('b', { offer: sdp(4000, { types: '8 0 101' }), codecs: ['PCMU', 'PCMA'] }), '0 101')
  assert.is(await open('c', {}), '0 8 9 111 101 102')
  assert.is(await open('d', { prefer: ['PCMA'] }), '8 0 9 111 101 102')
  assert.is(await open('e', { prefer: ['PCMA'], codecs: ['PCMU'] }), '0 101')
  assert.is(await open('f', { prefer: ['opus', 'PCMA'] }), '111 8 0 9 101 102')
  assert.is(await open('g', { codecs: ['G722', 'PCMU'] }), '9 0 101')
  const rich = `${sdp(4000, { types: '9 0 13 96 101 97' })}a=rtpmap:96 opus/48000/2\r\na=rtpmap:97 telephone-event/48000\r\n`
  assert.is(await open('h', { offer: rich }), '9 13 101')
  assert.is(await open('i', { offer: rich, codecs: ['opus'] }), '96 97 101')
  // A caller without an answer is answered with the codec that the other party took, where it offers that.
  bed.do({ type: 'media.open', legId: leg('j'), callId, offer: rich })
  await bed.next('media.opened', 'j')
  for (const [prefer, formats, codec] of [
    ['PCMU', '0 13 101', 'PCMU'],
    ['opus', '96 97 101', 'opus'],
    ['PCMA', '9 13 101', 'G722'],
  ] as const) {
    bed.do({ type: 'media.reoffer', legId: leg('j'), offer: rich, prefer })
    assert.is(/^m=audio \d+ RTP\/AVP (.*)\r$/m.exec((await bed.next('media.reopened', 'j')).sdp)?.[1], formats)
    while ((await bed.next('media.ready', 'j')).codec !== codec) {}
  }
  await bed.media.close()
})

test('a recording ordered before the leg is open has the rate of the codec that is agreed on', async () => {
  const bed = await MediaBed.open()
  for (const [types, rate] of [
    ['9 101', 16_000],
    ['0 101', 8000],
  ] as const) {
    const peer = await MediaPeer.open()
    const path = join(folder, `ordered-${rate}.wav`)
    const name = `ordered-${rate}`
    const limits = { silenceMs: 0, maxLengthMs: 10_000, trimSilence: false }
    bed.do({ type: 'media.open', legId: leg(name), callId, offer: of(peer, { types }) })
    bed.do({ type: 'media.record', legId: leg(name), recordId: 'r', path, limits })
    peer.to = portIn((await bed.next('media.opened', name)).sdp)
    for (let i = 0; i < 10; i++) {
      peer.send(peer.packet(new Uint8Array(160).fill(0x5a), { payloadType: Number(types.split(' ')[0]) }))
      await sleep(20)
    }
    bed.do({ type: 'media.close', legId: leg(name) })
    assert.is((await bed.next('media.recorded', name)).recordId, 'r')
    await bed.next('media.closed', name)
    const wav = parseWav(readFileSync(path))
    assert.is(wav.ok && wav.value.sampleRate, rate)
    peer.close()
  }
  const limits = { silenceMs: 0, maxLengthMs: 10_000, trimSilence: false }
  bed.do({ type: 'media.open', legId: leg('brief'), callId, offer: sdp(4000) })
  bed.do({ type: 'media.record', legId: leg('brief'), recordId: 'r', path: join(folder, 'brief.wav'), limits })
  bed.do({ type: 'media.stop-record', legId: leg('brief'), recordId: 'r' })
  assert.is((await bed.next('media.recorded', 'brief')).durationMs, 0, 'a stop at once')
  await bed.media.close()
})

test('what is ordered of recordings of a leg that never opens is reported as ended', async () => {
  const bed = await MediaBed.open()
  const path = join(folder, 'never.wav')
  const limits = { silenceMs: 0, maxLengthMs: 10_000, trimSilence: false }
  for (const [name, types, isClosed] of [
    ['refused', '18 4', false],
    ['closed', '0', true],
  ] as const) {
    bed.do({ type: 'media.open', legId: leg(name), callId, offer: sdp(4000, { types }) })
    bed.do({ type: 'media.record', legId: leg(name), recordId: 'r', path, limits })
    if (isClosed) bed.do({ type: 'media.close', legId: leg(name) })
    assert.is((await bed.next('media.recorded', name)).recordId, 'r')
  }
  await bed.media.close()
})

test('what cannot be: reported once, answered when closed, orders end', async () => {
  const bed = await MediaBed.open()
  const cases = [
    ['rubbish', 'not sdp', 'bad-sdp', undefined],
    ['codec', sdp(4000, { types: '18 4' }), 'no-common-codec', 305],
    ['name', sdp(4000, { address: 'host.example' }), 'bad-sdp', 301],
    ['multicast', sdp(4000, { address: '239.1.1.1' }), 'bad-sdp', 301],
    ['link-local', sdp(4000).replaceAll('IN IP4 127.0.0.1', 'IN IP6 fe80::1'), 'bad-sdp', 301],
  ] as const
  for (const [name, offer, fault, warning] of cases) {
    bed.do({ type: 'media.open', legId: leg(name), callId, offer })
    bed.do({ type: 'media.play', legId: leg(name), playId: 'p', source: { kind: 'tone', tone: 'beep' }, loop: 1 })
    const failed = await bed.next('media.failed', name)
    assert.equal([failed.fault, failed.reoffer, failed.warning?.code], [fault, false, warning])
    assert.is((await bed.next('media.played', name)).completed, false)
    bed.do({ type: 'media.send-digits', legId: leg(name), digitsId: 'd', digits: '1' })
    await bed.next('media.digits-sent', name)
    bed.do({ type: 'media.close', legId: leg(name) })
    await bed.next('media.closed', name)
    bed.do({ type: 'media.close', legId: leg(name) })
  }
  await sleep(30)
  assert.equal(bed.events, [])
  const counters = await bed.media.counters()
  assert.is(counters.legs, 0)
  assert.equal(counters.failed, { 'no-common-codec': 1, 'bad-sdp': 4, 'no-ports': 0, internal: 0 })
  assert.is(counters.threads[0]?.sessions, 0)
  await bed.media.close()
})

test('of failed legs that are not closed the oldest are forgotten', async () => {
  const bed = await MediaBed.open()
  for (let at = 0; at < 1002; at++) bed.do({ type: 'media.open', legId: leg(`failed-${at}`), callId, offer: 'not sdp' })
  assert.is((await bed.media.counters()).legs, 1000)
  bed.events.length = 0
  for (const at of [0, 1, 2]) bed.do({ type: 'media.close', legId: leg(`failed-${at}`) })
  assert.is((await bed.next('media.closed', 'failed-2')).stats.packetsReceived, 0)
  assert.equal(bed.events, [])
  assert.is((await bed.media.counters()).legs, 999)
  await bed.media.close()
})

test('missing media is reported before orders that came with the answer end because of it', async () => {
  const bed = await MediaBed.open()
  for (const offer of ['not sdp', sdp(4000, { types: '18' })]) {
    const legId = leg(offer)
    const limits = { silenceMs: 0, maxLengthMs: 1000, trimSilence: false }
    bed.do({ type: 'media.open', legId, callId, offer })
    bed.do({ type: 'media.record', legId, recordId: 'r', path: '/nowhere/r.wav', limits })
    for (let i = 0; i < 100 && bed.events.length < 2; i++) await sleep(5)
    assert.equal(
      bed.events.splice(0).map(event => event.type),
      ['media.failed', 'media.recorded'],
    )
  }
  await bed.media.close()
})

test('no ports left is reported as such; a closed leg’s ports come back after they were drained', async () => {
  const [first] = testPorts()
  const settings = {
    externalAddresses: ['192.0.2.7'],
    media: { ports: [first, first + 1], workers: 0, timeoutSeconds: 60, weakFingerprints: false },
  } as const
  const bed = await MediaBed.open({ settings })
  bed.do({ type: 'media.open', legId: leg('a'), callId })
  const { sdp: offer } = await bed.next('media.opened', 'a')
  assert.match(offer, /^c=IN IP4 192\.0\.2\.7\r$/m)
  bed.do({ type: 'media.open', legId: leg('b'), callId, onNet: true })
  assert.is((await bed.next('media.failed', 'b')).fault, 'no-ports')
  bed.do({ type: 'media.close', legId: leg('a') })
  await bed.next('media.closed', 'a')
  bed.do({ type: 'media.open', legId: leg('c'), callId })
  assert.is((await bed.next('media.failed', 'c')).fault, 'no-ports')
  await sleep(2100)
  bed.do({ type: 'media.open', legId: leg('d'), callId, onNet: true })
  assert.match((await bed.next('media.opened', 'd')).sdp, /^c=IN IP4 127\.0\.0\.1\r$/m)
  await bed.media.close()
})

test('hostile SDP opens a leg or is refused, nothing else', async () => {
  const bed = await MediaBed.open()
  for (const { name: file, bytes } of inputs('sdp-attacks')) {
    const message = Buffer.from(bytes).toString('latin1')
    const body = message.slice(message.indexOf('\r\n\r\n') + 4)
    bed.do({ type: 'media.open', legId: leg(file), callId, offer: body })
    bed.do({ type: 'media.reoffer', legId: leg(file), offer: body })
    bed.do({ type: 'media.close', legId: leg(file) })
    await bed.next('media.closed', file)
  }
  assert.is((await bed.media.counters()).legs, 0)
  await bed.media.close()
})

test.run()
