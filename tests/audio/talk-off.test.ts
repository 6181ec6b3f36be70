import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { InbandDetector } from '../../rtp/dtmf/inband-detector.ts'
import { renderTone } from '../../rtp/tone/tone-source.ts'
import { dtmfTone, tones } from '../../rtp/tone/tones.ts'
import { requirePeers } from '../rig/beds/debian.ts'

requirePeers('espeak-ng', 'ffmpeg')

const leastMinutes = 60
/** Voices at once: each is a pipe of two programs, and the detector after it. */
const together = 3

interface Listened {
  readonly samples: number
  readonly pressed: readonly string[]
}

/** A detector listens to sound at 8,000 Hz, as its bytes come. */
const listenTo = async (sound: Readable): Promise<Listened> => {
  const detector = new InbandDetector()
  const pressed: string[] = []
  let samples = 0
  let rest = Buffer.alloc(0)
  for await (const chunk of sound) {
    const bytes = Buffer.concat([rest, chunk])
    const whole = bytes.length - (bytes.length % 320)
    const pcm = new Int16Array(new Uint8Array(bytes.subarray(0, whole)).buffer)
    for (let at = 0; at < pcm.length; at += 160) {
      const press = detector.analyze(pcm, at, 160)
      if (press !== undefined) pressed.push(`${press.digit} at ${((samples + at) / 8000).toFixed(2)} s`)
    }
    samples += pcm.length
    rest = bytes.subarray(whole)
  }
  // It did listen: a digit after all that speech is one.
  const digit = new Int16Array(1600)
  digit.set(renderTone(dtmfTone('5', 60) ?? tones.beep, 8000), 400)
  assert.is(detector.analyze(digit, 0, digit.length)?.digit, '5')
  return { samples, pressed }
}

const raw = ['-ar', '8000', '-f', 's16le', 'pipe:1']

/** Each of these is listened to, some at once. Returns the minutes that they took. */
const minutesOf = async <T>(
  voices: readonly T[],
  name: (voice: T) => string,
  listen: (voice: T) => Promise<Listened>,
) => {
  const waiting = [...voices]
  let samples = 0
  await Promise.all(
    Array.from({ length: together }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const listened = await listen(next)
        assert.equal(listened.pressed, [], name(next))
        samples += listened.samples
      }
    }),
  )
  return samples / 8000 / 60
}

const sentences = [
  'Thank you for calling. All our agents are busy, please hold the line.',
  'Your balance is four thousand two hundred and eighteen shillings and fifty cents.',
  'Press one for English, press two for Swahili, or hold for an operator.',
  'Habari ya asubuhi, karibu sana, tafadhali subiri kidogo.',
  'She sells sea shells by the sea shore; the shells she sells are surely sea shells.',
  'The reference is A, B, C, zero, seven, star, nine, hash, double four.',
]
const voices = ['en', 'en-us+m4', 'en+f3', 'sw', 'sw+f2', 'fr', 'de+f4', 'it', 'hi']

const speak = async (voice: string, pitch: number): Promise<Listened> => {
  const text = Array.from({ length: 90 }, (_, n) => `${sentences[(n * 5 + pitch) % sentences.length]} ${n * 37}`)
  const espeak = spawn('espeak-ng', ['-v', voice, '-p', String(pitch), '--stdout', text.join(' ')])
  const ffmpeg = spawn('ffmpeg', ['-v', 'error', '-i', 'pipe:0', ...raw])
  espeak.stdout.pipe(ffmpeg.stdin)
  const ended = Promise.all([once(espeak, 'close'), once(ffmpeg, 'close')])
  const listened = await listenTo(ffmpeg.stdout)
  const codes = (await ended).map(([code]) => code)
  assert.equal(codes, [0, 0], voice)
  return listened
}

test('an hour of speech in many voices and languages holds no digit', async () => {
  const pitched = voices.map((voice, n) => ({ voice, pitch: n % 2 === 0 ? 75 : 35 }))
  const minutes = await minutesOf(
    pitched,
    ({ voice, pitch }) => `${voice}, pitch ${pitch}`,
    ({ voice, pitch }) => speak(voice, pitch),
  )
  assert.ok(minutes >= leastMinutes, `only ${minutes.toFixed(0)} minutes`)
})

/** People who were recorded: the prompts of a telephone system, in the codec of mobile phones. */
const people = ['en_US_f_Allison', 'es_MX_f_Allison', 'fr_CA_f_June', 'it_IT_m_Carlo', 'ru_RU_f_IvrvoiceRU']
const folderOf = (person: string): string => `/usr/share/asterisk/sounds/${person}`

const playBack = async (person: string): Promise<Listened> => {
  const folder = folderOf(person)
  const ffmpeg = spawn('ffmpeg', ['-v', 'error', '-f', 'gsm', '-i', 'pipe:0', ...raw])
  const ended = once(ffmpeg, 'close')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.gsm'))
  ffmpeg.stdin.end(Buffer.concat(files.sort().map(file => readFileSync(`${folder}/${file}`))))
  const listened = await listenTo(ffmpeg.stdout)
  assert.is((await ended)[0], 0, person)
  return listened
}

test('two hours of people who speak five languages hold no digit', async () => {
  requirePeers('sounds-en', 'sounds-es', 'sounds-fr', 'sounds-it', 'sounds-ru')
  const minutes = await minutesOf(people, person => person, playBack)
  assert.ok(minutes >= 2 * leastMinutes, `only ${minutes.toFixed(0)} minutes`)
})

test.run()
