import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseTimestamp } from '../../api/base/timestamp.ts'

const written = (text: string): string | undefined => {
  const unixMs = parseTimestamp(text)
  return unixMs === undefined ? undefined : new Date(unixMs).toISOString()
}

test('ISO-8601 in the extended and the basic format, with offsets of hours alone too', () => {
  for (const text of [
    '2026-07-01T08:30:00Z',
    '2026-07-01T08:30Z',
    '2026-07-01 08:30:00.000',
    '2026-07-01T11:30:00+03:00',
    '2026-07-01T11:30:00+0300',
    '2026-07-01T11:30:00+03',
    '2026-07-01T11:30:00 03:00',
    '20260701T083000Z',
    '20260701T083000.000Z',
    '20260701T0830Z',
    '20260701T113000+0300',
    '20260701T013000-07',
  ])
    assert.is(written(text), '2026-07-01T08:30:00.000Z', text)
  for (const text of ['2026-07-01', '20260701', '2026-07-01T00Z', '2026-06-30T24:00:00Z', '20260630T240000Z'])
    assert.is(written(text), '2026-07-01T00:00:00.000Z', text)
  assert.is(written('2026-07-01T08:30:00,1239Z'), '2026-07-01T08:30:00.123Z')
})

test('what is no time is none', () => {
  for (const text of [
    '',
    'yesterday',
    '1767225600',
    '2026',
    '202607',
    '2026-0701',
    '202607-01',
    '2026-07-01T24:00:01Z',
    '2026-07-01T24:00:00.001Z',
    '2026-07-01T25:00:00Z',
    '2026-07-01T08:60:00Z',
    '2026-02-30',
    '20260230',
    '2026-07-01T08:30:00+24:00',
    '2026-07-01T08:30:00 EAT',
  ])
    assert.is(written(text), undefined, text)
})

test.run()
