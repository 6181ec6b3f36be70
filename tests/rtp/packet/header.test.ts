import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { writeHeader } from '../../../rtp/index.ts'
import { kindOf } from '../../../rtp/packet/demux.ts'
import {
  isRtp,
  markerOf,
  maxPacketLength,
  payloadLengthOf,
  payloadOffsetOf,
  payloadTypeOf,
  rewriteHeader,
  sequenceOf,
  ssrcOf,
  timestampOf,
} from '../../../rtp/packet/header.ts'

const fields = { payloadType: 101, marker: true, sequence: 0xfedc, timestamp: 0xf0000001, ssrc: 0xdeadbeef }

test('writeHeader and the readers are inverse (RFC 3550 §5.1)', () => {
  const packet = new Uint8Array(172)
  assert.is(writeHeader(packet, fields), 12)
  assert.is(isRtp(packet), true)
  assert.equal(
    {
      payloadType: payloadTypeOf(packet),
      marker: markerOf(packet),
      sequence: sequenceOf(packet),
      timestamp: timestampOf(packet),
      ssrc: ssrcOf(packet),
    },
    fields,
  )
  assert.is(payloadOffsetOf(packet), 12)
  assert.is(payloadLengthOf(packet), 160)
})

test('rewriteHeader changes the ten bytes from payload type to SSRC and no other', () => {
  const packet = Uint8Array.from({ length: 40 }, (_, at) => (at === 0 ? 0x80 : at))
  rewriteHeader(packet, 8, false, 1, 2, 3)
  assert.equal([...packet.subarray(0, 14)], [0x80, 8, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 12, 13])
})

test('CSRCs, extension and padding move and shorten the payload', () => {
  const packet = new Uint8Array(12 + 8 + 4 + 4 + 10 + 4)
  writeHeader(packet, fields)
  packet[0] = 0x80 | 0x20 | 0x10 | 2
  packet[12 + 8 + 3] = 1
  packet[packet.length - 1] = 4
  assert.is(isRtp(packet), true)
  assert.is(payloadOffsetOf(packet), 28)
  assert.is(payloadLengthOf(packet), 10)
})

test('length counts, not the size of the buffer that holds the packet', () => {
  const packet = new Uint8Array(1500)
  writeHeader(packet, fields)
  packet[0] = 0xa0
  packet[19] = 8
  assert.is(isRtp(packet, 20), true)
  assert.is(payloadLengthOf(packet, 20), 0)
  assert.is(isRtp(packet, 11), false)
  assert.is(isRtp(packet, 1501), false)
})

test('what overruns the packet is no RTP', () => {
  const make = (length: number, first: number, edit: (packet: Uint8Array) => void = () => undefined) => {
    const packet = new Uint8Array(length)
    packet[0] = first
    edit(packet)
    return isRtp(packet)
  }
  assert.is(make(12, 0x80), true)
  assert.is(make(11, 0x80), false)
  assert.is(make(12, 0x40), false)
  assert.is(make(12, 0xc0), false)
  assert.is(make(12, 0x81), false)
  assert.is(make(16, 0x81), true)
  assert.is(make(12 + 60, 0x8f), true)
  assert.is(make(12 + 59, 0x8f), false)
  assert.is(make(15, 0x90), false)
  assert.is(make(16, 0x90), true)
  assert.is(
    make(16, 0x90, packet => {
      packet[15] = 1
    }),
    false,
  )
  assert.is(make(13, 0xa0), false)
  assert.is(
    make(13, 0xa0, packet => {
      packet[12] = 1
    }),
    true,
  )
  assert.is(
    make(13, 0xa0, packet => {
      packet[12] = 2
    }),
    false,
  )
  assert.is(make(maxPacketLength, 0x80), true)
  assert.is(make(maxPacketLength + 1, 0x80), false)
})

test('the first bytes distinguish RTP, RTCP, STUN and DTLS, all 65,536 of them (RFC 7983 §7, RFC 5761 §4)', () => {
  const packet = new Uint8Array(20)
  for (let first = 0; first < 256; first++)
    for (let second = 0; second < 256; second++) {
      packet[0] = first
      packet[1] = second
      const wanted =
        first < 4
          ? 'stun'
          : first >= 20 && first < 64
            ? 'dtls'
            : first >= 64 && first < 80
              ? 'turn-channel'
              : first >= 128 && first < 192
                ? second >= 192 && second < 224
                  ? 'rtcp'
                  : 'rtp'
                : 'unknown'
      if (kindOf(packet) !== wanted) assert.is(kindOf(packet), wanted, `${first} ${second}`)
    }
  assert.is(kindOf(packet, 3), 'unknown')
  assert.is(kindOf(new Uint8Array(0)), 'unknown')
})

test.run()
