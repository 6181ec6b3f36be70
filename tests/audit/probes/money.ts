import { expectStatus } from '../../rig/beds/account.ts'
import { WsPhone } from '../../rig/peers/ws-phone.ts'
import { sine } from '../../rig/probes/tone.ts'
import { sleep } from '../../rig/probes/wait.ts'
import { type AuditBed, answerCalls, callerAddress, carrierAddress } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'

/** Every spelling under which a customer's document could name the carrier, this switch or a private network. */
function forbiddenUris(bed: AuditBed): readonly string[] {
  const { port } = bed.carrier
  const own = bed.sauti.sipPort
  const decimal = carrierAddress.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const premium = '+979123456'
  return [
    `sip:${premium}@${carrierAddress}:${port}`,
    `sip:${premium}@${carrierAddress}`,
    `sip:${premium}@${callerAddress}:${port}`,
    `sip:${premium}@192.0.2.1;maddr=${carrierAddress}`,
    `sip:${premium}@[::ffff:${carrierAddress}]:${port}`,
    `sip:${premium}@${decimal}:${port}`,
    `sip:${premium}@0x7f000102:${port}`,
    `sip:${premium}@127.1.2:${port}`,
    `sip:${premium}@0177.0.1.2:${port}`,
    `sip:${premium}@localhost:${own}`,
    `sip:${premium}@localhost.:${own}`,
    `sip:${premium}@127.0.0.1:${own}`,
    `sip:${premium}@127.0.0.1:${own};transport=tcp`,
    `sip:${premium}@127.0.0.1:${bed.sauti.httpPort};transport=tcp`,
    `sip:${premium}@0.0.0.0:${own}`,
    `sip:${premium}@[::1]:${own}`,
    `sip:${premium}@[::]:${own}`,
    `sip:${premium}@10.0.0.1`,
    `sip:${premium}@172.16.0.1`,
    `sip:${premium}@192.168.1.1`,
    `sip:${premium}@169.254.169.254`,
    `sip:${premium}@100.64.0.1`,
    `sip:${premium}@224.0.0.1`,
    `sip:${premium}@255.255.255.255`,
    `sip:${premium}@[fe80::1]`,
    `sip:${premium}@[fd00::1]`,
    `sips:${premium}@${carrierAddress}:${port}`,
  ]
}

export const tollFraud: Probe = {
  name: 'toll fraud by <Sip>',
  group: 'Money and tenants',
  promise:
    'A document’s <Sip> reaches no trunk, not the switch itself and no private network, in any spelling: END.0403, no packet, no cost.',
  async run(bed) {
    const findings = new Findings()
    bed.carrier.received.length = 0
    for (const uri of forbiddenUris(bed)) {
      findings.inputs++
      const number = await bed.number(`<Dial timeout="5"><Sip>${uri}</Sip></Dial>`)
      const call = bed.caller.invite(number)
      const answer = await bed.caller.final(call, 'INVITE', 20_000)
      findings.expect(answer.status >= 400, `${uri}: the caller got ${answer.status}`)
      const failed = await bed.event('DIAL.0400', ({ data }) => data.to_number === uri, 5000).catch(() => undefined)
      // A URI that the document alone shows to be none is not dialled at all.
      if (failed !== undefined) findings.equal(failed.data.reason_code, 'END.0403', uri)
    }
    findings.equal(bed.carrier.requests('INVITE').length, 0, 'INVITEs at the carrier')
    findings.equal(bed.caller.requests('INVITE').length, 0, 'INVITEs at the calling trunk')
    return findings
  },
}

