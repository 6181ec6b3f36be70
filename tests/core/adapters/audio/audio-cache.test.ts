import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AudioCache } from '../../../../core/adapters/audio/audio-cache.ts'

const test = suite<{ folder: string }>('audio cache', { folder: '' })
test.before.each(context => {
  context.folder = mkdtempSync(join(tmpdir(), 'sauti-cache-'))
})
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }))

const key = (digit: string) => digit.repeat(64)
const kilobyte = new Uint8Array(1000)
const written = (path: string) => {
  writeFileSync(path, kilobyte)
  return { durationMs: 1 }
}

test('what was put is found, with its length, and by the next run too', async ({ folder }) => {
  const cache = new AudioCache({ folder, maxBytes: 10_000 })
  assert.is(await cache.find(key('a')), undefined)
  const put = await cache.put('acme', key('a'), 1234.4, Uint8Array.of(1, 2, 3))
  assert.equal([...readFileSync(put.path)], [1, 2, 3])
  assert.equal(await cache.find(key('a')), put)
  const next = new AudioCache({ folder, maxBytes: 10_000 })
  assert.equal(await next.find(key('a')), { path: put.path, durationMs: 1234 })
  assert.is(next.bytes, 3)
})

test('the files used longest ago make room', async ({ folder }) => {
  let now = 1_000_000
  const cache = new AudioCache({ folder, maxBytes: 3000, graceMs: 10, unixMs: () => now })
  for (const name of ['a', 'b', 'c']) {
    await cache.put('acme', key(name), 1, kilobyte)
    now += 1000
  }
  await cache.find(key('a'))
  now += 1000
  await cache.put('acme', key('d'), 1, kilobyte)
  assert.is(await cache.find(key('b')), undefined)
  for (const name of ['a', 'c', 'd']) assert.ok(await cache.find(key(name)), name)
  assert.is(cache.bytes, 3000)
  assert.is(readdirSync(folder).length, 3)
})

test('being used changes a file in nothing but when it was used, which the next run knows', async ({ folder }) => {
  let now = 1_000_123
  const options = { folder, maxBytes: 2000, graceMs: 10, unixMs: () => now }
  const cache = new AudioCache(options)
  const made = await cache.put('acme', key('a'), 1, kilobyte)
  await cache.put('acme', key('b'), 1, kilobyte)
  const { mtimeMs } = statSync(made.path)
  now += 500_777
  await cache.find(key('a'))
  assert.is(statSync(made.path).mtimeMs, mtimeMs, 'prompts that are kept encoded are known by it')
  now += 1000
  const next = new AudioCache(options)
  assert.ok(await next.find(key('a')))
  assert.is(statSync(made.path).mtimeMs, mtimeMs)
  now += 1000
  await next.put('acme', key('c'), 1, kilobyte)
  assert.is(await next.find(key('b')), undefined, 'the one that was used longest ago went')
  assert.ok(await next.find(key('a')))
})

/** The first digits of the keys that have files. */
const kept = (folder: string) =>
  readdirSync(folder)
    .map(name => name.charAt(0))
    .sort()
    .join('')

const fateOf = (putting: Promise<unknown>) =>
  putting.then(
    () => 'put',
    (error: Error) => error.message,
  )

test('a file that was used a moment ago stays, up to twice the size', async ({ folder }) => {
  const cache = new AudioCache({ folder, maxBytes: 2000, graceMs: 60_000 })
  for (const [owner, name] of [
    ['acme', 'a'],
    ['globex', 'b'],
    ['acme', 'c'],
    ['globex', 'd'],
  ] as const)
    await cache.put(owner, key(name), 1, kilobyte)
  assert.is(cache.bytes, 4000)
  assert.match(await fateOf(cache.put('other', key('e'), 1, kilobyte)), /the cache .* is full/)
  assert.is(readdirSync(folder).length, 4)
})

test('an account that fills the cache is refused alone: the others still have half of what it may grow to', async ({
  folder,
}) => {
  let now = 1_000_000
  const cache = new AudioCache({ folder, maxBytes: 4000, graceMs: 60_000, unixMs: () => now })
  for (const name of ['a', 'b', 'c', 'd']) await cache.put('acme', key(name), 1, kilobyte)
  const refused = /account's share of the cache .* is full/
  assert.match(await fateOf(cache.put('acme', key('e'), 1, kilobyte)), refused)
  assert.match(await fateOf(cache.make('acme', key('e'), async path => written(path))), refused)
  assert.match(await fateOf(cache.grow('acme', 8000)), refused)
  assert.is(readdirSync(folder).length, 4, 'nothing is left of what was refused')
  for (const name of ['1', '2', '3']) assert.is(await fateOf(cache.put('globex', key(name), 1, kilobyte)), 'put')
  const grown = await cache.grow('globex', 8000)
  await grown.append({ pcm: kilobyte.subarray(0, 900), sampleRate: 8000 })
  await grown.end()
  await cache.keep(key('4'), grown)
  await cache.release(grown)
  assert.match(await fateOf(cache.put('globex', key('5'), 1, kilobyte)), refused)
  // What was not used for a while gives way.
  now += 61_000
  assert.is(await fateOf(cache.put('acme', key('e'), 1, kilobyte)), 'put')
  assert.is(kept(folder), '234e', 'its own, then the oldest')
  assert.is(cache.bytes, 3944)
})

test('an account beyond half of the cache removes its own files and those of an earlier run, another account the oldest', async ({
  folder,
}) => {
  let now = 1_000_000
  const options = { folder, maxBytes: 4000, graceMs: 10, unixMs: () => now }
  await new AudioCache(options).put('globex', key('f'), 1, kilobyte)
  const cache = new AudioCache(options)
  const put = async (owner: string, name: string) => {
    now += 1000
    await cache.put(owner, key(name), 1, kilobyte)
  }
  await put('globex', 'a')
  await put('acme', 'b')
  await put('acme', 'c')
  await put('acme', 'd')
  assert.is(kept(folder), 'abcd', 'what an earlier run left is removed first')
  await put('acme', 'e')
  assert.is(kept(folder), 'acde')
  await put('globex', '1')
  assert.is(kept(folder), '1cde', 'the oldest')
})

test('what a crash left half written goes, a file that vanished is not found', async ({ folder }) => {
  writeFileSync(join(folder, 'half.part'), 'x')
  writeFileSync(join(folder, 'notes.txt'), 'x')
  const cache = new AudioCache({ folder, maxBytes: 2000 })
  const { path } = await cache.put('acme', key('a'), 1, kilobyte)
  assert.equal(
    readdirSync(folder).sort(),
    ['aaaa', 'note'].map(start => readdirSync(folder).find(name => name.startsWith(start))),
  )
  unlinkSync(path)
  assert.is(await cache.find(key('a')), undefined)
  assert.is(cache.bytes, 0)
})

test('the same key again replaces what was there', async ({ folder }) => {
  const cache = new AudioCache({ folder, maxBytes: 20_000 })
  await cache.put('acme', key('a'), 1, kilobyte)
  await cache.put('globex', key('a'), 1, new Uint8Array(500))
  assert.is(cache.bytes, 500)
})

test.run()
