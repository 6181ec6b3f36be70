import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SimulationOrder } from '../../api/simulation/order.ts'
import { namedIn } from '../../api/simulation/reached-numbers.ts'
import { reachedRates } from '../../api/simulation/reached-rates.ts'
import { simulate } from '../../api/simulation/run.ts'
import type { Rate } from '../../core/index.ts'
import { ApiBed } from './bed/api-bed.ts'

const rateOf = (prefix: string, ratePerMinute: number): Rate => ({
  prefix,
  direction: 'outbound',
  ratePerMinute,
  incrementSeconds: 1,
  minimumSeconds: 0,
  connectionFee: 0,
})

/** As many as a wholesale deck has. */
const deck: readonly Rate[] = [
  ...Array.from({ length: 50_000 }, (_, at) => rateOf(`+9${at}`, 10_000)),
  rateOf('+2547', 30_000),
  rateOf('254', 60_000),
  rateOf('sip:pbx.example', 20_000),
  { ...rateOf('+254722', 1), direction: 'inbound' },
]

test('only the rates of what documents name are handed to a simulation', () => {
  const texts = [
    '<Response><Dial><Number>0722 000001</Number><Number>0722000001</Number></Dial></Response>',
    '<Dial>&#43;2542&#x30;000001</Dial><Dial><Sip>sip:bob@pbx.example:5070;x=1</Sip></Dial><Pause length="600"/>',
  ]
  const reached = reachedRates(deck, namedIn(texts))
  assert.equal(reached?.map(({ prefix, perMinute }) => [prefix, perMinute]).sort(), [
    ['+254', '6.00'],
    ['+2547', '3.00'],
    ['sip:pbx.example', '2.00'],
  ])
  assert.is(reachedRates([], ['+254722000001']), undefined)
  const many = Array.from({ length: 50_000 }, (_, at) => `+9${at}000000`).join(' ')
  assert.ok((reachedRates(deck, namedIn([many]))?.length ?? 0) <= 1000)
})

test('a simulated call costs what the deck says, and what has no rate is not dialled', async () => {
  const bed = await ApiBed.open()
  const priced = (prefix: string) => ({ prefix, direction: 'outbound', rate_per_minute: '3', increment_seconds: 60 })
  assert.is((await bed.operator('PUT', '/operator/rates', { rates: ['+254', '+9'].map(priced) })).status, 200)
  const courseOf = async (number: string) =>
    (
      await bed.customer('POST', '/documents/simulate', {
        body: `<Response><Dial><Number>${number}</Number></Dial></Response>`,
        talk_seconds: 60,
      })
    ).body
  const course = await courseOf('0722000001')
  assert.is(course.end?.cost, '720.00', JSON.stringify(course))
  assert.match(JSON.stringify((await courseOf('+4930123456')).steps), /END\.4433|not allowed|BILL/i)
  await bed.close()
})

test('a caller who hangs up at once ends the call, answered or not', async () => {
  const bed = await ApiBed.open()
  const endOf = async (body: string) =>
    (await bed.customer('POST', '/documents/simulate', { body, hang_up_after_seconds: 0 })).body.end
  const answered = await endOf('<Response><Say>Karibu</Say><Pause length="9"/></Response>')
  assert.equal([answered?.status, answered?.reason_code], ['completed', 'END.0200'])
  const waiting = await endOf('<Response><Pause length="9"/></Response>')
  assert.equal([waiting?.status, waiting?.reason_code], ['failed', 'END.0487'])
  await bed.close()
})

test('while documents of one account run and wait, its next are refused and others have a place', async () => {
  const bed = await ApiBed.open()
  const body = '<Response><Hangup/></Response>'
  const { key } = (await bed.operator('POST', '/operator/accounts', { name: 'Other' })).body
  // Held at the place where their documents are gathered, so that no one's speed matters.
  const held = Promise.withResolvers<SimulationOrder>()
  const source = { order: () => held.promise, ratesOf: () => undefined }
  const own = [simulate(bed.accountUuid, source), simulate(bed.accountUuid, source)]
  const refused = await bed.customer('POST', '/documents/simulate', { body })
  assert.equal([refused.status, refused.headers['retry-after']], [503, '1'])
  assert.is((await bed.ask('POST', '/documents/simulate', { key, body: { body } })).status, 200)
  held.reject(new Error('released'))
  assert.equal(
    (await Promise.allSettled(own)).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.is((await bed.customer('POST', '/documents/simulate', { body })).status, 200, 'its place is free again')
  await bed.close()
})

test.run()
