import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { csvOf } from '../../api/portal/app/csv.ts'
import { agoOf, dayAndClock, shillings } from '../../api/portal/app/figures.ts'
import { periodOf } from '../../api/portal/app/pages/call-period.ts'
import { usersOf } from '../../api/portal/app/pages/document-users.ts'
import { summaryOf } from '../../api/portal/app/pages/event-summary.ts'
import { markOf, outcomeOf } from '../../api/portal/app/pages/outcome.ts'
import { slicesOf, totalsOf } from '../../api/portal/app/pages/traffic-slices.ts'
import { SecondHand } from '../../api/portal/app/second-hand.ts'
import { noteServerDate, serverNow } from '../../api/portal/app/server-time.ts'
import { en } from '../../api/portal/app/texts/en.ts'
import { browserOf } from '../../api/portal/app/user-agent.ts'
import { eventCatalogue } from '../../core/events/catalogue.ts'

// What pages of the portal work out themselves from what the API says.

/** A page that is seen or not, and its timers. */
function pageOf() {
  const timers = new Set<() => void>()
  let isSeen = true
  let tell = () => {}
  const hand = new SecondHand({
    isSeen: () => isSeen,
    onSeen: changed => {
      tell = changed
    },
    every(ms, beat) {
      assert.is(ms, 1000)
      const timer = () => beat()
      timers.add(timer)
      return () => timers.delete(timer)
    },
  })
  const show = (seen: boolean) => {
    isSeen = seen
    tell()
  }
  const second = () => {
    for (const timer of timers) timer()
  }
  return { hand, timers, show, second }
}

test('all that counts in a page has one timer, which stands still while nothing counts or the page is not seen', () => {
  const { hand, timers, show, second } = pageOf()
  assert.is(timers.size, 0)
  const beats = { one: 0, other: 0 }
  const endOne = hand.follow(() => beats.one++)
  const endOther = hand.follow(() => beats.other++)
  assert.is(timers.size, 1)
  second()
  assert.equal(beats, { one: 1, other: 1 })
  show(false)
  assert.is(timers.size, 0)
  // Seen again: at once, as what stands there is old.
  show(true)
  assert.equal([timers.size, beats], [1, { one: 2, other: 2 }])
  show(true)
  assert.equal(beats, { one: 2, other: 2 })
  endOne()
  second()
  assert.equal([timers.size, beats], [1, { one: 2, other: 3 }])
  endOther()
  assert.is(timers.size, 0)
  show(false)
  show(true)
  assert.is(timers.size, 0)
})

test('ages are counted by the clock of the switch, where the own one is off', () => {
  const own = Date.parse('2026-11-27T10:00:00Z')
  noteServerDate('Fri, 27 Nov 2026 08:00:00 GMT', own)
  assert.is(serverNow(own + 5000), Date.parse('2026-11-27T08:00:05Z'))
  for (const nothing of [null, 'yesterday']) {
    noteServerDate(nothing, own)
    assert.is(serverNow(own), Date.parse('2026-11-27T08:00:00Z'))
  }
  // A header knows seconds, and an answer takes time.
  noteServerDate('Fri, 27 Nov 2026 09:59:58 GMT', own)
  assert.is(serverNow(own), own)
})

test('a completed call is green only where nothing went wrong, and says what did', () => {
  const call = (status: 'answered' | 'completed' | 'failed', reason: string) =>
    ({ status, reason_code: reason, problem_code: '' }) as Parameters<typeof markOf>[0]
  const failedDocument = [{ code: 'END.3502' }]
  for (const [one, problems, tone, reason] of [
    [call('answered', ''), [], 'live', ''],
    [call('failed', 'END.0486'), [], 'bad', ''],
    [call('failed', 'END.3502'), failedDocument, 'bad', ''],
    [call('completed', 'END.0200'), [], 'good', ''],
    [call('completed', 'END.0201'), [], 'good', ''],
    [call('completed', 'END.0202'), [], 'good', ''],
    // Voicemail after a Dial without an answer is as planned.
    [call('completed', 'END.0202'), [{ code: 'END.0408' }], 'good', ''],
    [call('completed', 'END.0200'), failedDocument, 'warn', 'END.3502'],
    [call('completed', 'END.0202'), [{ code: 'END.0408' }, { code: 'PLAY.0404' }], 'warn', 'PLAY.0404'],
    [call('completed', 'END.0202'), [{ code: 'REC.0400' }], 'warn', 'REC.0400'],
    [call('completed', 'END.3502'), [], 'warn', 'END.3502'],
    [call('completed', 'END.0211'), [], 'warn', 'END.0211'],
    [call('completed', 'END.2408'), [{ code: 'END.0486' }], 'warn', 'END.2408'],
    [call('completed', 'END.5410'), [], 'warn', 'END.5410'],
  ] as const) {
    assert.equal(markOf(one, { problems }), { tone, reason }, JSON.stringify([one, problems]))
    // The sentence on its page never says bad beside a green badge, nor good beside another one.
    const outcome = outcomeOf(one, { problems })
    if (tone !== 'live') assert.is(tone === 'good', outcome === 'good' || outcome === 'calm', JSON.stringify(one))
  }
  // In a list the row says the first problem.
  const row = { ...call('completed', 'END.0200'), problem_code: 'END.3502' } as const
  assert.equal([markOf(row), outcomeOf(row)], [{ tone: 'warn', reason: 'END.3502' }, 'warn'])
  // A network cut it: the end itself has an advice.
  const cut = { advice: 'Tell the operator.' }
  assert.equal(markOf(call('completed', 'END.0200'), cut), { tone: 'warn', reason: '' })
  assert.is(outcomeOf(call('completed', 'END.0200'), cut), 'warn')
})

