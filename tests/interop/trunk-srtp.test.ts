import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, RigAccount, setRates } from '../rig/account.ts'
import { Baresip } from '../rig/baresip.ts'
import { Customer } from '../rig/customer.ts'
import { requirePeers } from '../rig/debian.ts'
import { freePort } from '../rig/ports.ts'
import { SwitchProcess } from '../rig/switch-process.ts'
import { sine, toneShare } from '../rig/tone.ts'
import { sleep } from '../rig/wait.ts'

// Carriers that demand SRTP by keys in SDP, as real user agents speak it (libsrtp's, not ours).
const srtp = suite('SRTP on trunks')

const destination = '+254733000222'
let on: SwitchProcess
let account: RigAccount
let customer: Customer
let calleePort: number

srtp.before(async () => {
  requirePeers('baresip')
  on = await SwitchProcess.start()
  customer = await Customer.open()
  calleePort = await freePort()
  await setRates(on)
  account = await RigAccount.make(on)
  await addTrunk(on, { name: 'out', port: calleePort, prefixes: ['+254'], srtp: 'required' })
  await account.webhook('voice_inbound', customer.url('/voice'))
  customer.on('/voice', `<Response><Dial><Number>${destination}</Number></Dial></Response>`)
})

srtp.after(async () => {
  await customer?.close()
  await on?.close()
})

const agent = async (sipPort: number, says: Int16Array, mediaEncryption: string, dial?: string): Promise<Baresip> =>
  new Baresip({
    sipPort,
    rtpPort: await freePort(),
    says,
    account:
      `<sip:${destination}@127.0.0.1:${sipPort}>;regint=0;audio_codecs=PCMU/8000/1;` +
      `answermode=auto${mediaEncryption}\n`,
    modules: ['srtp'],
    ...(dial === undefined ? {} : { dial }),
  })

function bestShare(samples: Int16Array, frequencyHz: number): number {
  let best = 0
  for (let at = 0; at + 1600 <= samples.length; at += 200) {
    best = Math.max(best, toneShare(samples.subarray(at, at + 1600), frequencyHz))
  }
  return best
}

srtp('both sides protected: each hears the other', async () => {
  const far = await agent(calleePort, sine(400, 12), ';mediaenc=srtp-mand')
  await far.said('baresip is ready')
  const to = `sip:${account.number}@127.0.0.1:${on.sipPort}`
  const near = await agent(await freePort(), sine(1000, 12), ';mediaenc=srtp-mand', to)
  try {
    await near.said('SRTP is Enabled (cryptosuite=AES_CM_128_HMAC_SHA1_80)')
    await far.said('SRTP is Enabled (cryptosuite=AES_CM_128_HMAC_SHA1_80)')
    await sleep(2500)
    await near.stop()
    await far.stop()
    assert.ok(bestShare(near.heard(), 400) > 0.9, 'the caller hears the callee')
    assert.ok(bestShare(far.heard(), 1000) > 0.9, 'the callee hears the caller')
  } finally {
    await near.stop()
    await far.stop()
    near.remove()
    far.remove()
  }
})

srtp('a caller in the clear is refused with 488', async () => {
  customer.on('/voice', '<Response><Say>Habari</Say></Response>')
  const near = await agent(await freePort(), sine(1000, 5), '', `sip:${account.number}@127.0.0.1:${on.sipPort}`)
  try {
    await near.said(/488 Not Acceptable Here/)
  } finally {
    await near.stop()
    near.remove()
  }
})

srtp.run()
