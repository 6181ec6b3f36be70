import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cancellingMs } from '../../../core/verbs/dial.ts'
import { maxDialChildren } from '../../../core/verbs/dial-children.ts'
import { checkDocument, type DialRequest, type ProgramEvent, type RecordOptions } from '../../../core/verbs/index.ts'
import { closingMs } from '../../../core/verbs/record.ts'
import { type BedOptions, lastId, ProgramBed } from '../bed/program-bed.ts'

const start = 'http://a.test/start'
const after = 'http://a.test/after'
const bedOf = (inside: string, options: Omit<BedOptions, 'documents'> = {}) => {
  const documents = { [start]: `<Response>${inside}</Response>`, [after]: '<Response/>' }
  return new ProgramBed({ documents, ...options })
}
const codes = (inside: string) =>
  checkDocument(new TextEncoder().encode(`<Response>${inside}</Response>`)).problems.map(problem => problem.code)

type Recorded = Extract<ProgramEvent, { type: 'recorded' }>
const recorded = (bed: ProgramBed, fields: Partial<Recorded> = {}): Recorded => ({
  type: 'recorded',
  recordId: lastId(bed, 'record'),
  recordingUuid: 'uuid-1',
  path: 'rec/uuid-1.wav',
  durationMs: 3400,
  endedBy: 'stopped',
  ...fields,
})

type Dialled = Extract<ProgramEvent, { type: 'dialled' }>
const dialled = (bed: ProgramBed, fields: Partial<Dialled> = {}): Dialled => ({
  type: 'dialled',
  dialId: lastId(bed, 'dial'),
  status: 'completed',
  durationSeconds: 12,
  reason: 'END.0200',
  sid: 'CA0000000000000001',
  ...fields,
})

test('Record answers, beeps, records, and a digit ends it', () => {
  const bed = bedOf('<Record action="after"/>', { answered: false })
  bed.at(1000, { type: 'digit', digit: '7' })
  bed.run(1500)
  bed.at(1600, recorded(bed))
  assert.equal(bed.run(), [
    `0 fetch ${start}`,
    '100 answer',
    '150 beep',
    '450 record',
    '1000 stop-record',
    `1600 fetch ${after} {"RecordingDuration":3,"RecordingPath":"rec/uuid-1.wav","RecordingUuid":"uuid-1","Digits":"7"}`,
    '1700 end END.0202',
  ])
})

test('Record without a beep is ordered together with the answer: the first word is not lost', () => {
  const bed = bedOf('<Record action="after" playBeep="false"/>', { answered: false })
  bed.run(900)
  bed.at(1000, recorded(bed, { endedBy: 'silence' }))
  assert.equal(bed.run().slice(0, 3), [`0 fetch ${start}`, '100 answer', '100 record'])
})

test('Record: only the finish keys end it, and only once', () => {
  const bed = bedOf('<Record action="after" finishOnKey="#" playBeep="false"/>')
  for (const [at, digit] of [
    [200, '1'],
    [300, '#'],
    [400, '#'],
  ] as const) {
    bed.at(at, { type: 'digit', digit })
  }
  assert.equal(bed.run(1000).slice(1), ['100 record', '300 stop-record'])
  const none = bedOf('<Record finishOnKey="" playBeep="false"/>').at(200, { type: 'digit', digit: '#' })
  assert.equal(none.run(1000).slice(1), ['100 record'])
})

test('Record: what ends it shows in the extras', () => {
  const rows: [fields: Partial<Recorded>, extras: string][] = [
    [
      { endedBy: 'silence' },
      '{"RecordingDuration":3,"RecordingPath":"rec/uuid-1.wav","RecordingUuid":"uuid-1","Digits":""}',
    ],
    [
      { endedBy: 'max-length', durationMs: 3_600_000 },
      '{"RecordingDuration":3600,"RecordingPath":"rec/uuid-1.wav","RecordingUuid":"uuid-1","Digits":""}',
    ],
    [
      { endedBy: 'silence', durationMs: 0, path: '', recordingUuid: '' },
      '{"RecordingDuration":0,"RecordingPath":"","RecordingUuid":"","Digits":""}',
    ],
    [
      { endedBy: 'failed', durationMs: 0, path: '', recordingUuid: '' },
      '{"RecordingDuration":0,"RecordingPath":"","RecordingUuid":"","Digits":""}',
    ],
  ]
  for (const [fields, extras] of rows) {
    const bed = bedOf('<Record action="after" playBeep="false"/>')
    bed.run(500)
    bed.at(600, recorded(bed, fields))
    assert.is(bed.run()[2], `600 fetch ${after} ${extras}`)
  }
})

