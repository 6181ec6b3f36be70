import { RtpSource } from '../../rig/peers/rtp-source.ts'
import { sine } from '../../rig/probes/tone.ts'
import { sleep, until } from '../../rig/probes/wait.ts'
import { AuditBed, answerCalls, callerAddress, carrierAddress, unknownAddress } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'
import { type CallText, plainSdp } from '../sip-peer.ts'

const portIn = (sdp: string): number => Number(/^m=audio (\d+)/m.exec(sdp)?.[1] ?? 0)

/** Counts the packets at a source's socket whose audio is this byte. */
function countOf(source: RtpSource, byte: number): () => number {
  let count = 0
  source.socket.on('message', bytes => {
    if (bytes.length === 172 && bytes[100] === byte && bytes[171] === byte) count++
  })
  return () => count
}

const attackerByte = 0x66

interface Bridged {
  readonly call: CallText
  readonly near: RtpSource
  readonly far: RtpSource
  readonly nearPort: number
  readonly farPort: number
  close(): Promise<void>
}

/** A caller and a callee who are bridged, each with RTP of its own at its signalled address. */
async function bridge(bed: AuditBed): Promise<Bridged> {
  const near = await RtpSource.open(callerAddress, 0x11)
  const far = await RtpSource.open(carrierAddress, 0x22)
  let offered = ''
  bed.carrier.answer = (request, peer) => {
    if (request.method === 'INVITE') offered = request.body
    peer.respond(request, 200, [], request.method === 'INVITE' ? plainSdp(carrierAddress, far.port) : '')
  }
  const number = await bed.number('<Dial><Number>+254722000003</Number></Dial>')
  const call = bed.caller.invite(number, { sdp: plainSdp(callerAddress, near.port) })
  const answer = await bed.caller.final(call)
  return {
    call,
    near,
    far,
    nearPort: portIn(answer.body),
    farPort: portIn(offered),
    close: async () => {
      bed.caller.within(call, 'BYE')
      await bed.caller.final(call, 'BYE')
      bed.carrier.answer = answerCalls
      near.close()
      far.close()
      await bed.idle()
    },
  }
}

export const injection: Probe = {
  name: 'RTP bleed and injection',
  group: 'Media',
  promise:
    'While the signalled address is or was received from, no other source is played, relayed or answered; at most 5 packets of a candidate are held.',
  async run(bed) {
    const findings = new Findings()
    for (const silence of ['before the first packet', 'after five seconds of silence'] as const) {
      const bridged = await bridge(bed)
      const attacker = await RtpSource.open(unknownAddress, attackerByte)
      if (silence === 'after five seconds of silence') {
        for (let at = 0; at < 50; at++) {
          bridged.near.send(bridged.nearPort)
          bridged.far.send(bridged.farPort)
          await sleep(20)
        }
        findings.expect(
          bridged.far.received >= 30,
          `the callee received ${bridged.far.received} of 50 packets of the caller`,
        )
        await sleep(5500)
      }
      const injected = countOf(bridged.far, attackerByte)
      const leaked = countOf(attacker, 0x22)
      for (let at = 0; at < 100; at++) {
        attacker.send(bridged.nearPort)
        bridged.far.send(bridged.farPort)
        findings.inputs++
        await sleep(10)
      }
      await sleep(200)
      findings.expect(leaked() <= 5, `${silence}: the attacker received ${leaked()} packets of the callee`)
      findings.expect(attacker.received <= 5, `${silence}: the attacker received ${attacker.received} packets`)
      findings.expect(injected() <= 5, `${silence}: ${injected()} injected packets were relayed`)
      const nearAgain = countOf(bridged.near, 0x22)
      for (let at = 0; at < 50; at++) {
        bridged.near.send(bridged.nearPort)
        bridged.far.send(bridged.farPort)
        await sleep(20)
      }
      findings.expect(nearAgain() >= 40, `${silence}: the caller itself then received ${nearAgain()} of 50`)
      attacker.close()
      await bridged.close()
    }
    return findings
  },
}

