import { expectStatus } from '../../rig/beds/account.ts'
import { until } from '../../rig/probes/wait.ts'
import type { AuditBed } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'

const megabyte = 1024 * 1024

const nestedData: Probe = {
  name: 'data within data',
  group: 'API',
  promise:
    'JSON of any depth, as a body or as text within one, ends no process and holds up no other request: more than 64 levels are 422.',
  async run(bed) {
    const findings = new Findings()
    const number = await bed.number('<Pause length="1"/>')
    const placing = { to: '+254722000001', from: number, url: 'https://voice.example.com/' }
    const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    const bodies: (readonly [path: string, body: string])[] = []
    for (const levels of [65, 500, 1000, 3000, 3300, 3500, 3700, 4000]) {
      const [start] = JSON.stringify(placing).split(/\}$/)
      bodies.push(['/calls/originate', `${start},"customPayload":{"a":${lists(levels)}}}`])
      bodies.push(['/calls/originate', `${start},"customPayload":${JSON.stringify(`{"a":${lists(levels)}}`)}}`])
      bodies.push(['/documents/check', `{"body":"<Response/>","a":${objects(levels)}}`])
    }
    for (const [path, body] of bodies) {
      for (const key of [undefined, `k${findings.inputs}`]) {
        findings.inputs++
        const answer = await fetch(`${bed.sauti.baseUrl}${path}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${bed.account.key}`,
            'content-type': 'application/json',
            ...(key === undefined ? {} : { 'idempotency-key': key }),
          },
          body,
        })
        findings.equal(answer.status, 422, `${path} with ${body.length} bytes, ${key ?? 'no key'}`)
      }
    }
    // What waits for the database is answered as before.
    for (const path of ['/calls/', '/events/', '/account/', '/documents/'])
      findings.equal((await bed.account.api('GET', path)).status, 200, path)
    return findings
  },
}

/** A call to a number with these verbs, and its trace once that is over. */
async function tracedCall(bed: AuditBed, verbs: string): Promise<any> {
  const before = bed.events.length
  const number = await bed.number(verbs)
  await bed.caller.final(bed.caller.invite(number), 'INVITE', 20_000)
  const { sid } = await until(
    'the call to end',
    () => bed.events.slice(before).find(({ code }) => code === 'CALL.0300' || code === 'CALL.0400'),
    60_000,
  )
  return until(
    'its trace',
    async () => {
      const { status, body } = await bed.account.api('GET', `/calls/${sid}/trace`)
      return status === 200 && body.is_over ? body : undefined
    },
    5000,
  ).catch(() => ({ entries: [], is_complete: false }))
}

const oddProblems: Probe = {
  name: 'texts that the recorder covers',
  group: 'Money and tenants',
  promise: 'Whatever a document holds, the calls of all are recorded, and no secret of it is in a trace.',
  async run(bed) {
    const findings = new Findings()
    const canary = 'C4NARYC4NARY'
    const written = [
      `<Pause length="password='${canary}'"/>`,
      `<Pause length='password="${canary}"'/>`,
      `<Pause length='{"token":"${canary}"}'/>`,
      `<Say voice="\\&quot;password='${canary}'\\">x</Say>`,
      `<Dial timeout="?token=${canary}"><Number>password='${canary}'</Number></Dial>`,
      `<Password length="api_key=${canary}">sip:a:${canary}@b.test</Password>`,
    ]
    for (const verbs of written) {
      findings.inputs++
      const trace = await tracedCall(bed, `${verbs}<Hangup/>`)
      findings.expect(trace.is_complete, `no whole trace of ${verbs}`)
      findings.expect(!JSON.stringify(trace).includes(canary), `a secret in the trace of ${verbs}`)
      const next = await tracedCall(bed, '<Hangup/>')
      findings.expect(next.is_complete && next.entries.length > 3, `nothing was recorded after ${verbs}`)
    }
    return findings
  },
}

const longTraces: Probe = {
  name: 'a trace without an end',
  group: 'Money and tenants',
  promise:
    'Of one call a bounded trace is kept, in pages of some megabytes, and reading it over and over delays no other account.',
  async run(bed) {
    const findings = new Findings()
    const other = expectStatus(await bed.sauti.operator('POST', '/accounts', { name: 'Other' }), 201).body.key as string
    const filler = `<!--${'x'.repeat(60_000)}-->`
    const made: { uuid: string; url: string }[] = []
    const count = 40
    for (let at = 0; at < count; at++)
      made.push(
        expectStatus(await bed.account.api('POST', '/documents/', { name: `d${at}`, body: '<Response/>' }), 201).body,
      )
    for (const [at, { uuid }] of made.entries()) {
      const next = made[(at + 1) % count]?.url
      // Loops without time are ended.
      const verbs = `${at === 0 ? '<Say>one two three four five six</Say>' : ''}<Redirect>${next}</Redirect>${filler}`
      expectStatus(
        await bed.account.api('PUT', `/documents/${uuid}`, { name: `d${at}`, body: `<Response>${verbs}</Response>` }),
        200,
      )
    }
    const number = await bed.number(`<Redirect>${made[0]?.url}</Redirect>`)
    const call = bed.caller.invite(number)
    findings.equal((await bed.caller.final(call)).status, 200, 'the call')
    // Some seconds for each round of documents, which are 2.4 MB: more than is kept.
    await new Promise(resolve => setTimeout(resolve, 25_000))
    bed.caller.within(call, 'BYE')
    await bed.idle()
    const [{ sid }] = expectStatus(await bed.account.api('GET', '/calls/?limit=1'), 200).body.calls
    let [after, bytes] = [0, 0]
    for (let more = true; more && findings.inputs < 30; ) {
      findings.inputs++
      const { body } = await bed.account.api('GET', `/calls/${sid}/trace?after=${after}`)
      const page = JSON.stringify(body).length
      findings.expect(page < 3 * megabyte, `a page of ${page} bytes`)
      bytes += page
      after = body.last
      more = body.has_more
      if (!more) findings.expect(body.end !== null, 'the last page does not say why it ended')
    }
    findings.expect(bytes > 6 * megabyte && bytes < 12 * megabyte, `${bytes} bytes in all`)
    const reading = Array.from({ length: 60 }, () => bed.account.api('GET', `/calls/${sid}/trace`))
    findings.inputs += reading.length
    const began = performance.now()
    findings.equal((await bed.sauti.request(other, 'GET', '/calls/nothing/trace')).status, 404, 'another account')
    const tookMs = performance.now() - began
    findings.expect(tookMs < 3000, `another account waited ${tookMs.toFixed(0)} ms`)
    for (const { status } of await Promise.all(reading))
      findings.expect(status === 200 || status === 429, `reading it over and over: ${status}`)
    return findings
  },
}

/** What customers write, held against those who keep and copy it. */
export const writtenDataProbes: readonly Probe[] = [nestedData, oddProblems, longTraces]
