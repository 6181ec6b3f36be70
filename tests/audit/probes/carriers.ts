import { createHash, randomBytes } from 'node:crypto'
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

const lineEnds: Probe = {
  name: 'line ends without end over TCP',
  group: 'Carriers and unknown sources',
  promise: 'A stream of line ends, of which every two are a ping, is answered once for each piece that is read.',
  async run(bed) {
    const findings = new Findings()
    const pings = 65_536
    findings.inputs = pings
    const stranger = connect({ port: bed.sauti.sipPort, host: '127.0.0.1', localAddress: unknownAddress })
    let octets = 0
    stranger.on('data', bytes => {
      octets += bytes.length
    })
    stranger.on('error', () => {})
    await once(stranger, 'connect')
    stranger.write('\r\n\r\n'.repeat(pings))
    await sleep(2000)
    findings.expect(octets < 2 * 1000, `${octets / 2} pongs`)
    stranger.destroy()
    return findings
  },
}

const longNames: Probe = {
  name: 'digests with names of 40 KB',
  group: 'Carriers and unknown sources',
  promise:
    'Digests with fields that no phone sends are not read: they do not count as wrong ones, and a phone of that address signs in.',
  async run(bed) {
    const findings = new Findings()
    const user = expectStatus(await bed.account.api('POST', '/users/create', { email: 'long@example.test' }), 201).body
    const { token } = expectStatus(await bed.account.api('POST', '/phone-tokens/mint', { uuid: user.uuid }), 200).body
    const peer = await SipPeer.open(bed.sauti.sipPort, '127.0.8.1')
    for (let at = 0; at < 50; at++) {
      findings.inputs++
      const name = `${at}-`.padEnd(40_000, 'x')
      peer.request('REGISTER', 'sip:localhost', [
        'From: <sip:1@localhost>;tag=l',
        'To: <sip:1@localhost>',
        `Call-ID: long-${at}`,
        'CSeq: 1 REGISTER',
        `Contact: <sip:1@${peer.address}:${peer.port}>`,
        `Authorization: Digest username="${name}", realm="localhost", nonce="n", uri="sip:localhost", response="0", qop=auth, nc=00000001, cnonce="c"`,
      ])
    }
    await sleep(500)
    findings.equal(await signIn(peer, user.extension_number, token), 200, 'a sign-in from the same address')
    peer.close()
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

/** An answer as if `by` were the peer that got the request. */
const forge = (by: SipPeer, request: SipText, status: number, sdp = ''): void =>
  by.respond(request, status, [`Contact: <sip:thief@${by.address}:${by.port}>`], sdp)

const forgedResponses: Probe = {
  name: 'responses of who only knows branch and tags',
  group: 'Carriers and unknown sources',
  promise:
    'A response counts only from where its request went, or from the same trunk; from elsewhere it changes nothing and is counted.',
  async run(bed) {
    const findings = new Findings()
    const forger = await SipPeer.open(bed.sauti.sipPort, unknownAddress)
    const counted = async () => {
      const text = (await bed.sauti.request(bed.sauti.operatorKey, 'GET', '/metrics')).body
      return Number(/sauti_sip_total\{[^}]*"foreign"[^}]*\} (\d+)/.exec(String(text))?.[1] ?? 0)
    }
    let invite: SipText | undefined
    bed.carrier.answer = (request, peer) => {
      if (request.method !== 'INVITE') return peer.respond(request, 200)
      invite = request
      return peer.respond(request, 180)
    }
    const number = await bed.number('<Dial timeout="20"><Number>+254722000004</Number></Dial>')
    const call = bed.caller.invite(number)
    const ringing = await until('the INVITE at the carrier', () => invite)
    const before = await counted()
    for (const status of [100, 180, 183, 200, 202, 302, 401, 407, 421, 480, 482, 486, 487, 503, 603]) {
      findings.inputs++
      forge(forger, ringing, status, [183, 200].includes(status) ? plainSdp(unknownAddress, 4000) : '')
    }
    await sleep(500)
    const answer = bed.caller.received.find(
      message => message.header('Call-ID') === call.callId && message.status >= 183,
    )
    findings.equal(answer?.status, undefined, 'what the caller was answered after forged responses')
    findings.equal(forger.received.length, 0, 'requests that came to the forger')
    findings.expect((await counted()) - before >= findings.inputs, 'forged responses were not counted')
    bed.carrier.respond(ringing, 200, [], plainSdp(bed.carrier.address, 4002))
    findings.equal((await bed.caller.final(call)).status, 200, 'the answer after the carrier’s own 200')
    // Its BYE: an answer from elsewhere does not end it, and the carrier’s own does.
    bed.caller.within(call, 'BYE')
    await bed.caller.final(call, 'BYE')
    forger.close()
    bed.carrier.answer = answerCalls
    await bed.idle()
    return findings
  },
}

