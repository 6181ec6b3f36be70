import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { LegUuid } from '../../../core/model/ids.ts'
import type { Trace, TraceReader } from '../../../core/trace/trace.ts'
import { trunk } from '../../rig/beds/trunk.ts'
import { acme, own as numberOf } from '../bed/acme.ts'
import { CallBed } from '../bed/call-bed.ts'
import { TraceBed } from '../bed/trace-bed.ts'

// What else goes wrong in a call, by whose doing it ended, and what to do: in sentences that need no second page.

const far = '+254733333333'
const own = '+254700000001'
const hook = 'https://acme.test/in'

interface Course {
  readonly document?: string
  readonly set?: (bed: CallBed) => void
  readonly act?: (bed: CallBed, caller: LegUuid, traces: TraceBed) => void
  readonly reader?: TraceReader
}

function endOf({ document, set, act, reader = 'customer' }: Course): NonNullable<Trace['end']> {
  const bed = new CallBed()
  const traces = new TraceBed(() => 1_800_000_000_000 + bed.now)
  bed.recorder = traces.recorder
  if (document !== undefined) bed.documents.set(hook, `<Response>${document}</Response>`)
  set?.(bed)
  const caller = bed.call(own)
  bed.run(2000)
  act?.(bed, caller, traces)
  bed.run(120_000)
  const end = traces.read(bed.over.at(-1)?.sid ?? '', reader)?.end
  if (end === null || end === undefined) throw new Error('no end')
  return end
}

const place = (column: number) => `line 1, column ${column} of ${hook}`

for (const [name, document, code, sentence, advice] of [
  [
    'a URL that answers 404',
    '<Play>https://a.test/gone.mp3</Play>',
    'PLAY.0404',
    `https://a.test/gone.mp3 was not found, so nothing was played by <Play> in ${place(11)}.`,
    /[Pp]ut the file there/,
  ],
  [
    'a URL that takes too long',
    '<Play>https://a.test/slow.mp3</Play>',
    'PLAY.0408',
    `https://a.test/slow.mp3 took more than 10 seconds to fetch, so nothing was played by <Play> in ${place(11)}.`,
    /upload it as an asset/,
  ],
  [
    'a URL that is not audio',
    '<Say>Hi</Say><Play>https://a.test/page.mp3</Play>',
    'PLAY.0415',
    `https://a.test/page.mp3 is of a type that cannot be played, so nothing was played by <Play> in ${place(24)}: it is no audio; WAV, MP3 and Ogg Opus are played.`,
    /WAV, MP3 or Ogg Opus/,
  ],
  [
    'a URL that is refused',
    '<Play>https://a.test/refused.mp3</Play>',
    'PLAY.0400',
    `https://a.test/refused.mp3 could not be played, so nothing was played by <Play> in ${place(11)}: the server answered 403.`,
    /in a browser/,
  ],
  [
    'a file that is too large',
    '<Play>https://a.test/huge.mp3</Play>',
    'PLAY.0413',
    `https://a.test/huge.mp3 is larger than 20 MB or longer than an hour, so nothing was played by <Play> in ${place(11)}.`,
    /shorter/,
  ],
  [
    'a missing asset, played again and again',
    '<Play asset="none"/><Play asset="none"/>',
    'PLAY.0404',
    `There is no asset "none", so nothing was played by <Play> in ${place(11)}.`,
    /Upload it/,
  ],
  [
    'an unknown voice',
    '<Say voice="nobody">Hi</Say>',
    'SAY.0404',
    `The voice "nobody" is unknown, so the default voice spoke for <Say> in ${place(11)}.`,
    /voice/,
  ],
  [
    'a speech engine that fails',
    '<Say>This is unspeakable.</Say>',
    'SAY.0500',
    `"This is unspeakable." was not spoken to its end by <Say> in ${place(11)}: the engine broke.`,
    /operator/,
  ],
] as const)
  test(`${name}: the call ends well, and what the caller did not receive is named`, () => {
    const end = endOf({ document })
    assert.is(end.reason_code, 'END.0202')
    assert.equal(
      end.problems.map(problem => [problem.code, problem.sentence, problem.link]),
      [[code, sentence, `/docs/reasons#${code}`]],
    )
    assert.match(end.problems[0]?.advice ?? '', advice)
  })

