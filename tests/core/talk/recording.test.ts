import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ringbackCountries } from '../../../core/ports/media.ts'
import { checkDocument } from '../../../core/verbs/index.ts'
import { tones } from '../../../rtp/tone/tones.ts'
import { acme } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'
import { expectAllEnded } from '../bed/expect-all-ended.ts'

const at = '+254700000001'
const far = '+254733333333'

const calling = (inside: string): CallBed => {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/in', `<Response>${inside}</Response>`)
  bed.documents.set('https://acme.test/next', '<Response><Say>Next</Say></Response>')
  bed.peers.set(far, { ringAfter: 100, answerAfter: 1000, byeAfter: 5000 })
  return bed
}

const recordings = (bed: CallBed): string[] =>
  bed.commands.flatMap(command => {
    switch (command.type) {
      case 'media.record-session': {
        const { channels, track, maxLengthMs } = command.rules
        return [`${command.recordId} ${channels} ${track} ${maxLengthMs}`]
      }
      case 'media.pause-record':
      case 'media.resume-record':
      case 'media.stop-record':
        return [`${command.type} ${command.recordId}`]
      default:
        return []
    }
  })
const codes = (bed: CallBed) => bed.codes().filter(code => code.startsWith('REC'))
/** What is reported of the answer and of the first recording, in order. */
const beginnings = (bed: CallBed) => bed.codes().filter(code => code === 'CALL.0200' || code === 'REC.0100')
const problems = (inside: string) =>
  checkDocument(new TextEncoder().encode(`<Response>${inside}</Response>`)).problems.length

test('RecordSession begins with the answer, goes on through Redirect, and ends with the call', () => {
  const bed = calling('<RecordSession/><Pause length="2"/><Say>Hello</Say><Redirect>/next</Redirect>')
  bed.call(at)
  bed.run(1500)
  assert.equal(recordings(bed), [], 'it does not answer')
  assert.equal(codes(bed), [])
  expectAllEnded(bed)
  assert.equal(recordings(bed), ['session-1 dual both 14400000'])
  assert.equal(codes(bed), ['REC.0100', 'REC.0200'])
  assert.ok(bed.posts.some(post => post.url.endsWith('/next')))
})

test('RecordSession goes on through a Dial, whose answer is its beginning', () => {
  const bed = calling(
    `<RecordSession channels="mono" track="inbound" maxLength="60"/><Dial>${far}</Dial><Say>Bye</Say>`,
  )
  bed.call(at)
  expectAllEnded(bed)
  assert.equal(recordings(bed), ['session-1 mono inbound 60000'])
  assert.equal(beginnings(bed), ['CALL.0200', 'REC.0100'])
  assert.equal(codes(bed), ['REC.0100', 'REC.0200'])
})

test('Record without a beep begins with the answer, after its event and before the 200 leaves', () => {
  const bed = calling('<Pause/><Record playBeep="false" maxLength="1"/>')
  bed.call(at)
  expectAllEnded(bed)
  assert.equal(beginnings(bed), ['CALL.0200', 'REC.0100'])
  const types = bed.commands.map(command => command.type)
  assert.ok(types.indexOf('media.record') < types.indexOf('leg.answer'))
})

test('Record of a call that cannot be answered leaves no recording; its action is posted once', () => {
  for (const isFinishedByKey of [false, true]) {
    const bed = calling('<Record playBeep="false" action="/next"/>')
    bed.mediaFault = () => true
    const caller = bed.call(at)
    const isOpening = () => bed.commands.some(({ type }) => type === 'media.open')
    while (!isOpening()) bed.run(1)
    if (isFinishedByKey) bed.send({ type: 'leg.digit', legId: caller, digit: '7', durationMs: 100 })
    expectAllEnded(bed)
    const { status, reasonCode, problemCode } = bed.store.call()
    assert.equal([status, reasonCode, problemCode], ['failed', 'END.0488', ''])
    assert.equal([codes(bed), bed.store.recordings.size], [[], 0])
    const posts = bed.posts.filter(post => post.url.endsWith('/next'))
    assert.equal(
      posts.map(({ fields }) => [fields.RecordingDuration, fields.RecordingPath, fields.RecordingUuid, fields.Digits]),
      [[0, '', '', isFinishedByKey ? '7' : 'hangup']],
    )
  }
})