const digestDowngrade: Probe = {
  name: 'digest downgrades',
  group: 'Carriers and unknown sources',
  promise: 'A trunk that has offered SHA-256 and qop gets no answer to a challenge without either.',
  async run(bed) {
    const findings = new Findings()
    const number = await bed.number('<Dial timeout="5"><Number>+254722000005</Number></Dial>')
    const challenges: readonly (readonly [line: string, isAnswered: boolean])[] = [
      [unauthorized('carrier', 'SHA-256', 'first'), true],
      [unauthorized('carrier', 'SHA-256', 'bare').replace(', qop="auth"', ''), false],
      [unauthorized('carrier', 'SHA-256', 'empty').replace('qop="auth"', 'qop=""'), false],
      [unauthorized('carrier', 'SHA-256', 'int').replace('qop="auth"', 'qop="auth-int"'), false],
      [unauthorized('carrier', 'MD5', 'weak'), false],
      [unauthorized('carrier', 'MD5', 'weak-bare').replace(', qop="auth"', ''), false],
      [unauthorized('carrier', 'SHA-256-sess', 'session'), false],
      [unauthorized('carrier', 'SHA-256', 'last'), true],
    ]
    for (const [line, isAnswered] of challenges) {
      findings.inputs++
      bed.carrier.received.length = 0
      bed.carrier.answer = (request, peer) => {
        const isChallenged = request.method === 'INVITE' && request.header('Proxy-Authorization') === ''
        if (isChallenged) peer.respond(request, 407, [line])
        else peer.respond(request, request.method === 'INVITE' ? 486 : 200)
      }
      await bed.caller.final(bed.caller.invite(number))
      const answered = bed.carrier.requests('INVITE').some(request => request.header('Proxy-Authorization') !== '')
      findings.equal(answered, isAnswered, `an answer to ${line}`)
      await bed.idle()
    }
    bed.carrier.answer = answerCalls
    return findings
  },
}

const guessedName: Probe = {
  name: 'guesses for one extension from many networks',
  group: 'Carriers and unknown sources',
  promise:
    'Digest guesses for one name from 300 networks are throttled, for a name that exists as for one that does not, and its phone still signs in.',
  async run(bed) {
    const findings = new Findings()
    const user = expectStatus(await bed.account.api('POST', '/users/create', { email: 'guess@example.test' }), 201).body
    const { token } = expectStatus(await bed.account.api('POST', '/phone-tokens/mint', { uuid: user.uuid }), 200).body
    const phone = await SipPeer.open(bed.sauti.sipPort, '127.0.9.1')
    findings.equal(await signIn(phone, user.extension_number, token), 200, 'the phone’s first sign-in')
    const answered: number[] = []
    for (const [round, name] of [user.extension_number, '98765'].entries()) {
      let count = 0
      for (let at = 0; at < 300; at++) {
        findings.inputs++
        const stranger = await SipPeer.open(bed.sauti.sipPort, `127.${20 + 2 * round + (at >> 8)}.${at & 255}.1`)
        if ((await signIn(stranger, name, 'a guess', 150)) === 401) count++
        stranger.close()
      }
      answered.push(count)
    }
    findings.expect(answered[0]! <= 160, `${answered[0]} of 300 guesses were answered`)
    findings.expect(Math.abs(answered[0]! - answered[1]!) <= 30, `answers differ by name: ${answered.join(' and ')}`)
    findings.equal(await signIn(phone, user.extension_number, token), 200, 'the phone’s sign-in from its address')
    phone.close()
    return findings
  },
}

