import { readdirSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { heardBy, readWav } from '../rig/beds/verb-bed.ts'
import { NameServer } from '../rig/fakes/name-server.ts'
import { Baresip } from '../rig/peers/baresip.ts'
import { PlainCaller } from '../rig/peers/plain-caller.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { mediaPortSeen, Sipp, type SippOptions } from '../rig/peers/sipp.ts'
import { decodePcmu, encodePcmu } from '../rig/probes/g711.ts'
import { freePort } from '../rig/probes/ports.ts'
import { bestShare } from '../rig/probes/received-audio.ts'
import { sine, toneShare } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// Peers over IPv6, beside peers over IPv4 and an external address of IPv4: SIP, audio both ways, recordings.

const six = suite('IPv6')
const hasIpv6 = Object.values(networkInterfaces()).some(all => all?.some(({ address }) => address === '::1'))
const [assetHz, callerHz, calleeHz] = [440, 600, 1000]
let bed: SwitchBed
let names: NameServer
let sipPort: number
let carrierPort: number
let trunk: string

six.before(async () => {
  requirePeers('sipp', 'baresip')
  sipPort = await freePort()
  const listeners = ['udp', 'tcp'].flatMap(by => [`${by}:127.0.0.1:${sipPort}`, `${by}:[::1]:${sipPort}`])
  names = await NameServer.open(({ name, type }) => {
    if (name !== 'six.carrier.test') return undefined
    return { addresses: type === 'AAAA' ? ['::1'] : [] }
  })
  bed = await SwitchBed.open({ env: { SAUTI_SIP: listeners.join(), SAUTI_DNS: names.address } })
  carrierPort = await freePort()
  const { on, account } = bed
  const carrier = {
    host: '::1',
    port: carrierPort,
    transport: 'udp',
    prefixes: ['+254'],
    inbound_hosts: ['::1', '127.0.0.1'],
  }
  trunk = expectStatus(await on.operator('POST', '/trunks', { name: 'six', ...carrier }), 201).body.uuid
  await account.asset('tone', sine(assetHz, 2))
})

six.after(async () => {
  await bed?.close()
  await names?.close()
})

const caller = async (options: Partial<SippOptions> & { rtpPort: number }): Promise<Sipp> =>
  bed.caller({ address: '::1', remote: `[::1]:${sipPort}`, ...options })

async function aim(rtp: RtpEndpoint, peer: Sipp, startLine: string): Promise<void> {
  rtp.aim(await until(`the media port in ${startLine}`, () => mediaPortSeen(peer, startLine), 20_000))
}

const share = (rtp: RtpEndpoint, hz: number): number => bestShare(decodePcmu(rtp.audio()), hz)

if (hasIpv6) {
  for (const [transport, source] of [
    ['udp', 'learned'],
    ['tcp', 'learned'],
    ['udp', 'signalled'],
  ] as const)
    six(
      `a caller over ${transport}, media ${source}: Contact and SDP are of IPv6, the prompt is heard, the caller is recorded`,
      async () => {
        expectStatus(await bed.on.operator('PATCH', `/trunks/${trunk}`, { media_source: source }), 200)
        await bed.account.hosts('voice_inbound', '<RecordSession/><Play asset="tone"/><Hangup/>')
        const rtp = await RtpEndpoint.open(undefined, '::1')
        const sipp = await caller({ rtpPort: rtp.port, transport })
        await aim(rtp, sipp, 'SIP/2.0 200')
        await rtp.stream(encodePcmu(sine(callerHz, 1.5)))
        const { code, messages, errors } = await sipp.done
        assert.is(code, 0, `${errors}\n${messages}`)
        assert.match(messages, new RegExp(`Contact: <sip:[^>]*\\[::1\\]:${sipPort}`))
        assert.match(messages, /c=IN IP6 ::1/)
        assert.not.match(messages.replace(/IN IP6 ::1/g, ''), /127\.0\.0\.1:\d+[;>]/, 'no address of IPv4 in SIP')
        assert.ok(share(rtp, assetHz) > 0.9, `${share(rtp, assetHz)} of what is heard is the asset`)
        assert.ok(heardBy(rtp).length > 15_000)
        rtp.close()
        const { sid } = await bed.account.call()
        const folder = join(bed.on.dataFolder, 'recordings')
        const name = await until('the recording', () =>
          readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(file => file.includes(sid)),
        )
        const [left] = readWav(join(folder, name)).sides
        assert.ok(toneShare(left!.subarray(4000, 10_000), callerHz) > 0.9, 'the caller is in the recording')
      },
    )

  six('a caller of IPv4 and a callee of IPv6 receive each other', async () => {
    await bed.account.hosts('voice_inbound', '<Dial><Number>+254733000001</Number></Dial>')
    const [ours, theirs] = [await RtpEndpoint.open(), await RtpEndpoint.open(undefined, '::1')]
    const callee = new Sipp({ scenario: 'callee', address: '::1', localPort: carrierPort, rtpPort: theirs.port })
    await callee.listening()
    const sipp = await bed.caller({
      scenario: 'caller-hangs-up',
      remote: `127.0.0.1:${sipPort}`,
      rtpPort: ours.port,
      pauseMs: 3000,
    })
    await aim(theirs, callee, 'INVITE ')
    await aim(ours, sipp, 'SIP/2.0 200')
    await Promise.all([ours.stream(encodePcmu(sine(callerHz, 2))), theirs.stream(encodePcmu(sine(calleeHz, 2)))])
    const [near, far] = await Promise.all([sipp.done, callee.done])
    assert.is(near.code, 0, `${near.errors}\n${near.messages}`)
    assert.is(far.code, 0, `${far.errors}\n${far.messages}`)
    assert.match(far.messages, new RegExp(`INVITE sip:\\+254733000001@\\[::1\\]:${carrierPort}`))
    assert.match(far.messages, /c=IN IP6 ::1/)
    assert.ok(share(ours, calleeHz) > 0.8, `${share(ours, calleeHz)}`)
    assert.ok(share(theirs, callerHz) > 0.8, `${share(theirs, callerHz)}`)
    ours.close()
    theirs.close()
  })

  const dialIn = () => PlainCaller.open({ sipPort, to: bed.account.number, from: '+254722000111' })

  /** What a callee on that port got of a call to that number, which it refuses. */
  async function inviteTo(number: string, port: number): Promise<string> {
    const callee = new Sipp({ scenario: 'callee-busy', address: '::1', localPort: port, rtpPort: await freePort() })
    await callee.listening()
    const url = await bed.account.document('<Hangup/>')
    const order = { to: number, from: bed.account.number, url }
    expectStatus(await bed.account.api('POST', '/calls/originate', order), 201)
    const { messages } = await callee.done
    return messages
  }

  six('a trunk by a name with AAAA alone, or by an address in brackets, is offered media of IPv6', async () => {
    const hosts = { 'six.carrier.test': 'six.carrier.test', '[::1]': '[::1]' }
    for (const [at, [host, written]] of Object.entries(hosts).entries()) {
      const [port, number] = [await freePort(), `+25471000000${at}`]
      const trunk = { name: host, host, port, transport: 'udp', prefixes: [number], inbound_hosts: [] }
      expectStatus(await bed.on.operator('POST', '/trunks', trunk), 201)
      await until('the name to be looked up', () => at > 0 || names.asked('six.carrier.test', 'AAAA') > 0)
      await sleep(200)
      const messages = await inviteTo(number, port)
      assert.ok(messages.includes(`INVITE sip:${number}@${written}:${port} SIP/2.0`), messages)
      assert.match(messages, /c=IN IP6 ::1/)
    }
  })

  six('a Sip whose URI names an IPv6 address is offered media of IPv6', async () => {
    const port = await freePort()
    const callee = new Sipp({ scenario: 'callee-busy', address: '::1', localPort: port, rtpPort: await freePort() })
    await callee.listening()
    await bed.account.hosts('voice_inbound', `<Dial><Sip>sip:bob@[::1]:${port}</Sip></Dial>`)
    const plain = await dialIn()
    const [{ messages }] = await Promise.all([
      callee.done,
      plain.invite({ address: '127.0.0.1', port: await freePort() }),
    ])
    assert.match(messages, /c=IN IP6 ::1/)
    plain.close()
  })

  six('baresip over IPv6: audio both ways, from a port that its SDP does not name, and reports', async () => {
    await bed.account.hosts('voice_inbound', '<Play asset="tone" loop="0"/>')
    const phone = new Baresip({
      sipPort: await freePort(),
      rtpPort: await freePort(),
      address: '::1',
      user: '+254722000111',
      says: sine(callerHz, 20),
      dial: `sip:${bed.account.number}@[::1]:${sipPort}`,
    })
    try {
      await phone.hears(assetHz)
      await until('audio from it', async () => {
        const { calls } = expectStatus(await bed.on.operator('GET', '/calls'), 200).body
        const { quality, media_source: source } = calls[0]?.legs[0] ?? {}
        return quality?.packets_received > 50 && /^\[[0-9a-f:]+\]:\d+$/.test(source?.address)
      })
    } finally {
      await phone.stop()
      phone.remove()
    }
  })

  const offerOf = (address: string, port: number) =>
    ['v=0', `o=- 7 1 IN IP6 ${address}`, 's=-', `c=IN IP6 ${address}`, 't=0 0', `m=audio ${port} RTP/AVP 0`, ''].join(
      '\r\n',
    )

  six('SIP over IPv4 whose SDP is of IPv6 gets its audio there', async () => {
    await bed.account.hosts('voice_inbound', '<Play asset="tone" loop="0"/>')
    const rtp = await RtpEndpoint.open(undefined, '::1')
    const plain = await dialIn()
    const { status, sdp, port } = await plain.invite(offerOf('::1', rtp.port))
    assert.is(status, 200)
    assert.match(sdp, /c=IN IP6 ::1/)
    rtp.aim(port)
    await rtp.more(50)
    assert.ok(share(rtp, assetHz) > 0.9)
    const moved = await plain.invite({ address: '127.0.0.1', port: await freePort() })
    assert.is(moved.status, 488, 'the leg has no port of IPv4')
    assert.match(moved.text, /^Warning: 301 /m)
    await plain.bye()
    plain.close()
    rtp.close()
  })

  six('an address that media cannot go to is refused with the reason', async () => {
    for (const address of ['phone.example', 'ff02::1', 'fe80::1', '::ffff:127.0.0.1']) {
      const plain = await dialIn()
      const { status, text } = await plain.invite(offerOf(address, 4000))
      assert.is(status, 488, address)
      assert.match(text, /^Warning: 301 sauti "Incompatible network address formats/m)
      plain.close()
    }
  })
}

six.run()
