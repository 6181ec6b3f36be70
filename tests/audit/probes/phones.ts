import { createHash, randomBytes } from 'node:crypto'
import { WebSocket } from 'ws'
import { headerOf, headersOf } from '../../../sip/index.ts'
import { expectStatus } from '../../rig/beds/account.ts'
import { RtpSource } from '../../rig/peers/rtp-source.ts'
import { WebrtcLines } from '../../rig/peers/webrtc-lines.ts'
import { plainSdp, WsPhone } from '../../rig/peers/ws-phone.ts'
import { sleep, until } from '../../rig/probes/wait.ts'
import { AuditBed, answerCalls, carrierAddress } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'
import { plainSdp as rtpSdp, SipPeer } from '../sip-peer.ts'

async function phoneOf(
  bed: AuditBed,
  name: string,
): Promise<{ phone: WsPhone; token: string; user: { uuid: string; extension_number: string } }> {
  const made = expectStatus(
    await bed.account.api('POST', '/users/create', { email: `${name}-${Date.now()}@example.test` }),
    201,
  )
  const minted = expectStatus(
    await bed.account.api('POST', '/phone-tokens/mint', { uuid: made.body.uuid, max_concurrent: 3 }),
    200,
  )
  const url = `${bed.sauti.baseUrl.replace('http', 'ws')}/sip`
  const phone = await WsPhone.open(url, { extension: made.body.extension_number, token: minted.body.token })
  const registered = await phone.register()
  if (registered.status !== 200) throw new Error(`the phone could not register: ${registered.status}`)
  return { phone, token: minted.body.phone_token.uuid, user: made.body }
}

export const ringingSurvives: Probe = {
  name: 'a ringing phone loses its WebSocket',
  group: 'Phones',
  promise: 'A ringing call follows its phone to a new WebSocket.',
  async run(bed) {
    const findings = new Findings()
    const { phone, user } = await phoneOf(bed, 'ringing')
    const number = await bed.number(`<Dial timeout="20"><Client>${user.uuid}</Client></Dial>`)
    for (let round = 0; round < 3; round++) {
      findings.inputs++
      const call = bed.caller.invite(number)
      const first = await phone.incoming()
      phone.answer(first, 180)
      await phone.reconnect(`${bed.sauti.baseUrl.replace('http', 'ws')}/sip`)
      await phone.register()
      const again = await phone.incoming(8000).catch(() => undefined)
      findings.expect(again !== undefined, 'no INVITE on the new connection')
      if (again !== undefined) {
        findings.expect(
          (headerOf(again, 'X-Voice-Call-Sid') ?? '').startsWith('CA'),
          'the INVITE has no X-Voice-Call-Sid',
        )
        findings.expect(
          (headerOf(again, 'From') ?? '').includes('+254733000001'),
          `the phone sees ${headerOf(again, 'From')} instead of the caller`,
        )
        phone.answer(again, 486)
      }
      bed.caller.within(call, 'CANCEL')
      await bed.idle()
    }
    phone.close()
    return findings
  },
}

export const revoked: Probe = {
  name: 'a revoked phone',
  group: 'Phones',
  promise:
    'A phone whose token is revoked or whose end-user is deactivated is signed out at once and can place no calls.',
  async run(bed) {
    const findings = new Findings()
    for (const how of ['revoked', 'deactivated'] as const) {
      findings.inputs++
      const { phone, token, user } = await phoneOf(bed, how)
      if (how === 'revoked') expectStatus(await bed.account.api('POST', '/phone-tokens/revoke', { uuid: token }), 200)
      else expectStatus(await bed.account.api('POST', '/users/update', { uuid: user.uuid, is_active: false }), 200)
      const reported = () => phone.closed !== undefined || phone.received.some(message => message.kind === 'request')
      await until('word of it', reported, 5000).catch(() =>
        findings.broken.push(`${how}: the phone was not notified within 5 s`),
      )
      phone.close()
    }
    return findings
  },
}