test('RecordSession: pause, resume, stop and a second start', () => {
  const bed = calling(
    '<Say>a</Say><RecordSession/><RecordSession channels="mono"/><RecordSession state="pause"/><Say>b</Say><RecordSession state="resume"/><Say>c</Say><RecordSession state="stop"/><RecordSession state="stop"/><RecordSession state="pause"/><RecordSession channels="mono"/><Say>d</Say>',
  )
  bed.call(at)
  expectAllEnded(bed)
  assert.equal(recordings(bed), [
    'session-1 dual both 14400000',
    'media.pause-record session-1',
    'media.resume-record session-1',
    'media.stop-record session-1',
    'session-2 mono both 14400000',
  ])
  assert.equal(codes(bed), ['REC.0100', 'REC.0100', 'REC.0200', 'REC.0200'].sort())
  const rows = [...bed.store.recordings.values()]
  assert.ok(rows.every(row => row.durationMs !== null))
})

test('RecordSession: what is ordered before the answer holds from the answer on', () => {
  const paused = calling('<RecordSession/><RecordSession state="pause"/><Say>a</Say>')
  paused.call(at)
  expectAllEnded(paused)
  assert.equal(recordings(paused), ['session-1 dual both 14400000', 'media.pause-record session-1'])
  const stopped = calling('<RecordSession/><RecordSession state="stop"/><Say>a</Say>')
  stopped.call(at)
  expectAllEnded(stopped)
  assert.equal(recordings(stopped), [])
  const unanswered = calling('<RecordSession/><Pause/><Hangup/>')
  unanswered.call(at)
  expectAllEnded(unanswered)
  assert.equal(recordings(unanswered), [])
})

test('RecordSession at its greatest length makes room for the next', () => {
  // Also while the end of the first is still to be reported.
  for (const seconds of [1, 3]) {
    const bed = calling(
      `<Say>a</Say><RecordSession maxLength="1"/><Pause length="${seconds}"/><RecordSession/><Say>b</Say><Pause length="3"/>`,
    )
    bed.call(at)
    expectAllEnded(bed)
    const stop = seconds === 1 ? ['media.stop-record session-1'] : []
    assert.equal(recordings(bed), ['session-1 dual both 1000', ...stop, 'session-2 dual both 14400000'])
    assert.equal(codes(bed).sort(), ['REC.0100', 'REC.0100', 'REC.0200', 'REC.0200'])
  }
})

test('RecordSession beeps before what comes next, which waits for it', () => {
  const bed = calling('<Say>a</Say><RecordSession playBeep="true"/><Say>b</Say>')
  bed.call(at)
  expectAllEnded(bed)
  const plays = bed.of('media.play').map(({ source }) => (source.kind === 'tone' ? source.tone : source.path))
  assert.equal(plays, ['/wav/50', 'beep', '/wav/50'])
  assert.is(bed.of('media.stop').length, 0)
})

test('RecordSession: each attribute, good and bad', () => {
  for (const [attributes, wanted] of [
    ['', 0],
    ['state="pause"', 0],
    ['state="halt"', 1],
    ['channels="mono"', 0],
    ['channels="stereo"', 1],
    ['track="outbound"', 0],
    ['track="left"', 1],
    ['maxLength="14400"', 0],
    ['maxLength="0"', 1],
    ['maxLength="14401"', 1],
    ['format="ogg"', 0],
    ['format="mp3"', 1],
    ['playBeep="1"', 1],
    ['action="/x"', 1],
  ] as const) {
    assert.is(problems(`<RecordSession ${attributes}/>`), wanted, attributes)
  }
})