test('a text that is too long is named with its place', () => {
  const { problems } = endOf({ document: `<Say>${'long '.repeat(1000)}</Say><Say>Hi</Say>` })
  assert.is(problems[0]?.code, 'SAY.0413')
  assert.match(problems[0]?.sentence ?? '', /acme\.test\/in has a mistake in line 1, column 11: .*4096/)
})

test('audio that the fallback could not play stands in no document', () => {
  const { problems } = endOf({
    set: bed => {
      bed.documents.set(hook, { fault: 'status' })
      bed.store.addAccount({ ...acme, fallbackMode: 'play', fallbackValue: 'https://a.test/gone.mp3' }, 0)
    },
  })
  assert.equal(
    problems.map(({ sentence }) => sentence),
    ['https://a.test/gone.mp3 was not found, so nothing was played.'],
  )
})

test('a recording that failed is named with its cause', () => {
  const record = '<Record maxLength="5"/>'
  const full = endOf({
    document: record,
    set: bed => {
      bed.store.addAccount({ ...acme, maxRecordingBytes: 1, recordingBytes: 2 }, 10_000_000)
    },
  })
  assert.equal(
    full.problems.map(({ code, sentence }) => [code, sentence]),
    [['REC.0400', 'A recording failed: the account has stored as many bytes of recordings as it may.']],
  )
  assert.match(full.problems[0]?.advice ?? '', /Delete recordings/)
  const broken = endOf({
    document: record,
    act: (bed, legId) => {
      const recordId = bed.of('media.record')[0]?.recordId ?? ''
      bed.send({ type: 'media.recorded', legId, recordId, durationMs: 0, sizeBytes: 0, endedBy: 'failed' })
    },
  })
  assert.equal(
    broken.problems.map(({ code, sentence }) => [code, sentence]),
    [['REC.0400', 'A recording failed.']],
  )
  assert.match(broken.problems[0]?.advice ?? '', /operator/)
})

for (const [document, code, sentence] of [
  ['<Hangup reason="busy"/>', 'END.0486', `The document refused the call as busy: <Hangup> in ${place(11)}.`],
  ['<Reject reason="busy"/>', 'END.0486', `The document refused the call as busy: <Reject> in ${place(11)}.`],
  ['<Hangup reason="rejected"/>', 'END.0603', `The document refused the call: <Hangup> in ${place(11)}.`],
  ['<Pause/><Reject/>', 'END.0603', `The document refused the call: <Reject> in ${place(19)}.`],
  ['', 'END.0603', `The document of ${hook} is an empty <Response/>, which refuses the call.`],
] as const)
  test(`refused by ${document || 'an empty document'}: the document did it`, () => {
    const end = endOf({ document })
    assert.equal([end.reason_code, end.sentence], [code, sentence])
    assert.match(end.advice, /The document asks for it/)
  })

test('a document that ended the call before it was answered says so, with what would answer', () => {
  for (const document of ['<Hangup/>', '<Pause/>']) {
    const end = endOf({ document })
    assert.is(end.reason_code, 'END.0202')
    assert.match(end.sentence, /ended the call before it was answered/)
    assert.match(end.advice, /<Say>/)
  }
})

test('a dialled party that is busy after a document with <Hangup> is not taken for the document', () => {
  const end = endOf({
    document: `<Dial><Number>${far}</Number></Dial>`,
    set: bed => bed.peers.set(far, { endAfter: 50, cause: { kind: 'response', status: 486 } }),
  })
  assert.is(end.sentence, `${far} is busy.`)
})

