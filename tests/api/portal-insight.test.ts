import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { summaryOf } from '../../api/portal/app/pages/event-summary.ts'
import { eventCatalogue } from '../../core/events/catalogue.ts'
import { ApiBed } from './bed/api-bed.ts'
import { isOfInsight } from './bed/portal-paths.ts'

// What the portal asks beyond the resources of docs/api.md.

const bed = await ApiBed.open({}, { testTrunk: async () => ({ isReachable: true, milliseconds: 12 }) })
const other = (await bed.operator('POST', '/operator/accounts', { name: 'Other' })).body
const asOther = (method: string, url: string, body?: unknown) =>
  bed.conforming(method, url, { key: other.key, ...(body === undefined ? {} : { body }) })

test('figures, statement, events, deliveries, tokens and registrations of the account alone', async () => {
  const ledger = await bed.customer('GET', '/account/ledger')
  assert.equal([ledger.body.total, ledger.body.entries[0].amount], [1, '1000.00'])
  assert.is((await asOther('GET', '/account/ledger')).body.total, 0)
  assert.is((await bed.customer('GET', '/calls/summary?hours=24')).body.slice_seconds, 3600)
  assert.is((await bed.customer('GET', '/calls/summary?hours=720')).body.slice_seconds, 86_400)
  for (const path of ['/events/', '/account/webhooks/deliveries', '/phone-tokens/', '/users/registrations'])
    assert.equal((await bed.customer('GET', path)).body, [], path)
  const user = (await bed.customer('POST', '/users/create', { email: 'a@example.com' })).body
  await bed.customer('POST', '/phone-tokens/mint', { uuid: user.uuid })
  assert.is((await bed.customer('GET', '/phone-tokens/')).body[0].end_user, user.uuid)
  assert.equal((await asOther('GET', '/phone-tokens/')).body, [])
})

test('live calls of the account are counted, however many there are', async () => {
  const order = { from: '+254700000001', to: '+254722000001', url: 'https://a.test/v' }
  for (let call = 0; call < 10; call++)
    assert.is((await bed.customer('POST', '/calls/originate', order)).status, 201, String(call))
  const summary = (await bed.conforming('GET', '/calls/summary')).body
  assert.is(summary.live_calls, 10)
  assert.is((await asOther('GET', '/calls/summary')).body.live_calls, 0)
  const { calls } = (await bed.customer('GET', '/calls/?limit=1')).body
  await bed.customer('POST', '/calls/hangup', { sid: calls[0].sid })
  assert.is((await bed.customer('GET', '/calls/summary')).body.live_calls, 9)
})

test('the overview: the account, its calls, what is wrong and which first steps are done', async () => {
  const fresh = await ApiBed.open()
  const before = (await fresh.conforming('GET', '/account/overview')).body
  assert.equal(before.account, (await fresh.customer('GET', '/account/')).body)
  assert.equal(before.calls, (await fresh.customer('GET', '/calls/summary')).body)
  const right = { unrouted_numbers: [], failed_callback: null, has_no_funds: false }
  assert.equal(before.wrong, { ...right, has_no_outbound_webhook: true })
  assert.equal(before.first_steps, { document: false, number: false, person: false, call: false, recording: false })
  const added = await fresh.operator('POST', '/operator/numbers', { number: '+254722000007' })
  await fresh.customer('POST', '/numbers/acquire', { uuid: added.body.uuid })
  assert.equal((await fresh.customer('GET', '/account/overview')).body.wrong.unrouted_numbers, ['+254722000007'])
  await fresh.customer('POST', '/documents/', { name: 'Hi', body: '<Response/>' })
  await fresh.customer('POST', '/users/create', { email: 'a@example.com' })
  for (const purpose of ['voice_inbound', 'voice_outbound'])
    await fresh.customer('POST', '/account/webhooks/endpoint', { url: 'http://a.test/', purpose })
  const order = { from: '+254700000001', to: '+254722000001', url: 'https://a.test/v' }
  const placed = (await fresh.customer('POST', '/calls/originate', order)).body
  const after = (await fresh.conforming('GET', '/account/overview')).body
  assert.equal(after.wrong, { ...right, has_no_outbound_webhook: false })
  assert.equal(after.first_steps, { document: true, number: true, person: true, call: true, recording: false })
  assert.equal([after.recent_calls[0].sid, after.calls.live_calls], [placed.sid, 1])
  await fresh.close()
})