test('browsers are named as people know them', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
  const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
  for (const [userAgent, browser, system] of [
    [chrome, 'Chrome 141', 'Linux'],
    [chrome.replace('Chrome/', 'HeadlessChrome/'), 'Chromium 141', 'Linux'],
    [chrome.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64'), 'Chrome 141', 'Windows'],
    [`${chrome} Edg/141.0.3537.57`, 'Edge 141', 'Linux'],
    [`${chrome} OPR/124.0.0.0`, 'Opera 124', 'Linux'],
    [chrome.replace('X11; Linux x86_64', 'X11; CrOS x86_64 14541.0.0'), 'Chrome 141', 'ChromeOS'],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
      'Samsung Internet 28',
      'Android',
    ],
    ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox 144', 'Linux'],
    [`${iPhone} Version/18.5 Mobile/15E148 Safari/604.1`, 'Safari 18', 'iOS'],
    [`${iPhone} CriOS/141.0.7390.69 Mobile/15E148 Safari/604.1`, 'Chrome 141', 'iOS'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      'Safari 26',
      'macOS',
    ],
    ['Mozilla/5.0 (Plan9) Firefox/99.0', 'Firefox 99', ''],
  ] as const)
    assert.equal(browserOf(userAgent), { browser, system }, userAgent)
  for (const other of [
    '',
    'curl/8.5.0',
    'Mozilla/5.0 (compatible; Bot/1.0)',
    'Chrome/141',
    '"><script>Chrome/1</script>',
  ])
    assert.is(browserOf(other), undefined, other)
})

test('a time of another year says so, and what is near says how near', () => {
  const now = new Date(2026, 10, 27, 8)
  assert.is(dayAndClock(new Date(2026, 0, 2, 3, 4, 5), en.months, now), '2 Jan, 03:04:05')
  assert.is(dayAndClock(new Date(2025, 11, 31, 23, 59, 59), en.months, now), '31 Dec 2025, 23:59:59')
  const minute = 60_000
  for (const [ms, unit, count] of [
    [0, 'now', 0],
    [minute - 1, 'now', 0],
    [minute, 'minutes', 1],
    [60 * minute - 1, 'minutes', 59],
    [60 * minute, 'hours', 1],
    [24 * 60 * minute - 1, 'hours', 23],
    [24 * 60 * minute, 'days', 1],
    [30 * 24 * 60 * minute, 'days', 30],
  ] as const)
    assert.equal(agoOf(ms), { unit, count }, `${ms}`)
  assert.is(agoOf(31 * 24 * 60 * minute), undefined)
})

test('the days of a list of calls are whole days of the browser', () => {
  const now = new Date(2026, 10, 27, 8, 30)
  const of = (text: string) => periodOf(new URLSearchParams(text), now)
  const at = (day: number, ...time: number[]) => new Date(2026, 10, day, ...time).toISOString()
  assert.equal(of(''), { period: undefined, since: '', until: '', range: {} })
  assert.equal(of('when=ever').range, {})
  assert.equal(of('when=today').range, { from_dt: at(27) })
  assert.equal(of('when=yesterday').range, { from_dt: at(26), to_dt: at(26, 23, 59, 59, 999) })
  assert.equal(of('when=week').range, { from_dt: at(21) })
  assert.equal(of('when=month').range, { from_dt: new Date(2026, 9, 29).toISOString() })
  assert.equal(of('since=2026-11-03'), {
    period: 'days',
    since: '2026-11-03',
    until: '',
    range: { from_dt: at(3) },
  })
  assert.equal(of('until=2026-11-03').range, { to_dt: at(3, 23, 59, 59, 999) })
  assert.equal(of('since=2026-11-03&until=2026-11-05&when=today').range, {
    from_dt: at(3),
    to_dt: at(5, 23, 59, 59, 999),
  })
  // An address of before.
  assert.equal(of('day=2026-11-03').range, { from_dt: at(3), to_dt: at(3, 23, 59, 59, 999) })
  for (const none of ['since=now', 'since=2026-13-01', 'until=2026-11-3', 'day=%00'])
    assert.equal(of(none), { period: undefined, since: '', until: '', range: {} }, none)
})

test('a file for spreadsheets runs nothing, and leaves numbers as they are (RFC 4180)', () => {
  const rows = [['+254722000111', '-12.50', '=1+1', '@x', '-1+2', '+1-2', 'a "b", c', '']]
  assert.is(csvOf(['a', 'b'], rows), `a,b\r\n"+254722000111","-12.50","'=1+1","'@x","'-1+2","'+1-2","a ""b"", c",""`)
})

