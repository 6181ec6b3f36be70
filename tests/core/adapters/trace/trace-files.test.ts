import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { TraceFiles } from '../../../../core/adapters/trace/trace-files.ts'

const hour = 3_600_000
const folders: string[] = []
const opened = (options: { readonly bytes?: number; readonly keptMs?: number; readonly folder?: string } = {}) => {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'sauti-traces-'))
  folders.push(folder)
  const clock = { now: 1_800_000_000_000 }
  const faults: string[] = []
  const open = () =>
    new TraceFiles({
      folder,
      bytes: options.bytes ?? 1 << 20,
      keptMs: options.keptMs ?? hour,
      unixMs: () => clock.now,
      fault: detail => faults.push(detail),
    })
  return { folder, clock, faults, open, files: open() }
}

let seed = 1
/** What zstd cannot make smaller. */
const noise = (length: number): Uint8Array =>
  Uint8Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed >> 16
  })
const part = (uuid: string, bytes: Uint8Array, isWhole = false) => ({
  uuid,
  sid: `CA${uuid}`,
  isWhole,
  pieces: [bytes],
})
const read = (files: TraceFiles, id: string) => files.partsOf(id).map(bytes => [...bytes])

test('parts come back by uuid and by sid, after a restart too, and the files are for their owner alone', () => {
  const { folder, open, files } = opened()
  files.put([part('a', Uint8Array.of(1, 2, 3))], false)
  files.put([part('b', Uint8Array.of(4))], false)
  files.put([part('a', Uint8Array.of(5, 6))], true)
  const again = (other: TraceFiles) => {
    assert.equal(read(other, 'a'), [
      [1, 2, 3],
      [5, 6],
    ])
    assert.equal(read(other, 'CAb'), [[4]])
    assert.equal(read(other, 'c'), [])
    assert.is(other.counters.calls, 2)
  }
  again(files)
  files.close()
  const later = open()
  again(later)
  // The run after a restart goes on after what was there.
  later.put([part('a', Uint8Array.of(7))], false)
  later.close()
  assert.equal(read(open(), 'a'), [[1, 2, 3], [5, 6], [7]])
  for (const name of readdirSync(folder)) assert.is(statSync(join(folder, name)).mode & 0o777, 0o600)
})

test('parts that were put together are read one by one, each as it was', () => {
  const { open, files } = opened()
  const [first, second, third] = [noise(4096), noise(24), noise(8000)]
  files.put(
    [part('a', first), { ...part('b', second), sid: '', pieces: [second, third] }, { ...part('c', third), pieces: [] }],
    false,
  )
  files.put([part('b', first), part('d', second)], false)
  const all = (other: TraceFiles) => ['a', 'b', 'c', 'CAd'].map(id => read(other, id))
  const wanted = [[[...first]], [[...second, ...third], [...first]], [[]], [[...second]]]
  assert.equal(all(files), wanted)
  files.close()
  assert.equal(all(open()), wanted)
})

test('ten thousand calls in one file are found, each as it was', () => {
  const { files, open } = opened({ bytes: 1 << 26 })
  const ids = Array.from({ length: 10_000 }, () => randomUUID())
  for (let at = 0; at < ids.length; at += 100)
    files.put(
      ids.slice(at, at + 100).map((uuid, i) => part(uuid, Uint8Array.of(i, at / 100))),
      false,
    )
  files.close()
  for (const each of [files, open()]) {
    assert.is(each.counters.calls, 10_000)
    for (const at of [0, 1, 99, 100, 4711, 9999]) {
      assert.equal(read(each, ids[at]!), [[at % 100, Math.floor(at / 100)]])
      assert.equal(read(each, `CA${ids[at]}`), [[at % 100, Math.floor(at / 100)]])
    }
    assert.equal(read(each, randomUUID()), [])
  }
})

test('a whole trace takes the place of its parts', () => {
  const { open, files } = opened()
  files.put([part('a', Uint8Array.of(1))], false)
  files.put([part('a', Uint8Array.of(1, 2), true)], true)
  files.put([part('a', Uint8Array.of(3))], false)
  assert.equal(read(files, 'a'), [[1, 2], [3]])
  files.close()
  assert.equal(read(open(), 'a'), [[1, 2], [3]])
})

test('beyond the budget good calls go first, the oldest of them; failed ones are kept longer', () => {
  const { files, clock } = opened({ bytes: 160_000 })
  for (let call = 0; call < 40; call++) {
    clock.now += 1000
    files.put([part(`good-${call}`, noise(4000))], false)
    if (call % 10 === 0) files.put([part(`failed-${call}`, noise(4000))], true)
  }
  for (let call = 40; call < 60; call++) files.put([part(`good-${call}`, noise(4000))], false)
  assert.ok(files.counters.bytes <= 160_000 && files.counters.bytes > 120_000, `${files.counters.bytes}`)
  assert.ok(files.counters.purgedBytes > 0)
  assert.equal(read(files, 'good-0'), [])
  assert.is(read(files, 'good-59').length, 1)
  for (const call of [0, 10, 20, 30]) assert.is(read(files, `failed-${call}`).length, 1, `failed-${call}`)
  // Failed ones alone cannot go beyond the budget either.
  for (let call = 60; call < 120; call++) files.put([part(`failed-${call}`, noise(4000))], true)
  assert.ok(files.counters.bytes <= 160_000)
  assert.equal(read(files, 'failed-0'), [])
  assert.is(read(files, 'failed-119').length, 1)
})

test('what is older than its hours is removed', () => {
  const { files, clock, folder } = opened({ keptMs: hour })
  files.put([part('a', Uint8Array.of(1))], false)
  clock.now += hour / 2
  files.purge()
  files.put([part('b', Uint8Array.of(2))], false)
  clock.now += hour / 2 + 1000
  files.purge()
  assert.equal([read(files, 'a'), read(files, 'b')], [[], [[2]]])
  clock.now += hour
  files.purge()
  assert.equal([read(files, 'b'), files.counters.bytes, files.counters.calls], [[], 0, 0])
  assert.equal(readdirSync(folder), [])
})

test('a block that was cut short or damaged costs itself alone', () => {
  const { files, folder, open, faults } = opened()
  files.put([part('a', noise(1000))], false)
  files.put([part('b', noise(1000))], false)
  files.put([part('c', noise(1000))], false)
  files.close()
  const path = join(folder, readdirSync(folder)[0] ?? '')
  truncateSync(path, statSync(path).size - 10)
  const bytes = readFileSync(path)
  bytes[200] = bytes[200]! ^ 0xff
  writeFileSync(path, bytes)
  const later = open()
  assert.equal([read(later, 'a'), read(later, 'b').length, read(later, 'c')], [[], 1, []])
  assert.match(faults[0] ?? '', /damaged/)
  assert.is(later.put([part('d', Uint8Array.of(4))], false), true)
  assert.equal(read(later, 'd'), [[4]])
})

test('a disk that cannot be written loses the part and says so', () => {
  const { files, folder, faults } = opened()
  rmSync(folder, { recursive: true })
  assert.is(files.put([part('a', Uint8Array.of(1))], false), false)
  assert.is(files.counters.faults, 1)
  assert.match(faults[0] ?? '', /ENOENT/)
})

test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
test.run()