test('the overview says when balance, grace and credit together leave nothing to spend', async () => {
  const { account, key } = (await bed.operator('POST', '/operator/accounts', { name: 'Empty' })).body
  const hasNoFunds = async () =>
    (await bed.conforming('GET', '/account/overview', { key })).body.wrong.has_no_funds as boolean
  const set = (change: object) => bed.operator('PATCH', `/operator/accounts/${account.uuid}`, change)
  assert.is(await hasNoFunds(), true)
  await set({ credit_limit: '5' })
  assert.is(await hasNoFunds(), false)
  await set({ credit_limit: '0', grace_amount: '5' })
  assert.is(await hasNoFunds(), false)
  const credit = (amount: string) =>
    bed.operator('POST', `/operator/accounts/${account.uuid}/credit`, { amount, reference: amount })
  assert.is((await credit('-5')).status < 300, true)
  assert.is(await hasNoFunds(), true)
  await credit('0.01')
  assert.is(await hasNoFunds(), false)
})

test('the overview names the status callback that was given up last, for a day', async () => {
  const fresh = await ApiBed.open()
  const account = (await fresh.customer('GET', '/account/')).body.uuid
  const ended = (code: 'WH.0200' | 'WH.0400', createdUnix: number, url: string, id = url) =>
    fresh.store.database.write(() =>
      fresh.store.events.append({
        uuid: randomUUID(),
        code,
        accountUuid: account,
        callUuid: null,
        sid: null,
        number: null,
        customPayload: null,
        createdUnix,
        data: { id, code: 'CALL.0300', url, tries: 12, status: 500, detail: '', answer: '' },
      }),
    )
  const failed = async () => (await fresh.conforming('GET', '/account/overview')).body.wrong.failed_callback
  const givenUp = (createdUnix: number, url: string) => ended('WH.0400', createdUnix, url)
  await givenUp(Date.now() - 25 * 3_600_000, 'http://old.test/')
  assert.is(await failed(), null)
  await givenUp(Date.now(), 'http://new.test/')
  assert.is((await failed()).url, 'http://new.test/')
  assert.is((await fresh.customer('GET', '/events/?code=WH.0400')).body.length, 2)
  // Sent again and delivered, it is no longer wrong; one before it still is.
  await givenUp(Date.now(), 'http://newest.test/')
  await ended('WH.0200', Date.now(), 'http://newest.test/')
  assert.is((await failed()).url, 'http://new.test/')
  await ended('WH.0200', Date.now(), 'http://elsewhere.test/', 'http://new.test/')
  assert.is(await failed(), null)
  await fresh.close()
})

test('events that went wrong are asked for alone: those that the portal shows in red and amber', async () => {
  const fresh = await ApiBed.open()
  const account = (await fresh.customer('GET', '/account/')).body.uuid
  const none = { accountUuid: account, callUuid: null, sid: null, number: null, customPayload: null, createdUnix: 1 }
  const codes = Object.keys(eventCatalogue) as (keyof typeof eventCatalogue)[]
  await fresh.store.database.write(() => {
    for (const code of codes) fresh.store.events.append({ ...none, uuid: randomUUID(), code, data: {} })
  })
  const asked = async (query: string) =>
    (await fresh.conforming('GET', `/events/?limit=200${query}`)).body.map(({ code }: { code: string }) => code)
  const wrong = codes.filter(code => summaryOf(code, {}).tone !== 'calm').toReversed()
  assert.ok(wrong.length > 15 && wrong.length < codes.length)
  assert.equal(await asked('&problems=true'), wrong)
  assert.equal(
    await asked('&problems=true&code=DOC.'),
    wrong.filter(code => code.startsWith('DOC.')),
  )
  assert.is((await asked('&problems=false')).length, codes.length)
  assert.is((await fresh.conforming('GET', '/events/?problems=yes')).status, 422)
  await fresh.close()
})

test('a page of deliveries is one read, with what was sent where that is kept', async () => {
  const fresh = await ApiBed.open()
  const account = (await fresh.customer('GET', '/account/')).body.uuid
  const none = { accountUuid: account, callUuid: null, sid: null, number: null, customPayload: null, createdUnix: 1 }
  const [kept, purged] = [randomUUID(), randomUUID()]
  await fresh.store.database.write(() => {
    fresh.store.events.append({ ...none, uuid: kept, code: 'BILL.0100', data: { balance: '1.00' } })
    for (const id of [kept, purged]) {
      const data = { id, code: 'BILL.0100', url: 'http://status.test/', tries: 1, status: 200, detail: '', answer: '' }
      fresh.store.events.append({ ...none, uuid: randomUUID(), code: 'WH.0200', data })
    }
  })
  const found = await fresh.store.events.deliveries(account, { limit: 100, code: 'WH.0' })
  assert.equal(
    found.map(({ end, sent }) => [end.event.data.id, sent?.uuid]),
    [
      [purged, undefined],
      [kept, kept],
    ],
  )
  const { body } = await fresh.conforming('GET', '/account/webhooks/deliveries')
  assert.equal(
    body.map((row: { id: string; body: { id: string } | null }) => [row.id, row.body?.id]),
    [
      [purged, undefined],
      [kept, kept],
    ],
  )
  assert.equal(await fresh.store.events.deliveries(account, { limit: 100, code: 'WH.0400' }), [])
})

