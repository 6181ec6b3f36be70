import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { requirePeers } from '../rig/beds/debian.ts'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { type RecordingRow, readOgg, readWav, VerbBed } from '../rig/beds/verb-bed.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { assertWhole, loudSeconds, placeOf, placesOf, secondsOf, through } from '../rig/probes/received-audio.ts'
import { babble, sine } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'
import { delayOf } from '../rtp/bed/audio-measure.ts'

// <RecordSession>: each attribute's default, limits, bad values, and what they do to the file.
const session = suite('RecordSession')
// Those that send as long as each other: who looks at what it has recorded holds up what others still send.
const calls = sideBySide(session)

let bed: VerbBed
const prompt = babble(1, 8)

session.before(async () => {
  requirePeers('opusinfo')
  bed = await VerbBed.open()
  await bed.asset('prompt', prompt)
})
session.after(() => bed?.close())

/** The caller says `said` as soon as it is answered, while the document plays a prompt and then waits. */
async function recorded(verbs: string, said: Int16Array, count = 1) {
  const call = await bed.call(verbs)
  await call.answered()
  await call.rtp.stream(encodePcmu(said))
  await call.done()
  const wavs = count === 0 ? [] : await call.recordings(count)
  return { call, wav: wavs[0]!, wavs }
}

const talk = (verb: string) => `${verb}<Play asset="prompt"/><Pause length="2"/>`
const said = babble(2, 3)
const silent = (samples: Int16Array | undefined) => samples?.every(sample => sample === 0) === true

// Before those that go side by side: they look at what they have recorded while this would still send.
session('pause is silence, stop ends the file, and another may begin', async () => {
  const steady = sine(500, 6)
  const [paused, stopped] = await Promise.all([
    recorded(
      '<RecordSession/><Play asset="prompt"/><RecordSession state="pause"/><Pause length="2"/><RecordSession state="resume"/><Pause length="2"/>',
      steady,
    ),
    recorded(
      '<RecordSession/><Play asset="prompt"/><Pause/><RecordSession state="stop"/><Pause/><RecordSession channels="mono"/><Pause length="2"/>',
      steady,
      2,
    ),
  ])
  const left = paused.wav.sides[0]!
  assert.ok(Math.abs(paused.wav.seconds - secondsOf(left, 500) - 2) < 0.6, 'two seconds of it are silent')
  const places = placesOf(left, 500)
  const hole = Math.max(...places.slice(1).map((at, n) => at - places[n]!))
  assert.ok(Math.abs(hole / 8000 - 2) < 0.15, `${hole / 8000} s of silence in one piece`)
  const [first, second] = stopped.wavs
  assert.is(first?.channels, 2)
  assert.is(second?.channels, 1)
  assert.ok(first!.seconds < 2.5 && second!.seconds > 1.8 && second!.seconds < 2.6)
})

calls('channels and tracks: every sample, on its side', async () => {
  const [dual, mono, inbound, outbound] = await Promise.all([
    recorded(talk('<RecordSession/>'), said),
    recorded(talk('<RecordSession channels="mono"/>'), said),
    recorded(talk('<RecordSession track="inbound"/>'), said),
    recorded(talk('<RecordSession track="outbound"/>'), said),
  ])
  assert.is(dual.wav.channels, 2)
  assertWhole(dual.wav.sides[0]!, through(said), 'the caller, on the left')
  assertWhole(dual.wav.sides[1]!, through(prompt), 'the prompt, on the right')
  assert.ok(dual.wav.seconds > 2.9 && dual.wav.seconds < 4, `${dual.wav.seconds} s`)
  const codes = await dual.call.codes()
  assert.equal(
    codes.filter(code => code.startsWith('REC')),
    ['REC.0100', 'REC.0200'],
  )

  assert.is(mono.wav.channels, 1)
  const alone = mono.wav.sides[0]!
  const behind = through(said).subarray(12_000, 16_000)
  assertWhole(alone, behind, 'the caller, once the prompt is over')
  assert.is(placeOf(alone, through(said)), -1, 'mixed before')

  assertWhole(inbound.wav.sides[0]!, through(said), 'the caller of the inbound track')
  assert.ok(silent(inbound.wav.sides[1]))
  assertWhole(outbound.wav.sides[1]!, through(prompt), 'the prompt of the outbound track')
  assert.ok(silent(outbound.wav.sides[0]))
})