/** What another port of the host that SDP names may do, which may be the remote’s own NAT or its neighbour. */
const samePort: Probe = {
  name: 'another port of the signalled host',
  group: 'Media',
  promise:
    'Another port of the host in SDP takes a stream that was received only by going on with its SSRC and sequence numbers; before the first packet it yields to the signalled port at once.',
  async run(bed) {
    const findings = new Findings()
    for (const when of ['in silence', 'before the first packet'] as const) {
      const bridged = await bridge(bed)
      const attacker = await RtpSource.open(callerAddress, attackerByte)
      const talk = async (frames: number, from: readonly RtpSource[]) => {
        for (let at = 0; at < frames; at++) {
          for (const source of from) source.send(bridged.nearPort)
          bridged.far.send(bridged.farPort)
          await sleep(20)
        }
      }
      if (when === 'in silence') {
        await talk(50, [bridged.near])
        await sleep(3000)
        const injected = countOf(bridged.far, attackerByte)
        const leaked = countOf(attacker, 0x22)
        // A stream of its own, then the SSRC of the remote with numbers of its own: too far on, and from before.
        for (const [ssrc, sequence] of [
          [attacker.ssrc, attacker.sequence],
          [bridged.near.ssrc, (bridged.near.sequence + 20_000) & 0xffff],
          [bridged.near.ssrc, (bridged.near.sequence - 2000) & 0xffff],
        ] as const) {
          attacker.ssrc = ssrc
          attacker.sequence = sequence
          findings.inputs += 50
          await talk(50, [attacker])
        }
        findings.equal(injected(), 0, `${when}: packets of the attacker that were relayed`)
        findings.equal(leaked(), 0, `${when}: packets of the callee that the attacker received`)
        // The remote itself, to which its NAT has given another port.
        const moved = await RtpSource.open(callerAddress, 0x44)
        const followed = countOf(bridged.far, 0x44)
        moved.ssrc = bridged.near.ssrc
        moved.sequence = bridged.near.sequence
        await talk(50, [moved])
        findings.expect(followed() >= 35, `${when}: ${followed()} of 50 packets were relayed after a new NAT binding`)
        moved.close()
      } else {
        findings.inputs += 50
        await talk(50, [attacker])
        const injected = countOf(bridged.far, attackerByte)
        const leaked = countOf(attacker, 0x22)
        const own = countOf(bridged.near, 0x22)
        findings.inputs += 50
        await talk(50, [bridged.near, attacker])
        findings.expect(
          injected() <= 5,
          `${when}: ${injected()} packets of the attacker were relayed beside the remote’s`,
        )
        findings.expect(leaked() <= 5, `${when}: the attacker received ${leaked()} packets beside the remote`)
        findings.expect(own() >= 40, `${when}: the remote received ${own()} of 50 packets`)
      }
      attacker.close()
      await bridged.close()
    }
    return findings
  },
}

export const mediaJunk: Probe = {
  name: 'junk at media ports',
  group: 'Media',
  promise: 'RTP, RTCP, STUN and DTLS of unknown sources, whatever they hold, get no answer and change nothing.',
  async run(bed) {
    const findings = new Findings()
    const bridged = await bridge(bed)
    const attacker = await RtpSource.open(unknownAddress, attackerByte)
    const relayed = countOf(bridged.far, attackerByte)
    let state = 11
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return state / 2 ** 32
    }
    for (let at = 0; at < 3000; at++) {
      const bytes = Buffer.alloc(1 + Math.floor(random() * 300))
      for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(random() * 256)
      // The first octets of RTP and RTCP, STUN, and DTLS (RFC 7983 §7) take turns with none of them.
      const first = [0x80, 0x81, 0x00, 0x01, 0x16, 0x14, 0xff][at % 7]!
      bytes[0] = first
      if (at % 7 === 1) bytes[1 % bytes.length] = 203
      attacker.socket.send(bytes, bridged.nearPort + (at % 2), '127.0.0.1')
      findings.inputs++
      if (at % 100 === 99) await sleep(5)
    }
    await sleep(300)
    findings.expect(attacker.received === 0, `the attacker received ${attacker.received} packets`)
    for (let at = 0; at < 20; at++) attacker.send(bridged.nearPort)
    await sleep(200)
    findings.expect(relayed() <= 5, `${relayed()} packets of the attacker were relayed`)
    findings.equal((await bed.live()).length, 1, 'live calls')
    attacker.close()
    await bridged.close()
    return findings
  },
}

export const downgrade: Probe = {
  name: 'SRTP to plain RTP',
  group: 'Media',
  promise: 'An SRTP leg is not re-INVITEd down to plain RTP: 488, and the call goes on.',
  async run(bed) {
    const findings = new Findings()
    const trunks = (await bed.sauti.operator('GET', '/trunks')).body.trunks as { uuid: string; name: string }[]
    const uuid = trunks.find(trunk => trunk.name === 'caller')?.uuid
    await bed.sauti.operator('PATCH', `/trunks/${uuid}`, { srtp: 'optional' })
    const number = await bed.number('<Say>Hello</Say><Pause length="30"/>')
    const key = Buffer.alloc(30, 7).toString('base64')
    const secure = plainSdp(callerAddress, 4000, `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}\r\n`).replace(
      'RTP/AVP',
      'RTP/SAVP',
    )
    const call = bed.caller.invite(number, { sdp: secure })
    const answer = await bed.caller.final(call)
    findings.expect(answer.status === 200 && /RTP\/SAVP/.test(answer.body), `SRTP was answered with ${answer.status}`)
    for (const method of ['INVITE', 'UPDATE']) {
      findings.inputs++
      bed.caller.within(call, method, { sdp: plainSdp(callerAddress, 4000) })
      findings.equal((await bed.caller.final(call, method)).status, 488, `${method} with plain RTP`)
    }
    findings.equal((await bed.live()).length, 1, 'live calls')
    bed.caller.within(call, 'BYE')
    await bed.caller.final(call, 'BYE')
    await bed.sauti.operator('PATCH', `/trunks/${uuid}`, { srtp: 'off' })
    await bed.idle()
    return findings
  },
}

