import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { Baresip } from '../rig/peers/baresip.ts'
import { PlainCaller, type WantedMedia } from '../rig/peers/plain-caller.ts'
import { RtpSource } from '../rig/peers/rtp-source.ts'
import { freePort } from '../rig/probes/ports.ts'
import { sine } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// A call on hold: no RTP is expected, but a peer that is gone is found out. With a media timeout of some seconds.

const hold = suite('Hold')
const calls = sideBySide(hold)
const timeoutSeconds = 4
const heldSeconds = 3 * timeoutSeconds
/** A request over UDP is given up after 64 × T1 (RFC 3261 §17.1.2.2). */
const noAnswerSeconds = 32
let bed: SwitchBed

hold.before(async () => {
  requirePeers('baresip')
  bed = await SwitchBed.open({ flags: ['--media-timeout', String(timeoutSeconds)] })
  await addTrunk(bed.on, { name: 'carriers', port: await freePort(), prefixes: [] })
  await bed.account.hosts('voice_inbound', '<Say>Hello.</Say><Pause length="600"/>')
})
hold.after(() => bed?.close())

let callers = 0

/** A caller that has spoken for a second; what it is known by. */
async function spoken(isThere: boolean) {
  const from = `+25472244${String(++callers).padStart(4, '0')}`
  const rtp = await RtpSource.open('127.0.0.1', 0x2a)
  const rtcp = await RtpSource.open('127.0.0.1', 0)
  const caller = await PlainCaller.open({ sipPort: bed.on.sipPort, to: bed.account.number, from, isThere })
  const media: WantedMedia = { address: '127.0.0.1', port: rtp.port, rtcpPort: rtcp.port }
  const { status, port } = await caller.invite(media)
  assert.is(status, 200)
  for (let n = 0; n < 50; n++) {
    rtp.send(port)
    await sleep(20)
  }
  return { from, caller, media, port, rtp, rtcp }
}

async function endOf(from: string): Promise<string> {
  const { body } = await bed.account.api('GET', '/calls?limit=100')
  const call = body.calls.find((each: { from_number: string }) => each.from_number === from)
  return call?.status === 'completed' ? call.reason_code : ''
}

const rowOf = (from: string) => until('the row of its end', async () => (await endOf(from)) || undefined)

for (const direction of ['sendonly', 'inactive', 'recvonly'] as const) {
  calls(`${direction}: its reports alone keep the call, and nobody is asked`, async () => {
    const { caller, media, rtcp, port, from } = await spoken(true)
    await caller.invite({ ...media, direction })
    for (let second = 0; second < heldSeconds; second++) {
      rtcp.report(port + 1)
      await sleep(1000)
    }
    assert.equal([caller.requests, await endOf(from)], [[], ''])
    await caller.invite(media)
    await caller.bye()
    assert.is(await rowOf(from), 'END.0200')
  })

  calls(`${direction}: without reports a peer that answers OPTIONS keeps the call`, async () => {
    const { caller, media, from } = await spoken(true)
    await caller.invite({ ...media, direction })
    await sleep(1000 * heldSeconds)
    const { requests } = caller
    assert.ok(requests.length >= 2 && requests.every(method => method === 'OPTIONS'), requests.join())
    assert.is(await endOf(from), '')
    await caller.bye()
    assert.is(await rowOf(from), 'END.0200')
  })

  calls(`${direction}: who sends nothing and answers nothing is gone: END.0212`, async () => {
    const { caller, media, from } = await spoken(false)
    const began = Date.now()
    await caller.invite({ ...media, direction })
    await until('the end', () => caller.hasEnded, 1000 * (timeoutSeconds + noAnswerSeconds + 20))
    assert.ok(Date.now() - began >= 1000 * timeoutSeconds)
    assert.is(await rowOf(from), 'END.0212')
  })
}

calls('without hold a peer that sends nothing is missed as ever, reports or not', async () => {
  const { caller, from, rtcp, port } = await spoken(true)
  const reports = setInterval(() => rtcp.report(port + 1), 1000)
  try {
    await until('the end', () => caller.hasEnded, 20_000)
  } finally {
    clearInterval(reports)
  }
  assert.is(await rowOf(from), 'END.0212')
})

calls('baresip holds, by sendonly and in silence, for three media timeouts, and resumes', async () => {
  const phone = new Baresip({
    sipPort: await freePort(),
    rtpPort: await freePort(),
    says: sine(600, 60),
    user: '+254722440099',
    dial: `sip:${bed.account.number}@127.0.0.1:${bed.on.sipPort}`,
  })
  try {
    await phone.said('Call established')
    await sleep(1500)
    phone.command('x')
    await phone.said(/hold/i)
    await sleep(1000 * heldSeconds)
    assert.not.match(phone.output, /terminated|session closed/i)
    assert.is(await endOf('+254722440099'), '')
    phone.command('X')
    await sleep(1000 * heldSeconds)
    assert.not.match(phone.output, /terminated|session closed/i, 'it speaks again')
  } finally {
    await phone.stop()
    phone.remove()
  }
})

hold.run()
