import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cases, nameOf } from '../dtls/cases.ts'
import { runCases } from '../dtls/run-cases.ts'
import { requirePeers } from '../rig/beds/debian.ts'

// Every case of docs/dtls.md with programs of OpenSSL, GnuTLS, mbedTLS and NSS; the fast ones are in tests/interop.

test('DTLS with the programs of four libraries: suites, curves, certificates, networks, downgrades, goodbyes', async () => {
  requirePeers('openssl', 'gnutls-cli', 'cc', 'mbedtls-headers', 'nss-headers', 'certutil')
  const results = await runCases(cases.filter(({ isFast }) => isFast !== true))
  assert.ok(results.length > 150)
  assert.equal(
    results.filter(({ fault }) => fault !== undefined).map(({ case: it, fault }) => `${nameOf(it)}: ${fault}`),
    [],
  )
})

test.run()