test('an event that reports a failure looks like one, and its row says what it is about', () => {
  const tones = { bad: [] as string[], warn: [] as string[], calm: [] as string[] }
  for (const code of Object.keys(eventCatalogue)) tones[summaryOf(code, {}).tone].push(code)
  assert.equal(tones.warn, ['ACCT.0100', 'BILL.0100', 'SAY.0404', 'SAY.0413', 'DOC.0204', 'DOC.0422', 'EVENT.0429'])
  assert.equal(
    tones.bad.map(code => code.replace(/\.\d+$/, '')).filter((kind, at, all) => all.indexOf(kind) === at),
    ['CALL', 'DIAL', 'REC', 'WH', 'PLAY', 'SAY', 'DOC'],
  )
  assert.ok(tones.bad.includes('DOC.0502') && tones.bad.includes('WH.0400'))
  for (const code of ['CALL.0300', 'WH.0200', 'BILL.0200', 'DTMF.0100']) assert.ok(tones.calm.includes(code), code)
  const ended = { from_number: '+254722000111', to_number: '+254733000001', reason_code: 'END.0486' }
  assert.equal(summaryOf('CALL.0400', ended), {
    tone: 'bad',
    facts: ['+254722000111 → +254733000001'],
    reason: 'END.0486',
  })
  assert.is(summaryOf('CALL.0300', { ...ended, reason_code: 'END.0200' }).reason, '')
  const sent = { code: 'CALL.0300', url: 'https://a.test/status', status: 200 }
  assert.equal(summaryOf('WH.0200', sent).facts, ['CALL.0300', '200', 'https://a.test/status'])
  for (const odd of [null, undefined, 'text', 7, { from_number: {} }])
    assert.equal(summaryOf('CALL.0100', odd).facts, [])
})

test('calls over time: every slice, and what the whole comes to', () => {
  const at = (text: string) => Date.parse(`2026-11-${text}Z`)
  const slice = (text: string, calls: number, failed: number, talk: number, cost: string) => ({
    at: new Date(at(text)).toISOString(),
    calls,
    failed,
    talk_seconds: talk,
    cost,
  })
  const of = (seconds: number, slices: ReturnType<typeof slice>[]) => ({
    live_calls: 0,
    slice_seconds: seconds,
    slices,
    failures: [],
  })
  const hourly = of(3600, [
    slice('26T10:00', 9, 9, 0, '0'),
    slice('27T09:00', 4, 1, 90, '1.5'),
    slice('27T10:00', 2, 1, 30, '0.25'),
  ])
  const hours = slicesOf(hourly, 24, at('27T10:30'))
  assert.is(hours.length, 24)
  assert.equal(hours.slice(-2), [
    { atMs: at('27T09:00'), well: 3, failed: 1 },
    { atMs: at('27T10:00'), well: 1, failed: 1 },
  ])
  assert.equal(hours[0], { atMs: at('26T11:00'), well: 0, failed: 0 })
  const days = slicesOf(of(86_400, [slice('21T00:00', 1, 0, 1, '0')]), 168, at('27T10:30'))
  assert.equal([days.length, days[0], days[6]?.atMs], [7, { atMs: at('21T00:00'), well: 1, failed: 0 }, at('27T00:00')])
  assert.equal(totalsOf(of(3600, hourly.slices.slice(1))), {
    calls: 6,
    failed: 2,
    answeredPercent: 67,
    averageTalk: 30,
    cost: 1.75,
  })
  const none = { calls: 0, failed: 0, answeredPercent: undefined, averageTalk: undefined, cost: 0 }
  assert.equal(totalsOf(of(3600, [])), none)
})

test('a document names what runs it', () => {
  const numbers = [
    { number: '+1', webhook_inbound: { url: 'a' } },
    { number: '+2', webhook_inbound: { url: 'b' } },
    { number: '+3', webhook_inbound: { url: 'a' } },
  ]
  const defaults = { voice_inbound: '', voice_outbound: 'a', status: 'c' }
  assert.equal(usersOf('a', numbers, defaults), { numbers: ['+1', '+3'], purposes: ['voice_outbound'] })
  assert.equal(usersOf('d', numbers, defaults), { numbers: [], purposes: [] })
})

test('money has its sign before all of it, as a bank writes it', () => {
  assert.equal([0, 1234.5, -450, 0.00125, -0].map(shillings), [
    'KES 0.00',
    'KES 1,234.50',
    '−KES 450.00',
    'KES 0.0013',
    'KES 0.00',
  ])
})

test('the last 24 hours of the list of calls are those that home counts', () => {
  const now = new Date('2026-11-28T15:09:10Z')
  const { period, range } = periodOf(new URLSearchParams('when=day'), now)
  const [first] = slicesOf({ live_calls: 0, slice_seconds: 3600, slices: [], failures: [] }, 24, now.getTime())
  assert.is(period, 'day')
  assert.equal(range, { from_dt: new Date(first?.atMs ?? 0).toISOString() })
})

test.run()
