import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcma } from '../../../rtp/codec/g711.ts'
import type { Prompt, PromptFault } from '../../../rtp/contract/prompts.ts'
import { decodeWav, parseWav, pcmu, resample, type WavFormat, wavHeader } from '../../../rtp/index.ts'
import { LibOpus, MediaClock, PromptFiles, RecordingFiles } from '../../../rtp/io/index.ts'
import { Playback } from '../../../rtp/send/playback.ts'
import { noise, sleep } from '../bed/media-peer.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-files-'))
test.after(() => rmSync(folder, { recursive: true }))
const pcmOf = (samples: number, seed = 1) => new Int16Array(noise(samples * 2, seed).buffer)
const wavFile = (name: string, pcm: Int16Array, sampleRate = 8000, channels = 1): string => {
  const format: WavFormat = { encoding: 'pcm16', sampleRate, channels }
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat([wavHeader(format, pcm.byteLength), new Uint8Array(pcm.buffer)]))
  return path
}
const load = (prompts: PromptFiles, path: string, codec: 'PCMU' | 'PCMA' | 'G722' | 'opus' = 'PCMU') =>
  new Promise<Prompt | PromptFault>(resolve => prompts.load(path, codec, 1, resolve))
const whole = async (prompts: PromptFiles): Promise<void> => {
  while (prompts.underWay > 0) await sleep(1)
}
const headLength = 44
/** What a reader finds that takes the header first and then the rest: meanwhile the file may grow, and get a new header. */
const read = (path: string): Int16Array => {
  const head = readFileSync(path).subarray(0, headLength)
  const bytes = readFileSync(path)
  bytes.set(head)
  const parsed = parseWav(bytes)
  if (!parsed.ok) throw new Error(parsed.reason)
  assert.ok(parsed.value.dataFrom + bytes.readUInt32LE(40) <= bytes.length, 'the header never promises too much')
  assert.is(bytes.readUInt32LE(4), 36 + bytes.readUInt32LE(40))
  return decodeWav(bytes, parsed.value)
}

test('a recording keeps every sample up to the ordered end', async () => {
  const files = new RecordingFiles()
  const path = join(folder, 'whole.wav')
  const sink = files.open(path)
  const pcm = pcmOf(100_000)
  for (let at = 0; at < pcm.length; at += 160) sink.write(pcm, at, Math.min(160, pcm.length - at))
  const [size, failed] = await new Promise<[number, boolean]>(done =>
    sink.close(90_001, (...reported) => done(reported)),
  )
  assert.not(failed)
  assert.is(size, 44 + 180_002)
  assert.is(statSync(path).size, size)
  assert.equal(read(path), pcm.slice(0, 90_001))
})

test('the media thread of a recording never touches the disk: a lock held there would make a packet late', async () => {
  const files = new RecordingFiles()
  const sinks = Array.from({ length: 20 }, (_, n) => files.open(join(folder, `beside-${n}.wav`)))
  const pcm = pcmOf(160)
  const asked = new Set<string>()
  for (let n = 0; n < 400; n++) {
    for (const sink of sinks) sink.write(pcm, 0, pcm.length)
    for (const resource of process.getActiveResourcesInfo()) asked.add(resource)
    if (n % 10 === 0) await sleep(5)
    else await new Promise(setImmediate)
  }
  const closed = await Promise.all(
    sinks.map(sink => new Promise<boolean>(done => sink.close(400 * 160, (_size, failed) => done(failed)))),
  )
  assert.ok(closed.every(failed => !failed))
  assert.not(asked.has('FSReqCallback'))
})

test('a recording that cannot be written fails, and the call goes on', async () => {
  const files = new RecordingFiles()
  const sink = files.open(join(folder, 'no', 'such', 'folder.wav'))
  sink.write(pcmOf(160), 0, 160)
  for (const until = performance.now() + 10_000; !sink.hasFailed && performance.now() < until; ) await sleep(5)
  assert.ok(sink.hasFailed)
  sink.write(pcmOf(160), 0, 160)
  const [size, failed] = await new Promise<[number, boolean]>(done => sink.close(160, (...reported) => done(reported)))
  assert.is(size, 0)
  assert.ok(failed)
})