const revokedLive: Probe = {
  name: 'a token revoked during a call',
  group: 'Phones',
  promise:
    'A call goes on when its phone’s token is revoked, and ends by its BYE; new calls and sign-ins with the token are refused.',
  async run(bed) {
    const findings = new Findings()
    const { phone, token } = await phoneOf(bed, 'live')
    await bed.account.hosts('voice_outbound', '<Say>Hello</Say><Pause length="60"/>')
    const { call, final } = await phone.ask('INVITE', { to: '+254722000009', sdp: plainSdp(4004) })
    findings.equal(final.status, 200, 'the call')
    call.acknowledge()
    findings.inputs++
    expectStatus(await bed.account.api('POST', '/phone-tokens/revoke', { uuid: token }), 200)
    await sleep(1000)
    findings.equal((await bed.live()).length, 1, 'live calls after the token was revoked')
    for (const method of ['INVITE', 'REGISTER'] as const) {
      findings.inputs++
      const wants =
        method === 'INVITE' ? { to: '+254722000009', sdp: plainSdp(4006) } : { headers: [`Contact: ${phone.contact}`] }
      const answer = await phone.ask(method, wants)
      findings.equal(answer.final.status, 403, `${method} with the revoked token`)
    }
    findings.equal((await bed.live()).length, 1, 'live calls after refused ones')
    findings.inputs++
    await call.bye()
    await bed.idle()
    phone.close()
    return findings
  },
}

const replayed: Probe = {
  name: 'replayed and forged SRTP and SRTCP',
  group: 'Phones',
  promise:
    'Packets of a browser that are sent again, by it or by others, and forged ones, RTCP BYE included, are neither played nor relayed, and end nothing.',
  async run(bed) {
    const findings = new Findings()
    const { phone } = await phoneOf(bed, 'replays')
    const far = await RtpSource.open(carrierAddress, 0x22)
    bed.carrier.answer = (request, peer) =>
      peer.respond(request, 200, [], request.method === 'INVITE' ? rtpSdp(carrierAddress, far.port) : '')
    await bed.account.hosts('voice_outbound', '<Dial><Number>{{To}}</Number></Dial>')
    const lines = new WebrtcLines()
    const sent: Buffer[] = []
    const bind = lines.network.bind.bind(lines.network)
    lines.network.bind = (port, use) =>
      bind(port, socket => {
        if (socket !== undefined) {
          const send = socket.send.bind(socket)
          socket.send = (packet, length, address, at) => {
            // RTP and RTCP by its first octet (RFC 7983 §7).
            if (packet[0]! >= 128 && packet[0]! < 192) sent.push(Buffer.from(packet.subarray(0, length)))
            return send(packet, length, address, at)
          }
        }
        use(socket)
      })
    const client = await lines.open()
    const { final, call } = await phone.ask('INVITE', { to: '+254722000006', sdp: client.offer() })
    findings.equal(final.status, 200, 'the call')
    call.acknowledge()
    client.accept(Buffer.from(final.body).toString())
    await until('keys', () => client.isConnected, 10_000)
    let relayed = 0
    far.socket.on('message', bytes => {
      if (bytes.length === 172 && bytes[100] === 0x55 && bytes[171] === 0x55) relayed++
    })
    const talk = async (frames: number) => {
      for (let at = 0; at < frames; at++) {
        client.say(new Uint8Array(160).fill(0x55))
        await sleep(20)
      }
      await sleep(300)
    }
    await talk(50)
    findings.expect(relayed >= 40, `${relayed} of 50 packets were relayed`)
    const captured = sent.filter(packet => packet.length > 160)
    const before = relayed
    const other = await RtpSource.open('127.0.9.9', 0x66)
    for (const packet of [...captured, ...captured.toReversed()]) {
      findings.inputs += 2
      client.sendRaw(packet)
      other.socket.send(packet, client.farPort, '127.0.0.1')
      await sleep(2)
    }
    const ssrc = captured[0]!.readUInt32BE(8)
    for (let at = 0; at < 400; at++) {
      findings.inputs++
      // Sender report, receiver report, BYE and feedback with a made-up tag, and RTP of the next sequence numbers.
      const forged = randomBytes(at % 5 === 4 ? 182 : 52)
      forged[0] = 0x81
      forged[1] = [200, 201, 203, 206, 0][at % 5]!
      if (at % 5 === 4) {
        forged[0] = 0x80
        forged.writeUInt16BE((51 + at) & 0xffff, 2)
        forged.writeUInt32BE(ssrc, 8)
      } else {
        forged.writeUInt16BE(1, 2)
        forged.writeUInt32BE(ssrc, 4)
      }
      client.sendRaw(forged)
      if (at % 20 === 19) await sleep(5)
    }
    await sleep(500)
    findings.equal(relayed, before, 'packets that were relayed after replays and forgeries')
    findings.equal(other.received, 0, 'packets that the other address received')
    findings.equal((await bed.live()).length, 1, 'live calls')
    await talk(50)
    findings.expect(relayed - before >= 40, `then ${relayed - before} of 50 packets of the phone were relayed`)
    await call.bye()
    lines.stop()
    other.close()
    far.close()
    phone.close()
    bed.carrier.answer = answerCalls
    await bed.idle()
    return findings
  },
}

