import { Worker } from 'node:worker_threads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { callId, leg, MediaBed, portIn } from '../core/bed/media-bed.ts'
import { until } from '../rig/probes/wait.ts'
import { MediaPeer, noise, sleep, testPorts } from '../rtp/bed/media-peer.ts'

// Legs of a trunk whose media comes from the address in SDP, on real sockets: offers and answers, one port for all.

const sources = { sip: '127.0.0.1', hosts: [] }
const sdpOf = (peer: MediaPeer) =>
  `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${peer.port} RTP/AVP 0 101\r\n` +
  `a=rtpmap:101 telephone-event/8000\r\na=rtcp:${peer.rtcp.address().port}\r\n`
const receivedBy = (peer: MediaPeer) => Buffer.concat(peer.received.map(packet => packet.payload))

/** The leg of a caller, who made the offer. */
const called = async (bed: MediaBed, name: string, peer: MediaPeer): Promise<number> => {
  const offer = sdpOf(peer)
  bed.do({ type: 'media.open', legId: leg(name), callId, offer, mediaSource: 'signalled', sources })
  const port = portIn((await bed.next('media.opened', name)).sdp)
  await bed.next('media.ready', name)
  peer.to = port
  return port
}

/** The leg of a callee, who answers our offer. */
const dialled = async (bed: MediaBed, name: string, peer: MediaPeer): Promise<number> => {
  bed.do({ type: 'media.open', legId: leg(name), callId, mediaSource: 'signalled' })
  const port = portIn((await bed.next('media.opened', name)).sdp)
  bed.do({ type: 'media.answered', legId: leg(name), sdp: sdpOf(peer), sources })
  await bed.next('media.ready', name)
  peer.to = port
  return port
}

for (const sockets of ['auto', 'dgram'] as const)
  test(`bridged legs on one port receive each other byte for byte, and no unknown source (${sockets})`, async () => {
    const bed = await MediaBed.open({ sockets }, 1)
    const [a, b, c, unknown] = await Promise.all([1, 2, 3, 4].map(() => MediaPeer.open()))
    assert.ok(a !== undefined && b !== undefined && c !== undefined && unknown !== undefined)
    const ports = [await called(bed, 'a', a), await dialled(bed, 'b', b), await called(bed, 'c', c)]
    assert.is(new Set(ports).size, 1)
    unknown.to = a.to
    bed.do({ type: 'media.bridge', legId: leg('a'), otherLegId: leg('b') })
    bed.do({ type: 'media.play', legId: leg('c'), playId: 'p', source: { kind: 'tone', tone: 'ringback-ke' }, loop: 0 })
    await sleep(50)
    const [fromA, fromB] = [noise(160 * 30, 5), noise(160 * 30, 6)]
    await Promise.all([a.speak(fromA), b.speak(fromB), unknown.speak(noise(160 * 30, 7))])
    await until('the first at the second', () => receivedBy(b).includes(fromA))
    await until('the second at the first', () => receivedBy(a).includes(fromB))
    assert.ok(c.received.length >= 25, 'a prompt goes on meanwhile')
    assert.is(unknown.received.length, 0)
    assert.ok([a, b, c].every(peer => peer.received.every(({ port }) => port === ports[0])))
    const { threads, sources: counted } = await bed.media.counters()
    assert.is(threads[0]?.onSharedPorts, 3)
    assert.is(counted.unknown, 30)
    assert.is(counted.taken, 0)

    // Two seconds without a packet: a later offer of that leg has a port of its own.
    await sleep(2000)
    bed.do({ type: 'media.reoffer', legId: leg('c'), offer: sdpOf(c), sources })
    const own = portIn((await bed.next('media.reopened', 'c')).sdp)
    assert.is.not(own, ports[0])
    await until('the prompt from there', () => c.received.at(-1)?.port === own)
    bed.do({ type: 'media.reoffer', legId: leg('a'), offer: sdpOf(a), sources })
    assert.is(portIn((await bed.next('media.reopened', 'a')).sdp), ports[0])
    for (const name of ['a', 'b', 'c']) bed.do({ type: 'media.close', legId: leg(name) })
    for (const name of ['a', 'b', 'c']) await bed.next('media.closed', name)
    await bed.media.close()
    for (const peer of [a, b, c, unknown]) peer.close()
  })

test('sharing takes one pair of a range, and a leg whose media cannot be distinguished needs another', async () => {
  const [first] = testPorts()
  const { settings } = { settings: { externalAddresses: [] } }
  const bed = await MediaBed.open({
    settings: {
      ...settings,
      media: { ports: [first, first + 3], workers: 0, timeoutSeconds: 60, weakFingerprints: false },
    },
  })
  const peers = await Promise.all(Array.from({ length: 6 }, () => MediaPeer.open()))
  for (const [at, peer] of peers.entries()) await called(bed, `leg${at}`, peer)
  assert.is((await bed.media.counters()).threads[0]?.portsFree, 1)
  // The same address and port once more, as a forged offer may say: it gets the last pair, the next one none.
  const other = await MediaPeer.open()
  const again = await called(bed, 'again', peers[0]!)
  assert.is.not(again, await called(bed, 'other', other))
  bed.do({ type: 'media.open', legId: leg('no'), callId, offer: sdpOf(peers[1]!), mediaSource: 'signalled', sources })
  assert.is((await bed.next('media.failed', 'no')).fault, 'no-ports')
  await bed.media.close()
  for (const peer of [...peers, other]) peer.close()
})

test('a media thread that dies leaves its shared ports to the next one', async () => {
  const { postMessage } = Worker.prototype
  const threads = new Set<Worker>()
  Worker.prototype.postMessage = function (...args: Parameters<typeof postMessage>) {
    threads.add(this)
    postMessage.apply(this, args)
  }
  const [first] = testPorts()
  const bed = await MediaBed.open(
    {
      settings: {
        externalAddresses: [],
        media: { ports: [first, first + 1], workers: 1, timeoutSeconds: 60, weakFingerprints: false },
      },
    },
    1,
  )
  const [a, b] = [await MediaPeer.open(), await MediaPeer.open()]
  try {
    assert.equal([await called(bed, 'a', a), await called(bed, 'b', b)], [first, first])
    for (const thread of threads) await thread.terminate()
  } finally {
    Worker.prototype.postMessage = postMessage
  }
  for (const name of ['a', 'b']) {
    assert.is((await bed.next('media.failed', name)).fault, 'internal')
    await bed.next('media.closed', name)
  }
  assert.is(await called(bed, 'c', a), first, 'the only pair of the range')
  await bed.media.close()
  for (const peer of [a, b]) peer.close()
})

test('trunks that learn, protected legs and legs of this switch have ports of their own', async () => {
  const bed = await MediaBed.open()
  const peer = await MediaPeer.open()
  const open = async (name: string, changes: object) => {
    bed.do({ type: 'media.open', legId: leg(name), callId, offer: sdpOf(peer), sources, ...changes })
    await bed.next('media.opened', name)
  }
  await open('learned', {})
  await open('on-net', { mediaSource: 'signalled', onNet: true })
  await open('keyed', { mediaSource: 'signalled', srtp: 'optional' })
  await open('private', { mediaSource: 'signalled', sources: { sip: '203.0.113.1', hosts: [] } })
  assert.is((await bed.media.counters()).threads[0]?.onSharedPorts, 0)
  await bed.media.close()
  peer.close()
})

test.run()
