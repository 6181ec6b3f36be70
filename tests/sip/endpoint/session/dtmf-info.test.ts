import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseInfoDigit } from '../../../../sip/endpoint/session/dtmf-info.ts'

const relay = 'application/dtmf-relay'

for (const [type, body, digit, durationMs] of [
  [relay, 'Signal=5\r\nDuration=250\r\n', '5', 250],
  [relay, 'signal = 5\nduration = 250', '5', 250],
  [relay, 'Duration=90\r\nSignal=a\r\n', 'A', 90],
  [relay, 'Signal=*', '*', 160],
  [relay, 'Signal=10', '*', 160],
  [relay, 'Signal=11', '#', 160],
  [relay, 'Signal=12', 'A', 160],
  [relay, 'Signal=13', 'B', 160],
  [relay, 'Signal=14', 'C', 160],
  [relay, 'Signal=15', 'D', 160],
  [relay, 'Signal="7"\r\nDuration=100', '7', 100],
  [relay, 'Signal=1\r\nDuration=999999', '1', 10_000],
  ['Application/DTMF-Relay; charset=utf-8', 'Signal=3', '3', 160],
  ['application/dtmf', '#', '#', 160],
  ['application/dtmf', ' 9\r\n', '9', 160],
  ['application/dtmf', 'Signal=7\r\nDuration=90', '7', 90],
] as const) {
  test(`${type}, ${JSON.stringify(body)}: ${digit}, ${durationMs} ms`, () => {
    assert.equal(parseInfoDigit(type, body), { digit, durationMs })
  })
}

for (const [type, body] of [
  [relay, ''],
  [relay, 'Signal='],
  [relay, 'Signal=16'],
  [relay, 'Signal=123'],
  [relay, 'Signal="5'],
  [relay, 'Signal=flash'],
  [relay, '5'],
  ['application/dtmf', '12'],
  ['application/dtmf', ''],
  ['text/plain', '5'],
  ['', 'Signal=5'],
] as const) {
  test(`${type}, ${JSON.stringify(body)}: no digit`, () => {
    assert.is(parseInfoDigit(type, body), undefined)
  })
}

test('a body of line feeds alone is looked through once', () => {
  // With patterns that went over lines this took minutes.
  for (let n = 0; n < 20; n++) assert.is(parseInfoDigit(relay, '\n'.repeat(60_000)), undefined)
})

test.run()