export const silentSockets: Probe = {
  name: 'silent WebSockets behind a proxy',
  group: 'Phones',
  promise:
    'Behind a trusted proxy, WebSockets are counted by the real address: one that opens many does not shut others out.',
  async run() {
    const bed = await AuditBed.open({ SAUTI_TRUSTED_PROXIES: '127.0.0.1' })
    const findings = new Findings()
    const open: InstanceType<typeof WebSocket>[] = []
    try {
      const url = `${bed.sauti.baseUrl.replace('http', 'ws')}/sip`
      const connect = (address: string) =>
        new Promise<boolean>(resolve => {
          const socket = new WebSocket(url, ['sip'], { headers: { 'x-forwarded-for': address } })
          open.push(socket)
          socket.once('open', () => resolve(true)).once('error', () => resolve(false))
        })
      for (let at = 0; at < 300; at++) {
        findings.inputs++
        await connect('203.0.113.9')
      }
      findings.expect(await connect('198.51.100.7'), 'another address behind the proxy was refused')
      findings.expect(await connect('198.51.100.8'), 'a second address behind the proxy was refused')
    } finally {
      for (const socket of open) socket.terminate()
      await bed.close()
    }
    return findings
  },
}

export const sipHeaders: Probe = {
  name: 'the call id at the phone',
  group: 'Phones',
  promise: 'Every answer to a softphone’s call names the call (X-Voice-Call-Sid), and each refusal its reason.',
  async run(bed) {
    const findings = new Findings()
    const { phone } = await phoneOf(bed, 'headers')
    await bed.account.hosts('voice_outbound', '<Pause length="1"/><Dial><Number>{{To}}</Number></Dial>')
    const call = phone.begin('INVITE', { to: '+254722000009', sdp: plainSdp(4004) })
    const ringing = await call.ringing()
    findings.inputs++
    findings.expect((headerOf(ringing, 'X-Voice-Call-Sid') ?? '').startsWith('CA'), '180 has no X-Voice-Call-Sid')
    const answer = await call.final()
    findings.expect(
      (headerOf(answer, 'X-Voice-Call-Sid') ?? '').startsWith('CA'),
      `${answer.status} has no X-Voice-Call-Sid`,
    )
    call.acknowledge()
    await call.bye()
    findings.inputs++
    const refused = await phone.ask('INVITE', { to: '+979123456', sdp: plainSdp(4004) })
    findings.expect(refused.final.status >= 400, `a premium number got ${refused.final.status}`)
    phone.close()
    await bed.idle()
    return findings
  },
}