test('Dial records from the answer to the end, mixed or on two channels', () => {
  for (const [record, expected] of [
    ['do-not-record', []],
    ['record-from-answer', ['session-1 mono both 14400000', 'media.stop-record session-1']],
    ['record-from-answer-dual', ['session-1 dual both 14400000', 'media.stop-record session-1']],
  ] as const) {
    for (const answered of ['', '<Say>Hello</Say>']) {
      const bed = calling(`${answered}<Dial record="${record}">${far}</Dial><Say>Bye</Say>`)
      bed.call(at)
      expectAllEnded(bed)
      assert.equal(recordings(bed), expected)
      assert.equal(codes(bed), expected.length === 0 ? [] : ['REC.0100', 'REC.0200'])
      const types = bed.commands.map(command => command.type)
      if (expected.length > 0) assert.ok(types.indexOf('media.record-session') > types.indexOf('media.bridge'))
    }
  }
})

test('Dial records nothing of early media and nothing of a remote that does not answer', () => {
  const early = calling(`<Dial record="record-from-answer">${far}</Dial>`)
  early.peers.set(far, { earlyAfter: 100, answerAfter: 3000, byeAfter: 1000 })
  const caller = early.call(at)
  early.run(2000)
  assert.is(early.of('media.bridge').length, 1)
  assert.equal(recordings(early), [])
  early.run(2000)
  assert.is(early.of('media.record-session')[0]?.legId, caller)
  expectAllEnded(early)
  const busy = calling(`<Dial record="record-from-answer">${far}</Dial>`)
  busy.peers.set(far, { endAfter: 500 })
  busy.call(at)
  expectAllEnded(busy)
  assert.equal(recordings(busy), [])
})

test('a caller who hangs up ends both kinds of recording, each reported once', () => {
  const bed = calling(`<RecordSession/><Dial record="record-from-answer">${far}</Dial>`)
  const caller = bed.call(at)
  bed.run(3000)
  bed.hangUpCaller(caller)
  expectAllEnded(bed)
  assert.equal(codes(bed), ['REC.0100', 'REC.0100', 'REC.0200', 'REC.0200'])
})

test('ringTone: a country by its code, an asset by its slug, and the default for what cannot be played', () => {
  for (const [ringTone, expected] of [
    ['', 'ringback-ke'],
    ['ringTone="us"', 'ringback-us'],
    ['ringTone="za"', 'ringback-za'],
    ['ringTone="my-song"', '/wav/2000'],
    ['ringTone="missing"', 'ringback-ke'],
  ] as const) {
    const bed = calling(`<Say>a</Say><Dial ${ringTone}>${far}</Dial>`)
    bed.call(at)
    bed.run(1800)
    const play = bed.of('media.play').at(-1)
    assert.is(play?.source.kind === 'tone' ? play.source.tone : play?.source.path, expected)
    assert.is(play?.loop, 0)
    bed.run(2000)
    assert.is(bed.of('media.stop').length, 1, 'it stops with the answer')
    assert.equal(bed.codes().includes('PLAY.0404'), ringTone.includes('missing'))
    expectAllEnded(bed)
  }
})

test('every country that the domain knows has its tone, and every tone its country', () => {
  const sounding = Object.keys(tones).filter(name => name.startsWith('ringback-'))
  assert.equal(ringbackCountries.map(country => `ringback-${country}`).sort(), sounding.sort())
  for (const name of sounding) {
    const { steps, repeats } = tones[name as keyof typeof tones]
    assert.ok(repeats)
    assert.ok(steps.length % 2 === 0 && steps[0]!.sines.length > 0, name)
    const power = steps[0]!.sines.reduce((sum, { dbm0 }) => sum + 10 ** (dbm0 / 10), 0)
    const level = 10 * Math.log10(power)
    assert.ok(level >= -15 && level <= -5, `${name} ${level} dBm0`)
  }
})

