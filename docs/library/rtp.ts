import { randomBytes } from 'node:crypto'
import {
  DigitReceiver,
  JitterBuffer,
  levelAt,
  parseWav,
  payloadLengthOf,
  payloadOffsetOf,
  pcmu,
  rejected,
  renderTone,
  SrtpReceiver,
  SrtpSender,
  sequenceOf,
  tones,
  wavHeader,
  writeEvent,
  writeHeader,
} from 'sauti/rtp'

// A quarter of a second of 1 kHz as G.711, and its level in dBm0.
const pcm = renderTone(tones.beep, 8000)
const coded = new Uint8Array(pcm.length)
pcmu.encodeInto(coded, 0, pcm, 0, pcm.length)
console.log(Math.round(levelAt(pcm, 0, 800, 1000, 8000)))

// The same as a WAV file.
const header = wavHeader({ encoding: 'mulaw', channels: 1, sampleRate: 8000 }, coded.length)
const parsed = parseWav(new Uint8Array([...header, ...coded]))
console.log(parsed.ok ? parsed.value.durationMs : parsed.reason)

// RTP packets of 20 ms, protected in place: the buffer has room for what SRTP adds.
const keys = { profile: 'AES_CM_128_HMAC_SHA1_80', key: randomBytes(16), salt: randomBytes(14) } as const
const [sender, receiver] = [new SrtpSender(keys), new SrtpReceiver(keys)]
const buffer = new JitterBuffer()
const out = new Int16Array(160)
for (let at = 0; at < 5; at++) {
  const packet = new Uint8Array(1500)
  const from = writeHeader(packet, { payloadType: 0, marker: at === 0, sequence: at, timestamp: at * 160, ssrc: 7 })
  packet.set(coded.subarray(at * 160, (at + 1) * 160), from)
  const sealed = sender.sealRtp(packet, from + 160)
  const length = receiver.openRtp(packet, sealed)
  if (length !== rejected) buffer.push(packet, length, at * 20)
  if (at === 0) console.log(sequenceOf(packet), payloadOffsetOf(packet), payloadLengthOf(packet, length))
}
// What is due now: a frame, or that one was lost.
if (buffer.pull(100) === 'frame') pcmu.decodeInto(out, 0, buffer.payload, buffer.frameFrom, buffer.frameLength)

// A key as a telephone-event (RFC 4733): its end is told once, however often it is repeated.
const digits = new DigitReceiver()
const event = new Uint8Array(4)
writeEvent(event, 0, 5, true, 10, 800)
digits.push(event, 0, event.length, 8000, true, 200)
console.log(digits.take())
