import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { audit, probes } from '../audit/audit.ts'

// Promises of docs/security.md, tried from outside against a switch as it is served: `npm run audit` prints the same.
// audit-callers.test.ts, audit-media.test.ts and audit-tenants.test.ts hold the others.
for (const { name } of probes.filter(({ group }) => group === 'API')) {
  test(name, async () => {
    const [row] = await audit(() => {}, name)
    assert.ok(row !== undefined && row.inputs > 0, 'nothing was tried')
    assert.equal(row?.broken, [])
  })
}

test.run()