test('beyond the quota no recording begins: REC.0400 says why, and the call goes on', () => {
  const quota = 1_000_000
  for (const [verbs, failed] of [
    ['<RecordSession/><Say>Hello</Say>', 1],
    ['<Record playBeep="false" action="/next"/>', 1],
    ['<Record playBeep="false"/><Say>Hello</Say>', 1],
    [`<Dial record="record-from-answer">${far}</Dial><Say>Bye</Say>`, 1],
  ] as const) {
    for (const [recordingBytes, maxRecordingBytes, begins] of [
      [quota, null, false],
      [quota - 1, null, true],
      [quota, quota + 1, true],
      [5, 5, false],
    ] as const) {
      const bed = calling(verbs)
      const account = bed.store.accounts.get(acme.uuid)
      if (account !== undefined) account.profile = { ...acme, recordingBytes, maxRecordingBytes }
      const caller = bed.call(at)
      bed.run(20_000)
      bed.hangUpCaller(caller)
      expectAllEnded(bed)
      assert.equal(codes(bed).includes('REC.0100'), begins, verbs)
      const reported = bed.store.events.filter(({ code, data }) => code === 'REC.0400' && data.recording === null)
      assert.is(reported.length, begins ? 0 : failed, verbs)
      assert.is(bed.store.recordings.size, begins ? 1 : 0)
      if (begins) continue
      assert.match(String(reported[0]?.data.detail), /as many bytes/)
      if (verbs.includes('action')) {
        const posted = bed.posts.find(post => post.url.endsWith('/next'))
        assert.equal([posted?.fields.RecordingDuration, posted?.fields.RecordingUuid], [0, ''])
      }
      assert.is(bed.store.call().status, 'completed')
    }
  }
})

test('what the calls of an account have recorded since counts, before the database is read again', () => {
  const bed = calling('<Record playBeep="false" maxLength="2"/><Record playBeep="false" maxLength="2"/>')
  const account = bed.store.accounts.get(acme.uuid)
  if (account !== undefined) account.profile = { ...acme, recordingBytes: 0, maxRecordingBytes: 10 }
  bed.call(at)
  expectAllEnded(bed)
  assert.equal(codes(bed), ['REC.0100', 'REC.0200', 'REC.0400'])
})

test('a document that starts and stops recordings begins few at a time, and each that is not begun is reported a few times', () => {
  const pair = '<RecordSession/><RecordSession state="stop"/>'
  const bed = calling(`<Say>Hello</Say>${pair.repeat(499)}<Redirect>/in</Redirect>`)
  const caller = bed.call(at)
  bed.run(60_000)
  bed.hangUpCaller(caller)
  expectAllEnded(bed)
  const begun = bed.of('media.record-session').length
  assert.ok(begun >= 8 && begun <= 160, `${begun} in a minute`)
  const refused = bed.store.events.filter(({ code, data }) => code === 'REC.0400' && data.recording === null)
  assert.ok(refused.length >= 10 && refused.length <= 71, `${refused.length} refusals`)
  assert.match(String(refused[0]?.data.detail), /at most 8 recordings that have not ended/)
})

test('recordings one after another, each of a second, all begin', () => {
  const record = '<Record playBeep="false" maxLength="1"/>'
  const bed = calling(record.repeat(300))
  const account = bed.store.accounts.get(acme.uuid)
  if (account !== undefined) account.profile = { ...acme, maxRecordingBytes: 1e12 }
  bed.call(at)
  bed.run(1_800_000)
  expectAllEnded(bed)
  assert.is(bed.store.recordings.size, 300, bed.store.call().reasonCode)
  assert.not.ok(codes(bed).includes('REC.0400'))
})

test('a session that is stopped begins again at once, ever again', () => {
  const again = '<Pause length="3"/><RecordSession state="stop"/><RecordSession/>'
  const bed = calling(`<Say>Hello</Say><RecordSession/>${again.repeat(150)}`)
  const account = bed.store.accounts.get(acme.uuid)
  if (account !== undefined) account.profile = { ...acme, maxRecordingBytes: 1e12 }
  bed.call(at)
  bed.run(1_800_000)
  expectAllEnded(bed)
  assert.is(bed.store.recordings.size, 151)
  assert.not.ok(codes(bed).includes('REC.0400'))
})

test.run()
