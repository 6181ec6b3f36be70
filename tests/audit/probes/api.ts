import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { AuditBed } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'

/** Bytes on a bare TCP connection, and the status line that comes back. */
function raw(bed: AuditBed, text: string): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(bed.sauti.httpPort, '127.0.0.1')
    let answer = ''
    socket.setTimeout(5000, () => socket.destroy())
    socket.on('data', bytes => {
      answer += bytes
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve(answer.split('\r\n')[0] ?? ''))
    socket.end(text)
  })
}

export const framing: Probe = {
  name: 'framing of HTTP requests',
  group: 'API',
  promise: 'Two or invalid Host lines are 400, a coded body is 415, a drain without an object is 422.',
  async run(bed) {
    const findings = new Findings()
    for (const hosts of [
      'Host: a\r\nHost: b',
      'Host: a\r\nHost: a',
      'Host: a b',
      'Host: a/b',
      'Host: user@a',
      'Host: a:65536',
      'Host: a%zz',
      'Host: [:::]',
    ]) {
      findings.inputs++
      const status = await raw(bed, `GET /health/ HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`)
      findings.expect(status.includes(' 400 '), `${JSON.stringify(hosts)}: ${status}`)
    }
    for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'x-unknown']) {
      findings.inputs++
      const answer = await fetch(`${bed.sauti.baseUrl}/documents/check`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bed.account.key}`,
          'content-type': 'application/json',
          'content-encoding': coding,
        },
        body: gzipSync('{"body":"<Response/>"}'),
      })
      findings.equal(answer.status, 415, `Content-Encoding: ${coding}`)
      findings.expect(answer.headers.has('accept-encoding'), `${coding}: 415 without Accept-Encoding`)
    }
    for (const body of ['null', '[]', '"x"', '7', 'true']) {
      findings.inputs++
      const answer = await fetch(`${bed.sauti.baseUrl}/operator/drain`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bed.sauti.operatorKey}`, 'content-type': 'application/json' },
        body,
      })
      findings.equal(answer.status, 422, `drain with ${body}`)
    }
    findings.equal((await fetch(`${bed.sauti.baseUrl}/health/`)).status, 200, 'health afterwards')
    return findings
  },
}

/** Connections at once, and chunks of one octet of each. */
const [choppers, chunks] = [60, 60_000]
const mostGrowthMb = 150

export const smallPieces: Probe = {
  name: 'bodies in chunks of one octet',
  group: 'API',
  promise: 'Bodies in thousands of tiny chunks, without a key, are refused with 400 and take no memory to speak of.',
  async run(bed) {
    const findings = new Findings()
    const before = residentMb(bed.sauti.pid)
    let most = before
    const watching = setInterval(() => {
      most = Math.max(most, residentMb(bed.sauti.pid))
    }, 50)
    const head = 'POST /portal/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
    const body = `${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(chunks)}`
    const answers = await Promise.all(Array.from({ length: choppers }, () => raw(bed, body)))
    clearInterval(watching)
    findings.inputs += choppers
    for (const answer of answers) findings.expect(/^$| 400 /.test(answer), `answered with ${answer}`)
    findings.expect(
      answers.some(answer => answer.includes(' 400 ')),
      'no connection got an answer',
    )
    findings.expect(most - before < mostGrowthMb, `memory grew from ${before} to ${most} MB`)
    findings.equal((await fetch(`${bed.sauti.baseUrl}/health/`)).status, 200, 'health afterwards')
    return findings
  },
}

const residentMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)

