import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BedAccount } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { outsideCaller, SwitchBed } from '../rig/beds/switch-bed.ts'
import { Baresip } from '../rig/peers/baresip.ts'
import { Customer, codesOf, verifies } from '../rig/peers/customer.ts'
import { type Received, RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { freePort } from '../rig/probes/ports.ts'
import { babble } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// A carrier calls an owned number; the customer's server answers with documents.
const inbound = suite('inbound call by document')
const calls = sideBySide(inbound)

let bed: SwitchBed
const music = babble(3, 7)
const musicPcmu = encodePcmu(music)

inbound.before(async () => {
  requirePeers('sipp', 'baresip', 'espeak-ng')
  bed = await SwitchBed.open({ prefixes: ['+1'] })
})

inbound.after(() => bed?.close())

/** An account with its own server, which answers its calls; it runs while `use` does. */
async function served(use: (account: BedAccount, customer: Customer) => Promise<void>): Promise<void> {
  const account = await BedAccount.make(bed.on)
  const customer = await Customer.open()
  await account.asset('babble', music)
  await account.webhook('voice_inbound', customer.url('/voice'))
  await account.webhook(
    'status',
    customer.on('/status', (_post, response) => response.writeHead(200).end('ok')),
  )
  customer.on(
    '/voice',
    `<?xml version="1.0"?><Response><Say>Hi.</Say><Play asset="babble"/><Pause length="1"/><Redirect>/next?x=1</Redirect></Response>`,
  )
  customer.on('/next', '<Response><Play asset="babble"/><Hangup/></Response>')
  try {
    await use(account, customer)
  } finally {
    await customer.close()
  }
}

/** Sequence numbers and timestamps rise by one frame a packet, and packets come 50 a second. */
function checkStream(packets: readonly Received[]): void {
  const first = packets[0]!
  packets.forEach((packet, at) => {
    assert.is(packet.ssrc, first.ssrc, 'one SSRC')
    assert.is(packet.sequence, (first.sequence + at) & 0xffff, `sequence of packet ${at}`)
    assert.is(packet.timestamp, (first.timestamp + at * 160) >>> 0, `timestamp of packet ${at}`)
    assert.is(packet.payload.length, 160)
  })
  const seconds = (packets.at(-1)!.at - first.at) / 1000
  const rate = (packets.length - 1) / seconds
  assert.ok(Math.abs(rate - 50) < 1, `${rate.toFixed(2)} packets a second`)
}

for (const transport of ['udp', 'tcp'] as const) {
  calls(`sipp over ${transport}: signed POST, Say, Play bit-exact, Pause, Redirect, Hangup`, () =>
    served(async (account, customer) => {
      const rtp = await RtpEndpoint.open()
      const caller = await bed.caller({ rtpPort: rtp.port, transport, service: account.number })
      const result = await caller.done
      assert.is(result.code, 0, `${result.errors}\n${result.messages.slice(-3000)}`)
      rtp.close()

      const secret = await account.secret()
      const post = await customer.post('/voice')
      assert.ok(verifies(post, customer.url('/voice'), secret), 'the signature verifies')
      const { CallSid, AccountSid, ...fields } = post.body
      assert.equal(fields, { Direction: 'inbound', From: outsideCaller, To: account.number, CallStatus: 'ringing' })
      assert.is(AccountSid, account.uuid)
      assert.match(CallSid, /^CA[0-9A-HJKMNP-TV-Z]{16}$/)
      const next = await customer.post('/next')
      assert.ok(verifies(next, customer.url('/next?x=1'), secret), 'the redirect is signed over its whole URL')
      assert.is(next.body.CallStatus, 'in-progress')

      checkStream(rtp.received)
      const heard = rtp.audio()
      const firstAt = heard.indexOf(musicPcmu)
      assert.ok(firstAt > 0, 'the asset is heard bit-exact after the speech')
      const secondAt = heard.indexOf(musicPcmu, firstAt + musicPcmu.length)
      assert.ok(secondAt > 0, 'and again after the redirect')
      const pause = (secondAt - firstAt - musicPcmu.length) / 8000
      assert.ok(pause >= 0.98 && pause < 1.5, `the pause lasted ${pause} s`)

      const record = await until('the call record', async () => {
        const call = await account.call(CallSid)
        return call?.status === 'completed' && call
      })
      assert.is(record.reason_code, 'END.0202')
      assert.is(record.direction, 'inbound')
      assert.ok(record.tts_seconds >= 1)
      const codes = await until('all callbacks', () => {
        const got = codesOf(customer.to('/status').filter(it => it.body.sid === CallSid))
        return got.includes('CALL.0300') && got
      })
      assert.equal(
        codes.filter(code => code.startsWith('CALL')),
        ['CALL.0100', 'CALL.0180', 'CALL.0200', 'CALL.0300'],
      )
      for (const status of customer.to('/status')) {
        assert.ok(verifies(status, customer.url('/status'), secret))
        assert.is(typeof status.headers['x-voice-event'], 'string')
      }
    }),
  )

  calls(`baresip over ${transport} receives the asset`, () =>
    served(async account => {
      const caller = new Baresip({
        sipPort: await freePort(),
        rtpPort: await freePort(),
        transport,
        says: babble(6, 3),
        dial: `sip:${account.number}@127.0.0.1:${bed.on.sipPort};transport=${transport}`,
      })
      try {
        await caller.said('Call established')
        await caller.said(/session closed|terminated/, 20_000)
      } finally {
        await caller.stop()
      }
      const heard = Buffer.from(encodePcmu(caller.received()))
      assert.ok(heard.includes(musicPcmu.subarray(0, 8000)), `the asset within ${heard.length} samples`)
      caller.remove()
    }),
  )
}

calls('a caller that gives up while it rings: 487, CALL.0400 with END.0487', () =>
  served(async (account, customer) => {
    customer.on('/voice', '<Response><Pause length="20"/></Response>')
    const caller = await bed.caller({ scenario: 'caller-cancels', service: account.number, pauseMs: 500 })
    const result = await caller.done
    assert.is(result.code, 0, result.errors)
    const { CallSid } = (await customer.post('/voice')).body
    const call = await until('the record', async () => {
      const it = await account.call(CallSid)
      return it?.status === 'failed' && it
    })
    assert.is(call.reason_code, 'END.0487')
    assert.is(call.talk_seconds, 0)
    assert.is(call.cost, '0.00')
  }),
)

calls('a number without an owner: 404', async () => {
  const caller = await bed.caller({ scenario: 'caller-refused', service: '+254799999999' })
  const result = await caller.done
  assert.is(result.code, 0, result.errors)
})

inbound.run()
