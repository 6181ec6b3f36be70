import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { identityFault, validityFault } from '../../../../core/adapters/tls/identity-fault.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-identity-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
const file = (name: string) => readFileSync(join(folder, name), 'utf8')
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
for (const name of ['a', 'b'])
  openssl(
    'req',
    '-x509',
    '-days',
    '30',
    ...curve,
    '-nodes',
    '-subj',
    `/CN=${name}.test`,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.pem`,
  )
openssl('pkey', '-in', 'a.key', '-aes256', '-passout', 'pass:x', '-out', 'encrypted.key')
openssl('pkey', '-in', 'a.key', '-aes256', '-traditional', '-passout', 'pass:x', '-out', 'encrypted-old.key')
const [cert, key] = [file('a.pem'), file('a.key')]
const files = { certFile: '/tls/cert.pem', keyFile: '/tls/key.pem' }
const faultOf = (identity: { cert: string; key: string }) => identityFault(identity, files) ?? ''

test('a certificate with its key, and a chain after it, is well', () => {
  assert.is(faultOf({ cert, key }), '')
  assert.is(faultOf({ cert: cert + file('b.pem'), key }), '')
})

test('what cannot be used is reported with the setting, the file and what to do', () => {
  for (const [identity, sentence] of [
    [
      { cert: 'x', key },
      /^SAUTI_TLS_CERT: \/tls\/cert\.pem has no certificate in PEM .* openssl x509 -inform der -in \/tls\/cert\.pem/,
    ],
    [{ cert, key: '' }, /^SAUTI_TLS_KEY: \/tls\/key\.pem has no private key in PEM/],
    [
      { cert: key, key: cert },
      /^SAUTI_TLS_CERT: .* holds a private key, no certificate: are the two settings swapped\?$/,
    ],
    [{ cert, key: cert }, /^SAUTI_TLS_KEY: .* holds a certificate, no private key/],
    [
      { cert, key: file('encrypted.key') },
      /^SAUTI_TLS_KEY: .* is encrypted with a passphrase: .*openssl pkey -in \/tls\/key\.pem/,
    ],
    [{ cert, key: file('encrypted-old.key') }, /is encrypted with a passphrase/],
    [
      { cert: file('b.pem'), key },
      /^SAUTI_TLS_KEY: \/tls\/key\.pem is not the key of the certificate in \/tls\/cert\.pem \(CN=b\.test\)/,
    ],
    [{ cert: file('b.pem') + cert, key }, /^SAUTI_TLS_CERT: .* own certificate must be the first/],
    [{ cert: cert.replace(/\n.{20}/, '\n'), key }, /^SAUTI_TLS_CERT: \/tls\/cert\.pem is damaged: /],
    [{ cert, key: key.replace(/\n.{20}/, '\n') }, /^SAUTI_TLS_KEY: \/tls\/key\.pem is damaged: /],
  ] as const)
    assert.match(faultOf(identity), sentence)
})

test('its time', () => {
  const day = 86_400_000
  assert.is(validityFault(cert, Date.now()), undefined)
  assert.match(validityFault(cert, Date.now() + 31 * day) ?? '', /expired on \d{4}-\d\d-\d\d: clients refuse it/)
  assert.match(
    validityFault(cert, Date.now() - day) ?? '',
    /valid only from \d{4}-\d\d-\d\d on: .* is the clock right\?/,
  )
})

test.run()
