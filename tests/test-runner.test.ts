import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { longest, longestFirst } from '../scripts/test/course.ts'
import { readResult } from '../scripts/test/file-result.ts'
import { needsOf, preparePeers } from '../scripts/test/peers.ts'

/** As uvu ends a file. */
const reported = (total: number, passed: number, skipped: number): string =>
  `\n  Total:     ${total}\n  Passed:    ${passed}\n  Skipped:   ${skipped}\n  Duration:  1.00ms\n\n`
const counted = (output: string, isClean = true): number[] => {
  const { passed, failed, skipped } = readResult('a.test.ts', output, 1, isClean)
  return [passed, failed, skipped]
}

test('a file: what passed, failed and was skipped', () => {
  assert.equal(counted(reported(3, 3, 0)), [3, 0, 0])
  assert.equal(counted(reported(3, 1, 0), false), [1, 2, 0])
})

test('a skipped case is no failure, and there are no fewer than none', () => {
  assert.equal(counted(reported(2, 2, 5)), [2, 0, 5])
  assert.equal(counted(reported(0, 0, 1)), [0, 0, 1])
})

test('a file that crashed, was killed or ran no test has failed', () => {
  assert.equal(counted('', false), [0, 1, 0])
  assert.equal(counted(''), [0, 1, 0])
  assert.equal(counted(reported(2, 2, 0), false), [2, 1, 0])
  assert.equal(counted(reported(0, 0, 0)), [0, 1, 0])
  assert.equal(counted(reported(0, 0, 1), false), [0, 1, 1])
})

test('what a file needs is found in what it imports, too', () => {
  assert.equal([...needsOf('tests/interop/g722.test.ts').peers], ['ffmpeg'])
  assert.ok(needsOf('tests/interop/verb-play.test.ts').peers.has('sipp'), 'by its rig')
  assert.is(needsOf('tests/interop/verb-play.test.ts').makesNetworks, false)
  assert.is(needsOf('tests/interop/turn-relay.test.ts').makesNetworks, true)
  assert.equal(needsOf('tests/sip/uri/uri.test.ts'), { peers: new Set(), makesNetworks: false })
})

test('what needs no peer runs wherever it is', () => {
  const files = ['tests/sip/uri/uri.test.ts', 'tests/sip/sdp/sdp.test.ts']
  assert.equal(preparePeers(files), { files, leftOut: [] })
})

test('the longest files begin first, and each of them is there', () => {
  for (const file of longest) assert.ok(existsSync(file), file)
  assert.equal(longestFirst(['a.test.ts', longest[1]!, 'b.test.ts', longest[0]!]), [
    longest[0],
    longest[1],
    'a.test.ts',
    'b.test.ts',
  ])
})

test('an option that is not known is refused with those that are', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/test.ts', '--qiuck'], { encoding: 'utf8' })
  assert.is(status, 2)
  assert.match(stderr, 'unknown option --qiuck; known are --quick, --long, --all, --jobs, --help')
})

test.run()
