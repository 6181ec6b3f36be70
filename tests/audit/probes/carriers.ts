import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { expectStatus } from '../../rig/beds/account.ts'
import { testCertificate, testKey } from '../../rig/fakes/certificate.ts'
import { freePort } from '../../rig/probes/ports.ts'
import { sleep, until } from '../../rig/probes/wait.ts'
import { AuditBed, answerCalls, callerAddress, unknownAddress } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'
import { plainSdp, SipPeer, type SipText } from '../sip-peer.ts'

const unauthorized = (realm: string, algorithm: string, nonce = 'n') =>
  `Proxy-Authenticate: Digest realm="${realm}", nonce="${nonce}", algorithm=${algorithm}, qop="auth"`

export const digestLeak: Probe = {
  name: 'digest leak (CVE-2021-41158)',
  group: 'Carriers and unknown sources',
  promise: 'A trunk’s password answers challenges of the trunk’s own addresses and first realm only.',
  async run(bed) {
    const findings = new Findings()
    const thief = await SipPeer.open(bed.sauti.sipPort, '127.0.3.1')
    thief.answer = (request, peer) => peer.respond(request, 407, [unauthorized('thief', 'MD5')])
    let challenged = 0
    bed.carrier.answer = (request, peer) => {
      if (request.method !== 'INVITE') return peer.respond(request, 200)
      if (request.header('Proxy-Authorization') === '' && challenged++ === 0)
        return peer.respond(request, 407, [unauthorized('carrier', 'SHA-256')])
      return peer.respond(request, 200, [`Contact: <sip:thief@127.0.3.1:${thief.port}>`], plainSdp(peer.address, 4002))
    }
    const number = await bed.number('<Dial timeLimit="2"><Number>+254722000001</Number></Dial>')
    for (const _ of [1, 2, 3]) {
      findings.inputs++
      const call = bed.caller.invite(number)
      await bed.caller.final(call)
      await bed.idle()
    }
    const leaked = thief.received.filter(({ text }) => /^(Proxy-)?Authorization:/im.test(text))
    findings.equal(leaked.length, 0, 'answers to the thief’s challenge')
    // The same carrier with another realm, and with a weaker algorithm than before.
    for (const [realm, algorithm] of [
      ['other', 'SHA-256'],
      ['carrier', 'MD5'],
    ] as const) {
      bed.carrier.received.length = 0
      bed.carrier.answer = (request, peer) =>
        request.method === 'INVITE'
          ? peer.respond(request, 407, [unauthorized(realm, algorithm, 'x')])
          : peer.respond(request, 200)
      findings.inputs++
      await bed.caller.final(bed.caller.invite(number))
      const answered = bed.carrier.requests('INVITE').some(request => request.header('Proxy-Authorization') !== '')
      findings.expect(!answered, `answered a challenge of realm ${realm} with ${algorithm}`)
    }
    bed.carrier.answer = answerCalls
    thief.close()
    await bed.idle()
    return findings
  },
}

export const knownTags: Probe = {
  name: 'requests of who only knows the tags',
  group: 'Carriers and unknown sources',
  promise:
    'BYE, re-INVITE, UPDATE, INFO, REFER and CANCEL count only from the dialog’s own flow; from elsewhere they change nothing.',
  async run(bed) {
    const findings = new Findings()
    const number = await bed.number('<Say>Hello</Say><Pause length="60"/>')
    const intruder = await SipPeer.open(bed.sauti.sipPort, unknownAddress)
    const call = bed.caller.invite(number)
    await bed.caller.final(call)
    const { cseq } = call
    for (const method of ['BYE', 'INVITE', 'UPDATE', 'INFO', 'REFER', 'MESSAGE', 'PRACK', 'NOTIFY', 'OPTIONS']) {
      for (const sdp of ['', plainSdp(unknownAddress, 4000)]) {
        findings.inputs++
        call.cseq = cseq + 50 + findings.inputs
        bed.caller.within(call, method, { by: intruder, sdp })
      }
    }
    await sleep(500)
    for (const answer of intruder.received.filter(({ status }) => status > 0)) {
      findings.expect(answer.status >= 400, `${answer.header('CSeq')} got ${answer.status}`)
    }
    findings.equal((await bed.live()).length, 1, 'live calls after requests from elsewhere')
    call.cseq = cseq
    bed.caller.within(call, 'BYE')
    findings.equal((await bed.caller.final(call, 'BYE')).status, 200, 'the caller’s own BYE')
    await bed.idle()

    const ringing = await bed.number('<Dial timeout="20"><Number>+254722000002</Number></Dial>')
    bed.carrier.answer = (request, peer) => peer.respond(request, request.method === 'INVITE' ? 180 : 200)
    const waiting = bed.caller.invite(ringing)
    await until('ringing', () =>
      bed.caller.received.some(message => message.status === 180 && message.header('Call-ID') === waiting.callId),
    )
    findings.inputs++
    bed.caller.within(waiting, 'CANCEL', { by: intruder })
    await sleep(300)
    findings.equal((await bed.live()).length, 1, 'live calls after a CANCEL from elsewhere')
    bed.caller.within(waiting, 'CANCEL')
    bed.carrier.answer = answerCalls
    intruder.close()
    await bed.idle()
    return findings
  },
}

