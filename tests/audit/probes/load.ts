import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { BedAccount, expectStatus } from '../../rig/beds/account.ts'
import { NameServer } from '../../rig/fakes/name-server.ts'
import { freeMediaPorts } from '../../rig/probes/ports.ts'
import { sleep, until } from '../../rig/probes/wait.ts'
import { AuditBed, callerAddress } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'
import { type SipPeer, SipText } from '../sip-peer.ts'

const hangingNames: Probe = {
  name: 'names that hang',
  group: 'Load',
  promise: 'Webhooks of one account whose names nobody resolves leave those of another as they were.',
  async run() {
    const server = await NameServer.open(({ name, type }) => {
      if (name.endsWith('.hangs.test')) return { isSilent: true }
      return type === 'A' ? { addresses: ['127.0.0.1'], ttlSeconds: 1 } : {}
    })
    const arrived = new Set<string>()
    const web = createServer((request, response) => {
      arrived.add(request.url ?? '')
      response.writeHead(200, { 'content-type': 'application/xml' }).end('<Response><Hangup/></Response>')
    })
    web.listen(0, '127.0.0.1')
    await until('the web server', () => web.listening)
    const { port } = web.address() as AddressInfo
    const bed = await AuditBed.open({ SAUTI_ALLOW_PRIVATE_URLS: '1', SAUTI_DNS: server.address })
    const findings = new Findings()
    try {
      const other = await BedAccount.make(bed.sauti)
      const caps = { max_concurrent_calls: 500, max_inbound_calls: 500, max_calls_per_second: 100 }
      expectStatus(await bed.sauti.operator('PATCH', `/accounts/${bed.account.uuid}`, caps), 200)
      const order = (account: BedAccount, url: string) =>
        account.api('POST', '/calls/originate', { to: account.number, from: account.number, url })
      for (const account of [bed.account, other])
        await account.hosts('voice_inbound', '<Say>Hello</Say><Pause length="60"/>')
      for (let at = 0; at < 50; at++) {
        findings.inputs++
        expectStatus(await order(bed.account, `http://n${at}.hangs.test:${port}/`), 201)
      }
      for (let at = 0; at < 5; at++) {
        const begun = performance.now()
        expectStatus(await order(other, `http://n${at}.answers.test:${port}/${at}`), 201)
        await until('the webhook of the other account', () => arrived.has(`/${at}`), 20_000).catch(() => {})
        const tookMs = performance.now() - begun
        // A name that hangs is given up after four seconds.
        findings.expect(tookMs < 4000, `the other account's webhook took ${tookMs.toFixed(0)} ms`)
      }
    } finally {
      await bed.close()
      web.closeAllConnections()
      web.close()
      await server.close()
    }
    return findings
  },
}

const foreignLock: Probe = {
  name: 'a foreign lock on the database',
  group: 'Load',
  promise: 'Another process that holds the write lock of the database for three seconds does not stop signalling.',
  async run(bed) {
    const findings = new Findings()
    const number = await bed.number('<Say>Hello</Say><Pause length="60"/>')
    const call = bed.caller.invite(number)
    await bed.caller.final(call)
    const foreign = new BetterSqlite(join(bed.sauti.dataFolder, 'sauti.db'))
    foreign.exec('BEGIN IMMEDIATE')
    let longest = 0
    for (let at = 0; at < 30; at++) {
      findings.inputs++
      const begun = performance.now()
      const callId = `lock-${at}`
      bed.caller.request('OPTIONS', `sip:127.0.0.1:${bed.sauti.sipPort}`, [
        `From: <sip:a@${callerAddress}>;tag=l`,
        'To: <sip:127.0.0.1>',
        `Call-ID: ${callId}`,
        'CSeq: 1 OPTIONS',
      ])
      await until(
        'the answer to OPTIONS',
        () => bed.caller.received.some(message => message.status === 200 && message.header('Call-ID') === callId),
        5000,
      ).catch(() => {})
      longest = Math.max(longest, performance.now() - begun)
      await sleep(100)
    }
    foreign.exec('ROLLBACK')
    foreign.close()
    findings.expect(longest < 1000, `OPTIONS took up to ${longest.toFixed(0)} ms`)
    bed.caller.within(call, 'BYE')
    findings.equal((await bed.caller.final(call, 'BYE')).status, 200, 'BYE afterwards')
    await bed.idle()
    const check = await bed.sauti.cli('check')
    findings.equal(check.code, 0, 'sauti check')
    return findings
  },
}

