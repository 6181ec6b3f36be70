import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { Baresip } from '../rig/peers/baresip.ts'
import { freePort } from '../rig/probes/ports.ts'
import { bestShare } from '../rig/probes/received-audio.ts'
import { sine } from '../rig/probes/tone.ts'

// Calls between two real user agents that have no codec in common, and prompts for each.
const codecs = suite('Codecs')
const call = sideBySide(codecs)

let bed: SwitchBed

codecs.before(async () => {
  requirePeers('baresip')
  bed = await SwitchBed.open({ prefixes: ['+1'] })
})

codecs.after(() => bed?.close())

type Codec = 'PCMU' | 'PCMA' | 'G722' | 'opus'

const callerOf = async (account: BedAccount, codec: Codec, says: Int16Array): Promise<Baresip> =>
  new Baresip({
    sipPort: await freePort(),
    rtpPort: await freePort(),
    says,
    codec,
    dial: `sip:${account.number}@127.0.0.1:${bed.on.sipPort}`,
  })

async function calleeOf(codec: Codec, says: Int16Array): Promise<{ number: string; far: Baresip }> {
  const { number, port } = await bed.destination()
  const far = new Baresip({ sipPort: port, rtpPort: await freePort(), says, answers: true, codec, user: number })
  await far.said('baresip is ready')
  return { number, far }
}

for (const [one, two] of [
  ['opus', 'PCMA'],
  ['G722', 'PCMU'],
  ['PCMU', 'opus'],
  ['opus', 'G722'],
] as const) {
  call(`a caller who speaks ${one} and a callee who speaks ${two} hear each other`, async () => {
    const account = await BedAccount.make(bed.on)
    const { number, far } = await calleeOf(two, sine(400, 12))
    await account.hosts('voice_inbound', `<Dial><Number>${number}</Number></Dial>`)
    const near = await callerOf(account, one, sine(1000, 12))
    try {
      await near.said('Call established')
      await Promise.all([near.hears(400), far.hears(1000)])
    } finally {
      await near.stop()
      await far.stop()
    }
    const atFar = bestShare(far.received(), 1000)
    const atNear = bestShare(near.received(), 400)
    near.remove()
    far.remove()
    assert.ok(atFar > 0.9, `1 kHz at the callee: ${atFar.toFixed(2)}`)
    assert.ok(atNear > 0.9, `400 Hz at the caller: ${atNear.toFixed(2)}`)
  })
}

for (const codec of ['G722', 'opus'] as const) {
  call(`a caller who speaks ${codec} hears a tone and words, and what it says is recorded at 16,000 Hz`, async () => {
    const account = await BedAccount.make(bed.on)
    const path = `/done-${codec}`
    const action = bed.customer.on(path, '<Response/>')
    await account.hosts('voice_inbound', `<Say>Habari ya asubuhi</Say><Record action="${action}" maxLength="2"/>`)
    const near = await callerOf(account, codec, sine(700, 15))
    try {
      await near.said(/session closed|terminated/, 20_000)
    } finally {
      await near.stop()
    }
    const received = near.received()
    near.remove()
    assert.ok(bestShare(received, 1000) > 0.9, `the beep: ${bestShare(received, 1000).toFixed(2)}`)
    const done = await bed.customer.post(path)
    const file = readFileSync(join(bed.on.dataFolder, 'recordings', done.body.RecordingPath))
    assert.is(file.readUInt32LE(24), 16_000)
    const samples = new Int16Array(new Uint8Array(file.subarray(44)).buffer)
    assert.ok(Math.abs(samples.length / 16_000 - 2) < 0.1, `${samples.length} samples`)
    const narrow = Int16Array.from({ length: samples.length / 2 }, (_, i) => samples[2 * i]!)
    assert.ok(bestShare(narrow, 700) > 0.9, `${bestShare(narrow, 700).toFixed(2)}`)
  })
}

codecs.run()