test('a number that dials itself: that is said, at the end of the call and before a goodbye', () => {
  const itself = `<Dial><Number>${own}</Number></Dial>`
  const end = endOf({ document: itself })
  assert.is(end.reason_code, 'END.0603')
  assert.is(end.sentence, `${own} dials itself: the <Dial> of its document names the number that the call came to.`)
  assert.match(end.advice, /another number/)
  assert.equal(end.problems, [])
})

/** `own` dials `other`, which is another number of the switch, as `third` is: how each call between them ended. */
function endsBetween(document: string, back: string, onward = ''): NonNullable<Trace['end']>[] {
  const bed = new CallBed()
  const traces = new TraceBed(() => 1_800_000_000_000 + bed.now)
  bed.recorder = traces.recorder
  for (const [number, url] of [
    [other, 'https://acme.test/other'],
    [third, 'https://acme.test/third'],
  ] as const)
    bed.store.numbers.set(number, { account: acme.uuid, number: numberOf(number, url) })
  bed.documents.set(hook, `<Response>${document}</Response>`)
  bed.documents.set('https://acme.test/other', `<Response>${back}</Response>`)
  bed.documents.set('https://acme.test/third', `<Response>${onward}</Response>`)
  bed.call(own)
  bed.run(120_000)
  return [...bed.store.calls.values()].flatMap(({ uuid }) => traces.read(uuid, 'customer')?.end ?? [])
}
const other = '+254744444444'
const third = '+254755555555'
const dialOf = (number: string) => `<Dial><Number>${number}</Number></Dial>`

test('two numbers that dial each other: each call that one of them has dialled says so', () => {
  const [first, ...later] = endsBetween(dialOf(other), dialOf(own))
  assert.is(first?.sentence, circleOf(other))
  assert.is(later.length, 8)
  for (const [at, { sentence, advice }] of later.entries()) {
    const [called, dialled] = at % 2 === 0 ? [other, own] : [own, other]
    assert.is(sentence, `${called} and ${dialled} dial each other: the <Dial> of each document names the other number.`)
    assert.match(advice, /in one of their documents/)
  }
  assert.is(later.at(-1)?.reason_code, 'END.3482')
})

test('two numbers that dial each other after a greeting: the call that was one too many says so', () => {
  const ends = endsBetween(`<Say>Hi</Say>${dialOf(other)}`, `<Say>Hi</Say>${dialOf(own)}`)
  const { problems = [] } = ends.at(-1) ?? {}
  assert.equal(
    problems.map(({ code, sentence }) => [code, sentence]),
    [['END.3482', `${own} and ${other} dial each other: the <Dial> of each document names the other number.`]],
  )
})

const circleOf = (number: string) =>
  `${number} dials in a circle: from document to document, <Dial> leads back to a number that had dialled before.`

for (const [name, way, dialled] of [
  ['three numbers in a ring', [other, third, own], [other, third, own, other, third, own, other, third, own]],
  ['a number that dials itself, dialled by another one', [other, other, other], [other]],
] as const)
  test(`${name}: every call says that it goes in a circle, and what to do, also after a greeting`, () => {
    const [first, second, last] = way.map(dialOf)
    const ends = endsBetween(first ?? '', second ?? '', last)
    assert.is(ends.length, 9)
    assert.is(ends.at(-1)?.reason_code, 'END.3482')
    for (const [at, number] of dialled.entries()) {
      assert.is(ends[at]?.sentence, circleOf(number), String(at))
      assert.match(ends[at]?.advice ?? '', /in one of their documents/)
    }
    const [greeting, ...more] = way.map(number => `<Say>Hi</Say>${dialOf(number)}`)
    const greeted = endsBetween(greeting ?? '', more[0] ?? '', more[1])
    for (const { sentence, problems } of greeted)
      assert.match([sentence, ...problems.map(problem => problem.sentence)].join(' '), / dials (in a circle|itself): /)
  })

test('numbers that dial one another, but each only once, are in no circle', () => {
  const ends = endsBetween(dialOf(other), dialOf(third), '<Hangup reason="rejected"/>')
  assert.ok(ends.length === 3 && ends.every(({ sentence }) => !sentence.includes('circle')), JSON.stringify(ends))
})

