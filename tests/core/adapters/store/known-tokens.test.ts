import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { KnownTokens } from '../../../../core/adapters/store/known-tokens.ts'
import type { KnownToken } from '../../../../core/adapters/store/phone-tokens.ts'
import type { Served } from '../../../../core/adapters/store/served.ts'
import type { AccountUuid } from '../../../../core/model/ids.ts'

test('of the tokens of an end-user that have expired, memory keeps the last 100', () => {
  const known = new KnownTokens({} as Served['phoneTokens'], createSecretKey(randomBytes(32)), [])
  const tokenOf = (second: number): KnownToken => ({
    record: {
      uuid: `token ${second}`,
      accountUuid: 'account' as AccountUuid,
      endUserUuid: 'user',
      extensionNumber: '1001',
      displayName: '',
      maxConcurrent: 1,
      expiresUnix: (second + 1) * 1000,
      revokedUnix: null,
      createdUnix: second * 1000,
    },
    userIsActive: true,
  })
  for (let second = 0; second <= 150; second++) known.changed('user', [tokenOf(second)], second * 1000)
  const left = Array.from({ length: 151 }, (_, second) => second).filter(second => known.get(`token ${second}`))
  assert.equal([left.length, left[0]], [101, 50])
})

test.run()