const callerShown: Probe = {
  name: 'who is shown to a phone',
  group: 'Phones',
  promise: 'A phone that is dialled, as <Client> or by its extension, sees who calls, unless callerId says otherwise.',
  async run(bed) {
    const findings = new Findings()
    const { phone, user } = await phoneOf(bed, 'shown')
    const extension = `<Number>${user.extension_number}</Number>`
    const client = `<Client>${user.uuid}</Client>`
    const cases = [
      [`<Dial>${client}</Dial>`, '+254733000001'],
      [`<Dial>${extension}</Dial>`, '+254733000001'],
      [`<Dial callerId="${bed.account.number}">${client}</Dial>`, bed.account.number],
      [`<Dial callerId="${bed.account.number}">${extension}</Dial>`, bed.account.number],
    ] as const
    for (const [verbs, shown] of cases) {
      findings.inputs++
      const call = bed.caller.invite(await bed.number(verbs))
      const invite = await phone.incoming()
      const from = headerOf(invite, 'From') ?? ''
      findings.expect(from.includes(shown), `${verbs}: the phone sees ${from} instead of ${shown}`)
      phone.answer(invite, 486)
      bed.caller.within(call, 'CANCEL')
      await bed.idle()
    }
    phone.close()
    return findings
  },
}

const crashedTab: Probe = {
  name: 'a tab that crashes',
  group: 'Phones',
  promise: 'A call whose browser is gone, its WebSocket and its STUN consent (RFC 7675), ends within 20 s.',
  async run(bed) {
    const findings = new Findings()
    const { phone } = await phoneOf(bed, 'crashes')
    await bed.account.hosts('voice_outbound', '<Say>Hello</Say><Pause length="100"/>')
    const lines = new WebrtcLines()
    const client = await lines.open()
    const { final, call } = await phone.ask('INVITE', { to: '+254722000009', sdp: client.offer() })
    findings.inputs++
    findings.equal(final.status, 200, 'the answer to the call')
    call.acknowledge()
    client.accept(Buffer.from(final.body).toString())
    await until('keys', () => client.isConnected, 10_000)
    findings.equal((await bed.live()).length, 1, 'live calls')
    lines.stop()
    phone.socket.terminate()
    const begun = performance.now()
    await until('the end of the call', async () => (await bed.live()).length === 0, 40_000).catch(() => {})
    const tookMs = performance.now() - begun
    findings.expect(tookMs < 20_000, `the call went on for ${(tookMs / 1000).toFixed(1)} s`)
    phone.close()
    await bed.idle()
    return findings
  },
}

const weakFingerprints: Probe = {
  name: 'weak fingerprints',
  group: 'Phones',
  promise: 'A browser that names its certificate by SHA-1 or MD5 alone, or not at all, is refused.',
  async run(bed) {
    const findings = new Findings()
    const { phone } = await phoneOf(bed, 'weak')
    await bed.account.hosts('voice_outbound', '<Say>Hello</Say>')
    const lines = new WebrtcLines()
    const offer = (await lines.open()).offer()
    const ofLength = (octets: number) => Array.from({ length: octets }, () => 'AB').join(':')
    for (const line of [`a=fingerprint:sha-1 ${ofLength(20)}`, `a=fingerprint:md5 ${ofLength(16)}`, 'a=mid:0']) {
      findings.inputs++
      const sdp = offer.replace(/^a=fingerprint:.*$/m, line)
      const { final } = await phone.ask('INVITE', { to: '+254722000009', sdp })
      findings.equal(final.status, 488, line)
    }
    lines.stop()
    phone.close()
    await bed.idle()
    return findings
  },
}

