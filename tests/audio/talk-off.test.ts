import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { dtmfTone, InbandDetector, renderTone, tones } from '../../rtp/index.ts'
import { requirePeers } from '../rig/debian.ts'

requirePeers('espeak-ng', 'ffmpeg')

const sentences = [
  'Thank you for calling. All our agents are busy, please hold the line.',
  'Your balance is four thousand two hundred and eighteen shillings and fifty cents.',
  'Press one for English, press two for Swahili, or hold for an operator.',
  'Habari ya asubuhi, karibu sana, tafadhali subiri kidogo.',
  'She sells sea shells by the sea shore; the shells she sells are surely sea shells.',
  'The reference is A, B, C, zero, seven, star, nine, hash, double four.',
]
const voices = ['en', 'en-us+m4', 'en+f3', 'sw', 'sw+f2', 'fr', 'de+f4', 'it', 'hi']
const leastMinutes = 60

/** Voices at once: each is a pipe of two programs, and the detector behind it. */
const together = 3

interface Listened {
  readonly samples: number
  readonly pressed: readonly string[]
}

/** Lets a voice speak through a pipe, at 8,000 Hz, and a detector listen. */
const listenTo = async (voice: string, pitch: number): Promise<Listened> => {
  const text = Array.from({ length: 90 }, (_, n) => `${sentences[(n * 5 + pitch) % sentences.length]} ${n * 37}`)
  const espeak = spawn('espeak-ng', ['-v', voice, '-p', String(pitch), '--stdout', text.join(' ')])
  const ffmpeg = spawn('ffmpeg', ['-v', 'error', '-i', 'pipe:0', '-ar', '8000', '-f', 's16le', 'pipe:1'])
  espeak.stdout.pipe(ffmpeg.stdin)
  const ended = Promise.all([once(espeak, 'close'), once(ffmpeg, 'close')])
  const detector = new InbandDetector()
  const pressed: string[] = []
  let samples = 0
  let rest = Buffer.alloc(0)
  for await (const chunk of ffmpeg.stdout) {
    const bytes = Buffer.concat([rest, chunk])
    const whole = bytes.length - (bytes.length % 320)
    const pcm = new Int16Array(new Uint8Array(bytes.subarray(0, whole)).buffer)
    for (let at = 0; at < pcm.length; at += 160) {
      const press = detector.hear(pcm, at, 160)
      if (press !== undefined) pressed.push(`${press.digit} at ${((samples + at) / 8000).toFixed(2)} s`)
    }
    samples += pcm.length
    rest = bytes.subarray(whole)
  }
  const codes = (await ended).map(([code]) => code)
  assert.equal(codes, [0, 0], voice)
  // It did listen: a digit behind all that speech is one.
  const digit = new Int16Array(1600)
  digit.set(renderTone(dtmfTone('5', 60) ?? tones.beep, 8000), 400)
  assert.is(detector.hear(digit, 0, digit.length)?.digit, '5', voice)
  return { samples, pressed }
}

test('an hour of speech in many voices and languages holds no digit', async () => {
  let samples = 0
  const waiting = voices.map((voice, n) => ({ voice, pitch: n % 2 === 0 ? 75 : 35 }))
  await Promise.all(
    Array.from({ length: together }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const listened = await listenTo(next.voice, next.pitch)
        assert.equal(listened.pressed, [], `${next.voice}, pitch ${next.pitch}`)
        samples += listened.samples
      }
    }),
  )
  assert.ok(samples / 8000 / 60 >= leastMinutes, `only ${(samples / 8000 / 60).toFixed(0)} minutes`)
})

test.run()
