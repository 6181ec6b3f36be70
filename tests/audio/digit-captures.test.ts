import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Agreement } from '../../rtp/contract/agreement.ts'
import { type Captured, keyCapture } from '../fixtures/captures.ts'
import { corpusFile, testBeside } from '../fixtures/inputs.ts'
import { agreed } from '../rtp/bed/agreement.ts'
import { readPcap } from '../rtp/bed/pcap.ts'
import { VirtualMedia } from '../rtp/bed/virtual-media.ts'
import { home } from '../rtp/bed/virtual-network.ts'
import { VirtualPeer } from '../rtp/bed/virtual-peer.ts'
import { WarmOpus } from '../rtp/bed/warm-opus.ts'

const folder = 'rtp-pcap/asterisk-testsuite/channels__pjsip__dtmf_sdp__dtmf_sdp_recognition__'

/** The digits that a leg reports when its remote party sends what was captured, at the times when it was. */
const receivedIn = async (datagrams: readonly Captured[], agreement: Partial<Agreement>): Promise<string> => {
  const opus = await WarmOpus.open(2)
  const media = new VirtualMedia({}, 7, opus)
  const peer = new VirtualPeer(media, 'a', 4000).open()
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, agreement), talk: true })
  const begun = (datagrams[0]?.atMs ?? 0) - 20
  const from = media.now
  let next = 0
  media.run((datagrams.at(-1)?.atMs ?? 0) - begun + 1000, now => {
    for (; next < datagrams.length && datagrams[next]!.atMs - begun <= now - from; next++) {
      media.network.arrive(peer.to, datagrams[next]!.bytes, home, peer.port)
    }
  })
  const digits = media.take('digit').map(({ digit }) => digit)
  media.do({ type: 'close', session: 'a' })
  opus.close()
  return digits.join('')
}

const digits = '2013785496'
const tones: Partial<Agreement> = { sendEvents: undefined, acceptEvents: undefined }

const capture = (name: string): Captured[] => readPcap(corpusFile(`${folder}${name}`))

test('a phone in PCMU sends digits: by telephone-events, and as tones alone', async () => {
  const captured = await keyCapture('PCMU', digits)
  assert.is(await receivedIn(captured, {}), digits)
  assert.is(await receivedIn(captured, tones), digits)
})

testBeside(
  'rtp-pcap',
  'a capture in PCMU as a call: its digits by telephone-events, and by its sound alone',
  async () => {
    assert.is(await receivedIn(capture(`ulaw-${digits}.pcap`), {}), digits)
    assert.is(await receivedIn(capture(`ulaw-${digits}.pcap`), tones), digits)
  },
)

const opus: Partial<Agreement> = {
  codec: 'opus',
  payloadType: 96,
  accept: [{ payloadType: 96, codec: 'opus' }],
  opus: { fec: false, dtx: false, maxBitrate: undefined },
  eventClockRate: 8000,
}

test('a phone in Opus sends digits: by telephone-events of 8,000 Hz, and as tones alone', async () => {
  const captured = await keyCapture('opus', digits)
  assert.is(await receivedIn(captured, opus), digits)
  assert.is(await receivedIn(captured, { ...opus, ...tones }), digits)
})

testBeside('rtp-pcap', 'a capture in Opus as a call: its digits by telephone-events of 8,000 Hz', async () => {
  assert.is(await receivedIn(capture(`opus-${digits}.pcap`), opus), digits)
})

// Its sender cuts the tones short, to 26 ms. Behind the digits they sound once more, without events; of the first of
// these no more than 20 ms are left.
testBeside('rtp-pcap', 'a capture in Opus as a call: its digits by its sound alone', async () => {
  const received = await receivedIn(capture(`opus-${digits}.pcap`), { ...opus, ...tones })
  assert.is(received, digits + digits.slice(1))
})

test.run()
