import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addTrunk } from '../../rig/beds/account.ts'
import { NameServer, type Reply } from '../../rig/fakes/name-server.ts'
import { freePort } from '../../rig/probes/ports.ts'
import { sleep } from '../../rig/probes/wait.ts'
import { AuditBed, carrierAddress } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'
import { plainSdp, SipPeer } from '../sip-peer.ts'

/** Each answer of a name in turn, without a time to live; the last one stays. */
function inTurn(
  script: Readonly<Record<string, readonly Reply[]>>,
): (question: { name: string; type: string }) => Reply {
  const asked = new Map<string, number>()
  return ({ name, type }) => {
    const replies = script[name]
    if (replies === undefined) return { code: 3 }
    const key = `${name} ${type}`
    const count = asked.get(key) ?? 0
    asked.set(key, count + 1)
    return { ttlSeconds: 0, ...replies[Math.min(count, replies.length - 1)] }
  }
}

/** Names of a hostile server for what customers may not reach. */
const hostileNames: Readonly<Record<string, readonly Reply[]>> = {
  'loopback.test': [{ addresses: ['127.0.0.1'] }],
  'six.test': [{ addresses: ['::1'] }],
  'mapped.test': [{ addresses: ['::ffff:7f00:1'] }],
  'both.test': [{ addresses: ['127.0.0.1', '::1', '0.0.0.0'] }],
  'unspecified.test': [{ addresses: ['0.0.0.0', '::'] }],
  'linklocal.test': [{ addresses: ['169.254.169.254', 'fe80::1'] }],
  'alias.test': [{ cname: 'loopback.test', addresses: ['127.0.0.1'] }],
  'late.test': [{ code: 2 }, { addresses: ['127.0.0.1'] }],
  'empty.test': [{}, {}, { addresses: ['127.0.0.1', '::1'] }],
  'nat64.test': [{ addresses: ['64:ff9b::7f00:1'] }],
}

const privateNames: Probe = {
  name: 'names of a hostile name server',
  group: 'API',
  promise:
    'A name that leads to a loopback, private or link-local address, at once, by an alias or at the second question, is reached by no webhook, Play or <Sip>.',
  async run() {
    const server = await NameServer.open(inTurn(hostileNames))
    const findings = new Findings()
    let reached = 0
    const web = createServer((_request, response) => {
      reached++
      response.end('<Response><Say>Inside</Say></Response>')
    })
    await new Promise<void>(resolve => web.listen(0, '::', resolve))
    const { port } = web.address() as AddressInfo
    const bed = await AuditBed.open({ SAUTI_DNS: server.address })
    const inside = await SipPeer.open(bed.sauti.sipPort, '127.0.0.1')
    try {
      for (const name of Object.keys(hostileNames)) {
        for (const verbs of [
          `<Play>http://${name}:${port}/a.wav</Play><Redirect>http://${name}:${port}/</Redirect>`,
          `<Dial timeout="3"><Sip>sip:1@${name}:${inside.port}</Sip></Dial><Dial timeout="3"><Sip>sip:1@${name}:${inside.port}</Sip></Dial>`,
        ]) {
          findings.inputs += 2
          const call = bed.caller.invite(await bed.number(verbs))
          await bed.caller.final(call, 'INVITE', 40_000)
          await bed.idle()
        }
      }
      findings.equal(reached, 0, 'requests that reached loopback')
      findings.equal(inside.received.length, 0, 'SIP messages that reached loopback')
    } finally {
      inside.close()
      await bed.close()
      web.closeAllConnections()
      web.close()
      await server.close()
    }
    return findings
  },
}

const rebinding: Probe = {
  name: 'names that change between check and call',
  group: 'Money and tenants',
  promise:
    'Where a <Sip> name leads is looked up once, checked, and called: a name that then leads to a trunk (DNS rebinding), by the target or by its Contact, brings nothing there.',
  async run() {
    const elsewhere = '127.0.8.1'
    const [targetPort, trunkPort] = [await freePort(), await freePort()]
    // On loopback a port tells a trunk from a telephone system beside it: SRV names both.
    const target = { name: 'target.test', port: targetPort }
    const trunk = { name: 'trunk.test', port: trunkPort }
    const udp = (...replies: readonly (readonly (typeof target)[])[]) => replies.map(srv => ({ srv }))
    const server = await NameServer.open(
      inTurn({
        'target.test': [{ addresses: [elsewhere] }],
        'trunk.test': [{ addresses: [carrierAddress] }],
        '_sip._udp.rebinds.test': udp([target], [trunk]),
        '_sip._udp.mixed.test': udp([target, trunk]),
        '_sip._udp.honest.test': udp([target]),
        '_sip._udp.contact.test': udp([trunk]),
        '_sip._udp.contact-rebinds.test': udp([target], [trunk]),
      }),
    )
    const findings = new Findings()
    const bed = await AuditBed.open({ SAUTI_ALLOW_PRIVATE_URLS: '1', SAUTI_DNS: server.address })
    const far = await SipPeer.open(bed.sauti.sipPort, elsewhere, targetPort)
    const carrier = await SipPeer.open(bed.sauti.sipPort, carrierAddress, trunkPort)
    try {
      await addTrunk(bed.sauti, { name: 'second', host: carrierAddress, port: trunkPort, prefixes: [], inbound: false })
      let contact = ''
      far.answer = (request, peer) =>
        request.method === 'INVITE'
          ? peer.respond(request, 200, contact === '' ? [] : [`Contact: <sip:x@${contact}>`], plainSdp(elsewhere, 4002))
          : peer.respond(request, 200)
      for (const [name, led] of [
        ['rebinds.test', ''],
        ['rebinds.test', ''],
        ['mixed.test', ''],
        ['honest.test', 'contact.test'],
        ['honest.test', 'contact-rebinds.test'],
        ['honest.test', `${carrierAddress}:${trunkPort}`],
        ['honest.test', ''],
      ] as const) {
        findings.inputs++
        contact = led
        carrier.received.length = 0
        const before = far.requests('INVITE').length
        const call = bed.caller.invite(
          await bed.number(`<Dial timeout="3" timeLimit="1"><Sip>sip:1@${name}</Sip></Dial>`),
        )
        await bed.caller.final(call, 'INVITE', 40_000)
        await sleep(1500)
        if (call.toTag !== '') bed.caller.within(call, 'BYE')
        await bed.idle()
        const strayed = carrier.received.filter(({ status }) => status === 0)
        findings.equal(strayed.length, 0, `${name}, Contact ${led}: requests at the carrier`)
        findings.equal(bed.caller.requests('INVITE').length, 0, `${name}: INVITEs at the other trunk`)
        if (name === 'mixed.test')
          findings.equal(far.requests('INVITE').length, before, 'INVITEs to a name that leads to a trunk, too')
      }
      findings.expect(far.requests('INVITE').length > 0, 'no call reached the address that was checked')
    } finally {
      far.close()
      carrier.close()
      await bed.close()
      await server.close()
    }
    return findings
  },
}

export const nameProbes: readonly Probe[] = [rebinding, privateNames]
