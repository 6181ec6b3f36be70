import { connect, type Socket } from 'node:net'
import { expectStatus } from '../../rig/beds/account.ts'
import { sleep, until } from '../../rig/probes/wait.ts'
import { type AuditBed, unknownAddress } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'
import { plainSdp, SipPeer } from '../sip-peer.ts'

/** What fits into one datagram beside the other headers. */
const longOctets = 55_000
/** A pattern that takes time by the square of these lengths needs seconds. */
const mostMs = 1000

/** How long the thread of all calls needs until it answers a small request, with what came before it. */
async function answersWithin(bed: AuditBed): Promise<number> {
  const begun = performance.now()
  await (await fetch(`${bed.sauti.baseUrl}/health/`)).arrayBuffer()
  return performance.now() - begun
}

/**
 * The least delay of another request, of up to three tries. An input that takes long takes long each time, and a machine
 * on which other programs run is slow once.
 */
async function leastDelayMs(bed: AuditBed, input: () => Promise<void>): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && leastMs >= mostMs; tries++) {
    await input()
    leastMs = Math.min(leastMs, await answersWithin(bed))
  }
  return leastMs
}

/** Long runs of one or two characters, each with an end that makes a pattern try again. */
const runs: readonly string[] = [
  'a',
  ' ',
  '\t',
  ',',
  ';',
  '"',
  '\\"',
  '<',
  '@',
  '/',
  '%41',
  '=',
  ' ;',
  'a,',
  '-',
  '0.',
  '[',
  ':',
]
const long = (run: string, end = '!'): string => run.repeat(longOctets / run.length) + end

const longHeaders: Probe = {
  name: 'a header, URI or line of SDP of 55 KB',
  group: 'Carriers and unknown sources',
  promise:
    'A SIP message with one header, URI or line of SDP as long as a datagram delays other calls by less than a second.',
  async run(bed) {
    const findings = new Findings()
    const stranger = await SipPeer.open(bed.sauti.sipPort, unknownAddress)
    const names = [
      'From',
      'To',
      'Contact',
      'Via',
      'Route',
      'Record-Route',
      'Authorization',
      'Accept',
      'Supported',
      'Reason',
    ]
    const own = ['From: <sip:a@b>;tag=1', 'To: <sip:b@b>', 'CSeq: 1 OPTIONS']
    try {
      for (const peer of [stranger, bed.caller]) {
        for (const run of runs) {
          const tookMs = await leastDelayMs(bed, async () => {
            for (const name of names) {
              findings.inputs++
              const lines = own.filter(line => !line.startsWith(`${name}:`))
              peer.request('OPTIONS', 'sip:127.0.0.1', [...lines, `Call-ID: ${name}`, `${name}: ${long(run)}`])
            }
            for (const scheme of ['sip:', 'tel:', 'urn:']) {
              findings.inputs++
              peer.request('OPTIONS', `${scheme}${long(run.trim() || 'a')}`, [...own, 'Call-ID: uri'])
            }
            for (const kind of ['m=', 'a=fmtp:0 ', 'a=rtpmap:', 'a=candidate:', 'o=', 'c=']) {
              findings.inputs++
              const sdp = `${plainSdp(peer.address, 4000)}${kind}${long(run)}\r\n`
              const lines = ['From: <sip:a@b>;tag=1', 'To: <sip:b@b>', 'CSeq: 1 INVITE', 'Contact: <sip:a@b>']
              peer.request(
                'INVITE',
                'sip:b@127.0.0.1',
                [...lines, `Call-ID: ${kind}`, 'Content-Type: application/sdp'],
                sdp,
              )
            }
          })
          findings.expect(
            tookMs < mostMs,
            `${JSON.stringify(run)}: ${tookMs.toFixed(0)} ms until /health/ was answered`,
          )
        }
      }
    } finally {
      stranger.close()
    }
    return findings
  },
}

