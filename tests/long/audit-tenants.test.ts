import { testProbes } from '../audit/probe-tests.ts'

// Promises of docs/security.md, tried from outside against a switch as it is served: `npm run audit` prints the same.
// audit-api.test.ts, audit-callers.test.ts, audit-load.test.ts and audit-media.test.ts
// hold the others.
testProbes(({ group }) => group === 'Money and tenants', 3)
