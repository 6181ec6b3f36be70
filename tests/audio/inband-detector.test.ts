import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { InbandDetector } from '../../rtp/dtmf/inband-detector.ts'
import { pcmu } from '../../rtp/index.ts'
import { amplitudeOf, levelOf } from '../../rtp/tone/level.ts'
import { renderTone } from '../../rtp/tone/tone-source.ts'
import { dtmfTone } from '../../rtp/tone/tones.ts'
import { keyCapture } from '../fixtures/captures.ts'
import { corpusFile, testBeside } from '../fixtures/inputs.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { speechLike } from '../rtp/bed/audio-measure.ts'
import { readPcap } from '../rtp/bed/pcap.ts'

const keys = '0123456789*#ABCD'

const pressesIn = (pcm: Int16Array, rate = 8000, piece = 160) => {
  const detector = new InbandDetector(rate)
  const presses: { digit: string; durationMs: number }[] = []
  for (let at = 0; at < pcm.length; at += piece) {
    const press = detector.analyze(pcm, at, Math.min(piece, pcm.length - at))
    if (press !== undefined) presses.push(press)
  }
  return presses
}
const digitsIn = (pcm: Int16Array, rate?: number, piece?: number): string =>
  pressesIn(pcm, rate, piece)
    .map(press => press.digit)
    .join('')

interface Sending {
  readonly onMs?: number
  readonly offMs?: number
  readonly lowDbm0?: number
  /** Column against row. */
  readonly twistDb?: number
  /** Off their frequency, both; and the column against it. */
  readonly offTune?: number
  readonly columnOffTune?: number
  readonly noiseDbm0?: number
  readonly rate?: number
  readonly offset?: number
}

/** Digits with hard edges, as the strictest sender would make them. */
const send = (digits: string, sending: Sending = {}, seed = 1): Int16Array => {
  const { onMs = 40, offMs = 40, lowDbm0 = -9, twistDb = 0, offTune = 0, rate = 8000, offset = 0 } = sending
  const { noiseDbm0, columnOffTune = offTune } = sending
  const random = seeded(seed)
  const on = Math.round((onMs * rate) / 1000)
  const period = on + Math.round((offMs * rate) / 1000)
  const tones = [...digits].map(
    digit => dtmfTone(digit)?.steps[0]?.sines.map(({ hz }) => hz * (1 + (hz < 1000 ? offTune : columnOffTune))) ?? [],
  )
  const levels = [amplitudeOf(lowDbm0), amplitudeOf(lowDbm0 + twistDb)]
  const noise = noiseDbm0 === undefined ? 0 : amplitudeOf(noiseDbm0) * Math.sqrt(1.5)
  return Int16Array.from({ length: offset + digits.length * period + rate / 10 }, (_, i) => {
    let sum = noise * (2 * random() - 1)
    const at = (i - offset) % period
    if (i >= offset && at < on) {
      const tone = tones[Math.floor((i - offset) / period)] ?? []
      for (const [n, hz] of tone.entries()) sum += levels[n]! * Math.sin((2 * Math.PI * hz * at) / rate)
    }
    return Math.round(sum)
  })
}
/** Every digit after every other, at a place of its own in the detector's blocks. */
const everyPair = [...keys].flatMap(first => [...keys].map(second => first + second)).join('')

