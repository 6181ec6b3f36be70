import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { Baresip } from '../rig/peers/baresip.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { decodePcmu, encodePcmu } from '../rig/probes/g711.ts'
import { freePort } from '../rig/probes/ports.ts'
import { untilReceived } from '../rig/probes/received-audio.ts'
import { sine, toneShare } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// Audio in the packets of a call: not before the operator asks for it, and then what was really played. The callee's packets
// are protected (SRTP); tshark decodes the file as it would any other.

const audio = suite('audio in the trace')
const folder = mkdtempSync(join(tmpdir(), 'sauti-trace-'))
const [callerHz, calleeHz] = [1000, 600]
let bed: SwitchBed
let carrier: Baresip | undefined

audio.before(async () => {
  requirePeers('baresip', 'sipp', 'tshark')
  bed = await SwitchBed.open({ prefixes: [] })
  const port = await freePort()
  const secure = { name: 'secure', port, prefixes: ['+254'], inbound: false, srtp: 'required' } as const
  await addTrunk(bed.on, secure)
  await bed.account.hosts('voice_inbound', '<Dial timeout="8"><Number>+254733000222</Number></Dial>')
  carrier = new Baresip({
    sipPort: port,
    rtpPort: await freePort(),
    says: sine(calleeHz, 30),
    account: `<sip:+254733000222@127.0.0.1:${port};transport=udp>;regint=0;audio_codecs=PCMU/8000/1;mediaenc=srtp-mand;answermode=auto\n`,
    modules: ['srtp'],
  })
  await carrier.said('baresip is ready')
})