export const holdLives: Probe = {
  name: 'hold without RTP',
  group: 'Media',
  promise:
    'A call on hold (sendonly or inactive) lives without RTP while the remote reports by RTCP; one without RTP or RTCP ends.',
  async run() {
    const bed = await AuditBed.open({}, ['--media-timeout', '3'])
    const findings = new Findings()
    try {
      const number = await bed.number('<Say>Hello</Say><Pause length="60"/>')
      for (const direction of ['sendonly', 'inactive']) {
        const media = await RtpSource.open(callerAddress, 0x11)
        const call = bed.caller.invite(number, { sdp: plainSdp(callerAddress, media.port) })
        const port = portIn((await bed.caller.final(call)).body)
        for (let at = 0; at < 10; at++) media.send(port)
        bed.caller.within(call, 'INVITE', { sdp: plainSdp(callerAddress, media.port).replace('sendrecv', direction) })
        findings.equal((await bed.caller.final(call, 'INVITE')).status, 200, `hold by ${direction}`)
        for (let at = 0; at < 8; at++) {
          findings.inputs++
          media.report(port + 1)
          await sleep(1000)
        }
        findings.equal(
          (await bed.live()).length,
          1,
          `live calls after 8 s of ${direction}, with a media timeout of 3 s`,
        )
        bed.caller.within(call, 'BYE')
        await bed.caller.final(call, 'BYE')
        media.close()
        await bed.idle()
      }
      const silent = bed.caller.invite(number, { sdp: plainSdp(callerAddress, 4000) })
      await bed.caller.final(silent)
      findings.inputs++
      await until('the end of a call without media', async () => (await bed.live()).length === 0, 20_000).catch(() =>
        findings.broken.push('a call without media lives for more than 20 s'),
      )
    } finally {
      await bed.close()
    }
    return findings
  },
}

export const unknownVoice: Probe = {
  name: 'a voice that does not exist',
  group: 'Media',
  promise: 'An unknown voice is reported (SAY.0404), and the default speaks.',
  async run(bed) {
    const findings = new Findings()
    for (const voice of ['no-such-voice-xyz', 'my-voice', 'en_US_amy', 'nobody']) {
      findings.inputs++
      const number = await bed.number(`<Say voice="${voice}">Hello</Say>`)
      const call = bed.caller.invite(number)
      await bed.caller.final(call)
      await bed
        .event('SAY.0404', ({ data }) => JSON.stringify(data).includes(voice), 8000)
        .catch(() => findings.broken.push(`${voice}: no SAY.0404`))
      await bed.idle()
    }
    return findings
  },
}

const thirdParty: Probe = {
  name: 'media for a third party',
  group: 'Media',
  promise: 'Addresses in SDP from which nothing comes get 5 s of media in a call, however many offers name them.',
  async run(bed) {
    const findings = new Findings()
    await bed.account.asset('long', sine(440, 30))
    const number = await bed.number('<Play asset="long"/>')
    const victims = await Promise.all([1, 2, 3, 4].map(at => RtpSource.open(`127.0.7.${at}`, 0x33)))
    const call = bed.caller.invite(number, { sdp: plainSdp('127.0.7.1', victims[0]!.port) })
    await bed.caller.final(call)
    for (let at = 1; at < 5; at++) {
      findings.inputs++
      await sleep(2000)
      const victim = victims[at % victims.length]!
      bed.caller.within(call, 'INVITE', { sdp: plainSdp(`127.0.7.${1 + (at % victims.length)}`, victim.port) })
      findings.equal((await bed.caller.final(call, 'INVITE')).status, 200, 'an offer with another address')
    }
    await sleep(2000)
    const received = victims.reduce((sum, victim) => sum + victim.received, 0)
    // 50 packets a second; an offer may come in the middle of a frame.
    findings.expect(received > 0 && received <= 260, `third parties received ${received} packets of 20 ms`)
    for (const victim of victims) victim.close()
    bed.caller.within(call, 'BYE')
    await bed.caller.final(call, 'BYE')
    await bed.idle()
    return findings
  },
}

export const mediaProbes: readonly Probe[] = [
  injection,
  samePort,
  mediaJunk,
  downgrade,
  holdLives,
  unknownVoice,
  thirdParty,
]
