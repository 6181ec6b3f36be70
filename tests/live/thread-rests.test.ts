import { execFileSync } from 'node:child_process'
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Prompt, PromptFault } from '../../rtp/contract/prompts.ts'
import { wavHeader } from '../../rtp/index.ts'
import { LibOpus, PromptFiles } from '../../rtp/io/index.ts'
import { type EngineEvent, openMedia } from '../../rtp/worker/index.ts'
import { until } from '../rig/probes/wait.ts'
import { noise, sleep, testPorts } from '../rtp/bed/media-peer.ts'

// A media thread may go before all others of the machine. Whatever it does beside its ticks, it must let go now and then.

const folder = mkdtempSync(join(tmpdir(), 'sauti-rests-'))
test.after(() => rmSync(folder, { recursive: true }))

const busyShareOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = performance.eventLoopUtilization()
  await work()
  return performance.eventLoopUtilization(before).utilization
}

test('a close during a slow disk waits without using the processor', async () => {
  const path = join(folder, 'slow.wav')
  // No reader is there yet: opening it to write blocks.
  execFileSync('mkfifo', [`${path}.new`])
  const events: EngineEvent[] = []
  const media = openMedia(
    { ports: testPorts(), address: '127.0.0.1', workers: 0 },
    event => events.push(event),
    error => assert.unreachable(error.message),
  )
  media.open('a', 'a')
  const rules = { silenceMs: 0, maxLengthMs: 60_000, trimSilence: false } as const
  media.execute({ type: 'record', session: 'a', recording: 'r', path, rules })
  await sleep(100)
  const ended = media.close()
  // Its processor time: beside others it may be kept from going on, and is not at work for that.
  const before = process.threadCpuUsage()
  await sleep(300)
  const { user, system } = process.threadCpuUsage(before)
  createReadStream(`${path}.new`).resume()
  await ended
  const busyMs = (user + system) / 1000
  assert.ok(busyMs < 90, `busy for ${busyMs} of 300 ms`)
  assert.ok(events.some(({ type }) => type === 'closed'))
})

test('a long prompt in Opus is encoded with pauses', async () => {
  const pcm = new Int16Array(noise(8000 * 2 * 60, 5).buffer)
  const path = join(folder, 'long.wav')
  const head = wavHeader({ encoding: 'pcm16', sampleRate: 8000, channels: 1 }, pcm.byteLength)
  writeFileSync(path, Buffer.concat([head, new Uint8Array(pcm.buffer)]))
  const opus = new LibOpus()
  await opus.warm()
  const prompts = new PromptFiles({ opus })
  const share = await busyShareOf(async () => {
    const prompt = await new Promise<Prompt | PromptFault>(done => prompts.load(path, 'opus', 1, done))
    assert.is.not(typeof prompt, 'string')
    await until('it is whole', () => prompts.underWay === 0)
  })
  assert.ok(share < 0.92, `busy for ${share} of the time`)
})

test.run()
