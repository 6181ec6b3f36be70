import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { firstPacketIn, readOggOpus, withoutDelimiter } from '../../rtp/index.ts'
import { finishOggFile, LibOpus, type OpusDecoder, RecordingFiles } from '../../rtp/io/index.ts'
import { delayOf, segmentalSnrDb, speechLike } from '../rtp/bed/audio-measure.ts'
import { sleep } from '../rtp/bed/media-peer.ts'

// Recordings in Ogg Opus: written by their thread, read by our own reader and by libopus. Other people's tools read them
// in tests/interop/ogg-tools.test.ts.

const folder = mkdtempSync(join(tmpdir(), 'sauti-ogg-'))
test.after(() => rmSync(folder, { recursive: true }))
const opus = new LibOpus()
const files = new RecordingFiles()
const dayUnits = 24 * 3600 * 48_000

type Rate = 8000 | 16_000

async function decoded(path: string, rate: Rate): Promise<Int16Array[]> {
  const parsed = readOggOpus(readFileSync(path), dayUnits)
  assert.ok(parsed.ok, `${path}: ${parsed.ok ? '' : parsed.reason}`)
  assert.ok(parsed.value.isWhole, path)
  const { channels, shares, packets, payload, preSkip, units } = parsed.value
  const streams = shares.length
  assert.is(channels, streams, 'one stream a channel')
  const count = Math.round((units * rate) / 48_000)
  const skip = Math.round((preSkip * rate) / 48_000)
  const sides: Int16Array[] = []
  for (let side = 0; side < streams; side++) {
    const decoder = await new Promise<OpusDecoder | undefined>(resolve => opus.decoder(rate, resolve))
    assert.ok(decoder)
    const pcm = new Int16Array((packets.length * rate) / 50)
    let at = 0
    for (const [from, end] of packets) {
      const first = streams === 2 ? firstPacketIn(payload, from, end) : undefined
      const own =
        first === undefined
          ? payload.slice(from, end)
          : side === 0
            ? withoutDelimiter(payload, from, first)
            : payload.slice(first.next, end)
      at += decoder.decodeInto(pcm, at, own, 0, own.length)
    }
    assert.is(at, pcm.length, 'every packet is decoded')
    decoder.free()
    sides.push(pcm.slice(skip, skip + count))
  }
  return sides
}

const interleaved = (sides: readonly Int16Array[]): Int16Array =>
  Int16Array.from(
    { length: sides[0]!.length * sides.length },
    (_, i) => sides[i % sides.length]![Math.floor(i / sides.length)]!,
  )

function record(
  path: string,
  pcm: Int16Array,
  channels: 1 | 2,
  rate: Rate,
  kept = pcm.length,
): Promise<[number, boolean]> {
  const sink = files.open(path, channels, rate)
  const piece = 20 * channels * (rate / 1000)
  for (let at = 0; at < pcm.length; at += piece) sink.write(pcm, at, Math.min(piece, pcm.length - at))
  return new Promise(done => sink.close(kept, (...reported) => done(reported)))
}

/** Where `received` lies beside `wanted`, in samples: 0 = in its place. */
function offsetOf(wanted: Int16Array, received: Int16Array): { offset: number; likeness: number } {
  const early = 40
  const shifted = new Int16Array(received.length + early)
  shifted.set(received, early)
  const { delay, likeness } = delayOf(wanted, shifted, 2 * early, 400, wanted.length - 3 * early - 400)
  return { offset: delay - early, likeness }
}

test('one channel and two, of both rates: every sound in its place, to the sample', async () => {
  for (const rate of [8000, 16_000] as const) {
    for (const channels of [1, 2] as const) {
      const what = `${channels} of ${rate} Hz`
      const path = join(folder, `${channels}-${rate}.ogg`)
      const sides = [11, 12].slice(0, channels).map(seed => speechLike(4 * rate + 77, rate, seed))
      const [size, failed] = await record(path, interleaved(sides), channels, rate)
      assert.not(failed, what)
      assert.is(size, statSync(path).size, what)
      assert.ok(size < 4 * channels * 5000, `${size} bytes`)
      const received = await decoded(path, rate)
      for (const [side, wanted] of sides.entries()) {
        assert.is(received[side]!.length, wanted.length, `${what}: as long as what went in`)
        const { offset, likeness } = offsetOf(wanted, received[side]!)
        assert.ok(Math.abs(offset) < rate / 1000, `${what}: ${offset} samples off`)
        assert.ok(likeness > 0.9, `${what}: ${likeness} alike`)
        assert.ok(segmentalSnrDb(wanted, received[side]!, Math.max(0, offset), rate) > 8, what)
      }
    }
  }
})

test('audio of one channel is not audible on the other', async () => {
  const path = join(folder, 'apart.ogg')
  const left = speechLike(24_000, 8000, 4)
  await record(path, interleaved([left, new Int16Array(24_000)]), 2, 8000)
  const [, right] = await decoded(path, 8000)
  assert.ok(right!.every(sample => Math.abs(sample) <= 1))
})

