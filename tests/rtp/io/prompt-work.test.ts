import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AudioCodecName } from '../../../rtp/codec/codec-name.ts'
import type { OpusCoders } from '../../../rtp/codec/opus.ts'
import type { Prompt, PromptFault } from '../../../rtp/contract/prompts.ts'
import { wavHeader } from '../../../rtp/index.ts'
import { LibOpus, PromptFiles } from '../../../rtp/io/index.ts'
import { PromptTurns } from '../../../rtp/io/prompt-turns.ts'
import { Playback } from '../../../rtp/send/playback.ts'
import { PromptPlayer } from '../../../rtp/send/prompt-player.ts'
import { frameLengthOf, framesInPiece, type WavFormat } from '../../../rtp/wav/format.ts'
import { until } from '../../rig/probes/wait.ts'

// How much work and memory the prompts of a thread may take, whatever is asked for.

const folder = mkdtempSync(join(tmpdir(), 'sauti-prompt-work-'))
test.after(() => rmSync(folder, { recursive: true }))

const wavOf = (name: string, seconds: number, format: Partial<WavFormat> = {}, byte = 0x11): string => {
  const whole: WavFormat = { encoding: 'pcm16', sampleRate: 8000, channels: 1, ...format }
  const samples = Buffer.alloc(seconds * whole.sampleRate * frameLengthOf(whole), byte)
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat([wavHeader(whole, samples.length), samples]))
  return path
}
const load = (prompts: PromptFiles, path: string, codec: AudioCodecName, loop = 1, isWanted = () => true) =>
  new Promise<Prompt | PromptFault>(done => prompts.load(path, codec, loop, done, isWanted))
const loaded = async (...of: Parameters<typeof load>): Promise<Prompt> => {
  const prompt = await load(...of)
  if (typeof prompt === 'string') throw new Error(prompt)
  return prompt
}
const idle = (prompts: PromptFiles) => until('nothing is made', () => prompts.underWay === 0)

/** Counts the frames that are encoded. */
const counting = () => {
  const lib = new LibOpus()
  const counted = { frames: 0 }
  const opus: OpusCoders = {
    decoder: (rate, done) => lib.decoder(rate, done),
    encoder: (settings, done) =>
      lib.encoder(settings, encoder => {
        if (encoder !== undefined) {
          const encode = encoder.encodeInto.bind(encoder)
          encoder.encodeInto = (...of) => {
            counted.frames++
            return encode(...of)
          }
        }
        done(encoder)
      }),
  }
  return { opus, counted }
}

test('a piece that is decoded at a time has so many bytes, also of 64 channels', async () => {
  const wide = { encoding: 'float64', sampleRate: 8000, channels: 64 } as const
  assert.is(framesInPiece(wide) * frameLengthOf(wide), 64 * 1024)
  assert.is(framesInPiece({ ...wide, encoding: 'pcm16', channels: 1 }), 4096)
  const prompts = new PromptFiles({ opus: new LibOpus() })
  const prompt = await loaded(prompts, wavOf('wide.wav', 0.5, wide, 0), 'PCMU')
  assert.is(prompt.bytes.length, 4000)
})

test('a prompt in Opus is made to be repeated once, however often: many numbers of rounds share it', async () => {
  const { opus, counted } = counting()
  const prompts = new PromptFiles({ opus })
  const path = wavOf('rounds.wav', 20)
  const endless = await loaded(prompts, path, 'opus', 0)
  const { frames } = counted
  for (const loop of [2, 3, 7, 1000]) assert.is(await loaded(prompts, path, 'opus', loop), endless, String(loop))
  assert.is(counted.frames, frames)
  assert.is.not(await loaded(prompts, path, 'opus', 1), endless)
  // Short plays are made whole, with their end.
  const short = wavOf('short.wav', 1)
  assert.is.not(await loaded(prompts, short, 'opus', 2), await loaded(prompts, short, 'opus', 3))
})

test('what no request waits for is not made, and what no leg plays any more is not made to its end', async () => {
  const { opus, counted } = counting()
  const prompts = new PromptFiles({ opus })
  const path = wavOf('long.wav', 120)
  assert.is(await load(prompts, path, 'opus', 1, () => false), 'unreadable')
  await idle(prompts)
  assert.is(counted.frames, 0)
  let isWaiting = true
  const player = new PromptPlayer(() => undefined)
  const prompt = await loaded(prompts, path, 'opus', 1, () => isWaiting)
  player.begin(new Playback('p', prompt, 1), 0)
  isWaiting = false
  const { made = 0 } = prompt
  await until('it goes on while it is played', () => (prompt.made ?? 0) > made)
  player.stop()
  await idle(prompts)
  assert.ok(counted.frames < 5000, `${counted.frames} of 6000 frames`)
  assert.is.not(await loaded(prompts, path, 'opus'), prompt, 'it is made again for who comes later')
  await idle(prompts)
})

test('prompts take turns, one at a time; those that have not begun go first, but for every fourth turn', async () => {
  const turns = new PromptTurns()
  const order: string[] = []
  const take = async (name: string, isBeginning: boolean) => {
    await turns.next(isBeginning)
    order.push(name)
  }
  const begun = ['a', 'b', 'c'].map(name => take(name, false))
  const beginning = ['1', '2', '3', '4'].map(name => take(name, true))
  await Promise.all([...begun, ...beginning])
  assert.is(order.join(''), '123a4bc')
})

test('a prompt too large to be kept is shared by all who play it', async () => {
  const prompts = new PromptFiles({ opus: new LibOpus(), keptBytes: 1000 })
  const path = wavOf('large.wav', 3)
  const prompt = await loaded(prompts, path, 'G722')
  await idle(prompts)
  assert.is(prompts.bytes, 0)
  assert.is(await loaded(prompts, path, 'G722'), prompt)
})

test('prompts that are played and not kept have so much room: beyond it a play fails, until another has ended', async () => {
  const prompts = new PromptFiles({ opus: new LibOpus(), keptBytes: 1000, playedBytes: 60_000 })
  const [first, second] = [wavOf('first.wav', 3), wavOf('second.wav', 3)]
  const player = new PromptPlayer(() => undefined)
  player.begin(new Playback('p', await loaded(prompts, first, 'PCMU'), 1), 0)
  await idle(prompts)
  const other = new PromptPlayer(() => undefined)
  other.begin(new Playback('q', await loaded(prompts, second, 'PCMA'), 1), 0)
  await idle(prompts)
  assert.is(await load(prompts, first, 'PCMA'), 'no-room')
  assert.is(await load(prompts, first, 'opus'), 'no-room')
  player.stop()
  await loaded(prompts, first, 'PCMA')
  await idle(prompts)
  assert.is(await load(prompts, wavOf('hour.wav', 10), 'G722'), 'no-room', 'larger than all the room')
})

test.run()
