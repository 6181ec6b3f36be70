import { testProbes } from '../audit/probe-tests.ts'

// Promises of docs/security.md, tried from outside against a switch as it is served: `npm run audit` prints the same.
// audit-api.test.ts, audit-callers.test.ts, audit-load.test.ts and audit-tenants.test.ts
// hold the others.
const others: readonly string[] = ['API', 'Carriers and unknown sources', 'Load', 'Money and tenants']
testProbes(({ group }) => !others.includes(group), 3)
