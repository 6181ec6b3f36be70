import { expectStatus } from '../../rig/beds/account.ts'
import { sleep, until } from '../../rig/probes/wait.ts'
import type { AuditBed } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'

/** Events of a call that no status callback carries: 200 at once, and 10 a second. */
const mostEvents = (seconds: number) => 200 + 10 * Math.ceil(seconds)

const eventsOf = (bed: AuditBed, sid: string, codes: RegExp) =>
  bed.events.filter(event => event.data.sid === sid && codes.test(event.code)).length

const silentVerbs: Probe = {
  name: 'floods of a document',
  group: 'Load',
  promise:
    'A document whose verbs take no time (sounds that cannot be played, recordings that stop at once, Dials that reach no phone) makes a bounded number of events and recordings, and leaves calls of others as they were.',
  async run(bed) {
    const findings = new Findings()
    const loops: readonly [verbs: string, times: number, codes: RegExp, most: (seconds: number) => number][] = [
      ['<Play>ftp:x</Play>', 999, /^(PLAY|DOC)/, mostEvents],
      ['<Play asset="nope"/>', 999, /^(PLAY|DOC)/, mostEvents],
      [`<Gather timeout="0">${'<Play>ftp:x</Play>'.repeat(3000)}</Gather>`, 1, /^(PLAY|DOC)/, mostEvents],
      // Each recording has two events, and refusals are reported ten at once and one a second.
      ['<RecordSession/><RecordSession state="stop"/>', 499, /^REC/, seconds => 230 + 4 * seconds],
      [`<Dial>${'<Client>x</Client>'.repeat(10)}</Dial>`, 300, /^DIAL/, seconds => 20 * (11 + seconds)],
    ]
    for (const [verbs, times, codes, most] of loops) {
      const number = await bed.number('<Pause length="60"/>')
      const url = await bed.account.document(`<Say>Hello</Say>${verbs.repeat(times)}`)
      // The document asks for itself again, as long as it may.
      const uuid = url.slice(url.lastIndexOf('/') + 1)
      const body = `<Response><Say>Hello</Say>${verbs.repeat(times)}<Redirect>${uuid}</Redirect></Response>`
      const documents = expectStatus(await bed.account.api('GET', '/documents/'), 200).body.documents as {
        uuid: string
        url: string
      }[]
      const document = documents.find(each => each.url === url)
      expectStatus(await bed.account.api('PUT', `/documents/${document?.uuid}`, { name: 'd', body }), 200)
      const numbers = expectStatus(await bed.account.api('GET', '/numbers/'), 200).body as {
        uuid: string
        number: string
      }[]
      const owned = numbers.find(each => each.number === number)
      const route = { uuid: owned?.uuid, webhook_urls: { voice_inbound: url } }
      expectStatus(await bed.account.api('POST', '/numbers/configure', route), 200)
      const begun = performance.now()
      const call = bed.caller.invite(number)
      const answer = await bed.caller.final(call)
      findings.inputs += times
      findings.equal(answer.status, 200, `the answer to ${verbs.slice(0, 40)}`)
      const sid = answer.header('X-Voice-Call-Sid')
      await sleep(4000)
      const other = performance.now()
      expectStatus(await bed.account.api('GET', '/account/'), 200)
      const waited = performance.now() - other
      findings.expect(waited < 1000, `another request waited ${waited.toFixed(0)} ms during ${verbs.slice(0, 40)}`)
      bed.caller.within(call, 'BYE')
      await bed.idle()
      const seconds = (performance.now() - begun) / 1000
      const ended = await bed.event('CALL.0300', ({ data }) => sid === '' || data.sid === sid)
      const made = eventsOf(bed, ended.data.sid, codes)
      findings.expect(made > 0, `${verbs.slice(0, 40)} made no event`)
      findings.expect(made <= most(seconds), `${verbs.slice(0, 40)} made ${made} events in ${seconds.toFixed(1)} s`)
      bed.events.length = 0
    }
    return findings
  },
}

const filledIn: Probe = {
  name: 'floods of placeholders',
  group: 'Load',
  promise:
    'A hosted document that names a long value thousands of times is refused as too large without a stall: another request is answered within a second.',
  async run(bed) {
    const findings = new Findings()
    const url = await bed.account.document('{{customPayload}}'.repeat(3800))
    await bed.account.hosts('voice_inbound', '<Say>Hello</Say><Pause length="5"/>')
    const { number } = bed.account
    const order = { to: number, from: number, url, customPayload: { q: '"'.repeat(3900) } }
    // A document that stalls the thread stalls it each time; a machine on which other programs run is slow once.
    let leastMs = Number.POSITIVE_INFINITY
    for (let at = 0; at < 3; at++) {
      findings.inputs++
      expectStatus(await bed.account.api('POST', '/calls/originate', order), 201)
      let slowest = 0
      for (const until = performance.now() + 1500; performance.now() < until; ) {
        const asked = performance.now()
        expectStatus(await bed.account.api('GET', '/account/'), 200)
        slowest = Math.max(slowest, performance.now() - asked)
        // An account has 3,000 requests a minute, which a fast machine would use up.
        await sleep(5)
      }
      leastMs = Math.min(leastMs, slowest)
    }
    findings.expect(leastMs < 1000, `another request waited ${leastMs.toFixed(0)} ms`)
    await until('DOC.0413', () => bed.events.some(({ code }) => code === 'DOC.0413'), 10_000).catch(() => {
      findings.expect(false, 'no DOC.0413 was reported')
    })
    return findings
  },
}

const digits: Probe = {
  name: 'floods of digits',
  group: 'Load',
  promise: 'Of digits that a remote sends by INFO as fast as it can, 64 count at once and 25 a second after that.',
  async run(bed) {
    const findings = new Findings()
    const number = await bed.number('<Gather numDigits="256" timeout="60"/>')
    const call = bed.caller.invite(number)
    findings.equal((await bed.caller.final(call)).status, 200, 'the answer')
    await sleep(300)
    const begun = performance.now()
    for (let at = 0; at < 1000; at++) {
      findings.inputs++
      const headers = ['Content-Type: application/dtmf-relay']
      bed.caller.within(call, 'INFO', { headers, sdp: 'Signal=5\r\nDuration=100\r\n' })
      if (at % 50 === 49) await sleep(20)
    }
    await sleep(1500)
    const seconds = (performance.now() - begun) / 1000
    const counted = bed.events.filter(({ code }) => code === 'DTMF.0100').length
    findings.expect(counted >= 32, `only ${counted} digits were counted`)
    findings.expect(counted <= 64 + 25 * seconds + 1, `${counted} digits were counted in ${seconds.toFixed(1)} s`)
    bed.caller.within(call, 'BYE')
    await bed.idle()
    return findings
  },
}

export const floodProbes: readonly Probe[] = [silentVerbs, filledIn, digits]