calls('maxLength, beep, format, and bad values', async () => {
  const [short, beep, ogg, monoOgg, bad] = await Promise.all([
    recorded(talk('<RecordSession maxLength="1"/>'), said),
    recorded(talk('<RecordSession playBeep="true"/>'), said),
    recorded(talk('<RecordSession format="ogg"/>'), said),
    recorded(talk('<RecordSession format="ogg" channels="mono" track="inbound"/>'), said),
    recorded(talk('<RecordSession channels="stereo" track="left" maxLength="0" playBeep="yes" state="on"/>'), said),
  ])
  assert.is(short.wav.seconds, 1)
  assert.ok(secondsOf(beep.call.heard(), 1000) > 0.2, 'a beep of 1 kHz')
  assert.ok(placeOf(beep.call.heard(), through(prompt)) > 0, 'and the whole prompt after it')
  assert.is(secondsOf(short.call.heard(), 1000), 0, 'none by default')
  assert.equal([ogg.wav.channels, monoOgg.wav.channels], [2, 1])
  assert.is((await ogg.call.problems()) + (await monoOgg.call.problems()), 0)
  for (const [side, sound] of [
    [ogg.wav.sides[0]!, said],
    [ogg.wav.sides[1]!, prompt],
    [monoOgg.wav.sides[0]!, said],
  ] as const) {
    // After its beginning: Opus may put that a sample before the file's.
    const { likeness } = delayOf(through(sound).subarray(4000), side, 12_000)
    assert.ok(likeness > 0.9, `${sound === said ? 'the caller' : 'the prompt'}: ${likeness} alike`)
  }
  for (const { call, wav } of [ogg, monoOgg]) {
    const [row] = await call.recordingRows()
    assert.equal([row!.media_format, row!.duration_seconds], ['ogg', Math.round(wav.seconds)])
    assert.ok(wav.seconds > 2.9 && wav.seconds < 4, `${wav.seconds} s`)
  }
  assert.is(await bad.call.problems(), 5)
  assert.is(bad.wav.channels, 2)
  assert.ok(bad.wav.seconds > 2.9)
})

session('through Redirect and Dial, both sides of one moment at one place', async () => {
  const far = await bed.callee()
  const call = await bed.call(
    {
      voice: '<RecordSession/><Redirect>/next</Redirect>',
      '/next': `<Play asset="prompt"/><Dial timeLimit="5">${far.number}</Dial>`,
    },
    {},
  )
  await Promise.all([call.answered(), far.aim()])
  // Both have sound in each other's ears before the sound that counts.
  await sleep(800)
  const [ours, theirs] = [babble(3, 31), babble(3, 32)]
  await Promise.all([call.rtp.stream(encodePcmu(ours)), far.rtp.stream(encodePcmu(theirs))])
  await call.done()
  await far.sipp.done
  far.rtp.close()
  const [wav] = await call.recordings()
  const left = placeOf(wav!.sides[0]!, through(ours))
  const right = placeOf(wav!.sides[1]!, through(theirs))
  assert.ok(left > 0 && right > 0, `bit for bit on both sides: ${left} ${right}`)
  assert.ok(Math.abs(left - right) <= 160, `${(left - right) / 8} ms apart`)
  assert.ok(placeOf(wav!.sides[1]!, through(prompt)) >= 0, 'the prompt before the Dial too')
})

calls('does not answer: what is never answered is never recorded', async () => {
  const call = await bed.call('<RecordSession/><Pause/><Hangup reason="busy"/>', { scenario: 'caller-busy' })
  await call.done()
  await call.record()
  assert.equal(
    (await call.events()).filter(code => code.startsWith('REC')),
    [],
  )
})

session('kill -9: what was said until a moment ago is in a file that opens', async () => {
  const both = await Promise.all(
    ['wav', 'ogg'].map(format =>
      bed.call(`<RecordSession format="${format}"/><Play asset="prompt"/><Pause length="60"/>`),
    ),
  )
  await Promise.all(both.map(call => call.answered()))
  const streams = both.map(call => call.rtp.stream(encodePcmu(sine(600, 5))))
  await sleep(4500)
  const folder = join(bed.on.dataFolder, 'recordings')
  const sids = await Promise.all(both.map(call => call.sid()))
  await bed.on.kill('SIGKILL')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const [wav, ogg] = sids.map(sid => join(folder, names.find(name => name.includes(sid))!))
  assert.equal(
    [wav, ogg].map(path => extname(path!)),
    ['.wav', '.ogg'],
  )
  for (const received of [readWav(wav!), readOgg(ogg!)]) {
    assert.is(received.channels, 2)
    assert.ok(loudSeconds(received.sides[0]!) > 1.8, `${loudSeconds(received.sides[0]!)} s of the caller`)
  }
  assert.ok(placeOf(readWav(wav!).sides[1]!, through(prompt)) >= 0)
  for (const call of both) call.sipp.stop()
  await Promise.all(streams)
  for (const call of both) call.rtp.close()
  await bed.on.open()
  const rows = await until('the recordings are reported', async () => {
    const { body } = await bed.account.api('GET', '/recordings/?limit=2')
    const listed = body as readonly RecordingRow[]
    return listed.every(row => row.size_bytes !== null) && listed
  })
  assert.equal(rows.map(row => row.media_format).sort(), ['ogg', 'wav'])
  for (const row of rows) assert.ok(row.duration_seconds >= 2)
  assert.is(rows.find(row => row.media_format === 'ogg')?.duration_seconds, Math.round(readOgg(ogg!).seconds))
  const finished = spawnSync('opusinfo', [ogg!], { encoding: 'utf8' })
  assert.not.match(finished.stdout + finished.stderr, /warning|error|truncated/i)
})

session.run()
