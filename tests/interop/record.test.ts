import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { codesOf } from '../rig/peers/customer.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { mediaPortSeen } from '../rig/peers/sipp.ts'
import { decodePcmu, encodePcmu } from '../rig/probes/g711.ts'
import { babble } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// <Record> of a spoken sentence.
const record = suite('Record')

let bed: SwitchBed

record.before(async () => {
  requirePeers('sipp', 'espeak-ng', 'sox')
  bed = await SwitchBed.open({ prefixes: ['+1'] })
  await bed.account.webhook('voice_inbound', bed.customer.url('/voice'))
  await bed.tellStatus()
})

record.after(() => bed?.close())

/** A sentence by espeak-ng at 8 kHz: what a person would say. */
function sentence(): Int16Array {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-sentence-'))
  const made = spawnSync('sh', [
    '-c',
    `espeak-ng -v sw -w ${folder}/a.wav "Habari ya asubuhi. Karibu kwenye huduma ya sauti." && sox -D ${folder}/a.wav -r 8000 -c 1 -b 16 ${folder}/b.wav`,
  ])
  assert.is(made.status, 0, String(made.stderr))
  const bytes = readFileSync(join(folder, 'b.wav')).subarray(44)
  rmSync(folder, { recursive: true })
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~1)))
}

async function callAndSpeak(samples: Int16Array, keyAtEnd: number | undefined): Promise<{ seconds: number }> {
  const rtp = await RtpEndpoint.open()
  const caller = await bed.caller({
    scenario: keyAtEnd === undefined ? 'caller-hangs-up' : 'caller',
    rtpPort: rtp.port,
    pauseMs: 400 + samples.length / 8,
  })
  rtp.aim(await until('the answer', () => mediaPortSeen(caller, 'SIP/2.0 200'), 8000))
  const started = performance.now()
  await rtp.stream(encodePcmu(samples))
  const seconds = (performance.now() - started) / 1000
  if (keyAtEnd !== undefined) {
    await sleep(20)
    await rtp.digit(keyAtEnd)
  }
  const result = await caller.done
  assert.is(result.code, 0, result.errors)
  rtp.close()
  return { seconds }
}

const wavSamples = (path: string): Int16Array => {
  const bytes = readFileSync(path)
  assert.is(bytes.toString('latin1', 0, 4), 'RIFF')
  assert.is(bytes.readUInt32LE(4), bytes.length - 8, 'RIFF length is the file’s')
  const dataAt = bytes.indexOf('data') + 8
  assert.is(bytes.readUInt32LE(dataAt - 4), bytes.length - dataAt, 'data length is the file’s')
  const data = bytes.subarray(dataAt)
  return new Int16Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length))
}

record('a sentence ended by a digit: length within 20 ms, samples as sent, action extras', async () => {
  bed.customer.on('/voice', '<Response><Record action="/recorded" playBeep="false" timeout="0"/></Response>')
  bed.customer.on('/recorded', '<Response><Hangup/></Response>')
  const said = sentence()
  await callAndSpeak(said, 11)
  const post = await bed.customer.post('/recorded')
  assert.is(post.body.Digits, '#')
  assert.is(post.body.RecordingDuration, Math.round(said.length / 8000))
  const got = wavSamples(join(bed.on.dataFolder, 'recordings', post.body.RecordingPath))
  const sent = decodePcmu(encodePcmu(said))
  const at = indexOfSamples(got, sent.subarray(0, 800))
  assert.ok(at >= 0, 'the first tenth of a second is in the file')
  assert.equal(Array.from(got.subarray(at, at + sent.length)), Array.from(sent), 'all samples match')
  // What is more than the sentence is the time before its first packet, and the key at its end.
  const silence = at + (got.length - at - sent.length)
  assert.ok(silence < 8000 * 0.6, `${silence / 8} ms around the sentence`)
})

record('a caller who hangs up: the recording is as long as what was sent, and the action is posted once', async () => {
  bed.customer.posts.length = 0
  bed.customer.on(
    '/voice',
    '<Response><Record action="/recorded" playBeep="true" timeout="0" trim="trim-silence"/></Response>',
  )
  const said = babble(3, 21)
  await callAndSpeak(said, undefined)
  const post = await bed.customer.post('/recorded')
  assert.is(post.body.Digits, 'hangup')
  assert.is(post.body.CallStatus, 'completed')
  const codes = () => codesOf(bed.customer.to('/status'))
  await until('the end of all', () => codes().includes('REC.0200') && codes().includes('CALL.0300'))
  assert.is(bed.customer.to('/recorded').length, 1)
  const got = wavSamples(join(bed.on.dataFolder, 'recordings', post.body.RecordingPath))
  assert.ok(got.length >= 8000 * 2, `${got.length / 8000} s`)
})

function indexOfSamples(haystack: Int16Array, needle: Int16Array): number {
  const bytes = (samples: Int16Array) => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  for (let at = bytes(haystack).indexOf(bytes(needle)); at >= 0; at = bytes(haystack).indexOf(bytes(needle), at + 1))
    if (at % 2 === 0) return at / 2
  return -1
}

record.run()