export const amplification: Probe = {
  name: 'one call that makes many',
  group: 'Money and tenants',
  promise:
    'One inbound call dials at most 20 legs on-net and 8 deep, an account has its caps of inbound calls and dialled legs, and dials trunks at its calls a second.',
  async run(bed) {
    const findings = new Findings()
    const leaf = await bed.number('<Say>Leaf</Say><Pause length="3"/>')
    const fan = Array.from({ length: 10 }, () => `<Number>${leaf}</Number>`).join('')
    const middle = await bed.number(`<Dial timeout="5">${fan}</Dial>`)
    const root = await bed.number(
      `<Dial timeout="5">${Array.from({ length: 10 }, () => `<Number>${middle}</Number>`).join('')}</Dial>`,
    )
    const call = bed.caller.invite(root)
    let most = 0
    for (let at = 0; at < 30; at++) {
      most = Math.max(most, (await bed.live()).length)
      await sleep(100)
    }
    findings.inputs++
    // The call itself, and 20 legs of which each may be a call at its far number.
    findings.expect(most <= 21, `${most} live calls of one`)
    bed.caller.within(call, 'CANCEL')
    await bed.idle()

    bed.carrier.received.length = 0
    bed.carrier.answer = (request, peer) => {
      if (request.method === 'INVITE') peer.respond(request, 486)
    }
    const many = Array.from({ length: 10 }, (_, at) => `<Number>+25472000000${at}</Number>`).join('')
    const burst = await bed.number(`<Dial timeout="5">${many}</Dial>`)
    const bursts = Array.from({ length: 6 }, () => bed.caller.invite(burst))
    await sleep(1000)
    const invites = new Set(bed.carrier.requests('INVITE').map(request => request.header('Call-ID'))).size
    findings.inputs += 60
    findings.expect(invites <= 20, `${invites} INVITEs to the carrier in the first second, with a cap of 10 a second`)
    for (const each of bursts) await bed.caller.final(each).catch(() => undefined)
    bed.carrier.answer = answerCalls
    await bed.idle()
    return findings
  },
}

const phonesOfOneCall: Probe = {
  name: 'one call that rings many phones',
  group: 'Money and tenants',
  promise: 'A Dial of clients with many devices rings 20 phones at most, and at least one of each client.',
  async run(bed) {
    const findings = new Findings()
    const url = `${bed.sauti.baseUrl.replace('http', 'ws')}/sip`
    const clients: { readonly uuid: string; readonly phones: WsPhone[] }[] = []
    for (let at = 0; at < 6; at++) {
      const email = `many-${at}@example.test`
      const user = expectStatus(await bed.account.api('POST', '/users/create', { email }), 201).body
      const { token } = expectStatus(await bed.account.api('POST', '/phone-tokens/mint', { uuid: user.uuid }), 200).body
      const phones: WsPhone[] = []
      for (let device = 0; device < 8; device++) {
        const phone = await WsPhone.open(url, { extension: user.extension_number, token })
        findings.equal((await phone.register()).status, 200, 'a device’s REGISTER')
        phones.push(phone)
        findings.inputs++
      }
      clients.push({ uuid: user.uuid, phones })
    }
    const children = clients.map(({ uuid }) => `<Client>${uuid}</Client>`).join('')
    const call = bed.caller.invite(await bed.number(`<Dial timeout="5">${children}</Dial>`))
    await sleep(1500)
    const isRung = (phone: WsPhone) =>
      phone.received.some(message => message.kind === 'request' && message.method === 'INVITE')
    const rung = clients.map(({ phones }) => phones.filter(isRung).length)
    const total = rung.reduce((sum, count) => sum + count, 0)
    findings.expect(total <= 20, `one call sent INVITEs to ${total} phones`)
    findings.expect(Math.min(...rung) >= 1, `phones rung of each client: ${rung.join()}`)
    bed.caller.within(call, 'CANCEL')
    for (const { phones } of clients) for (const phone of phones) phone.close()
    await bed.idle()
    return findings
  },
}

export const quotas: Probe = {
  name: 'quotas of an account',
  group: 'Money and tenants',
  promise: 'What an account stores and keeps open is bounded: beyond it 409 with a sentence.',
  async run(bed) {
    const findings = new Findings()
    let refused = 0
    for (let at = 0; at < 1200 && refused === 0; at++) {
      findings.inputs++
      const answer = await bed.account.api('POST', '/users/create', { email: `audit-${at}@example.test` })
      if (answer.status === 409) {
        refused = at
        findings.expect(/\d/.test(String(answer.body.detail)), `the sentence names no limit: ${answer.body.detail}`)
      } else findings.equal(answer.status, 201, 'a new end-user')
    }
    findings.expect(refused > 0, 'no end of end-users after 1,200')
    const { body } = expectStatus(await bed.sauti.operator('GET', `/accounts/${bed.account.uuid}`), 200)
    findings.expect(
      body.max_end_users > 0 && body.usage?.end_users > 0,
      `the operator’s account record shows no quota and use: ${JSON.stringify(body)}`,
    )
    return findings
  },
}