for (const [name, sending] of Object.entries({
  'at 40 ms on and 40 ms off': {},
  'at 50 ms on and 45 ms off': { onMs: 50, offMs: 45 },
  'cut short to 27 ms': { onMs: 27 },
  'at 16,000 Hz': { rate: 16_000 },
  'as quiet as −25 dBm0 a tone': { lowDbm0: -25 },
  'as loud as −3 dBm0 a tone': { lowDbm0: -3.2 },
  'with the column 8 dB weaker': { twistDb: -8 },
  'with the column 8 dB weaker, 1.5 % too low': { twistDb: -8, offTune: -0.015 },
  'with the column 8 dB weaker, 1.5 % too high': { twistDb: -8, offTune: 0.015 },
  'with the column 4 dB stronger': { twistDb: 4 },
  'with the column 4 dB stronger, 1.5 % too low': { twistDb: 4, offTune: -0.015 },
  'with the column 4 dB stronger, 1.5 % too high': { twistDb: 4, offTune: 0.015 },
  '1.5 % too high': { offTune: 0.015 },
  '1.5 % too low': { offTune: -0.015 },
  'the row 1.5 % too low, the column 1.5 % too high': { offTune: -0.015, columnOffTune: 0.015 },
  'in noise 20 dB below them': { lowDbm0: -12, noiseDbm0: -32 },
  'cut short to 30 ms, in noise 17 dB below them': { onMs: 30, lowDbm0: -12, noiseDbm0: -26 },
} satisfies Record<string, Sending>)) {
  test(`every digit is found, ${name}`, () => {
    for (const offset of [0, 29]) {
      assert.is(digitsIn(send(everyPair, { ...sending, offset }, offset + 1), sending.rate), everyPair)
    }
  })
}

test('mu-law, and pieces of any length, change nothing', () => {
  const pcm = send(everyPair)
  const bytes = new Uint8Array(pcm.length)
  pcmu.encodeInto(bytes, 0, pcm, 0, pcm.length)
  pcmu.decodeInto(pcm, 0, bytes, 0, bytes.length)
  for (const piece of [1, 80, 240, 480]) assert.is(digitsIn(pcm, 8000, piece), everyPair)
})

test('digits that follow one another without a pause are each reported', () => {
  const digits = [...everyPair].filter((digit, n) => digit !== everyPair[n + 1]).join('')
  for (const onMs of [30, 40]) assert.is(digitsIn(send(digits, { onMs, offMs: 0 })), digits, `${onMs} ms`)
})

test('a digit is reported once, with its duration, at its end', () => {
  for (const onMs of [28, 40, 60, 100, 160, 500, 3000]) {
    const [press, ...more] = pressesIn(send('5', { onMs, offMs: 100 }))
    assert.ok(press)
    assert.is(press.digit, '5')
    assert.ok(Math.abs(press.durationMs - onMs) <= 4, `${onMs}: ${press.durationMs}`)
    assert.equal(more, [])
  }
  assert.is(digitsIn(send('1111', { onMs: 40, offMs: 40 })), '1111')
})

test('a held digit during speech that is 10 dB lower is one digit', () => {
  const speech = speechLike(8000 * 60, 8000, 2)
  for (const [n, digit] of [...keys].entries()) {
    for (let from = 8000 * n; from < 8000 * (n + 3); from += 1700) {
      const pcm = send(digit, { onMs: 400, offMs: 100, offset: 400 })
      const alone = levelOf(pcm, 400, 3200)
      const level = levelOf(speech, from, pcm.length)
      const gain = 10 ** ((alone - level - 10) / 20)
      for (let i = 0; i < pcm.length; i++) pcm[i] = pcm[i]! + gain * speech[from + i]!
      assert.is(digitsIn(pcm), digit, `with the speech from sample ${from} on`)
    }
  }
})

test('a click or a gap of up to 10 ms does not split a digit (ITU-T Q.24, table A.1), a pause of 30 ms does', () => {
  for (const gapMs of [5, 8, 10]) {
    for (let from = 600; from < 660; from++) {
      const pcm = send('8', { onMs: 200, offMs: 50 })
      pcm.fill(0, from, from + gapMs * 8)
      assert.is(digitsIn(pcm), '8', `${gapMs} ms, at sample ${from}`)
    }
  }
  for (const offMs of [30, 35, 40]) {
    for (let offset = 0; offset < 51; offset++) {
      const pcm = send('888', { onMs: 50, offMs, offset })
      assert.is(digitsIn(pcm), '888', `${offMs} ms, ${offset} samples later`)
    }
  }
})