test('Record without action: the next verb runs', () => {
  const bed = bedOf('<Record playBeep="false"/><Say>Thanks</Say>')
  bed.run(500)
  bed.at(600, recorded(bed))
  assert.equal(bed.run().slice(1), ['100 record', '600 say "Thanks" ×1', '2600 end END.0202'])
})

test('Record: a hang-up posts once, whichever event comes first, and the reply is ignored', () => {
  const gone: ProgramEvent = { type: 'caller-gone' }
  const posted = `fetch ${after} {"RecordingDuration":3,"RecordingPath":"rec/uuid-1.wav","RecordingUuid":"uuid-1","Digits":"hangup"} (reply ignored)`
  const nothing = `fetch ${after} {"RecordingDuration":0,"RecordingPath":"","RecordingUuid":"","Digits":"hangup"} (reply ignored)`

  const first = bedOf('<Record action="after" playBeep="false"/>')
  first.at(500, gone).run(600)
  first.at(700, recorded(first, { endedBy: 'closed' }))
  assert.equal(first.run().slice(2), [`700 ${posted}`])

  const second = bedOf('<Record action="after" playBeep="false"/>')
  second.run(600)
  second.at(700, recorded(second, { endedBy: 'closed' })).at(710, gone)
  assert.equal(second.run().slice(2), [`710 ${posted}`])

  // Its end is never reported.
  const third = bedOf('<Record action="after" playBeep="false"/>').at(500, gone)
  assert.equal(third.run().slice(2), [`${500 + closingMs} ${nothing}`])

  // Before the recording has begun.
  for (const at of [120, 200]) {
    const early = bedOf('<Record action="after"/>', { answered: false }).at(at, gone)
    assert.is(early.run().at(-1), `${at} ${nothing}`)
    assert.is(early.interpreter.isOver, true)
  }

  const silent = bedOf('<Record playBeep="false"/><Say>never</Say>').at(500, gone)
  assert.equal(silent.run().slice(1), ['100 record'])
})

test('Record: each attribute, good and bad', () => {
  const options: RecordOptions = { silenceMs: 5000, maxLengthMs: 3_600_000, trimSilence: false, format: 'wav' }
  const rows: [attributes: string, options: Partial<RecordOptions>, problems: number][] = [
    ['', {}, 0],
    ['timeout="0"', { silenceMs: 0 }, 0],
    ['timeout="10"', { silenceMs: 10_000 }, 0],
    ['timeout="-1"', {}, 1],
    ['timeout="soon"', {}, 1],
    ['maxLength="1"', { maxLengthMs: 1000 }, 0],
    ['maxLength="14400"', { maxLengthMs: 14_400_000 }, 0],
    ['maxLength="0"', {}, 1],
    ['maxLength="14401"', {}, 1],
    ['trim="trim-silence"', { trimSilence: true }, 0],
    ['trim="yes"', {}, 1],
    ['format="wav"', {}, 0],
    ['format="ogg"', { format: 'ogg' }, 0],
    ['format="mp3"', {}, 1],
    ['format="mp3"', {}, 1],
    ['channels="mono"', {}, 0],
    ['channels="dual"', {}, 1],
    ['finishOnKey="12ab"', {}, 1],
    ['playBeep="yes"', {}, 1],
    ['action="ftp://a.test/"', {}, 1],
    ['action=""', {}, 1],
    ['transcribe="true"', {}, 1],
  ]
  for (const [attributes, changed, problems] of rows) {
    const verb = `<Record ${attributes}/>`
    assert.is(codes(verb).length, problems, verb)
    const bed = bedOf(verb)
    bed.run(1000)
    const command = bed.commands.find(each => each.type === 'record')
    assert.equal(command?.type === 'record' && command.options, { ...options, ...changed }, verb)
  }
})

