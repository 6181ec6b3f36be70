import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { RtpMediaOptions } from '../../core/adapters/media/rtp-media-options.ts'
import { stunAttributes } from '../../rtp/stun/attributes.ts'
import { parseStun } from '../../rtp/stun/message.ts'
import { StunWriter } from '../../rtp/stun/writer.ts'
import { callId, leg, MediaBed } from '../core/bed/media-bed.ts'
import { until } from '../rig/probes/wait.ts'
import { testPorts } from '../rtp/bed/media-peer.ts'

// A browser believes an answer only from the address that it asked: whatever address a candidate names, and by whatever
// way the routing table would send the answer back.

const offer = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 0',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:them',
  'a=ice-pwd:their-password-of-24-chars',
  `a=fingerprint:sha-256 ${Array(32).fill('AB').join(':')}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sendrecv',
  'a=rtcp-mux',
  '',
].join('\r\n')

interface Candidate {
  readonly priority: number
  readonly address: string
  readonly port: number
}

const candidatesIn = (sdp: string): Candidate[] =>
  [...sdp.matchAll(/^a=candidate:\S+ 1 udp (\d+) (\S+) (\d+) typ host/gm)].map(([, priority, address, port]) => ({
    priority: Number(priority),
    address: address ?? '',
    port: Number(port),
  }))

const settings = (externalAddress: string | undefined, workers = 0): Partial<RtpMediaOptions> => ({
  settings: {
    externalAddresses: externalAddress === undefined ? [] : [externalAddress],
    media: { ports: testPorts(), workers, timeoutSeconds: 60, weakFingerprints: false },
  },
  bindAddress: '0.0.0.0',
})

const bound = (address: string): Promise<Socket> =>
  new Promise(resolve => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    socket.bind(0, address, () => resolve(socket))
  })

/** Where the answer to a check came from; undefined when none came. */
async function answerTo(socket: Socket, sdp: string, { address, port }: Candidate): Promise<string | undefined> {
  const of = (name: string) => new RegExp(`^a=${name}:(\\S+)`, 'm').exec(sdp)?.[1] ?? ''
  const check = new Uint8Array(300)
  const id = Uint8Array.from({ length: 12 }, () => Math.floor(256 * Math.random()))
  const writer = new StunWriter(check, 'request', 1, id)
    .text(stunAttributes.username, `${of('ice-ufrag')}:them`)
    .bytes(stunAttributes.iceControlling, new Uint8Array(8))
  const length = writer.seal(Uint8Array.from(of('ice-pwd'), character => character.charCodeAt(0)))
  let from: string | undefined
  const hear = (bytes: Buffer, sender: { address: string; port: number }) => {
    const parsed = parseStun(bytes, bytes.length)
    const isSame = id.every((byte, i) => bytes[8 + i] === byte)
    if (parsed.ok && parsed.value.class === 'success' && isSame) from = `${sender.address}:${sender.port}`
  }
  socket.on('message', hear)
  socket.send(check.subarray(0, length), port, address)
  await until('the answer to the check', () => from).catch(() => {})
  socket.off('message', hear)
  return from
}

for (const sockets of ['auto', 'dgram'] as const) {
  for (const workers of [0, 1]) {
    test(`an external address of this machine is answered from, though bound to all (${sockets}, ${workers} threads)`, async () => {
      const bed = await MediaBed.open({ ...settings('127.0.0.3', workers), sockets })
      // By the routing table, what goes to 127.0.0.1 comes from 127.0.0.1.
      const browser = await bound('127.0.0.1')
      for (const name of ['a', 'b']) {
        bed.do({ type: 'media.open', legId: leg(name), callId, offer })
        const answer = (await bed.next('media.opened', name)).sdp
        const candidates = candidatesIn(answer)
        assert.equal(
          candidates.map(({ address }) => address),
          ['127.0.0.3'],
        )
        const [candidate] = candidates
        assert.ok(candidate)
        assert.is(await answerTo(browser, answer, candidate), `127.0.0.3:${candidate.port}`)
      }
      browser.close()
      await bed.media.close()
    })
  }
}

test('an external address of somebody else (1:1 NAT) is named, and all of ours are listened to', async () => {
  const bed = await MediaBed.open(settings('198.51.100.7'))
  const browser = await bound('127.0.0.1')
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer })
  const answer = (await bed.next('media.opened', 'a')).sdp
  const [candidate, ...others] = candidatesIn(answer)
  assert.is(candidate?.address, '198.51.100.7')
  assert.equal(others, [])
  assert.ok(candidate)
  assert.is(await answerTo(browser, answer, { ...candidate, address: '127.0.0.1' }), `127.0.0.1:${candidate.port}`)
  browser.close()
  await bed.media.close()
})

test('bound to all addresses: each is a candidate, the nearest first, and each answers for itself', async () => {
  const own = Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
  const bed = await MediaBed.open(settings(undefined))
  const browser = await bound('127.0.0.1')
  bed.do({ type: 'media.open', legId: leg('a'), callId, offer, toward: '127.0.0.1' })
  const answer = (await bed.next('media.opened', 'a')).sdp
  const candidates = candidatesIn(answer)
  assert.equal(candidates.map(({ address }) => address).slice(0, 4), ['127.0.0.1', ...own].slice(0, 4))
  assert.is(new Set(candidates.map(({ port }) => port)).size, 1)
  const priorities = candidates.map(({ priority }) => priority)
  assert.equal(
    priorities,
    [...new Set(priorities)].sort((a, b) => b - a),
    'each less than the one before (RFC 8445 §5.1.2)',
  )
  assert.match(answer, /^c=IN IP4 127\.0\.0\.1/m)
  for (const candidate of candidates) {
    const from = await answerTo(browser, answer, candidate)
    assert.is(from, `${candidate.address}:${candidate.port}`)
  }
  browser.close()
  await bed.media.close()
})

if (Object.values(networkInterfaces()).some(all => all?.some(({ address }) => address === '::1')))
  test('a browser whose SIP comes by IPv6 gets candidates of IPv6 before those of IPv4, and each answers', async () => {
    const bed = await MediaBed.open(settings('127.0.0.3'))
    const browser = await bound('::1')
    bed.do({ type: 'media.open', legId: leg('a'), callId, offer, sources: { sip: '::1', hosts: [] } })
    const answer = (await bed.next('media.opened', 'a')).sdp
    const candidates = candidatesIn(answer)
    assert.is(candidates[0]?.address, '::1')
    assert.is(candidates.at(-1)?.address, '127.0.0.3')
    assert.match(answer, /^c=IN IP6 ::1/m)
    const [first] = candidates
    assert.ok(first)
    assert.is(await answerTo(browser, answer, first), `::1:${first.port}`)
    browser.close()
    await bed.media.close()
  })

test.after(() => {
  setImmediate(() => process.exit())
})
test.run()