export const storedScript: Probe = {
  name: 'stored script',
  group: 'Money and tenants',
  promise: 'What customers write is served sandboxed, without scripts, and the explorer keeps no key in storage.',
  async run(bed) {
    const findings = new Findings()
    const script =
      '<Response xmlns:x="http://www.w3.org/1999/xhtml"><x:script>fetch("/operator/accounts")</x:script></Response>'
    const made = await bed.account.api('POST', '/documents/', { name: 'd', body: script })
    const url = String(made.body.url)
    for (const method of ['GET', 'HEAD', 'POST']) {
      findings.inputs++
      const answer = await fetch(url, { method })
      if (answer.status === 405 || answer.status === 404) continue
      findings.expect(/sandbox/.test(answer.headers.get('content-security-policy') ?? ''), `${method}: no sandbox`)
      findings.expect(
        /default-src 'none'/.test(answer.headers.get('content-security-policy') ?? ''),
        `${method}: scripts may run`,
      )
      findings.equal(answer.headers.get('x-content-type-options'), 'nosniff', method)
    }
    const kinds = [
      'image/svg+xml',
      'text/html',
      'application/xhtml+xml',
      'text/xml',
      'audio/svg+xml',
      'audio/wav',
      'audio/mpeg',
      'application/ogg',
    ]
    const page = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'
    for (const kind of kinds) {
      findings.inputs++
      const headers = { authorization: `Bearer ${bed.account.key}`, 'content-type': kind }
      const put = await fetch(`${bed.sauti.baseUrl}/assets/page`, { method: 'PUT', headers, body: page })
      findings.expect([415, 422].includes(put.status), `an SVG page as ${kind}: ${put.status}`)
    }
    // Whatever else a browser with a session may open is of a type that runs nothing.
    await bed.account.asset('sound', sine(440, 1))
    const opened = [
      '/documents/',
      `/documents/${made.body.uuid}`,
      `/documents/${made.body.uuid}/revisions`,
      '/assets/',
      '/assets/sound',
      '/users/',
      '/calls/',
      '/events/',
      '/recordings/',
      '/account/webhooks',
      '/account/overview',
      '/%3Cscript%3E',
      `/documents/%3Cscript%3E`,
    ]
    for (const path of opened) {
      findings.inputs++
      const headers = { authorization: `Bearer ${bed.account.key}`, accept: 'text/html,application/xhtml+xml,*/*' }
      const answer = await fetch(`${bed.sauti.baseUrl}${path}`, { headers })
      const type = answer.headers.get('content-type') ?? ''
      findings.expect(/^(application\/json|audio\/)/.test(type), `${path} is ${type}`)
      findings.equal(answer.headers.get('x-content-type-options'), 'nosniff', path)
    }
    const explorer = await (await fetch(`${bed.sauti.baseUrl}/docs/explorer.js`)).text()
    findings.inputs++
    findings.expect(
      !/(session|local)Storage\.setItem|(session|local)Storage\[/.test(explorer),
      'the explorer keeps something in storage',
    )
    return findings
  },
}

export const refusalOrder: Probe = {
  name: 'order of refusals',
  group: 'Money and tenants',
  promise: 'A call refused for money uses up none of the calls a second.',
  async run(bed) {
    const findings = new Findings()
    const made = expectStatus(await bed.sauti.operator('POST', '/accounts', { name: 'Poor', wallet_balance: '0' }), 201)
    const { key, account } = made.body
    const number = `+2547${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
    const pool = expectStatus(await bed.sauti.operator('POST', '/numbers', { number }), 201)
    expectStatus(await bed.sauti.request(key, 'POST', '/numbers/acquire', { uuid: pool.body.uuid }), 200)
    const order = { to: '+254722000000', from: number, url: 'https://example.com/voice' }
    for (let at = 0; at < 30; at++) {
      findings.inputs++
      const answer = await bed.sauti.request(key, 'POST', '/calls/originate', order)
      findings.equal(answer.status, 402, `originate ${at} of ${account.uuid}`)
    }
    return findings
  },
}

export const moneyProbes: readonly Probe[] = [
  tollFraud,
  amplification,
  phonesOfOneCall,
  quotas,
  storedScript,
  refusalOrder,
]