test('the recording ends at the ordered place, on any page; also with nothing in it', async () => {
  const pcm = speechLike(40_000, 8000, 5)
  for (const kept of [40_000, 39_999, 39_948, 38_000, 20_001, 9600, 160, 1, 0]) {
    const path = join(folder, `kept-${kept}.ogg`)
    const [size, failed] = await record(path, pcm, 1, 8000, kept)
    assert.not(failed)
    assert.is(statSync(path).size, size)
    const [received] = await decoded(path, 8000)
    assert.is(received!.length, kept)
    assert.equal(finishOggFile(path), { durationMs: Math.round(kept / 8), sizeBytes: size }, 'finished already')
    if (kept >= 9600) assert.ok(Math.abs(offsetOf(pcm.slice(0, kept), received!).offset) < 8)
  }
  const path = join(folder, 'empty.ogg')
  assert.not((await record(path, new Int16Array(0), 2, 8000))[1])
  assert.equal(
    (await decoded(path, 8000)).map(side => side.length),
    [0, 0],
  )
})

test('a missing folder fails the recording, and the call goes on', async () => {
  const sink = files.open(join(folder, 'no', 'such', 'folder.ogg'))
  const other = record(join(folder, 'beside.ogg'), speechLike(8000, 8000, 6), 1, 8000)
  sink.write(new Int16Array(160), 0, 160)
  const reported = await new Promise<[number, boolean]>(done => sink.close(160, (...args) => done(args)))
  assert.equal(reported, [0, true])
  assert.ok(sink.hasFailed)
  assert.not((await other)[1])
})

test('a recording that is killed at whatever moment is finished afterwards, and opens', async () => {
  const path = join(folder, 'killed.ogg')
  const script = `
    import { RecordingFiles } from ${JSON.stringify(new URL('../../rtp/io/index.ts', import.meta.url).href)}
    const sink = new RecordingFiles().open(${JSON.stringify(path)}, 2)
    const pcm = Int16Array.from({ length: 3200 }, (_, i) => Math.round(8000 * Math.sin(Math.PI * i / 8)))
    setInterval(() => sink.write(pcm, 0, 3200), 10)
    process.stdout.write('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  test.after(() => void child.kill('SIGKILL'))
  await new Promise(resolve => child.stdout.once('data', resolve))
  const until = performance.now() + 20_000
  while (!existsSync(path) && performance.now() < until) await sleep(2)
  const copy = join(folder, 'killed-now.ogg')
  let grown = 0
  while (grown < 48_000 * 20) {
    assert.ok(performance.now() < until, 'it grows')
    // As it would lie there, were it killed now: a page may be half written.
    copyFileSync(path, copy)
    finishOggFile(copy)
    const parsed = readOggOpus(readFileSync(copy), dayUnits)
    assert.ok(parsed.ok, parsed.ok ? '' : parsed.reason)
    assert.ok(parsed.value.isWhole)
    assert.ok(parsed.value.units >= grown)
    grown = parsed.value.units
    await sleep(5)
  }
  child.kill('SIGKILL')
  await new Promise(resolve => child.once('exit', resolve))
  const [received] = await decoded(path, 8000)
  const finished = finishOggFile(path)
  assert.is(finished?.durationMs, Math.round(received!.length / 8))
  assert.is(finished?.sizeBytes, statSync(path).size)
  assert.is((await decoded(path, 8000))[0]!.length, received!.length)
})

test('what was torn is cut to whole pages; what is none of ours is left alone', async () => {
  const pcm = speechLike(40_000, 8000, 7)
  const whole = join(folder, 'whole.ogg')
  await record(whole, pcm, 1, 8000)
  const bytes = readFileSync(whole)
  const path = join(folder, 'torn.ogg')
  let shortest = Number.POSITIVE_INFINITY
  for (let length = bytes.length - 1; length > 200; length -= 997) {
    writeFileSync(path, bytes)
    truncateSync(path, length)
    const finished = finishOggFile(path)
    assert.ok(finished !== undefined && finished.sizeBytes <= length)
    const [received] = await decoded(path, 8000)
    assert.is(finished.durationMs, Math.round(received!.length / 8))
    assert.ok(received!.length <= shortest)
    shortest = received!.length
    assert.equal(finishOggFile(path), finished, 'again, nothing changes')
    assert.is(readFileSync(path)[5], 2)
  }
  // Only the head, the head torn, another thing altogether, nothing.
  for (const [content, reported] of [
    [bytes.subarray(0, bytes.indexOf('OggS', 48)), { durationMs: 0 }],
    [bytes.subarray(0, 20), undefined],
    [Buffer.from('not an Ogg file'), undefined],
    [Buffer.alloc(0), undefined],
  ] as const) {
    writeFileSync(path, content)
    assert.is(finishOggFile(path)?.durationMs, reported?.durationMs)
    if (reported === undefined) assert.equal(readFileSync(path), Buffer.from(content))
  }
  assert.is(finishOggFile(join(folder, 'nothing.ogg')), undefined)
})

test.run()
