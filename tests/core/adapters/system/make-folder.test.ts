import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeFolder } from '../../../../core/adapters/system/make-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'sauti-folder-'))
test.after(() => rmSync(root, { recursive: true, force: true }))

function faultOf(folder: string): NodeJS.ErrnoException {
  try {
    makeFolder(folder)
  } catch (fault) {
    return fault as NodeJS.ErrnoException
  }
  return assert.unreachable(`${folder} was made`) as never
}

test('folders are made one in another, for this user alone; one that is there stays as it is', () => {
  const folder = join(root, 'a', 'b', 'c')
  makeFolder(folder)
  for (const each of [folder, join(root, 'a', 'b'), join(root, 'a')]) assert.is(statSync(each).mode & 0o777, 0o700)
  mkdirSync(join(root, 'open'), { mode: 0o755 })
  makeFolder(join(root, 'open'))
  makeFolder(`${join(root, 'open', 'x')}/`)
  assert.is(statSync(join(root, 'open')).mode & 0o777, 0o755)
  assert.ok(existsSync(join(root, 'open', 'x')))
})

test('a file in its place or in its way is no folder', () => {
  const file = join(root, 'file')
  writeFileSync(file, 'x')
  assert.is(faultOf(file).code, 'EEXIST')
  assert.is(faultOf(join(file, 'x')).code, 'ENOTDIR')
  assert.is(faultOf(join(file, 'x', 'y')).code, 'ENOTDIR')
})

// Node's own recursive mkdir does not come back from these.
test('below /proc no folder can be made: that is said, and names the folder that was asked for', () => {
  if (process.platform !== 'linux') return
  for (const folder of ['/proc/sauti', '/proc/sauti/a/b']) {
    const { code, syscall, path, message } = faultOf(folder)
    assert.equal([code, syscall, path], ['ENOENT', 'mkdir', folder])
    assert.match(message, `the folder ${folder} cannot be made: ENOENT`)
  }
})

test.run()
