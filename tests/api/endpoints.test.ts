import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed } from './bed/api-bed.ts'

const bed = await ApiBed.open()

test('account', async () => {
  const account = await bed.customer('GET', '/account/')
  assert.equal(account.body, {
    uuid: bed.accountUuid,
    name: 'Bed',
    wallet_balance: '1000.00',
    status: 'active',
  })
})

test.after(() => bed.close())
test.run()
