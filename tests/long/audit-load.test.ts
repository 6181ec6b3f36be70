import { testProbes } from '../audit/probe-tests.ts'

// Promises of docs/security.md, tried from outside against a switch as it is served: `npm run audit` prints the same.
// audit-api.test.ts, audit-callers.test.ts, audit-media.test.ts and audit-tenants.test.ts
// hold the others. What loads a switch, and counts how long it waits, runs by itself.
testProbes(({ group }) => group === 'Load', 1)