test('Dial posts how it went; without action the next verb runs', () => {
  const rows: [fields: Partial<Dialled>, extras: string][] = [
    [
      {},
      '{"DialCallStatus":"completed","DialCallDuration":12,"DialReasonCode":"END.0200","DialCallSid":"CA0000000000000001"}',
    ],
    [
      { status: 'busy', reason: 'END.0486', durationSeconds: 0, sid: 'CA1' },
      '{"DialCallStatus":"busy","DialCallDuration":0,"DialReasonCode":"END.0486","DialCallSid":"CA1"}',
    ],
  ]
  for (const [fields, extras] of rows) {
    const bed = bedOf('<Dial action="/after"><Number>+254700000001</Number></Dial>', { answered: false })
    bed.run(5000)
    bed.at(6000, dialled(bed, fields))
    assert.equal(bed.run().slice(1, 3), ['100 dial number', `6000 fetch ${after} ${extras}`])
  }
  const bed = bedOf('<Dial>+254700000001</Dial><Say>Nobody there</Say>')
  bed.run(5000)
  bed.at(6000, dialled(bed, { status: 'no-answer', reason: 'END.0408', durationSeconds: 0 }))
  assert.equal(bed.run().slice(1), ['100 dial number', '6000 say "Nobody there" ×1', '8000 end END.0202'])
})

test('Dial answers first only when the document says so', () => {
  const log = bedOf('<Dial answerOnBridge="false">1002</Dial>', { answered: false }).run(5000)
  assert.equal(log.slice(1), ['100 answer', '150 dial number'])
})

test('Dial: a hang-up posts once when the legs are done, and the reply is ignored', () => {
  const bed = bedOf('<Dial action="/after">1002</Dial>').at(5000, { type: 'caller-gone' })
  bed.run(5500)
  bed.at(5600, dialled(bed)).at(5700, dialled(bed))
  assert.equal(bed.run().slice(2), [
    `5600 fetch ${after} {"DialCallStatus":"completed","DialCallDuration":12,"DialReasonCode":"END.0200","DialCallSid":"CA0000000000000001"} (reply ignored)`,
  ])
  const gaveUp = `fetch ${after} {"DialCallStatus":"no-answer","DialCallDuration":0,"DialReasonCode":"END.0487","DialCallSid":""} (reply ignored)`
  const stuck = bedOf('<Dial action="/after">1002</Dial>').at(5000, { type: 'caller-gone' })
  assert.equal(stuck.run(100_000).slice(2), [`${5000 + cancellingMs} ${gaveUp}`])
  const early = bedOf('<Dial action="/after" answerOnBridge="false">1002</Dial>', { answered: false })
  assert.is(early.at(120, { type: 'caller-gone' }).run().at(-1), `120 ${gaveUp}`)
})

test('Dial without a destination has failed', () => {
  const failed = '{"DialCallStatus":"failed","DialCallDuration":0,"DialReasonCode":"END.0404","DialCallSid":""}'
  for (const inside of [
    '',
    '<Number/>',
    '<Number>sip:x@169.254.169.254</Number>',
    '<Foo>1</Foo>',
    'nobody',
    '<Sip>tel:1</Sip>',
    '<Sip>sip:</Sip>',
    '<Sip>sip:ann@</Sip>',
    '<Sip>sip:ann@pbx@example.com</Sip>',
    '<Sip>sip:ann@example.com:0</Sip>',
    '<Sip>sip:ann@example.com:65536</Sip>',
    '<Sip>sip:ann@example.com:99999</Sip>',
    '<Sip>sip:ann@example.com:sip</Sip>',
    '<Client> </Client>',
  ]) {
    const bed = bedOf(`<Dial action="/after">${inside}</Dial>`)
    const log = bed.run()
    assert.is(log[1], '100 report DOC.0422', inside)
    assert.ok(log.includes(`100 fetch ${after} ${failed}`), inside)
    assert.is(
      bed.commands.some(command => command.type === 'dial'),
      false,
    )
  }
  assert.equal(bedOf('<Dial/><Say>next</Say>').run().slice(1), [
    '100 report DOC.0422',
    '100 say "next" ×1',
    '2100 end END.0202',
  ])
})

