import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cases, nameOf } from '../dtls/cases.ts'
import { runCases } from '../dtls/run-cases.ts'
import { requirePeers } from '../rig/beds/debian.ts'

// Handshakes with NSS in both roles; tests/long/dtls-programs.test.ts has all cases, docs/dtls.md the table.

test('DTLS with NSS', async () => {
  requirePeers('openssl', 'cc', 'nss-headers', 'certutil')
  const own = cases.filter(({ meeting, isFast }) => isFast === true && meeting.library === 'NSS')
  assert.ok(own.length > 5)
  const results = await runCases(own)
  assert.equal(
    results.filter(({ fault }) => fault !== undefined).map(({ case: it, fault }) => `${nameOf(it)}: ${fault}`),
    [],
  )
})

test.run()