const longTexts: Probe = {
  name: 'long texts in requests',
  group: 'API',
  promise:
    'A path, name, number or URL of a hundred thousand characters is refused, and delays other requests by less than a second.',
  async run(bed) {
    const findings = new Findings()
    const text = (run: string) => `${run.trim().padEnd(1, 'a').repeat(100_000)}!`
    for (const run of runs) {
      const bodies: readonly (readonly [path: string, body: object])[] = [
        ['/documents/', { name: text(run), body: '' }],
        ['/account/webhooks', { kind: 'status', url: `https://${text(run)}` }],
        ['/calls/originate', { to: text(run), from: bed.account.number, url: `http://${text(run)}` }],
        ['/users/create', { name: text(run), extension: text(run) }],
      ]
      for (const [path, body] of bodies) {
        const answers: Promise<{ status: number }>[] = []
        const tookMs = await leastDelayMs(bed, async () => {
          findings.inputs++
          answers.push(bed.account.api('POST', path, body))
        })
        for (const { status } of await Promise.all(answers))
          findings.expect(status >= 400 && status < 500, `${path} with ${JSON.stringify(run)}: ${status}`)
        findings.expect(tookMs < mostMs, `${path} with ${JSON.stringify(run)}: ${tookMs.toFixed(0)} ms`)
      }
      const sockets: Socket[] = []
      const tookMs = await leastDelayMs(bed, async () => {
        findings.inputs++
        sockets.push(await upgrade(bed, `/${encodeURI(run).repeat(4000)}`))
      })
      for (const socket of sockets) socket.destroy()
      findings.expect(tookMs < mostMs, `an upgrade to a path of ${JSON.stringify(run)}: ${tookMs.toFixed(0)} ms`)
    }
    return findings
  },
}

async function upgrade(bed: AuditBed, path: string): Promise<Socket> {
  const socket = connect(bed.sauti.httpPort, '127.0.0.1')
  socket.on('error', () => {})
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13'
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n\r\n`)
  await sleep(20)
  return socket
}

/** Status of an answer of which nothing is read after its beginning. */
const statusOf = (socket: Socket): Promise<number> =>
  new Promise((resolve, reject) => {
    socket.once('data', (chunk: Buffer) => {
      socket.pause()
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1]))
    })
    socket.on('error', reject)
  })

const unread: Probe = {
  name: 'answers that are not read',
  group: 'API',
  promise:
    'A client that reads nothing of its answer is cut off within a minute, and one account has at most 20 long lists unread.',
  async run(bed) {
    const findings = new Findings()
    // More than the kernel keeps for a connection.
    for (let at = 0; at < 36; at++)
      expectStatus(await bed.account.api('POST', '/documents/', { name: `d${at}`, body: '\u0001'.repeat(60_000) }), 201)
    const silent = Array.from({ length: 25 }, () => {
      const socket = connect(bed.sauti.httpPort, '127.0.0.1')
      socket.write(`GET /documents/?limit=200 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bed.account.key}\r\n\r\n`)
      findings.inputs++
      return socket
    })
    const statuses = await Promise.all(silent.map(statusOf))
    const given = statuses.filter(status => status === 200).length
    const refused = statuses.filter(status => status === 429).length
    findings.expect(given === 20 && refused === 5, `of 25 unread lists ${given} were given and ${refused} refused`)
    const one = () => bed.account.api('GET', '/documents/?limit=1')
    await until('room after the silent ones', async () => (await one()).status === 200, 60_000).catch(fault =>
      findings.expect(false, String(fault)),
    )
    for (const socket of silent) socket.destroy()
    return findings
  },
}

const endedKeys: Probe = {
  name: 'keys and tokens made without end',
  group: 'API',
  promise: 'Of revoked keys a hundred are kept, and no key is taken again after its end.',
  async run(bed) {
    const findings = new Findings()
    let last = ''
    for (let at = 0; at < 130; at++) {
      findings.inputs++
      const made = await bed.account.api('POST', '/keys/create', { name: `k${at}` })
      if (made.status === 429) {
        await sleep(1000)
        continue
      }
      last = expectStatus(made, 201).body.key
      expectStatus(await bed.account.api('POST', '/keys/revoke', { uuid: made.body.uuid }), 200)
    }
    findings.equal((await bed.sauti.request(last, 'GET', '/account/')).status, 401, 'the last revoked key')
    const { body } = await bed.account.api('GET', '/keys/')
    const kept = (body.keys ?? body).length
    findings.expect(kept <= 110, `${kept} keys are kept`)
    return findings
  },
}

export const longInputProbes: readonly Probe[] = [longHeaders, longTexts, unread, endedKeys]