/** Ten seconds of a recording by a process whose files may have this many blocks. Gives the size reported. */
function refusedBeyond(blocks: number, path: string): number {
  const script = `
    import { RecordingFiles } from ${JSON.stringify(new URL('../../../rtp/io/index.ts', import.meta.url).href)}
    const sink = new RecordingFiles().open(${JSON.stringify(path)})
    sink.write(new Int16Array(80_000).fill(77), 0, 80_000)
    const look = setInterval(() => {
      if (!sink.hasFailed) return
      clearInterval(look)
      sink.close(80_000, (size, failed) => process.stdout.write(failed ? String(size) : 'whole'))
    }, 5)`
  // Blocks of 512 bytes, or in some shells of 1,024.
  const child = spawnSync(
    'sh',
    ['-c', `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, '--input-type=module', '-e', script],
    {
      encoding: 'utf8',
      timeout: 10_000,
    },
  )
  assert.match(child.stdout, /^[0-9]+$/, child.stderr)
  return Number(child.stdout)
}

test('a disk that refuses more: the file has the size that is reported, and opens', () => {
  const path = join(folder, 'full.wav')
  const size = refusedBeyond(100, path)
  assert.is(statSync(path).size, size)
  const samples = read(path)
  assert.ok(samples.length > 0 && samples.every(sample => sample === 77))
  assert.is(44 + 2 * samples.length, size)
})

test('a disk that takes nothing at all: no file is left, and none is reported', () => {
  assert.is(refusedBeyond(0, join(folder, 'none.wav')), 0)
  assert.equal(
    readdirSync(folder).filter(name => name.startsWith('none')),
    [],
  )
})

test('killed at any moment, a recording opens', async () => {
  const path = join(folder, 'killed.wav')
  const script = `
    import { RecordingFiles } from ${JSON.stringify(new URL('../../../rtp/io/index.ts', import.meta.url).href)}
    const sink = new RecordingFiles().open(${JSON.stringify(path)})
    const pcm = new Int16Array(1600).fill(77)
    setInterval(() => sink.write(pcm, 0, 1600), 5)
    process.stdout.write('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  test.after(() => void child.kill('SIGKILL'))
  await new Promise(resolve => child.stdout.once('data', resolve))
  while (!existsSync(path)) await sleep(1)
  let grown = 0
  for (let i = 0; i < 60; i++) {
    const samples = read(path)
    assert.ok(samples.every(sample => sample === 77))
    assert.ok(samples.length >= grown)
    grown = samples.length
    await sleep(7)
  }
  child.kill('SIGKILL')
  await new Promise(resolve => child.once('exit', resolve))
  const samples = read(path)
  assert.ok(samples.length > 16_000 && samples.every(sample => sample === 77))
})

test('a prompt of 8,000 Hz is the codec of each sample', async () => {
  const prompts = new PromptFiles({ opus: new LibOpus() })
  const pcm = pcmOf(30_001)
  const path = wavFile('exact.wav', pcm)
  for (const coder of [pcmu, pcma]) {
    const prompt = await load(prompts, path, coder.name as 'PCMU')
    assert.ok(typeof prompt !== 'string')
    await whole(prompts)
    const expected = new Uint8Array(pcm.length)
    coder.encodeInto(expected, 0, pcm, 0, pcm.length)
    assert.equal(prompt.bytes, expected)
  }
})

test('other rates and channels are resampled whole, whatever the pieces', async () => {
  const prompts = new PromptFiles({ opus: new LibOpus() })
  for (const [rate, channels] of [
    [16_000, 1],
    [44_100, 1],
    [48_000, 2],
    [11_025, 1],
  ] as const) {
    const frames = rate + 333
    const mono = Int16Array.from({ length: frames }, (_, i) =>
      Math.round(8000 * Math.sin((2 * Math.PI * 1000 * i) / rate)),
    )
    const pcm = channels === 1 ? mono : Int16Array.from({ length: 2 * frames }, (_, i) => mono[i >> 1]!)
    const prompt = await load(prompts, wavFile(`${rate}.wav`, pcm, rate, channels))
    assert.ok(typeof prompt !== 'string')
    await whole(prompts)
    const expected = resample(mono, rate, 8000)
    const bytes = new Uint8Array(expected.length)
    pcmu.encodeInto(bytes, 0, expected, 0, expected.length)
    assert.equal(prompt.bytes, bytes)
  }
})

test('prompts are kept while they fit, and read again when they change', async () => {
  const prompts = new PromptFiles({ keptBytes: 2500, opus: new LibOpus() })
  const paths = [1, 2, 3].map(n => wavFile(`kept-${n}.wav`, pcmOf(1000, n)))
  const first = await load(prompts, paths[0]!)
  assert.is(await load(prompts, paths[0]!), first)
  await load(prompts, paths[1]!)
  assert.is(await load(prompts, paths[0]!), first)
  await load(prompts, paths[2]!)
  assert.is(await load(prompts, paths[0]!), first, 'the least recently played went')
  assert.is(prompts.bytes, 2000)
  wavFile('kept-1.wav', pcmOf(1000, 9))
  utimesSync(paths[0]!, 1, 1)
  assert.is.not(await load(prompts, paths[0]!), first)
  const [one, two] = await Promise.all([load(prompts, paths[1]!, 'PCMA'), load(prompts, paths[1]!, 'PCMA')])
  assert.is(one, two, 'read once for two who ask together')
})

test('a long prompt begins when its first second is made, and is silent where it is not made yet', async () => {
  const prompts = new PromptFiles({ opus: new LibOpus() })
  const seconds = 60
  const path = wavFile('long.wav', pcmOf(16_000 * seconds, 4), 16_000)
  for (const codec of ['PCMU', 'G722', 'opus'] as const) {
    const prompt = await load(prompts, path, codec)
    if (typeof prompt === 'string') throw new Error(prompt)
    const all = codec === 'opus' ? (prompt.ends?.length ?? 0) : prompt.bytes.length
    const first = prompt.made ?? all
    assert.ok(first >= all / seconds - 1 && first < all / 3, `${codec}: ${first} of ${all}`)
    const frames = (into: Uint8Array, from: number): Uint8Array => {
      const playback = new Playback('p', prompt, 1)
      playback.skip(from * 20)
      return into.slice(0, playback.frameInto(into, 0, 20))
    }
    const room = new Uint8Array(1500)
    const sound = frames(room, 20)
    const missing = frames(room, 2900)
    assert.ok(new Set(sound).size > 20)
    assert.ok(
      codec === 'opus' ? missing.length === 3 : new Set(missing).size === 1,
      `${codec}: silent until it is made`,
    )
    await whole(prompts)
    assert.ok((prompt.made ?? all) >= all, 'all of it came')
    assert.ok(new Set(frames(room, 2900)).size > 20, 'and what was missing is there now')
    assert.equal(frames(room, 20), sound)
    assert.is(await load(prompts, path, codec), prompt, 'kept')
  }
})

test('samples after a long header are found', async () => {
  const prompts = new PromptFiles({ opus: new LibOpus() })
  const pcm = pcmOf(800)
  const plain = readFileSync(wavFile('plain.wav', pcm))
  for (const length of [70_000, 400_000]) {
    const history = Buffer.alloc(8 + length)
    history.write('bext')
    history.writeUInt32LE(length, 4)
    const file = Buffer.concat([plain.subarray(0, 12), history, plain.subarray(12)])
    file.writeUInt32LE(file.length - 8, 4)
    const path = join(folder, `history-${length}.wav`)
    writeFileSync(path, file)
    const prompt = await load(prompts, path)
    if (typeof prompt === 'string') throw new Error(prompt)
    const expected = new Uint8Array(pcm.length)
    pcmu.encodeInto(expected, 0, pcm, 0, pcm.length)
    assert.equal(prompt.bytes, expected)
  }
})

test('what is no WAV is reported', async () => {
  const prompts = new PromptFiles({ opus: new LibOpus() })
  assert.is(await load(prompts, join(folder, 'nothing.wav')), 'unreadable')
  assert.is(await load(prompts, folder), 'unreadable')
  const text = join(folder, 'text.wav')
  writeFileSync(text, 'not a wav file at all, but long enough for a header of one')
  assert.is(await load(prompts, text), 'unreadable')
  writeFileSync(text, '')
  assert.is(await load(prompts, text), 'unreadable')
})

/** Half a second of ticks, with a stall of 60 ms: how many of the grid's ticks came or were counted as missed, as a share. */
async function gridOfClock(): Promise<number> {
  const at: number[] = []
  let stalled = 0
  const clock = new MediaClock(now => {
    at.push(now)
    if (at.length !== 40) return
    const until = performance.now() + 60
    while (performance.now() < until) stalled++
  })
  clock.start()
  clock.start()
  await sleep(500)
  clock.stop()
  const ticks = at.length
  assert.is(clock.counters.ticks, ticks)
  assert.ok(clock.counters.missed >= 10 && stalled > 0)
  assert.ok(clock.counters.worstLateMs >= 50)
  await sleep(30)
  assert.is(at.length, ticks)
  return (ticks + clock.counters.missed) / ((at.at(-1)! - at[0]!) / 5)
}

test('the clock keeps its grid, and ticks once after a stall', async () => {
  // A machine that does other things may hold up the first tick or the last: a clock off its grid is so each time.
  const rates: number[] = []
  const keeps = () => rates.some(rate => rate > 0.97 && rate < 1.04)
  while (!keeps() && rates.length < 4) rates.push(await gridOfClock())
  assert.ok(keeps(), `${rates.join(', ')} of the grid`)
})

test('a clock that may hold its thread sleeps until a tick is due, and never when it is late', async () => {
  let time = 0
  const slept: number[] = []
  const sleep = (ms: number): void => {
    slept.push(ms)
    time += ms
  }
  const wakes = [4.25, 9.5, 16, 19.875]
  const ticks: number[] = []
  await new Promise<void>(resolve => {
    const clock = new MediaClock(
      now => {
        ticks.push(now)
        time = wakes[ticks.length] ?? time
        if (ticks.length < wakes.length) return
        clock.stop()
        resolve()
      },
      { now: () => time, sleep },
    )
    clock.start()
    time = wakes[0] ?? 0
  })
  assert.equal(ticks, [5, 10, 16, 20])
  assert.equal(slept, [0.75, 0.5, 0.125])
})

test.run()