export const enumeration: Probe = {
  name: 'scan for extensions',
  group: 'Carriers and unknown sources',
  promise:
    'REGISTER gets the same answer in shape and size for every name, no larger than 1.5 times the request; scans are throttled; of the rest only OPTIONS, and INVITE where a trunk signs in by digest, get an answer.',
  async run(bed) {
    const findings = new Findings()
    const user = expectStatus(await bed.account.api('POST', '/users/create', { email: 'scan@example.test' }), 201).body
    expectStatus(await bed.account.api('POST', '/phone-tokens/mint', { uuid: user.uuid }), 200)
    const scanner = await SipPeer.open(bed.sauti.sipPort, '127.0.4.1')
    const shapes = new Set<string>()
    const register = (peer: SipPeer, name: string, id: string) =>
      peer.request('REGISTER', 'sip:localhost', [
        `From: <sip:${name}@localhost>;tag=a`,
        `To: <sip:${name}@localhost>`,
        `Call-ID: ${id}`,
        'CSeq: 1 REGISTER',
        `Contact: <sip:${name}@${peer.address}:${peer.port}>`,
        'User-Agent: audit',
      ])
    const names = [user.extension_number, '9999', '1000', 'admin']
    for (const [at, name] of names.entries()) {
      findings.inputs++
      const id = `scan-${at}`
      const sent = register(scanner, name, id)
      const answer = await until(
        'an answer',
        () => scanner.received.find(message => message.header('Call-ID') === id),
        3000,
      ).catch(() => undefined)
      const padded = answer?.text
        .replaceAll(name, 'x'.repeat(4))
        .replace(/nonce="[^"]*"/g, 'nonce')
        .replace(/branch=[^;\r]*/g, 'branch')
        .replace(/tag=[^;\r]*/g, 'tag')
        .replace(/Date:.*/g, '')
        .replace(id, 'id')
      shapes.add(
        `${answer?.status} ${padded
          ?.split('\r\n')
          .map(line => line.split(':')[0])
          .join()}`,
      )
      if (answer !== undefined)
        findings.expect(
          answer.text.length <= 1.5 * sent.length,
          `${name}: ${answer.text.length} octets for ${sent.length}`,
        )
    }
    findings.expect(shapes.size === 1, `different answers: ${[...shapes].join(' / ')}`)
    scanner.received.length = 0
    for (let at = 0; at < 500; at++) {
      findings.inputs++
      register(scanner, String(1000 + at), `many-${at}`)
    }
    await sleep(1000)
    findings.expect(
      scanner.received.length < 250,
      `${scanner.received.length} of 500 REGISTERs were answered within a second`,
    )
    const quiet = await SipPeer.open(bed.sauti.sipPort, '127.0.5.1')
    for (const method of ['INVITE', 'OPTIONS', 'SUBSCRIBE', 'MESSAGE', 'NOTIFY', 'REFER', 'PUBLISH', 'INFO', 'BYE']) {
      findings.inputs++
      quiet.request(method, `sip:+254700000001@127.0.0.1`, [
        'From: <sip:a@example.org>;tag=q',
        'To: <sip:+254700000001@example.org>',
        `Call-ID: quiet-${method}`,
        `CSeq: 1 ${method}`,
        `Contact: <sip:a@127.0.5.1:${quiet.port}>`,
      ])
    }
    await sleep(500)
    // A trunk of this bed signs in by credentials: any INVITE may be its own, and is challenged.
    const mayAnswer = (message: SipText) =>
      /OPTIONS$/.test(message.header('CSeq')) || (message.status === 401 && /INVITE$/.test(message.header('CSeq')))
    const reported = quiet.received.filter(message => message.status !== 0 && !mayAnswer(message))
    findings.expect(
      reported.length === 0,
      `answered: ${reported.map(message => `${message.header('CSeq')}: ${message.status}`).join()}`,
    )
    quiet.close()
    scanner.close()
    return findings
  },
}

async function hold(bed: AuditBed, count: number, address: (at: number) => string): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let at = 0; at < count; at++) {
    sockets.push(
      connect({ port: bed.sauti.sipPort, host: '127.0.0.1', localAddress: address(at) }).on('error', () => {}),
    )
    if (at % 50 === 49) await sleep(10)
  }
  return sockets
}