test('a number that is dialled and dials a third one, which declines, is in no loop', () => {
  const ends = endsBetween(dialOf(other), dialOf(far))
  assert.ok(ends.length === 2 && ends.every(({ sentence }) => !sentence.includes('each other')), JSON.stringify(ends))
})

test('what a carrier says of its BYE is told in words; a normal hang-up stays one', () => {
  const dial = `<Dial><Number>${far}</Number></Dial>`
  const ended = (q850?: number) =>
    endOf({
      document: dial,
      set: bed => bed.peers.set(far, { ringAfter: 10, answerAfter: 100 }),
      act: bed => {
        const [legId] = bed.dialled
        if (legId === undefined) throw new Error('not dialled')
        bed.endLeg(legId, { kind: 'bye', ...(q850 === undefined ? {} : { q850 }) })
      },
    })
  const cut = ended(41)
  assert.is(cut.reason_code, 'END.0200')
  assert.is(cut.sentence, `The call was cut on the side of ${far}: Q.850 cause 41, temporary failure.`)
  assert.match(cut.advice, /carrier/)
  assert.match(ended(99).sentence, /: Q\.850 cause 99\.$/)
  for (const normal of [undefined, 0, 16, 31, 127]) {
    const end = ended(normal)
    assert.equal([end.sentence, end.advice], [`${far} hung up after the call was answered.`, ''])
  }
})

const addresses = {
  transport: 'udp',
  address: '192.0.2.1',
  port: 5060,
  localHost: '192.0.2.2',
  localPort: 5060,
} as const
const bytesOf = (...lines: readonly string[]) => new TextEncoder().encode([...lines, ''].join('\r\n'))

test('no common codec stands once, also where the operator sees what the trunk got', () => {
  const sdp = ['v=0', 'm=audio 40000 RTP/AVP 0']
  for (const reader of ['customer', 'operator'] as const)
    for (const status of [488, undefined]) {
      const end = endOf({
        reader,
        document: `<Dial><Number>${far}</Number></Dial>`,
        set: bed => {
          bed.trunks = [{ ...trunk('t1'), strip: 1, prepend: '00' }]
          bed.answersAreUseless = true
          bed.peers.set(`t1:00${far.slice(1)}`, { ringAfter: 10, ...(status === undefined && { answerAfter: 5000 }) })
        },
        act: (bed, _caller, { inlet }) => {
          const [legId] = bed.dialled
          if (legId === undefined) throw new Error('not dialled')
          const at = 1_800_000_000_000 + bed.now
          inlet.dialog(legId, 'dialled')
          const head = ['Call-ID: dialled', 'CSeq: 1 INVITE', '']
          inlet.sip(at, bytesOf('INVITE sip:x@192.0.2.1 SIP/2.0', ...head, ...sdp), addresses, true)
          const answer = status === undefined ? '183 Session Progress' : `${status} Not Acceptable Here`
          inlet.sip(at, bytesOf(`SIP/2.0 ${answer}`, ...head, ...(status === undefined ? sdp : [])), addresses, false)
          if (status !== undefined) bed.endLeg(legId, { kind: 'response', status })
        },
      })
      assert.is(end.reason_code, 'END.0488', JSON.stringify(end))
      assert.match(end.sentence, /PCMU/)
      assert.equal(end.problems, [], `${reader} ${status}`)
    }
})

test('the same number that was busy twice stands once, another one besides', () => {
  const other = '+254733333334'
  const busy = { endAfter: 50, cause: { kind: 'response', status: 486 } } as const
  const [first, second] = [far, other].map(number => `<Dial><Number>${number}</Number></Dial>`)
  const { problems } = endOf({
    document: `${first}${second}${first}<Say>Goodbye</Say>`,
    set: bed => {
      bed.peers.set(far, busy)
      bed.peers.set(other, busy)
    },
  })
  assert.equal(
    problems.map(({ sentence }) => sentence),
    [`${far} is busy.`, `${other} is busy.`],
  )
})

test.run()