test('Dial: children', () => {
  const rows: [inside: string, targets: DialRequest['targets'], problems: number][] = [
    ['+254 700-000 001', [{ kind: 'number', number: '+254700000001', sendDigits: '' }], 0],
    ['<Number>1002</Number>', [{ kind: 'number', number: '1002', sendDigits: '' }], 0],
    ['<Number sendDigits="ww12#">1002</Number>', [{ kind: 'number', number: '1002', sendDigits: 'ww12#' }], 0],
    ['<Number sendDigits="call">1002</Number>', [{ kind: 'number', number: '1002', sendDigits: '' }], 1],
    ['<Client>ann@example.com</Client>', [{ kind: 'client', client: 'ann@example.com' }], 0],
    ['<Sip>sip:ann@example.com;transport=tcp</Sip>', [{ kind: 'sip', uri: 'sip:ann@example.com;transport=tcp' }], 0],
    ...[
      'sip:pbx',
      'sip:ann:pw@[2001:db8::1]:65535;transport=tls',
      'sip:a;b?c=1@10.0.0.1:1?subject=x',
      'sip:a@b:005060',
    ].map((uri): (typeof rows)[number] => [`<Sip>${uri}</Sip>`, [{ kind: 'sip', uri }], 0]),
    [
      '<Sip username="u" password="p">sips:ann@example.com</Sip>',
      [{ kind: 'sip', uri: 'sips:ann@example.com', username: 'u', password: 'p' }],
      0,
    ],
    [
      '<Number>1</Number><Client>2</Client>',
      [
        { kind: 'number', number: '1', sendDigits: '' },
        { kind: 'client', client: '2' },
      ],
      0,
    ],
    ['1003<Number>1</Number>', [{ kind: 'number', number: '1', sendDigits: '' }], 1],
    ['<Number url="x">1</Number><Queue>q</Queue>', [{ kind: 'number', number: '1', sendDigits: '' }], 2],
    ['<Number>+12345</Number><Number>1</Number>', [{ kind: 'number', number: '1', sendDigits: '' }], 1],
  ]
  for (const [inside, targets, problems] of rows) {
    assert.is(codes(`<Dial>${inside}</Dial>`).length, problems, inside)
    const bed = bedOf(`<Dial>${inside}</Dial>`)
    bed.run(1000)
    const command = bed.commands.find(each => each.type === 'dial')
    assert.equal(command?.type === 'dial' && command.dial.targets, targets, inside)
  }
  const many = `<Dial>${'<Number>1002</Number>'.repeat(12)}</Dial>`
  assert.equal(codes(many), ['DOC.0422', 'DOC.0422'])
  const bed = bedOf(many)
  bed.run(1000)
  const command = bed.commands.find(each => each.type === 'dial')
  assert.is(command?.type === 'dial' && command.dial.targets.length, maxDialChildren)
})

test('Dial: each attribute, good and bad', () => {
  const request: Omit<DialRequest, 'targets'> = {
    timeoutMs: 30_000,
    timeLimitMs: 14_400_000,
    answerOnBridge: true,
    hangupOnStar: false,
    sequential: false,
    ringTone: 'ke',
    record: 'do-not-record',
  }
  const rows: [attributes: string, changed: Partial<DialRequest>, problems: number][] = [
    ['', {}, 0],
    ['timeout="1"', { timeoutMs: 1000 }, 0],
    ['timeout="600"', { timeoutMs: 600_000 }, 0],
    ['timeout="0"', {}, 1],
    ['timeout="601"', {}, 1],
    ['timeLimit="14400"', {}, 0],
    ['timeLimit="60"', { timeLimitMs: 60_000 }, 0],
    ['timeLimit="14401"', {}, 1],
    ['callerId="+254711000001"', { callerId: '+254711000001' }, 0],
    ['callerId=" +254 711 000001 "', { callerId: '+254711000001' }, 0],
    ['callerId="anonymous"', {}, 1],
    ['callerId=""', {}, 1],
    ['callerId="+1"', {}, 1],
    ['hangupOnStar="true"', { hangupOnStar: true }, 0],
    ['hangupOnStar="TRUE"', {}, 1],
    ['sequential="true"', { sequential: true }, 0],
    ['ringTone="us"', { ringTone: 'us' }, 0],
    ['ringTone="My Tone"', {}, 1],
    ['record="record-from-answer"', { record: 'record-from-answer' }, 0],
    ['record="record-from-answer-dual"', { record: 'record-from-answer-dual' }, 0],
    ['record="true"', {}, 1],
    ['answerOnBridge="false"', { answerOnBridge: false }, 0],
    ['method="GET"', {}, 1],
  ]
  for (const [attributes, changed, problems] of rows) {
    const verb = `<Dial ${attributes}>1002</Dial>`
    assert.is(codes(verb).length, problems, verb)
    const bed = bedOf(verb)
    bed.run(1000)
    const command = bed.commands.find(each => each.type === 'dial')
    assert.ok(command?.type === 'dial')
    if (command?.type !== 'dial') return
    const { targets, callerIdProblem, ...rest } = command.dial
    assert.is(targets.length, 1)
    assert.equal(rest, { ...request, ...changed }, verb)
    // The call knows where the number belongs, and only it can decide whether the account may present it.
    const wanted = changed.callerId === undefined ? undefined : ['http://a.test/start', 1, 11]
    const at = callerIdProblem && [callerIdProblem.url, callerIdProblem.line, callerIdProblem.column]
    assert.equal(at, wanted, verb)
  }
})

test.run()
