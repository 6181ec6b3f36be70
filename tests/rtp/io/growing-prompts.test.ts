import { closeSync, linkSync, mkdtempSync, openSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Prompt, PromptFault } from '../../../rtp/contract/prompts.ts'
import { wavHeader } from '../../../rtp/index.ts'
import { LibOpus, PromptFiles } from '../../../rtp/io/index.ts'
import { Playback } from '../../../rtp/send/playback.ts'
import { noise, sleep } from '../bed/media-peer.ts'

const folder = mkdtempSync(join(tmpdir(), 'sauti-growing-'))
test.after(() => rmSync(folder, { recursive: true }))

const rate = 8000
const pcmOf = (samples: number, seed = 1) => new Int16Array(noise(samples * 2, seed).buffer)

/** A WAV that is written piece by piece. */
class Growing {
  readonly path: string
  readonly #file: number
  #bytes = 0

  constructor(name: string) {
    this.path = join(folder, name)
    this.#file = openSync(this.path, 'w')
    const head = Buffer.from(wavHeader({ encoding: 'pcm16', sampleRate: rate, channels: 1 }, 0))
    head.writeUInt32LE(0xffff_ffff, 4)
    head.writeUInt32LE(0xffff_ffff, 40)
    writeSync(this.#file, head)
  }

  write(pcm: Int16Array): void {
    this.#bytes += writeSync(this.#file, new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength))
  }

  end(): void {
    writeSync(this.#file, wavHeader({ encoding: 'pcm16', sampleRate: rate, channels: 1 }, this.#bytes), 0, 44, 0)
    closeSync(this.#file)
  }
}

type Codec = 'PCMU' | 'G722' | 'opus'
const begun = async (load: (done: (prompt: Prompt | PromptFault) => void) => void): Promise<Prompt> => {
  const prompt = await new Promise<Prompt | PromptFault>(load)
  if (typeof prompt === 'string') throw new Error(prompt)
  return prompt
}
const whole = async (prompts: PromptFiles): Promise<void> => {
  while (prompts.underWay > 0) await sleep(1)
}
const frameOf = (playback: Playback): string => {
  const room = new Uint8Array(1500)
  return Buffer.from(room.subarray(0, playback.frameInto(room, 0, 20))).toString('hex')
}
const isSilent = (frame: string): boolean => /^(ff)*$|^(00)*$|^f8fffe$/.test(frame)

for (const codec of ['PCMU', 'G722', 'opus'] as const satisfies Codec[]) {
  test(`${codec}: a file that is still written begins at once, waits in silence where nothing is there, and loses nothing`, async () => {
    const prompts = new PromptFiles({ opus: new LibOpus() })
    const file = new Growing(`slow-${codec}.wav`)
    const pcm = pcmOf(rate * 3, 5)
    file.write(pcm.subarray(0, 4000))
    const prompt = await begun(done => prompts.follow(file.path, codec, 1, done))
    const playback = new Playback('p', prompt, 1)
    const received: string[] = []
    // Half a second is there; then a second of nothing.
    for (let n = 0; n < 75; n++) received.push(frameOf(playback))
    assert.ok(received.slice(0, 23).every(frame => !isSilent(frame)))
    assert.ok(received.slice(25).every(isSilent), 'silence, where the rest is not there in time')
    assert.not(playback.ended)
    assert.is(await begun(done => prompts.follow(file.path, codec, 1, done)), prompt, 'whoever comes later shares it')
    file.write(pcm.subarray(4000))
    file.end()
    await whole(prompts)
    while (!playback.ended) received.push(frameOf(playback))
    // By its own name, and the time that it is given, it is the same.
    const name = join(folder, `named-${codec}.wav`)
    linkSync(file.path, name)
    const seconds = Math.floor(statSync(name).mtimeMs / 1000)
    utimesSync(name, seconds, seconds)
    assert.is(await begun(done => prompts.load(name, codec, 1, done)), prompt)
    const others = new PromptFiles({ opus: new LibOpus() })
    const other = await begun(done => others.load(file.path, codec, 1, done))
    await whole(others)
    const expected: string[] = []
    for (const reference = new Playback('r', other, 1); !reference.ended; ) expected.push(frameOf(reference))
    assert.equal(
      received.filter(frame => !isSilent(frame)),
      expected.filter(frame => !isSilent(frame)),
    )
    assert.is(received.length - received.filter(isSilent).length, expected.length)
    assert.is(frameOf(playback).length > 0, true)
    assert.ok(isSilent(frameOf(playback)), 'and nothing is heard twice')
  })

  test(`${codec}: repeated, the rounds begin when the whole has come`, async () => {
    const prompts = new PromptFiles({ opus: new LibOpus() })
    const file = new Growing(`loop-${codec}.wav`)
    const pcm = pcmOf(8000, 6)
    file.write(pcm.subarray(0, 3200))
    const prompt = await begun(done => prompts.follow(file.path, codec, 2, done))
    const playback = new Playback('p', prompt, 2)
    const first = Array.from({ length: 30 }, () => frameOf(playback)).filter(frame => !isSilent(frame))
    file.write(pcm.subarray(3200))
    file.end()
    await whole(prompts)
    while (!playback.ended) first.push(frameOf(playback))
    const sounds = first.filter(frame => !isSilent(frame))
    const round = codec === 'opus' ? prompt.ends!.length : 50
    assert.is(sounds.length, 2 * round)
    assert.equal(sounds.slice(0, 10), sounds.slice(round, round + 10))
  })
}

test('a file that has become whole is loaded as any other; what is no file of audio is reported', async () => {
  const prompts = new PromptFiles({ opus: new LibOpus() })
  const file = new Growing('done.wav')
  file.write(pcmOf(1600, 7))
  file.end()
  const prompt = await begun(done => prompts.follow(file.path, 'PCMU', 1, done))
  assert.is(prompt, await begun(done => prompts.load(file.path, 'PCMU', 1, done)))
  assert.is(await new Promise(done => prompts.follow(join(folder, 'none.wav'), 'PCMU', 1, done)), 'unreadable')
  assert.is(await new Promise(done => prompts.follow(folder, 'PCMU', 1, done)), 'unreadable')
})

test.run()