export const description: Probe = {
  name: 'the description of the API',
  group: 'API',
  promise: '/openapi.json has an operationId for each operation, and describes what the switch posts.',
  async run(bed) {
    const findings = new Findings()
    const document = JSON.parse(await (await fetch(`${bed.sauti.baseUrl}/openapi.json`)).text())
    const ids = new Set<string>()
    for (const [path, item] of Object.entries<Record<string, { operationId?: string }>>(document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (!['get', 'post', 'put', 'patch', 'delete'].includes(method)) continue
        findings.inputs++
        const { operationId } = operation
        findings.expect(
          operationId !== undefined && !ids.has(operationId),
          `${method} ${path}: operationId ${operationId}`,
        )
        if (operationId !== undefined) ids.add(operationId)
      }
    }
    // The shapes stand among the components; what refers to them is under webhooks.
    const webhooks = `${JSON.stringify(document.webhooks ?? {})}${JSON.stringify(document.components)}`
    findings.expect(Object.keys(document.webhooks ?? {}).length >= 3, 'fewer than three webhooks')
    for (const name of [
      'CallSid',
      'AccountSid',
      'DialCallStatus',
      'RecordingUuid',
      'X-Voice-Signature',
      'X-Voice-Timestamp',
      'X-Voice-Event',
      'accountId',
    ]) {
      findings.inputs++
      findings.expect(webhooks.includes(name), `webhooks do not name ${name}`)
    }
    return findings
  },
}

export const strangersKeys: Probe = {
  name: 'keys, roles and other accounts',
  group: 'API',
  promise:
    'Keys open only what is theirs: no key, a wrong one, a customer’s for the operator, the operator’s for a customer, another account’s ids.',
  async run(bed) {
    const findings = new Findings()
    const other = (await bed.sauti.operator('POST', '/accounts', { name: 'Other', wallet_balance: '10' })).body
      .key as string
    const document = (await bed.account.api('POST', '/documents/', { name: 'd', body: '<Response/>' })).body
    const call = (await bed.account.api('GET', '/calls/?limit=1')).body.calls[0]
    const tries: readonly (readonly [string, string, string, readonly number[]])[] = [
      ['', 'GET', '/account/', [401]],
      ['vk_wrong_key', 'GET', '/account/', [401]],
      [bed.account.key, 'GET', '/operator/accounts', [401, 403]],
      [bed.account.key, 'GET', '/metrics', [401, 403]],
      [bed.sauti.operatorKey, 'GET', '/account/', [401, 403]],
      [other, 'GET', `/documents/${document.uuid}`, [404]],
      [other, 'PUT', `/documents/${document.uuid}`, [404, 422]],
      [other, 'DELETE', `/documents/${document.uuid}`, [404]],
      [other, 'GET', `/calls/${call?.uuid ?? 'none'}`, [404]],
      [other, 'GET', `/calls/hangup/${call?.sid ?? 'none'}`, [404]],
    ]
    for (const [key, method, path, wanted] of tries) {
      findings.inputs++
      const answer = await bed.sauti.request(key, method, path)
      findings.expect(
        wanted.includes(answer.status),
        `${method} ${path}: ${answer.status} instead of ${wanted.join(' or ')}`,
      )
    }
    return findings
  },
}

export const privateUrls: Probe = {
  name: 'webhooks into private networks',
  group: 'API',
  promise: 'Webhooks and Play reach no private, loopback or link-local address, in any spelling or by redirect.',
  async run(bed) {
    const findings = new Findings()
    let reached = 0
    const server = createServer((_request, response) => {
      reached++
      response.end('<Response><Say>Inside</Say></Response>')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const hosts = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '0.0.0.0',
      'localhost.',
      '127.0.0.1.nip.test',
      '10.0.0.1',
      '169.254.169.254',
    ]
    for (const host of hosts) {
      findings.inputs += 2
      const number = await bed.number(
        `<Play>http://${host}:${port}/a.wav</Play><Redirect>http://${host}:${port}/</Redirect>`,
      )
      const call = bed.caller.invite(number)
      await bed.caller.final(call, 'INVITE', 20_000)
      await bed.idle()
    }
    findings.equal(reached, 0, 'requests that reached loopback')
    server.close()
    return findings
  },
}

export const apiProbes: readonly Probe[] = [framing, smallPieces, description, strangersKeys, privateUrls]
