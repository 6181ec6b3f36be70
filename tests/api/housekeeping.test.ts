import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startHousekeeping } from '../../api/housekeeping.ts'
import type { Log } from '../../core/ports/log.ts'

test('a database that cannot be written keeps the switch from no orderly end', async () => {
  const errors: string[] = []
  const log: Log = { error: (_fields, message) => errors.push(message), warn() {}, info() {}, debug() {} }
  const repositories = {
    idempotency: { freeInFlight: async () => {}, forgetOld: async () => false },
    keys: { flushUses: () => Promise.reject(new Error('disk I/O error')) },
    phoneTokens: { forgetOld: async () => {} },
  }
  const stop = await startHousekeeping(repositories as unknown as Parameters<typeof startHousekeeping>[0], log)
  await stop()
  assert.equal(errors, ['housekeeping failed'])
})

test.run()