const outOfPorts: Probe = {
  name: 'no media port is left',
  group: 'Load',
  promise: 'A call for which no RTP port is left gets 503 with Retry-After, and the next one that finds one is taken.',
  async run() {
    const [first] = freeMediaPorts()
    const bed = await AuditBed.open({ SAUTI_MEDIA_PORTS: `${first}-${first + 7}`, SAUTI_MEDIA_WORKERS: '1' })
    const findings = new Findings()
    try {
      const number = await bed.number('<Say>Hello</Say><Pause length="60"/>')
      const calls = Array.from({ length: 8 }, () => bed.caller.invite(number))
      const answers = await Promise.all(calls.map(call => bed.caller.final(call)))
      findings.inputs = answers.length
      const taken = calls.filter((_, at) => answers[at]?.status === 200)
      findings.equal(taken.length, 4, 'calls on four pairs of ports')
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        findings.equal(answer.status, 503, 'the answer without a port')
        findings.expect(/^\d+/.test(answer.header('Retry-After')), 'a 503 without Retry-After')
      }
      for (const call of taken) {
        bed.caller.within(call, 'BYE')
        await bed.caller.final(call, 'BYE')
      }
      await bed.idle()
      // RTP ports are drained for a moment, so that late packets of an old call reach no new one.
      const again = await until(
        'a call afterwards',
        async () => {
          const call = bed.caller.invite(number)
          return (await bed.caller.final(call)).status === 200 ? call : undefined
        },
        20_000,
      ).catch(() => undefined)
      findings.expect(again !== undefined, 'no call was taken after the ports were free again')
    } finally {
      await bed.close()
    }
    return findings
  },
}

const flood = 3000
const floodPerTurn = 60

/** A caller that acknowledges whatever answers its INVITEs, and asks once more where nothing came (RFC 3261 §17.1.1). */
class FloodingCaller {
  readonly finals = new Map<string, SipText>()
  readonly #peer: SipPeer
  readonly #number: string

  constructor(peer: SipPeer, number: string) {
    this.#peer = peer
    this.#number = number
    peer.socket.on('message', bytes => {
      const message = new SipText(bytes.toString('latin1'))
      const callId = message.header('Call-ID')
      if (message.status < 200 || !callId.startsWith('flood-') || !message.header('CSeq').endsWith('INVITE')) return
      this.finals.set(callId, message)
      this.#send('ACK', callId, message)
    })
  }

  invite(at: number): void {
    this.#send('INVITE', `flood-${at}`)
  }

  #send(method: 'INVITE' | 'ACK', callId: string, final?: SipText): void {
    const isAnswered = final !== undefined && final.status < 300
    const uri = isAnswered ? (/<([^>]+)>/.exec(final.header('Contact'))?.[1] ?? '') : `sip:${this.#number}@127.0.0.1`
    this.#peer.request(
      method,
      uri,
      [
        `From: <sip:+254733000001@${callerAddress}>;tag=${callId}`,
        `To: ${final?.header('To') ?? `<sip:${this.#number}@127.0.0.1>`}`,
        `Call-ID: ${callId}`,
        `CSeq: 1 ${method}`,
        `Contact: <sip:probe@${callerAddress}:${this.#peer.port}>`,
      ],
      '',
      `z9hG4bK${callId}${isAnswered ? '-ack' : ''}`,
    )
  }
}

const inviteFlood: Probe = {
  name: 'more calls than the machine bears',
  group: 'Load',
  promise:
    'Of 3,000 INVITEs at once each gets a final answer, what its document says or 503 with Retry-After; BYE of a live call goes first.',
  async run() {
    // One flag of admission by its default, so that the test bed leaves all of them on.
    const bed = await AuditBed.open({}, ['--admission-memory', '80'])
    const findings = new Findings()
    try {
      const caps = { max_concurrent_calls: 10_000, max_inbound_calls: 10_000, max_calls_per_second: 10_000 }
      expectStatus(await bed.sauti.operator('PATCH', `/accounts/${bed.account.uuid}`, caps), 200)
      const live = bed.caller.invite(await bed.number('<Say>Hello</Say><Pause length="60"/>'))
      await bed.caller.final(live)
      const caller = new FloodingCaller(bed.caller, await bed.number('<Hangup/>'))
      for (let at = 0; at < flood; at++) {
        caller.invite(at)
        if (at % floodPerTurn === floodPerTurn - 1) await sleep(5)
      }
      bed.caller.within(live, 'BYE')
      const begun = performance.now()
      const ended = await bed.caller.final(live, 'BYE', 10_000).catch(() => undefined)
      findings.equal(ended?.status, 200, 'BYE in the middle of it')
      findings.expect(performance.now() - begun < 5000, 'BYE waited for more than 5 s')
      for (let times = 0; times < 8 && caller.finals.size < flood; times++) {
        await sleep(1000)
        for (let at = 0; at < flood; at++) {
          if (caller.finals.has(`flood-${at}`)) continue
          caller.invite(at)
          if (at % floodPerTurn === 0) await sleep(5)
        }
      }
      findings.inputs = flood
      findings.equal(caller.finals.size, flood, 'INVITEs with a final answer')
      const others = [...caller.finals.values()].filter(({ status }) => ![503, 603].includes(status))
      findings.expect(
        others.length === 0,
        `answers besides 603, which the document wants, and 503: ${others.slice(0, 3).map(({ status }) => status)}`,
      )
      const refused = [...caller.finals.values()].filter(({ status }) => status === 503)
      findings.expect(
        refused.every(answer => /^\d+/.test(answer.header('Retry-After'))),
        'a 503 without Retry-After',
      )
      await bed.idle()
    } finally {
      await bed.close()
    }
    return findings
  },
}

export const loadProbes: readonly Probe[] = [hangingNames, foreignLock, outOfPorts, inviteFlood]
