import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { digitsByEvent, durationOf, eventOf, isEnd } from '../../rtp/dtmf/event-payload.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { BrowserPhone, makeUser, mint, type PhoneUser } from '../rig/peers/browser-phone.ts'
import { type Received, RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import type { Sipp } from '../rig/peers/sipp.ts'
import { WebrtcLines } from '../rig/peers/webrtc-lines.ts'
import { WsPhone } from '../rig/peers/ws-phone.ts'
import { ownAddress } from '../rig/probes/own-address.ts'
import { until } from '../rig/probes/wait.ts'

// Digits by RFC 4733 through a whole switch, byte by byte: from a browser's key to a trunk's peer, and back.
const digits = suite('phone digits')

const number = '+254733000333'
let bed: SwitchBed
let user: PhoneUser
let phone: BrowserPhone

digits.before(async () => {
  requirePeers('chromium', 'sipp')
  bed = await SwitchBed.open({ env: { SAUTI_EXTERNAL_ADDRESS: ownAddress() }, prefixes: ['+254'] })
  await bed.account.hosts('voice_outbound', `<Dial><Number>${number}</Number></Dial>`)
  user = await makeUser(bed.account, 'Amina')
  phone = await BrowserPhone.launch(bed.on.baseUrl, 600)
})

digits.after(async () => {
  await phone?.close()
  await bed?.close()
})

/** The trunk's peer, waiting for a call. */
async function peer(): Promise<{ readonly far: RtpEndpoint; readonly sipp: Sipp }> {
  const far = await RtpEndpoint.open()
  return { far, sipp: await bed.callee({ rtpPort: far.port }) }
}

interface Event {
  readonly digit: string
  /** In units of the clock, as the packets named them. */
  readonly durations: readonly number[]
  readonly ends: number
  readonly markers: number
}

/** RFC 4733 §2.5.1: an event is the packets of one timestamp. */
function eventsIn(packets: readonly Pick<Received, 'timestamp' | 'payload' | 'marker'>[]): readonly Event[] {
  const byTime = new Map<number, typeof packets>()
  for (const packet of packets) byTime.set(packet.timestamp, [...(byTime.get(packet.timestamp) ?? []), packet])
  return [...byTime.values()].map(event => ({
    digit: digitsByEvent[eventOf(event[0]!.payload, 0)] ?? '?',
    durations: event.map(({ payload }) => durationOf(payload, 0)),
    ends: event.filter(({ payload }) => isEnd(payload, 0)).length,
    markers: event.filter(({ marker }) => marker).length,
  }))
}

const grows = (values: readonly number[]) => values.every((value, i) => i === 0 || value >= values[i - 1]!)

digits('sendDigit in the page: one event each for the peer, in order, none lost, none twice', async () => {
  const { far, sipp } = await peer()
  await phone.signIn(await mint(bed.account, user))
  const call = await phone.dial(number)
  await phone.state(call, 'accepted')
  await until('audio from the browser', () => far.received.length > 25)
  await phone.act(call, 'sendDigit', '159*')
  await phone.act(call, 'sendDigit', '0')
  await phone.act(call, 'sendDigit', '#D')
  const reported = () => eventsIn(far.received.filter(({ payloadType }) => payloadType === 101))
  await until('seven digits', () => reported().length === 7 && reported().every(({ ends }) => ends > 0)).catch(
    fault => {
      throw new Error(`${fault}: ${JSON.stringify(reported())}`)
    },
  )
  await far.more(5)
  const events = reported()
  assert.is(events.map(({ digit }) => digit).join(''), '159*0#D')
  for (const { digit, durations, ends, markers } of events) {
    assert.ok(grows(durations), `${digit}: ${durations}`)
    assert.ok(durations.at(-1)! >= 40 * 8 && durations.at(-1)! <= 400 * 8, `${digit} of ${durations.at(-1)}`)
    assert.ok(ends >= 1 && ends <= 3, `${ends} ends`)
    assert.is(markers, 1)
  }
  const sequences = far.received.map(({ sequence }) => sequence)
  assert.ok(
    sequences.every((sequence, i) => i === 0 || sequence === ((sequences[i - 1]! + 1) & 0xffff)),
    'in one sequence with the audio',
  )
  await phone.act(call, 'hangup')
  assert.is((await sipp.done).code, 0)
  far.close()
})

digits('digits of the peer are played in the page', async () => {
  const { far, sipp } = await peer()
  if ((await phone.evaluate('bed.phone.isRegistered')) === false) await phone.signIn(await mint(bed.account, user))
  const call = await phone.dial(number)
  await phone.state(call, 'accepted')
  await until('audio from the browser', () => far.received.length > 25)
  const silence = new Uint8Array(160 * 25).fill(0xff)
  await far.stream(silence)
  // Chromium plays the tone of an event that it is sent.
  const hearing = phone.hear(call, 1200, [770, 1336])
  await far.digit(5, 101, 600)
  await far.stream(silence)
  const { shares } = await hearing
  assert.ok(shares[0]! + shares[1]! > 0.7, JSON.stringify(shares))
  await phone.act(call, 'hangup')
  assert.is((await sipp.done).code, 0)
  far.close()
})

digits('digits of the peer arrive at a browser as events of its own payload type', async () => {
  const { far, sipp } = await peer()
  const lines = new WebrtcLines()
  const client = await lines.open()
  const { token } = await mint(bed.account, user)
  const own = await WsPhone.open(`${bed.on.baseUrl.replace('http', 'ws')}/sip`, { extension: user.extension, token })
  const { call, final } = await own.ask('INVITE', { to: number, sdp: client.offer() })
  assert.is(final.status, 200)
  call.acknowledge()
  const packets: Received[] = []
  client.onRtp = (bytes, length) => {
    const packet = Buffer.from(bytes.slice(0, length))
    packets.push({
      at: 0,
      sequence: packet.readUInt16BE(2),
      timestamp: packet.readUInt32BE(4),
      marker: packet[1]! >> 7 === 1,
      payloadType: packet[1]! & 127,
      ssrc: packet.readUInt32BE(8),
      payload: packet.subarray(12),
    })
  }
  client.accept(Buffer.from(final.body).toString())
  await until('keys', () => client.isConnected)
  client.say(new Uint8Array(160).fill(0x55))
  await until('a packet at the peer', () => far.received.length > 0)
  const silence = new Uint8Array(160 * 5).fill(0xff)
  for (const event of [1, 10, 15]) {
    await far.stream(silence)
    await far.digit(event, 101, 120)
  }
  await far.stream(silence)
  const reported = () => eventsIn(packets.filter(({ payloadType }) => payloadType === 126))
  await until('the end of the last digit', () => reported().length >= 3 && reported().at(-1)?.ends === 3)
  const events = reported()
  assert.equal(
    events.map(({ digit, durations, markers }) => ({ digit, length: durations.at(-1), markers })),
    ['1', '*', 'D'].map(digit => ({ digit, length: 960, markers: 1 })),
  )
  assert.ok(events.every(({ durations, ends }) => grows(durations) && ends === 3))
  assert.is((await call.bye()).status, 200)
  assert.is((await sipp.done).code, 0)
  lines.stop()
  own.close()
  far.close()
})

digits.run()
