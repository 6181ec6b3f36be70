import { testProbes } from '../audit/probe-tests.ts'

// Promises of docs/security.md, tried from outside against a switch as it is served: `npm run audit` prints the same.
// audit-api.test.ts, audit-load.test.ts, audit-media.test.ts and audit-tenants.test.ts
// hold the others.
testProbes(({ group }) => group === 'Carriers and unknown sources', 3)