test('deliveries come in whole pages, to the oldest, without the requests for a test among them', async () => {
  const fresh = await ApiBed.open()
  const account = (await fresh.customer('GET', '/account/')).body.uuid
  const none = { accountUuid: account, callUuid: null, sid: null, number: null, customPayload: null }
  fresh.store.database.write(() => {
    for (let place = 0; place < 5; place++) {
      const uuid = randomUUID()
      const sent = {
        id: uuid,
        code: 'WH.0100',
        url: 'http://status.test/',
        tries: 1,
        status: 200,
        detail: '',
        answer: '',
      }
      const at = { ...none, createdUnix: Date.now() }
      fresh.store.events.append({ ...at, uuid, code: 'WH.0100', data: { url: sent.url } })
      fresh.store.events.append({ ...at, uuid: randomUUID(), code: 'WH.0200', data: sent })
    }
  })
  const page = async (before = '') =>
    (await fresh.conforming('GET', `/account/webhooks/deliveries?limit=2${before}`)).body as { seq: number }[]
  const seen: number[] = []
  for (let rows = await page(); rows.length > 0; rows = await page(`&before=${seen.at(-1)}`)) {
    assert.is(rows.length, seen.length === 4 ? 1 : 2)
    seen.push(...rows.map(({ seq }) => seq))
  }
  assert.is(new Set(seen).size, 5)
  await fresh.close()
})

test('calls are found by their sid and their reason', async () => {
  assert.is((await bed.customer('GET', '/calls/?search=CA01JZXQ7R5T8K2M4N')).body.total, 0)
  assert.is((await bed.customer('GET', '/calls/?reason=END.0486')).body.total, 0)
  assert.is((await bed.customer('GET', '/calls/?reason=END.9999')).status, 422)
})

test('a test event and a callback sent again need a status webhook, and an event of the account', async () => {
  assert.is((await bed.customer('POST', '/account/webhooks/test')).status, 409)
  assert.is((await bed.customer('POST', '/account/webhooks/deliveries/resend', { id: 'x' })).status, 409)
  await bed.customer('POST', '/account/webhooks/endpoint', { url: 'http://status.test/', purpose: 'status' })
  assert.is((await bed.customer('POST', '/account/webhooks/test')).status, 200)
  const [event] = (await bed.customer('GET', '/events/?code=WH.')).body
  assert.equal([event.code, event.data.url], ['WH.0100', 'http://status.test/'])
  assert.is((await bed.customer('POST', '/account/webhooks/deliveries/resend', { id: event.id })).status, 200)
  assert.is(bed.store.outbox.pendingAfter(0, 10).length, 2)
  assert.is((await bed.customer('POST', '/account/webhooks/deliveries/resend', { id: 'none' })).status, 404)
  await asOther('POST', '/account/webhooks/endpoint', { url: 'http://other.test/', purpose: 'status' })
  assert.is((await asOther('POST', '/account/webhooks/deliveries/resend', { id: event.id })).status, 404)
})

test('revisions of a document: what it was, without repetitions', async () => {
  const made = (await bed.customer('POST', '/documents/', { name: 'Hi', body: '<Response/>' })).body
  const path = `/documents/${made.uuid}`
  for (const body of ['<Response/>', '<Response><Hangup/></Response>', '<Response/>'])
    await bed.customer('PUT', path, { name: 'Hi', body })
  const revisions = (await bed.customer('GET', `${path}/revisions`)).body
  assert.equal(
    revisions.map((each: { body: string }) => each.body),
    ['<Response/>', '<Response><Hangup/></Response>', '<Response/>'],
  )
  assert.is((await asOther('GET', `${path}/revisions`)).status, 404)
  await bed.customer('DELETE', path)
  assert.is((await bed.customer('GET', `${path}/revisions`)).status, 404)
})

