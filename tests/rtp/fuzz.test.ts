import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcma } from '../../rtp/codec/g711.ts'
import { DigitReceiver } from '../../rtp/dtmf/digit-receiver.ts'
import { pcmu, writeHeader } from '../../rtp/index.ts'
import { Concealment } from '../../rtp/jitter/concealment.ts'
import { JitterBuffer } from '../../rtp/jitter/jitter-buffer.ts'
import { kindOf } from '../../rtp/packet/demux.ts'
import {
  isRtp,
  markerOf,
  payloadLengthOf,
  payloadOffsetOf,
  payloadTypeOf,
  sequenceOf,
  timestampOf,
} from '../../rtp/packet/header.ts'
import { parseRtcp } from '../../rtp/rtcp/parse.ts'
import { ReceptionStatistics } from '../../rtp/rtcp/reception-statistics.ts'
import { type InputSet, inputs, ownInputs } from '../fixtures/inputs.ts'
import { seeded } from '../rig/probes/seeded.ts'

/** Everything that a datagram meets on its way in; says what it was taken for. */
class Ear {
  readonly buffer = new JitterBuffer()
  readonly digits = new DigitReceiver()
  readonly reception = new ReceptionStatistics(1, 8000)
  readonly concealment = new Concealment()
  readonly #pcm = new Int16Array(480)
  #now = 0

  take(datagram: Uint8Array, length = datagram.length): string {
    this.#now += 7
    const kind = kindOf(datagram, length)
    if (kind === 'rtcp') {
      const parsed = parseRtcp(datagram, length)
      if (!parsed.ok) {
        assert.ok(parsed.at <= length)
        return 'bad rtcp'
      }
      assert.ok(parsed.value.length <= length / 4)
      return `rtcp ${parsed.value.map(packet => packet.type).join()}`
    }
    if (kind !== 'rtp') return kind
    if (!isRtp(datagram, length)) return 'bad rtp'
    const from = payloadOffsetOf(datagram)
    const bytes = payloadLengthOf(datagram, length)
    assert.ok(from >= 12 && bytes >= 0 && from + bytes <= length)
    const sequence = sequenceOf(datagram)
    const timestamp = timestampOf(datagram)
    this.#listen()
    switch (payloadTypeOf(datagram)) {
      case 0:
      case 8:
        this.reception.receive(sequence, timestamp, this.#now)
        return this.buffer.push(datagram, length, this.#now)
      case 101:
        this.buffer.note(datagram, this.#now)
        this.reception.receiveUntimed(sequence)
        this.digits.push(datagram, from, bytes, timestamp, markerOf(datagram), this.#now)
        this.digits.timeout(this.#now)
        return this.digits.take() === undefined ? 'event' : 'digit'
      default:
        return 'unknown payload type'
    }
  }

  #listen(): void {
    const pulled = this.buffer.pull(this.#now)
    if (pulled === 'frame') {
      const { payload, frameFrom, frameLength, framePayloadType } = this.buffer
      const codec = framePayloadType === 8 ? pcma : pcmu
      const count = codec.decodeInto(this.#pcm, 0, payload, frameFrom, frameLength)
      this.concealment.receive(this.#pcm, 0, count, this.buffer.frameJoins)
    } else if (pulled !== 'waiting') {
      assert.ok(this.buffer.units <= 480)
      this.concealment.concealInto(this.#pcm, 0, this.buffer.units)
    }
    const report = this.reception.takeReport(this.#now)
    assert.ok(report.fractionLost >= 0 && report.fractionLost <= 255)
  }
}

test('every attack is taken for what it is', () => {
  const wanted: Record<string, string> = {
    'empty.bin': 'unknown',
    '1-byte.bin': 'unknown',
    'rtp-cc15-short.bin': 'bad rtp',
    'rtp-ext-len-ffff.bin': 'bad rtp',
    'rtp-pad-255-short.bin': 'bad rtp',
    'rtp-pad-0.bin': 'bad rtp',
    'rtp-1400.bin': 'oversize',
    'rtp-64k.bin': 'bad rtp',
    'rtp-unknown-pt.bin': 'unknown payload type',
    'dtmf-event-255.bin': 'event',
    'dtmf-short.bin': 'event',
    'rtcp-len-ffff.bin': 'bad rtcp',
    'rtcp-sdes-unterminated.bin': 'bad rtcp',
    'rtcp-bye-forged.bin': 'bad rtcp',
    'rtcp-rpsi-short.bin': 'bad rtcp',
    'rtcp-xr-loop.bin': 'bad rtcp',
    'http-get.bin': 'turn-channel',
  }
  const ear = new Ear()
  for (const { name, bytes } of ownInputs('media-attacks')) {
    const file = name.replace(/^.*\//, '')
    assert.is(ear.take(bytes), wanted[file] ?? file.slice(0, 4), file)
  }
  assert.is(ear.digits.held, undefined)
  assert.is(ear.buffer.size, 0)
})

const sets: readonly InputSet[] = [
  'media-attacks',
  'rtp-seeds',
  'rtcp-seeds',
  'stun-seeds',
  'dtls-seeds',
  'stray-seeds',
]
for (const set of sets)
  test(`${set}: each input, whole, cut anywhere and with changed bytes, is taken or refused`, () => {
    const random = seeded(77)
    const ear = new Ear()
    for (const { bytes } of inputs(set)) {
      ear.take(bytes)
      const shown = bytes.subarray(0, 300)
      for (let cut = 0; cut < shown.length; cut += 1 + (shown.length >> 6)) ear.take(shown.subarray(0, cut))
      for (let round = 0; round < 30 && shown.length > 0; round++) {
        const changed = Uint8Array.from(shown)
        for (let edits = 1 + random() * 3; edits > 0; edits--) {
          changed[Math.floor(random() * Math.min(changed.length, 24))] = random() < 0.4 ? 255 : random() * 256
        }
        ear.take(changed)
        // Some of it is headless: the same after a good first byte.
        changed[0] = 0x80 | (random() * 4)
        changed[1] = random() < 0.5 ? 200 + random() * 8 : 101
        ear.take(changed)
      }
    }
  })

test('after any rubbish a good stream is received whole', () => {
  const random = seeded(5)
  const ear = new Ear()
  for (let round = 0; round < 5000; round++) {
    const bytes = Uint8Array.from({ length: Math.floor(random() * 200) }, () => random() * 256)
    if (bytes.length > 1) bytes[0] = 0x80
    if (bytes.length > 1) bytes[1] = [0, 8, 101, 200, 201, 203][Math.floor(random() * 6)]!
    ear.take(bytes)
  }
  const before = ear.buffer.counters.queued
  const packet = new Uint8Array(172)
  for (let i = 0; i < 100; i++) {
    writeHeader(packet, { payloadType: 0, marker: i === 0, sequence: 700 + i, timestamp: 56 * i, ssrc: 99 })
    ear.take(packet, 68)
  }
  assert.ok(ear.buffer.counters.queued - before >= 99)
})

test.run()
