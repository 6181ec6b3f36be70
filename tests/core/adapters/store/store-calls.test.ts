import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallFilter } from '../../../../core/adapters/store/calls.ts'
import { callView } from '../../../../core/events/call-data.ts'
import type { CallRecord } from '../../../../core/model/call-record.ts'
import { seeded } from '../../bed/seeded.ts'
import { addAccount, callOf, openBed, startUnix } from '../../bed/store-bed.ts'

const random = seeded(61)
const bed = openBed()
const account = addAccount(bed.database)
const other = addAccount(bed.database)
const calls: CallRecord[] = Array.from({ length: 300 }, () =>
  callOf(random.below(5) === 0 ? other : account, {
    direction: random.pick(['inbound', 'outbound', 'internal'] as const),
    status: random.pick(['initiated', 'ringing', 'answered', 'completed', 'failed'] as const),
    fromNumber: random.pick(['+254201234567', '+254712000111', '1001', '+14155550100']),
    toNumber: random.pick(['+254799123456', '1002', '+254201234567']),
    // Several in one millisecond: the later insert is the newer.
    createdUnix: startUnix + random.below(60) * 1000,
  }),
)
test.before(async () => {
  await bed.calls.commit(calls.map(call => ({ type: 'call.insert', call }) as const))
})
test.after(() => bed.close())

/** The list by the words of docs/api.md, over the records themselves. */
function expected(filter: CallFilter) {
  const { direction, status, search, fromUnix = 0, toUnix = Number.POSITIVE_INFINITY } = filter
  const rows = calls
    .map((call, nth) => ({ call, nth }))
    .filter(({ call }) => call.accountUuid === account)
    .filter(({ call }) => direction === undefined || call.direction === direction)
    .filter(({ call }) => status === undefined || call.status === status)
    .filter(({ call }) => search === undefined || call.fromNumber.includes(search) || call.toNumber.includes(search))
    .filter(({ call }) => call.createdUnix >= fromUnix && call.createdUnix <= toUnix)
    .sort((a, b) => b.call.createdUnix - a.call.createdUnix || b.nth - a.nth)
    .map(({ call }) => call)
  return { calls: rows.slice(filter.offset, filter.offset + filter.limit), total: rows.length }
}

const filters: readonly CallFilter[] = [
  { limit: 50, offset: 0 },
  { limit: 200, offset: 100 },
  { limit: 10, offset: 1000 },
  { limit: 200, offset: 0, direction: 'inbound' },
  { limit: 200, offset: 0, status: 'answered' },
  { limit: 5, offset: 3, direction: 'internal', status: 'failed' },
  { limit: 200, offset: 0, search: '20123' },
  { limit: 200, offset: 0, search: '100' },
  { limit: 200, offset: 0, search: '%' },
  { limit: 200, offset: 0, fromUnix: startUnix + 10_000, toUnix: startUnix + 20_000 },
  { limit: 200, offset: 0, fromUnix: startUnix + 10_000, toUnix: startUnix + 10_000 },
  { limit: 200, offset: 0, fromUnix: startUnix + 10_001, toUnix: startUnix + 10_999 },
]

for (const filter of filters) {
  test(`list ${JSON.stringify(filter)}`, async () => {
    const page = await bed.calls.list(account, filter)
    const { calls: wanted, total } = expected(filter)
    assert.is(page.total, total)
    assert.equal(
      page.calls.map(({ uuid }) => uuid),
      wanted.map(({ uuid }) => uuid),
    )
    assert.equal(page.calls, wanted)
    const texts = await bed.calls.listTexts(account, filter)
    assert.is(texts.total, total)
    assert.equal(
      texts.rows.map(text => JSON.parse(text)),
      wanted.map(call => JSON.parse(JSON.stringify(callView(call)))),
    )
  })
}

test('a call is seen by its own account only', async () => {
  const mine = calls.find(({ accountUuid }) => accountUuid === account)!
  assert.equal(await bed.calls.get(account, mine.uuid), mine)
  assert.equal(await bed.calls.getBySid(account, mine.sid), mine)
  assert.is(await bed.calls.get(other, mine.uuid), undefined)
  assert.is(await bed.calls.getBySid(other, mine.sid), undefined)
  assert.is(await bed.calls.get(account, 'none'), undefined)
})

test('numbers and end-users by account', async () => {
  const { database } = bed
  database.run(
    database.sql.insertInto('numbers').values([
      { uuid: 'n1', number: '+254201', setup_fee: 0, account_uuid: account, acquired_unix: 1, created_unix: 1 },
      { uuid: 'n2', number: '+254202', setup_fee: 0, account_uuid: null, acquired_unix: null, created_unix: 1 },
    ]),
  )
  database.run(
    database.sql.insertInto('end_users').values({
      uuid: 'u1',
      account_uuid: account,
      email: 'Asha@a.example',
      display_name: 'Asha',
      extension_number: '1001',
      is_active: 1,
      created_unix: 1,
    }),
  )
  const owner = await bed.calls.numberOwner('+254201')
  assert.is(owner?.account.uuid, account)
  assert.is(owner?.number.number, '+254201')
  assert.is(await bed.calls.numberOwner('+254202'), undefined)
  assert.is(await bed.calls.numberOwner('+254203'), undefined)
  assert.is((await bed.calls.ownedNumber(account, '+254201'))?.isActive, true)
  assert.is(await bed.calls.ownedNumber(other, '+254201'), undefined)
  for (const key of ['u1', '1001', 'asha@a.example']) {
    assert.is((await bed.calls.endUser(account, key))?.displayName, 'Asha', key)
    assert.is(await bed.calls.endUser(other, key), undefined, 'an extension means nothing elsewhere')
  }
})

test.run()
