import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { StoreError, type StoreErrorCode } from '../../core/adapters/store/errors.ts'
import { ApiBed } from './bed/api-bed.ts'

const bed = await ApiBed.open()
const { numbers, keys, destinations } = bed.repositories

/** While the store answers so, what `ask` is answered with: status, Retry-After, `detail`. */
async function answered(code: StoreErrorCode, ask: () => ReturnType<ApiBed['customer']>) {
  const fault = () => Promise.reject(new StoreError(code, 'the store cannot'))
  const kept = [numbers.owned, numbers.acquire, keys.revoke, destinations.replace] as const
  Object.assign(numbers, { owned: fault, acquire: fault })
  Object.assign(keys, { revoke: fault })
  Object.assign(destinations, { replace: fault })
  try {
    const { status, headers, body } = await ask()
    return [status, headers['retry-after'], body.detail]
  } finally {
    const [owned, acquire, revoke, replace] = kept
    Object.assign(numbers, { owned, acquire })
    Object.assign(keys, { revoke })
    Object.assign(destinations, { replace })
  }
}

const list = () => bed.customer('GET', '/numbers/')
const revoke = () => bed.customer('POST', '/keys/revoke', { uuid: '0' })
const replace = () => bed.operator('PUT', '/operator/destinations', { blocked: [], allowed: [] })
const startedAgain = 'The database is being started again: try again.'

test('a store with too much to do is a 429 of who asks too much, and a 503 of all', async () => {
  assert.equal(await answered('store.too-many', list), [
    429,
    '1',
    'Too many list requests at once: wait for the earlier ones.',
  ])
  assert.equal(await answered('store.busy', list), [503, '1', 'The service is busy: try again.'])
})

test('a database thread that is not there: 503 with Retry-After, as nothing was done', async () => {
  for (const ask of [list, revoke, replace]) assert.equal(await answered('store.away', ask), [503, '2', startedAgain])
})

test('one that died with a request: 503 where it may be sent again, and 500 where that would do it twice', async () => {
  for (const ask of [list, replace]) assert.equal(await answered('store.unusable', ask), [503, '2', startedAgain])
  assert.equal(await answered('store.unusable', revoke), [500, undefined, 'The service could not answer this request.'])
  const { uuid } = (await bed.operator('POST', '/operator/numbers', { number: '+254711000001', setup_fee: '10' })).body
  const acquire = (headers: Readonly<Record<string, string>>) =>
    bed.customer('POST', '/numbers/acquire', { uuid }, headers)
  const keyed = () => acquire({ 'idempotency-key': 'once' })
  assert.equal(await answered('store.unusable', keyed), [503, '2', startedAgain])
  assert.is((await answered('store.unusable', () => acquire({})))[0], 500)
  assert.is((await keyed()).status, 200, 'the key is free')
})

test.after(() => bed.close())
test.run()
