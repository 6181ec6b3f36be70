import { spawnSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeWav, InbandDetector, parseWav, resample } from '../../rtp/index.ts'
import { requirePeers } from '../rig/debian.ts'

requirePeers('espeak-ng')

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

const spoken = (voice: string, pitch: number): Int16Array => {
  const text = Array.from({ length: 90 }, (_, n) => `${sentences[(n * 5 + pitch) % sentences.length]} ${n * 37}`)
  const run = spawnSync('espeak-ng', ['-v', voice, '-p', String(pitch), '--stdout', text.join(' ')], {
    maxBuffer: 256 * 1024 * 1024,
  })
  assert.is(run.status, 0, String(run.stderr))
  // It writes into a pipe and cannot know its length: the rest of the stream is the sound.
  const bytes = new Uint8Array(run.stdout)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  view.setUint32(4, bytes.length - 8, true)
  view.setUint32(40, bytes.length - 44, true)
  const wav = parseWav(bytes)
  assert.ok(wav.ok)
  return resample(decodeWav(bytes, wav.value), wav.value.sampleRate, 8000)
}

test('an hour of speech in many voices and languages holds no digit', () => {
  let samples = 0
  for (const [n, voice] of voices.entries()) {
    const pitch = n % 2 === 0 ? 75 : 35
    const pcm = spoken(voice, pitch)
    samples += pcm.length
    const detector = new InbandDetector()
    for (let at = 0; at < pcm.length; at += 160) {
      const press = detector.hear(pcm, at, Math.min(160, pcm.length - at))
      assert.is(press, undefined, `${voice}, pitch ${pitch}, at ${(at / 8000).toFixed(2)} s: ${press?.digit}`)
    }
  }
  assert.ok(samples / 8000 / 60 >= leastMinutes, `only ${(samples / 8000 / 60).toFixed(0)} minutes`)
})

test.run()