test('a document runs in virtual time, follows hosted ones, and one without an end is stopped', async () => {
  const menu = (await bed.customer('POST', '/documents/', { name: 'M', body: '<Response><Say>Sales</Say></Response>' }))
    .body
  const body = `<Response><Gather numDigits="1" action="${menu.url}"><Say>Press one</Say></Gather></Response>`
  const { steps, end } = (await bed.customer('POST', '/documents/simulate', { body, press: ['1'] })).body
  const text = steps.map((step: { text: string }) => step.text).join('\n')
  assert.match(text, /say "Press one"[\s\S]*digit 1[\s\S]*say "Sales"/)
  assert.equal([end.status, end.reason_code], ['completed', 'END.0202'])
  const failed = await bed.customer('POST', '/documents/simulate', { body: '<Response' })
  assert.match(JSON.stringify(failed.body.steps), /DOC\.0400/)
})

test('the vocabulary names verbs, where they stand, and their attributes', async () => {
  const { verbs } = (await bed.customer('GET', '/documents/vocabulary')).body
  const dial = verbs.find((verb: { name: string }) => verb.name === 'Dial')
  assert.ok(dial.attributes.some((attribute: { name: string }) => attribute.name === 'timeout'))
  assert.equal(verbs.find((verb: { name: string }) => verb.name === 'Number').within, ['Dial'])
})

test('the operator: figures, trunks, routes, and every change with before and after', async () => {
  const carrier = { name: 'Carrier', host: 'sip.carrier.test', prefixes: ['+254'], strip: 1, password: 'secret' }
  const trunk = (await bed.operator('POST', '/operator/trunks', carrier)).body
  await bed.operator('PATCH', `/operator/trunks/${trunk.uuid}`, { priority: 7 })
  const rate = { prefix: '+254', direction: 'outbound', rate_per_minute: '3.00' }
  await bed.operator('PUT', '/operator/rates', { rates: [rate] })
  await bed.operator('PUT', '/operator/destinations', { blocked: ['+2547999'], allowed: [] })
  const match = (await bed.operator('GET', '/operator/routes?to=%2B254710000001')).body
  assert.equal([match.is_allowed, match.rate.prefix, match.trunks[0].dialled], [true, '+254', '254710000001'])
  assert.is((await bed.operator('GET', '/operator/routes?to=%2B254799900000')).body.is_allowed, false)
  assert.is((await bed.operator('GET', '/operator/routes?to=12')).status, 422)
  assert.equal((await bed.operator('GET', '/operator/trunks/states')).body[0].live_legs, 0)
  assert.is((await bed.operator('POST', '/operator/trunks/none/test')).status, 404)
  const test = (await bed.operator('POST', `/operator/trunks/${trunk.uuid}/test`)).body
  assert.equal(test, { is_reachable: true, milliseconds: 12, call: null })
  assert.is((await bed.operator('GET', '/operator/figures')).body.step_seconds, 10)

  const { changes } = (await bed.operator('GET', '/operator/changes')).body
  const patched = changes.find((change: { action: string }) => change.action === 'PATCH')
  assert.equal([patched.actor, patched.before.priority, patched.after.priority], ['key', trunk.priority, 7])
  const deck = changes.find((change: { path: string }) => change.path === '/operator/rates')
  assert.equal([deck.before.rates.length, deck.after.rates.length], [0, 1])
  assert.not.match(JSON.stringify(changes), /vk_|"secret"/)
})

test('a change is in the log when it is answered, however long the disk takes', async () => {
  const { operatorChanges } = bed.repositories
  const note = operatorChanges.note.bind(operatorChanges)
  const noteBy = (way: typeof note) => Object.assign(operatorChanges, { note: way })
  noteBy(async (change, unixMs) => {
    await sleep(50)
    await note(change, unixMs)
  })
  await bed.operator('PUT', '/operator/destinations', { blocked: ['+2547998'], allowed: [] })
  const { changes } = (await bed.operator('GET', '/operator/changes?limit=1')).body
  assert.equal(changes[0].after.blocked, ['+2547998'])
  noteBy(async () => {
    throw new Error('disk full')
  })
  assert.is((await bed.operator('PUT', '/operator/destinations', { blocked: [], allowed: [] })).status, 200)
  const { level, message } = bed.logged.at(-1)!
  assert.equal([level, message], ['error', 'a change by the operator could not be noted'])
  noteBy(note)
})

test('every operation of these paths was answered with success', async () => {
  await bed.conforming('GET', '/account/overview')
  assert.equal(bed.unanswered(isOfInsight), [])
})

test.run()
