import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { writeSecret } from '../../../../core/adapters/system/write-secret.ts'

test('a secret is written once, whole, for its user alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-secret-'))
  const file = join(folder, 'a.key')
  writeSecret(file, 'first\n')
  assert.throws(
    () => writeSecret(file, 'second\n'),
    (fault: NodeJS.ErrnoException) => fault.code === 'EEXIST',
  )
  assert.is(readFileSync(file, 'utf8'), 'first\n')
  assert.is(statSync(file).mode & 0o777, 0o600)
  rmSync(folder, { recursive: true })
})

test.run()