/** REGISTER by digest: the status of the answer to the credentials; 0 = none came. */
async function signIn(peer: SipPeer, name: string, password: string, ms = 3000): Promise<number> {
  const id = randomBytes(6).toString('hex')
  const ask = (cseq: number, lines: readonly string[]) => {
    peer.request('REGISTER', 'sip:localhost', [
      `From: <sip:${name}@localhost>;tag=g`,
      `To: <sip:${name}@localhost>`,
      `Call-ID: ${id}`,
      `CSeq: ${cseq} REGISTER`,
      `Contact: <sip:${name}@${peer.address}:${peer.port}>;expires=600`,
      'User-Agent: a phone of the audit, release 1.2.3',
      ...lines,
    ])
    const fits = (message: SipText) => message.header('Call-ID') === id && message.header('CSeq') === `${cseq} REGISTER`
    return until('an answer', () => peer.received.find(fits), ms).catch(() => undefined)
  }
  const challenge = (await ask(1, []))?.header('WWW-Authenticate') ?? ''
  const part = (field: string) => new RegExp(`${field}="?([^",]+)`).exec(challenge)?.[1] ?? ''
  const hash = (text: string) =>
    createHash(part('algorithm') === 'MD5' ? 'md5' : 'sha256')
      .update(text)
      .digest('hex')
  const [ha1, ha2] = [hash(`${name}:${part('realm')}:${password}`), hash('REGISTER:sip:localhost')]
  const response = hash(`${ha1}:${part('nonce')}:00000001:c:auth:${ha2}`)
  const credentials = `Authorization: Digest username="${name}", realm="${part('realm')}", nonce="${part('nonce')}", uri="sip:localhost", algorithm=${part('algorithm')}, qop=auth, nc=00000001, cnonce="c", response="${response}"`
  return (await ask(2, [credentials]))?.status ?? 0
}

const upgradeHead = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: sip\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`

const slowClients: Probe = {
  name: 'slow and silent HTTP clients',
  group: 'Carriers and unknown sources',
  promise:
    'HTTP connections of one address that are silent, slow, stop within a WebSocket frame, or never end after a refusal leave room for others and are closed within 25 s.',
  async run(bed) {
    const findings = new Findings()
    const sockets: Socket[] = []
    const open = async (address: string, first: string, drip: string) => {
      const socket = connect({
        port: bed.sauti.httpPort,
        host: '127.0.0.1',
        localAddress: address,
        allowHalfOpen: true,
      }).on('error', () => {})
      socket.resume()
      if (first !== '') socket.write(first)
      const timer = setInterval(() => socket.write(drip === '' ? '' : drip), 1000)
      socket.once('close', () => clearInterval(timer))
      sockets.push(socket)
      findings.inputs++
      if (sockets.length % 50 === 0) await sleep(10)
    }
    const get = (address: string) =>
      new Promise<string>(resolve => {
        const socket = connect({ port: bed.sauti.httpPort, host: '127.0.0.1', localAddress: address })
        let text = ''
        socket.on('data', bytes => {
          text += bytes
        })
        socket.on('error', () => {})
        socket.once('close', () => resolve(text.split('\r\n')[0] ?? ''))
        socket.setTimeout(5000, () => socket.destroy())
        socket.write('GET /health/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      })
    for (let at = 0; at < 1100; at++) await open('127.0.6.60', '', '')
    for (let at = 0; at < 100; at++) await open('127.0.6.61', 'GET /sip HTTP/1.1\r\nHost: a\r\nX-Slow: ', 'a')
    for (let at = 0; at < 50; at++) await open('127.0.6.62', upgradeHead('/sip'), '')
    // A text frame of 1,000 octets of which one comes each second.
    const head = '\u0081\u00fe\u0003\u00e8aaaa'
    for (let at = 0; at < 50; at++) await open('127.0.6.63', upgradeHead('/sip') + head, 'a')
    for (let at = 0; at < 50; at++) await open('127.0.6.64', upgradeHead('/nothing'), 'a')
    const begun = performance.now()
    findings.equal(
      await get('127.0.6.65'),
      'HTTP/1.1 200 OK',
      'the answer to another address beside 1,350 slow connections',
    )
    await until(
      'the end of all',
      () => sockets.every(socket => socket.destroyed || socket.readableEnded),
      25_000,
    ).catch(() => undefined)
    const left = sockets.filter(socket => !socket.destroyed && !socket.readableEnded).length
    findings.expect(
      left === 0,
      `${left} of ${sockets.length} connections were open after ${((performance.now() - begun) / 1000).toFixed(0)} s`,
    )
    // Whose connection was ended has 2 s to read why: until then it counts.
    const isServed = async () => (await get('127.0.6.60')) === 'HTTP/1.1 200 OK'
    const again = await until('an answer to the address itself', isServed, 5000).catch(() => false)
    findings.expect(again, 'the address itself gets no answer 5 s after the end of its connections')
    for (const socket of sockets) socket.destroy()
    return findings
  },
}

export const carrierProbes: readonly Probe[] = [
  digestLeak,
  knownTags,
  enumeration,
  idleConnections,
  unfinishedHandshakes,
  slowClients,
  forgedResponses,
  digestDowngrade,
  guessedName,
  lineEnds,
  longNames,
  malformed,
]
