import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { VerbBed } from '../rig/beds/verb-bed.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { placeOf, secondsOf, through } from '../rig/probes/received-audio.ts'
import { babble } from '../rig/probes/tone.ts'
import { delayOf } from '../rtp/bed/audio-measure.ts'

// <Record>: each attribute's default, limits, bad values, and what they do to the file.
const record = suite('Record')
const calls = sideBySide(record)

let bed: VerbBed
record.before(async () => {
  bed = await VerbBed.open()
  await bed.asset('end', babble(0.4, 9))
})
record.after(() => bed?.close())

const silence = (seconds: number) => new Int16Array(seconds * 8000)
const joined = (...parts: Int16Array[]) => Int16Array.from(parts.flatMap(part => [...part]))

/** The caller says `said`, types `keys`, and goes on in silence until it is hung up. */
async function recorded(attributes: string, said: Int16Array, keys = '', quietSeconds = 2) {
  const call = await bed.call({ voice: `<Record action="/done" ${attributes}/>`, '/done': '<Play asset="end"/>' })
  await call.answered()
  await call.rtp.more(5)
  await call.rtp.stream(encodePcmu(said))
  for (const key of keys) await call.rtp.digit('0123456789*#'.indexOf(key), 101, 60)
  await call.rtp.stream(encodePcmu(silence(quietSeconds)))
  await call.done()
  const { body } = await call.post('/done')
  const [wav] = await call.recordings()
  return { call, body, wav: wav! }
}

const said = babble(1.5, 21)

calls('silence, digits, length, beep, trim and format', async () => {
  const quiet = 'playBeep="false"'
  const [silenceEnds, defaultSilence, longest, anyKey, oneKey, noKey, beep, noBeep, trim, noTrim, ogg, bad] =
    await Promise.all([
      recorded(`timeout="1" ${quiet}`, said),
      recorded(quiet, said, '', 6),
      recorded(`maxLength="1" ${quiet}`, said),
      recorded(quiet, said, '7'),
      recorded(`finishOnKey="#" ${quiet}`, said, '12#'),
      recorded(`finishOnKey="" timeout="1" ${quiet}`, said, '#'),
      recorded('timeout="1"', said),
      recorded(`timeout="1" ${quiet}`, said),
      recorded(`timeout="1" trim="trim-silence" ${quiet}`, joined(silence(0.8), said)),
      recorded(`timeout="1" trim="do-not-trim" ${quiet}`, joined(silence(0.8), said)),
      recorded(`timeout="1" format="ogg" ${quiet}`, said),
      recorded('timeout="-1" maxLength="0" finishOnKey="x" playBeep="1" trim="yes" channels="dual"', said, '9'),
    ])
  assert.is(silenceEnds.body.Digits, '')
  for (const one of [silenceEnds, defaultSilence, anyKey, oneKey, noTrim]) {
    assert.ok(placeOf(one.wav.sides[0]!, through(said)) >= 0, 'every sample')
    assert.is(one.wav.channels, 1)
    assert.is(one.body.RecordingDuration, Math.round(one.wav.seconds))
  }
  // Silence lasts by the clock, what was recorded of it by what a caller sends, who may be late on a busy machine.
  const between = (seconds: number, least: number, most: number) =>
    assert.ok(seconds > least && seconds < most, `${seconds} s, not ${least} to ${most}`)
  between(silenceEnds.wav.seconds, 1.8, 2.9)
  between(defaultSilence.wav.seconds, 5.2, 6.9)
  assert.is(longest.wav.seconds, 1)
  assert.is(anyKey.body.Digits, '7')
  assert.ok(anyKey.wav.seconds < 1.8, `${anyKey.wav.seconds} s, the key not in it`)
  assert.is(oneKey.body.Digits, '#')
  assert.is(noKey.body.Digits, '')
  assert.ok(secondsOf(beep.call.heard(), 1000) > 0.2, 'a beep of 1 kHz')
  assert.is(secondsOf(noBeep.call.heard(), 1000), 0)
  assert.ok(trim.wav.seconds < noTrim.wav.seconds - 0.6, `${trim.wav.seconds} of ${noTrim.wav.seconds} s`)
  assert.ok(trim.wav.seconds < 1.9)
  await isOgg(ogg)
  assert.is(await bad.call.problems(), 6)
  assert.is(bad.body.Digits, '9')
  assert.ok(secondsOf(bad.call.heard(), 1000) > 0.2, 'the default beeps')
})

/** Every sound is in its place, and everything that is reported of the file is true. */
async function isOgg({ call, body, wav }: Awaited<ReturnType<typeof recorded>>): Promise<void> {
  assert.is(await call.problems(), 0)
  const received = wav.sides[0]!
  const { delay, likeness } = delayOf(through(said), received, 8000)
  assert.ok(likeness > 0.9, `${likeness} alike, ${delay} samples in`)
  assert.ok(Math.abs(wav.seconds - 2.5) < 0.3, `${wav.seconds} s`)
  const [row] = await call.recordingRows()
  assert.equal([row!.media_format, row!.duration_seconds], ['ogg', Math.round(wav.seconds)])
  assert.equal([body.RecordingUuid, body.RecordingDuration], [row!.uuid, Math.round(wav.seconds)])
  assert.match(body.RecordingPath, new RegExp(`^\\d{4}/\\d{2}/\\w+-${row!.uuid}\\.ogg$`))
  const link = await bed.account.api('POST', '/recordings/download', { uuid: row!.uuid })
  const whole = await fetch(link.body.url)
  assert.is(whole.headers.get('content-type'), 'audio/ogg')
  assert.match(whole.headers.get('content-disposition') ?? '', /\.ogg"$/)
  const bytes = new Uint8Array(await whole.arrayBuffer())
  assert.is(bytes.length, row!.size_bytes)
  const part = await fetch(link.body.url, { headers: { range: 'bytes=0-3' } })
  assert.is(part.status, 206)
  assert.equal([await part.text(), part.headers.get('content-range')], ['OggS', `bytes 0-3/${bytes.length}`])
}

calls('without action the next verb runs; a silent caller gives an empty recording', async () => {
  const call = await bed.call('<Record timeout="1" playBeep="false"/><Play asset="end"/>')
  await call.answered()
  await call.done()
  assert.ok(placeOf(call.heard(), through(babble(0.4, 9))) >= 0)
  const empty = await recorded('timeout="1" playBeep="false" trim="trim-silence"', silence(0.2))
  assert.is(empty.body.RecordingDuration, 0)
})

record.run()