export const idleConnections: Probe = {
  name: 'idle TCP connections',
  group: 'Carriers and unknown sources',
  promise: 'Connections of unknown sources that say nothing leave room for trunks: 2,000 from ten addresses.',
  async run(bed) {
    const findings = new Findings()
    const sockets = await hold(bed, 2000, at => `127.0.6.${1 + (at % 10)}`)
    findings.inputs = sockets.length
    await sleep(500)
    const trunk = connect({ port: bed.sauti.sipPort, host: '127.0.0.1', localAddress: callerAddress })
    let text = ''
    trunk.on('data', bytes => {
      text += bytes
    })
    trunk.on('error', () => {})
    trunk.write(
      `OPTIONS sip:127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/TCP ${callerAddress}:5060;branch=z9hG4bKoptions\r\nMax-Forwards: 70\r\nFrom: <sip:a@${callerAddress}>;tag=o\r\nTo: <sip:127.0.0.1>\r\nCall-ID: options\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n`,
    )
    await until('the trunk’s OPTIONS', () => text.startsWith('SIP/2.0 200'), 10_000).catch(() =>
      findings.broken.push('the trunk’s OPTIONS over TCP got no answer'),
    )
    trunk.destroy()
    for (const socket of sockets) socket.destroy()
    return findings
  },
}

export const malformed: Probe = {
  name: 'malformed messages beside a live call',
  group: 'Carriers and unknown sources',
  promise: 'Whatever arrives, the process lives, live calls go on, and nothing is thrown.',
  async run(bed) {
    const findings = new Findings()
    const number = await bed.number('<Say>Hello</Say><Pause length="60"/>')
    const call = bed.caller.invite(number)
    await bed.caller.final(call)
    const valid = bed.caller.request('OPTIONS', `sip:127.0.0.1:${bed.sauti.sipPort}`, [
      `From: <sip:a@${callerAddress}>;tag=m`,
      'To: <sip:127.0.0.1>',
      'Call-ID: malformed',
      'CSeq: 1 OPTIONS',
    ])
    let state = 7
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return state / 2 ** 32
    }
    for (let at = 0; at < 5000; at++) {
      const bytes = Buffer.from(valid.replace('malformed', `m-${at}`), 'latin1')
      for (let flips = 1 + Math.floor(random() * 8); flips > 0; flips--) {
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
      }
      bed.caller.send(bytes.subarray(0, 1 + Math.floor(random() * bytes.length)).toString('latin1'))
      findings.inputs++
      if (at % 200 === 199) await sleep(5)
    }
    await sleep(500)
    findings.equal((await bed.live()).length, 1, 'live calls')
    bed.caller.within(call, 'BYE')
    findings.equal((await bed.caller.final(call, 'BYE')).status, 200, 'BYE afterwards')
    const thrown = bed.sauti.log.filter(line => /"level":(50|60)/.test(line) || /was dropped: .*\bat /.test(line))
    findings.expect(thrown.length === 0, `logged as faults: ${thrown.slice(0, 2).join(' ')}`)
    await bed.idle()
    return findings
  },
}

const unfinishedHandshakes: Probe = {
  name: 'unfinished TLS handshakes',
  group: 'Carriers and unknown sources',
  promise:
    'One address that begins 2,000 TLS handshakes and finishes none leaves SIP over TLS and HTTPS open to others.',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'sauti-audit-'))
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    writeFileSync(cert, testCertificate)
    writeFileSync(key, testKey)
    const [udpPort, tlsPort] = [await freePort(), await freePort()]
    const bed = await AuditBed.open({
      SAUTI_SIP: `udp:127.0.0.1:${udpPort},tls:127.0.0.1:${tlsPort},wss:127.0.0.1:${tlsPort + 1}`,
      SAUTI_TLS_CERT: cert,
      SAUTI_TLS_KEY: key,
    })
    const findings = new Findings()
    const sockets: Socket[] = []
    try {
      for (const port of [tlsPort, tlsPort + 1]) {
        for (let at = 0; at < 1000; at++) {
          findings.inputs++
          sockets.push(connect({ port, host: '127.0.0.1', localAddress: '127.0.6.50' }).on('error', () => {}))
          if (at % 50 === 49) await sleep(10)
        }
        await sleep(300)
        const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.6.51' })
        const other = connectTls({ socket, rejectUnauthorized: false })
        const isOpen = await Promise.race([
          once(other, 'secureConnect').then(() => true),
          sleep(5000).then(() => false),
        ]).catch(() => false)
        findings.expect(isOpen, `${port === tlsPort ? 'tls:' : 'wss:'} another address could not finish a handshake`)
        other.destroy()
      }
    } finally {
      for (const socket of sockets) socket.destroy()
      await bed.close()
      rmSync(folder, { recursive: true, force: true })
    }
    return findings
  },
}

export const carrierProbes: readonly Probe[] = [
  digestLeak,
  knownTags,
  enumeration,
  idleConnections,
  unfinishedHandshakes,
  malformed,
]
