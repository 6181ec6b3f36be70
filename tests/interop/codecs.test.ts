import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, RigAccount, setRates } from '../rig/account.ts'
import { Baresip } from '../rig/baresip.ts'
import { Customer } from '../rig/customer.ts'
import { requirePeers } from '../rig/debian.ts'
import { bestShare } from '../rig/hearing.ts'
import { freePort } from '../rig/ports.ts'
import { SwitchProcess } from '../rig/switch-process.ts'
import { sine } from '../rig/tone.ts'
import { sleep } from '../rig/wait.ts'

// Calls between two real user agents that have no codec in common, and prompts for each.
const codecs = suite('Codecs')

const destination = '+254733000222'
let on: SwitchProcess
let account: RigAccount
let customer: Customer
let calleePort: number

codecs.before(async () => {
  requirePeers('baresip')
  on = await SwitchProcess.start()
  customer = await Customer.open()
  calleePort = await freePort()
  await setRates(on)
  account = await RigAccount.make(on)
  await addTrunk(on, { name: 'out', port: calleePort, prefixes: ['+254'] })
  await account.webhook('voice_inbound', customer.url('/voice'))
})

codecs.after(async () => {
  await customer?.close()
  await on?.close()
})

/** The best fifth of a second of what was heard. */
const callerOf = async (codec: 'PCMU' | 'PCMA' | 'G722' | 'opus', says: Int16Array): Promise<Baresip> =>
  new Baresip({
    sipPort: await freePort(),
    rtpPort: await freePort(),
    says,
    codec,
    dial: `sip:${account.number}@127.0.0.1:${on.sipPort}`,
  })

for (const [one, two] of [
  ['opus', 'PCMA'],
  ['G722', 'PCMU'],
  ['PCMU', 'opus'],
  ['opus', 'G722'],
] as const) {
  codecs(`a caller who speaks ${one} and a callee who speaks ${two} hear each other`, async () => {
    customer.on('/voice', `<Response><Dial><Number>${destination}</Number></Dial></Response>`)
    const far = new Baresip({
      sipPort: calleePort,
      rtpPort: await freePort(),
      says: sine(400, 12),
      answers: true,
      codec: two,
      user: destination,
    })
    await far.said('baresip is ready')
    const near = await callerOf(one, sine(1000, 12))
    try {
      await near.said('Call established')
      await sleep(3500)
    } finally {
      await near.stop()
      await far.stop()
    }
    const atFar = bestShare(far.heard(), 1000)
    const atNear = bestShare(near.heard(), 400)
    near.remove()
    far.remove()
    assert.ok(atFar > 0.9, `1 kHz at the callee: ${atFar.toFixed(2)}`)
    assert.ok(atNear > 0.9, `400 Hz at the caller: ${atNear.toFixed(2)}`)
  })
}

for (const codec of ['G722', 'opus'] as const) {
  codecs(`a caller who speaks ${codec} hears a tone and words, and what it says is recorded at 16,000 Hz`, async () => {
    customer.on('/voice', '<Response><Say>Habari ya asubuhi</Say><Record action="/done" maxLength="2"/></Response>')
    customer.on('/done', '<Response/>')
    customer.posts.length = 0
    const near = await callerOf(codec, sine(700, 15))
    try {
      await near.said(/session closed|terminated/, 20_000)
    } finally {
      await near.stop()
    }
    const heard = near.heard()
    near.remove()
    assert.ok(bestShare(heard, 1000) > 0.9, `the beep: ${bestShare(heard, 1000).toFixed(2)}`)
    const done = await customer.post('/done')
    const file = readFileSync(join(on.dataFolder, 'recordings', done.body.RecordingPath))
    assert.is(file.readUInt32LE(24), 16_000)
    const samples = new Int16Array(new Uint8Array(file.subarray(44)).buffer)
    assert.ok(Math.abs(samples.length / 16_000 - 2) < 0.1, `${samples.length} samples`)
    const narrow = Int16Array.from({ length: samples.length / 2 }, (_, i) => samples[2 * i]!)
    assert.ok(bestShare(narrow, 700) > 0.9, `${bestShare(narrow, 700).toFixed(2)}`)
  })
}

codecs.run()