const wrongDigests: Probe = {
  name: 'wrong digests of a phone',
  group: 'Phones',
  promise: 'A digest without qop is not taken where qop was offered, and 300 wrong digests in a row are throttled.',
  async run(bed) {
    const findings = new Findings()
    const { phone } = await phoneOf(bed, 'digests')
    const { extension, token } = phone.options
    phone.close()
    const url = `${bed.sauti.baseUrl.replace('http', 'ws')}/sip`
    const asker = await WsPhone.open(url, { extension, token: 'wrong', by: 'digest' })
    const challenged = await asker.ask('REGISTER', { headers: [`Contact: ${asker.contact}`] })
    const challenge = headersOf(challenged.final, 'WWW-Authenticate').at(-1) ?? ''
    const part = (name: string) => new RegExp(`${name}="?([^",]+)`).exec(challenge)?.[1] ?? ''
    const hash = (text: string) =>
      createHash(part('algorithm') === 'MD5' ? 'md5' : 'sha256')
        .update(text)
        .digest('hex')
    findings.expect(part('qop') !== '', 'no qop was offered')
    const uri = `sip:${asker.realm}`
    const right = hash(`${hash(`${extension}:${part('realm')}:${token}`)}:${part('nonce')}:${hash(`REGISTER:${uri}`)}`)
    const credentials = (response: string) =>
      `Authorization: Digest username="${extension}", realm="${part('realm')}", nonce="${part('nonce')}", uri="${uri}", algorithm=${part('algorithm') || 'MD5'}, response="${response}"`
    // With a Bearer token of nothing in front, the phone would sign in otherwise: one request, its own credentials.
    const plain = await WsPhone.open(url, { extension, token: 'none', by: 'digest' })
    findings.inputs++
    const unsigned = await plain.ask('REGISTER', { headers: [`Contact: ${plain.contact}`, credentials(right)] })
    findings.expect(unsigned.final.status !== 200, `a right digest without qop got ${unsigned.final.status}`)
    asker.received.length = 0
    for (let at = 0; at < 300 && asker.closed === undefined; at++) {
      findings.inputs++
      asker.sendText(
        [
          `REGISTER ${uri} SIP/2.0`,
          `Via: SIP/2.0/WS ${asker.sentBy};branch=z9hG4bKwrong${at}`,
          `From: <sip:${extension}@${asker.realm}>;tag=wrong`,
          `To: <sip:${extension}@${asker.realm}>`,
          `Call-ID: wrong-${at}`,
          'CSeq: 1 REGISTER',
          'Max-Forwards: 70',
          `Contact: ${asker.contact}`,
          `${credentials('0'.repeat(right.length))}, qop=auth, nc=00000001, cnonce="x"`,
          'Content-Length: 0',
          '',
          '',
        ].join('\r\n'),
      )
      await sleep(5)
    }
    await sleep(500)
    const answers = asker.received.filter(message => message.kind === 'response' && message.status >= 400).length
    findings.expect(answers < 100, `${answers} of 300 wrong digests in a row were answered`)
    plain.close()
    asker.close()
    return findings
  },
}

const forgedSignIns: Probe = {
  name: 'forged sign-ins under the address of phones',
  group: 'Phones',
  promise:
    'REGISTER and OPTIONS by UDP under the address of phones, with credentials for no challenge of ours, sign no phone out and keep no browser from signing in.',
  async run(bed) {
    const findings = new Findings()
    const { phone } = await phoneOf(bed, 'forged')
    const forger = await SipPeer.open(bed.sauti.sipPort, '127.0.0.1')
    for (let at = 0; at < 400; at++) {
      findings.inputs++
      forger.request(at < 100 ? 'REGISTER' : 'OPTIONS', 'sip:localhost', [
        'From: <sip:77@localhost>;tag=f',
        'To: <sip:77@localhost>',
        `Call-ID: forged-${at}`,
        `CSeq: 1 ${at < 100 ? 'REGISTER' : 'OPTIONS'}`,
        'Authorization: Digest username="77", realm="x", nonce="x", uri="sip:x", response="0"',
      ])
    }
    await sleep(500)
    findings.inputs += 2
    findings.equal((await phone.register()).status, 200, 'the refresh of a phone of that address')
    const other = await phoneOf(bed, 'beside').catch((fault: unknown) => String(fault))
    findings.expect(typeof other !== 'string', `another browser of that address: ${String(other)}`)
    if (typeof other !== 'string') other.phone.close()
    phone.close()
    forger.close()
    return findings
  },
}

export const phoneProbes: readonly Probe[] = [
  ringingSurvives,
  revoked,
  revokedLive,
  replayed,
  crashedTab,
  silentSockets,
  wrongDigests,
  forgedSignIns,
  weakFingerprints,
  callerShown,
  sipHeaders,
]