audio.after(async () => {
  await carrier?.stop()
  carrier?.remove()
  await bed?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A call of some seconds in which both sides sound their tone. */
async function talk(during: (sid: string, near: RtpEndpoint) => Promise<void>): Promise<string> {
  const near = await RtpEndpoint.open()
  const caller = await bed.caller({ scenario: 'caller-hangs-up', rtpPort: near.port, pauseMs: 5000 })
  await untilReceived(near, calleeHz)
  const speaking = near.stream(encodePcmu(sine(callerHz, 3.5)))
  const { calls } = expectStatus(await bed.on.operator('GET', '/calls'), 200).body
  const { sid } = calls[0]
  await during(sid, near)
  await speaking
  assert.is((await caller.done).code, 0)
  near.close()
  await until('the end of the call', async () => (await bed.account.call(sid)).ended_at !== null)
  return sid
}

interface Shown {
  readonly seconds: number
  readonly length: number
  readonly captured: number
  /** Its sender's and its receiver's port. */
  readonly from: number
  readonly to: number
  readonly payload: Buffer
}

async function fileOf(sid: string, key: string, query = ''): Promise<string> {
  const answer = await fetch(`${bed.on.baseUrl}/calls/${sid}/trace.pcapng${query}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  assert.is(answer.status, 200)
  const file = join(folder, 'call.pcapng')
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()))
  return file
}

/** Lines of fields, as tshark shows them of the packets that the filter takes. */
function rowsOf(file: string, filter: string, names: readonly string[]): readonly (readonly string[])[] {
  const options = ['-r', file, '-Y', filter, '-T', 'fields', ...names.flatMap(name => ['-e', name])]
  const text = execFileSync('tshark', options, { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trimEnd()
  return text === '' ? [] : text.split('\n').map(line => line.split('\t'))
}

async function packetsOf(sid: string, query = ''): Promise<readonly Shown[]> {
  const file = await fileOf(sid, bed.on.operatorKey, query)
  const names = ['frame.time_epoch', 'frame.len', 'frame.cap_len', 'udp.srcport', 'udp.dstport', 'rtp.payload']
  const rows = rowsOf(file, 'rtp and rtp.p_type == 0', names)
  return rows.map(([at, length, captured, from, to, payload = '']) => ({
    seconds: Number.isNaN(Number(at)) ? Date.parse(at ?? '') / 1000 : Number(at),
    length: Number(length),
    captured: Number(captured),
    from: Number(from),
    to: Number(to),
    payload: Buffer.from(payload.replaceAll(':', ''), 'hex'),
  }))
}

const soundOf = (packets: readonly Shown[]): Int16Array => decodePcmu(Buffer.concat(packets.map(one => one.payload)))

/** By the ports that their stream has. */
function streamsOf(packets: readonly Shown[]): ReadonlyMap<string, readonly Shown[]> {
  const streams = new Map<string, Shown[]>()
  for (const packet of packets) {
    const name = `${packet.from} ${packet.to}`
    streams.set(name, [...(streams.get(name) ?? []), packet])
  }
  return streams
}

audio('nothing of it is kept that nobody asked for', async () => {
  const sid = await talk(async () => {})
  assert.equal(await packetsOf(sid, '?audio=true'), [])
})

audio('of a call, from when the operator asks: both legs, both directions, the tones that were played', async () => {
  let asked = 0
  let arrived = { port: 0, received: [] as RtpEndpoint['received'] }
  const sid = await talk(async (sid, near) => {
    arrived = { port: near.port, received: near.received }
    await near.more(25)
    asked = Date.now() / 1000
    const order = { call: sid, seconds: 60 }
    assert.ok([401, 403].includes((await bed.account.api('POST', '/operator/captures', order)).status))
    const { body } = expectStatus(await bed.on.operator('POST', '/captures', order), 201)
    assert.is((await bed.on.operator('GET', '/captures')).body[0].uuid, body.uuid)
    await near.more(75)
    expectStatus(await bed.on.operator('DELETE', `/captures/${body.uuid}`), 200)
    assert.is((await bed.on.operator('DELETE', `/captures/${body.uuid}`)).status, 404)
  })
  const own = await bed.account.api('GET', `/calls/${sid}/trace.pcapng?audio=true`)
  assert.is(own.status, 403)

  const packets = await packetsOf(sid, '?audio=true')
  const streams = streamsOf(packets)
  assert.is(streams.size, 4, [...streams.keys()].join(', '))
  for (const stream of streams.values()) {
    // It was captured for one and a half seconds of five.
    assert.ok(stream.length > 60 && stream.length < 110, `${stream.length} packets`)
    assert.ok(stream.every(one => one.seconds >= asked - 0.02 && one.captured === one.length && one.length === 200))
  }
  const tones = [...streams.values()].map(stream => {
    const sound = soundOf(stream)
    return toneShare(sound, callerHz) > 0.8 ? 'caller' : toneShare(sound, calleeHz) > 0.8 ? 'callee' : 'neither'
  })
  assert.equal(tones.sort(), ['callee', 'callee', 'caller', 'caller'])
  // What left towards the caller is, octet by octet, what it received.
  const toCaller = [...streams.values()].find(([first]) => first?.to === arrived.port) ?? []
  const received = new Set(arrived.received.map(({ payload }) => payload.toString('hex')))
  assert.ok(toCaller.length > 60 && toCaller.every(({ payload }) => received.has(payload.toString('hex'))))

  // Without the word only headers are sent.
  const headers = await packetsOf(sid)
  assert.is(headers.length, packets.length)
  assert.ok(headers.every(one => one.captured === 40 && one.payload.length === 0))

  // The account has the same call between addresses for documentation (RFC 5737), with the headers alone.
  const file = await fileOf(sid, bed.account.key)
  const shown = rowsOf(file, 'rtp', ['ip.src', 'ip.dst', 'frame.cap_len', 'rtp.setup-frame', 'udp.srcport'])
  assert.is(shown.length, packets.length)
  assert.ok(
    shown.every(([, , length, setup]) => length === '40' && setup !== ''),
    'RTP by its SDP, without audio',
  )
  assert.is(new Set(shown.map(([source, , , , port]) => `${source}:${port}`)).size, 4)
  const all = rowsOf(file, '', ['ip.src', 'ip.dst', '_ws.malformed', 'sip.Method', 'sip.Call-ID'])
  for (const [source = '', destination = '', malformed] of all)
    assert.equal([/^192\.0\.2\./.test(source), /^192\.0\.2\./.test(destination), malformed], [true, true, ''])
  assert.equal([...new Set(all.map(([, , , , callId]) => callId ?? ''))].sort(), ['', 'leg-1@carrier', 'leg-2@carrier'])
  const methods = new Set(all.map(([, , , method]) => method))
  for (const method of ['INVITE', 'ACK', 'BYE']) assert.ok(methods.has(method), method)

  const { body: trace } = await bed.account.api('GET', `/calls/${sid}/trace`)
  const texts = trace.entries.map(({ leg, text }: { readonly leg: string; readonly text: string }) => `${leg} ${text}`)
  for (const wanted of ['A audio is captured for 60 s', 'B audio is captured for 60 s', 'A capture of audio ends'])
    assert.ok(texts.includes(wanted), texts.join('\n'))
})

audio('of all calls of an account, from their first packet on', async () => {
  const order = { account: bed.account.uuid, seconds: 60 }
  const { body } = expectStatus(await bed.on.operator('POST', '/captures', order), 201)
  assert.equal([body.call, body.account], [null, bed.account.uuid])
  const received: number[] = []
  const sid = await talk(async (_sid, near) => {
    received.push(near.received.length)
  })
  expectStatus(await bed.on.operator('DELETE', `/captures/${body.uuid}`), 200)
  const streams = [...streamsOf(await packetsOf(sid, '?audio=true')).values()]
  assert.is(streams.length, 4)
  const callee = streams.filter(stream => toneShare(soundOf(stream.slice(50)), calleeHz) > 0.8)
  assert.is(callee.length, 2)
  assert.ok(
    callee.every(stream => stream.length > 200),
    callee.map(stream => stream.length).join(', '),
  )
})

audio('an order must name one live call or one account', async () => {
  for (const [order, status] of [
    [{ call: 'CA01JZXQ7R5T8K2M4N' }, 404],
    [{ account: '00000000-0000-4000-8000-000000000000' }, 404],
    [{}, 422],
    [{ call: 'x', account: bed.account.uuid }, 422],
    [{ account: bed.account.uuid, seconds: 3601 }, 422],
  ] as const)
    assert.is((await bed.on.operator('POST', '/captures', order)).status, status, JSON.stringify(order))
  assert.is((await bed.account.api('GET', '/operator/captures')).status === 200, false)
  assert.equal((await bed.on.operator('GET', '/captures')).body, [])
})

audio.run()