test('what is too short, too far off, too uneven, single or threefold is no digit', () => {
  for (let offset = 0; offset < 51; offset++) {
    for (const onMs of [15, 20, 22]) assert.is(digitsIn(send(keys, { onMs, offMs: 60, offset })), '', `${onMs} ms`)
  }
  assert.is(digitsIn(send(keys, { offTune: 0.035 })), '')
  assert.is(digitsIn(send(keys, { offTune: -0.035 })), '')
  assert.is(digitsIn(send(keys, { twistDb: 12 })), '')
  assert.is(digitsIn(send(keys, { twistDb: -12 })), '')
  assert.is(digitsIn(send(keys, { lowDbm0: -45 })), '')
  const sines = (...hz: readonly number[]) =>
    Int16Array.from({ length: 8000 }, (_, i) =>
      Math.round(hz.reduce((sum, each) => sum + 6000 * Math.sin((2 * Math.PI * each * i) / 8000), 0)),
    )
  for (const hz of [[697], [1209], [425], [350, 440], [697, 770], [697, 1209, 1477], [770, 1336, 2000], [1400, 2060]]) {
    assert.is(digitsIn(sines(...hz)), '', `${hz}`)
  }
})

test("the switch's own tones are found, through their soft edges", () => {
  for (const digit of keys) {
    const tone = dtmfTone(digit, 100)
    assert.ok(tone)
    const pcm = new Int16Array(1600)
    pcm.set(renderTone(tone, 8000), 100)
    assert.is(digitsIn(pcm), digit)
  }
})

test('speech-like sound, noise and chords hold no digit', () => {
  assert.is(digitsIn(speechLike(8000 * 60, 8000, 2)), '')
  const random = seeded(44)
  assert.is(digitsIn(Int16Array.from({ length: 8000 * 60 }, () => (random() - 0.5) * 30_000)), '')
  // Chords of a piano's notes with overtones, two a second.
  const music = new Int16Array(8000 * 120)
  for (let at = 0; at < music.length; at += 4000) {
    const notes = Array.from({ length: 3 }, () => 110 * 2 ** (Math.floor(random() * 40) / 12))
    for (let i = 0; i < 4000; i++) {
      let sum = 0
      for (const hz of notes) {
        for (let n = 1; n <= 4; n++) sum += Math.sin((2 * Math.PI * hz * n * i) / 8000) / n
      }
      music[at + i] = Math.round(2500 * Math.exp(-i / 2500) * sum)
    }
  }
  assert.is(digitsIn(music), '')
})

/** The digits in the sound of what was captured, its telephone-events left out. */
const digitsOfSound = (captured: readonly { readonly bytes: Uint8Array }[]): string => {
  const audio = captured.filter(({ bytes }) => (bytes[1]! & 0x7f) === 0)
  const pcm = new Int16Array(160 * audio.length)
  for (const [n, { bytes }] of audio.entries()) pcmu.decodeInto(pcm, 160 * n, bytes, 12, 160)
  return digitsIn(pcm)
}

test('the sound of what a phone sends holds its digits, without its telephone-events', async () => {
  assert.is(digitsOfSound(await keyCapture('PCMU', keys)), keys)
})

testBeside('rtp-pcap', 'so does the sound of a capture: the digits of its name', () => {
  const folder = 'rtp-pcap/asterisk-testsuite/channels__pjsip__dtmf_sdp__dtmf_sdp_recognition__'
  assert.is(digitsOfSound(readPcap(corpusFile(`${folder}ulaw-2013785496.pcap`))), '2013785496')
})

testBeside('rtp-pcap', 'recorded speech holds no digit', () => {
  for (const name of ['talking-u.ulaw', 'talking_silence_test.ulaw']) {
    const bytes = corpusFile(`rtp-pcap/asterisk-testsuite/audio/${name}`)
    const pcm = new Int16Array(bytes.length)
    pcmu.decodeInto(pcm, 0, bytes, 0, bytes.length)
    assert.is(digitsIn(pcm), '', name)
  }
})

test.run()
