import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { qualityResource } from '../../../core/events/quality-data.ts'
import type { LegMediaStats } from '../../../core/model/leg-quality.ts'
import { CallBed } from '../bed/call-bed.ts'

const to = '+254722222222'

const heard: LegMediaStats = {
  codec: 'PCMA',
  packetsReceived: 950,
  packetsSent: 1000,
  packetsLost: 50,
  packetsLate: 2,
  packetsDropped: 1,
  jitterMs: 7.1234,
  roundTripMs: 80.0499,
  lossPercent: 5.00049,
  burstRatio: 1.0049,
  oneWayMs: 81.234,
  rFactor: 75.4567,
  mos: 3.8765,
  far: { lossPercent: 1.2345, jitterMs: 2.96 },
  source: { address: '192.0.2.1:4000', state: 'confirmed', changes: 0, refused: 0, withheld: 0 },
}

function answered(verbs: string): CallBed {
  const bed = new CallBed()
  bed.documents.set('https://acme.test/out', `<Response>${verbs}</Response>`)
  bed.peers.set(to, { answerAfter: 500 })
  bed.endedMedia = heard
  return bed
}

test('the quality of each leg is in the last row and in the event of the end, and in no event before', () => {
  const bed = answered('<Dial><Number>+254733333333</Number></Dial>')
  bed.peers.set('t1:+254733333333', { answerAfter: 300, byeAfter: 2000 })
  bed.originate()
  bed.run(120_000)
  const { quality } = bed.store.call()
  assert.equal(
    quality?.map(({ role, number, media }) => [role, number, media.mos]),
    [
      ['callee', to, 3.8765],
      ['callee', '+254733333333', 3.8765],
    ],
  )
  const ended = bed.store.events.at(-1)
  assert.is(ended?.code, 'CALL.0300')
  assert.equal(ended?.data.quality, quality?.map(qualityResource))
  for (const { code, data } of bed.store.events.slice(0, -1)) assert.not('quality' in data, code)
})

test('people are shown rounded figures, and null for what is not known', () => {
  const legUuid = 'leg' as Parameters<typeof qualityResource>[0]['legUuid']
  assert.equal(qualityResource({ legUuid, role: 'caller', number: to, media: heard }), {
    leg: 'leg',
    role: 'caller',
    number: to,
    codec: 'PCMA',
    mos: 3.88,
    r_factor: 75.5,
    loss_percent: 5,
    burst_ratio: 1,
    jitter_ms: 7.1,
    round_trip_ms: 80,
    one_way_ms: 81.2,
    packets_received: 950,
    packets_sent: 1000,
    packets_lost: 50,
    packets_late: 2,
    packets_dropped: 1,
    far: { loss_percent: 1.23, jitter_ms: 3, mos: null },
  })
  const unknown = { ...heard, mos: undefined, rFactor: undefined, roundTripMs: undefined, far: undefined }
  const shown = qualityResource({ legUuid, role: 'caller', number: to, media: unknown })
  assert.equal([shown.mos, shown.r_factor, shown.round_trip_ms, shown.far], [null, null, null, null])
})

test('a call that was not answered has a record too: no leg has a quality', () => {
  const bed = answered('<Hangup/>')
  bed.peers.set(to, { endAfter: 100, cause: { kind: 'response', status: 486 } })
  bed.originate()
  bed.run(120_000)
  assert.equal(bed.store.call().quality, [])
})

test('a session that never reports its end delays the last row for five seconds, not for ever', () => {
  const bed = answered('<Say>Hello</Say>')
  bed.endedMedia = undefined
  bed.originate()
  bed.run(120_000)
  assert.is(bed.store.call().status, 'completed')
  assert.equal(bed.store.call().quality, [])
  const end = bed.store.call().endedUnix ?? 0
  assert.is(bed.over.length, 1)
  const began = bed.store.call().createdUnix
  const lasted = (bed.over[0]?.at ?? 0) - 1000
  assert.ok(lasted - (end - began) <= 5100, `${lasted} ${end - began}`)
})

test.run()
