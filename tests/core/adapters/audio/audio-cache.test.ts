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

test('what was put is found, with its length, and by the next run too', async ({ folder }) => {
  const cache = new AudioCache({ folder, maxBytes: 10_000 })
  assert.is(await cache.find(key('a')), undefined)
  const put = await cache.put(key('a'), 1234.4, Uint8Array.of(1, 2, 3))
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
    await cache.put(key(name), 1, kilobyte)
    now += 1000
  }
  await cache.find(key('a'))
  now += 1000
  await cache.put(key('d'), 1, kilobyte)
  assert.is(await cache.find(key('b')), undefined)
  for (const name of ['a', 'c', 'd']) assert.ok(await cache.find(key(name)), name)
  assert.is(cache.bytes, 3000)
  assert.is(readdirSync(folder).length, 3)
})

test('being used changes a file in nothing but when it was used, which the next run knows', async ({ folder }) => {
  let now = 1_000_123
  const options = { folder, maxBytes: 2000, graceMs: 10, unixMs: () => now }
  const cache = new AudioCache(options)
  const made = await cache.put(key('a'), 1, kilobyte)
  await cache.put(key('b'), 1, kilobyte)
  const { mtimeMs } = statSync(made.path)
  now += 500_777
  await cache.find(key('a'))
  assert.is(statSync(made.path).mtimeMs, mtimeMs, 'prompts that are kept encoded are known by it')
  now += 1000
  const next = new AudioCache(options)
  assert.ok(await next.find(key('a')))
  assert.is(statSync(made.path).mtimeMs, mtimeMs)
  now += 1000
  await next.put(key('c'), 1, kilobyte)
  assert.is(await next.find(key('b')), undefined, 'the one that was used longest ago went')
  assert.ok(await next.find(key('a')))
})

test('a file that was used a moment ago stays, up to twice the size', async ({ folder }) => {
  const cache = new AudioCache({ folder, maxBytes: 2000, graceMs: 60_000 })
  for (const name of ['a', 'b', 'c', 'd']) await cache.put(key(name), 1, kilobyte)
  assert.is(cache.bytes, 4000)
  const refused = await cache.put(key('e'), 1, kilobyte).catch((error: Error) => error.message)
  assert.match(String(refused), /is full/)
  assert.is(readdirSync(folder).length, 4)
})

test('what a crash left half written goes, a file that vanished is not found', async ({ folder }) => {
  writeFileSync(join(folder, 'half.part'), 'x')
  writeFileSync(join(folder, 'notes.txt'), 'x')
  const cache = new AudioCache({ folder, maxBytes: 2000 })
  const { path } = await cache.put(key('a'), 1, kilobyte)
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
  await cache.put(key('a'), 1, kilobyte)
  await cache.put(key('a'), 1, new Uint8Array(500))
  assert.is(cache.bytes, 500)
})

test.run()
