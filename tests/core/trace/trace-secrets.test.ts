import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountUuid, CallUuid, LegUuid } from '../../../core/model/ids.ts'
import { CoveredTexts } from '../../../core/trace/covered-texts.ts'
import { coverSecrets, withoutCutTag, withoutSecrets } from '../../../core/trace/redaction.ts'
import { carriersRemoved } from '../../../core/trace/sip-text.ts'
import { traceAnswer } from '../../../core/trace/trace-answer.ts'
import { type Note, noteOfCommand, noteOfEvent, redacted } from '../../../core/trace/trace-notes.ts'
import { trunk } from '../../rig/beds/trunk.ts'
import { CallBed } from '../bed/call-bed.ts'
import { PartsInMemory, TraceBed } from '../bed/trace-bed.ts'

const canary = 'C4NARYC4NARY'
const flow = { transport: 'udp', address: '198.51.100.9', port: 5060, localHost: '192.0.2.1', localPort: 5060 } as const
const bytes = (text: string) => new TextEncoder().encode(text.replaceAll('\n', '\r\n'))

const bodies = new CoveredTexts()

test('no secret of a SIP message or a document is kept or sent on, however it is written', () => {
  const rig = new CallBed()
  const store = new PartsInMemory()
  const mirrored: string[] = []
  const mirror = ({ message }: { readonly message: Uint8Array }) => mirrored.push(Buffer.from(message).toString())
  const bed = new TraceBed(() => 1, { store, mirror })
  const { recorder } = bed
  rig.recorder = recorder
  const secrets = [
    `Authorization: Digest username="a", response="${canary}"`,
    `AUTHORIZATION : Bearer ${canary}`,
    `Proxy-Authorization: Digest username="a",\n response="${canary}",\n\tcnonce="${canary}"`,
    `Proxy-Authentication-Info: rspauth="${canary}"`,
    `Authentication-Info: rspauth="${canary}"`,
    `X-Api-Key: ${canary}`,
    `x-voice-token: ${canary}`,
    `Contact: <sip:alice:${canary}@192.0.2.7>`,
    `Refer-To: <sips:bob:${canary}@192.0.2.7:5061>`,
    `Contact: <sip:alice@192.0.2.7;access_token=${canary}>;pn-prid=${canary}`,
    `Record-Route: <sip:192.0.2.8;lr;Token="${canary}">`,
    `Call-Info: <https://a.test/card?X-Amz-Signature=${canary}&b=1>;purpose=card`,
  ]
  const sdp = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${canary}|2^20\na=ice-ufrag:abcd\na=ice-pwd:${canary}\na=key-mgmt:mikey ${canary}\nk=clear:${canary}\na=rtpmap:0 PCMU/8000\n`
  const message = `INVITE sip:+254700000001@192.0.2.1 SIP/2.0\nVia: SIP/2.0/UDP 198.51.100.9\n${secrets.join('\n')}\nCall-ID: call-1@h\nCSeq: 1 INVITE\nFrom: <sip:+254711111111@h>;tag=1\nTo: <sip:+254700000001@h>\n\n${sdp}`
  recorder.message(bytes(message), flow, false)
  const legId = 'leg-1' as LegUuid
  recorder.dialog(legId, 'call-1@h')
  rig.documents.set(
    'https://acme.test/in',
    `<Response><Dial><Sip username="u" password="${canary}">sip:x@y.test</Sip></Dial></Response>`,
  )
  rig.call('+254700000001', { legId })
  rig.run(60_000)
  const live = JSON.stringify(bed.read(rig.over[0]?.sid ?? '', 'operator'))
  assert.ok(live.includes('INVITE') && !live.includes(canary), live)
  bed.close()
  assert.ok(store.kept.length > 0 && mirrored.length > 0)
  for (const { bytes: kept } of store.kept) assert.is(Buffer.from(kept).includes(canary), false)
  for (const sent of mirrored) assert.is(sent.includes(canary), false)
  const [id] = rig.over.map(({ sid }) => sid)
  const trace = bed.read(id ?? '', 'operator')
  const sip = trace?.entries.find(entry => entry.kind === 'sip')
  assert.is(sip?.text, 'INVITE sip:+254700000001@192.0.2.1')
  assert.match(String(sip?.data.message), /a=rtpmap:0 PCMU/)
  assert.match(String(sip?.data.message), /Authorization: Digest \*+/)
  // The same for the customer: no address of the carrier.
  const own = JSON.stringify(bed.read(id ?? '', 'customer'))
  assert.is(/198\.51\.100\.9|192\.0\.2\.[17]/.test(own), false, own)
})

test('of a carrier’s message a customer sees no host, address or word of its own, wherever it stands', () => {
  const message = [
    'SIP/2.0 503 acme-telecom.com gw7 full, call ACME',
    'From: <sip:sbc1.carrier.co.ke>;tag=1',
    'To: "ACME" <sip:+254711111111@sbc1.carrier.co.ke;user=phone>;tag=2',
    'f: sip:10.1.2.3:5060',
    'CSeq: 1 INVITE',
    'Reason: Q.850 ;cause=34;text="gw7.carrier.co.ke 10.1.2.3, full", SIP;text="ACME";cause=503, gw7.carrier.co.ke',
    'Retry-After: 30 (10.9.8.7 down);duration=5',
    'Content-Type: application/sdp;x=sbc1.carrier.co.ke',
    'X-Voice-Note: sbc1.carrier.co.ke',
    'Server: ACME',
    '',
    'v=0',
    'o=ACME 1 1 IN IP4 10.20.30.40',
    's=CarrierSBC 10.20.30.40',
    'c=IN IP4 10.20.30.40',
    't=0 0',
    'm=audio 4000 RTP/AVP 0',
    'a=rtpmap:0 PCMU/8000',
    'a=mid:sbc1.carrier.co.ke',
  ].join('\r\n')
  const phraseOf = (status: number) => (status === 503 ? 'Service Unavailable' : '')
  assert.equal(carriersRemoved(message, phraseOf).split('\r\n'), [
    'SIP/2.0 503 Service Unavailable',
    'From: <sip:carrier>',
    'To: <sip:+254711111111@carrier>',
    'f: <sip:carrier>',
    'CSeq: 1 INVITE',
    'Reason: Q.850;cause=34, SIP;cause=503, …',
    'Retry-After: 30',
    'Content-Type: application/sdp',
    '',
    'v=0',
    's=-',
    't=0 0',
    'm=audio … RTP/AVP 0',
    'a=rtpmap:0 PCMU/8000',
    '…',
  ])
  assert.match(carriersRemoved('OPTIONS sip:sbc1.carrier.co.ke SIP/2.0\r\n\r\n', phraseOf), /^OPTIONS sip:carrier SIP/)
})

/** A document dials a number, which the trunk gets with 77001# before it. */
function dialByPrefix(rig: CallBed) {
  rig.trunks = [{ ...trunk('carrier'), prefixes: ['+'], strip: 1, prepend: '77001#' }]
  rig.documents.set('https://acme.test/in', '<Response><Dial><Number>+254733333333</Number></Dial></Response>')
  rig.call('+254700000001')
  rig.run(5000)
  const [dialled] = rig.of('leg.dial')
  if (dialled?.target.kind !== 'trunk') throw new Error('no trunk was dialled')
  return { legId: dialled.legId, number: dialled.target.number }
}

test('a customer sees the number that was dialled, not what the trunk gets before it', () => {
  const rig = new CallBed()
  const bed = new TraceBed(() => rig.now)
  rig.recorder = bed.recorder
  const dialled = dialByPrefix(rig)
  assert.is(dialled.number, '77001#254733333333')
  const request =
    'INVITE sip:77001#254733333333@192.0.2.9 SIP/2.0\nCall-ID: call-9@h\nTo: <sip:77001#254733333333@192.0.2.9>\n\n'
  bed.recorder.message(bytes(request), flow, true)
  bed.recorder.dialog(dialled.legId, 'call-9@h')
  rig.run(60_000)
  const sid = [...rig.store.calls.values()][0]?.sid ?? ''
  const own = JSON.stringify(bed.read(sid, 'customer'))
  assert.not.match(own, /77001/)
  assert.match(own, /INVITE sip:\+254733333333@carrier/)
  assert.match(own, /\+254733333333 is dialled/)
  assert.match(JSON.stringify(bed.read(sid, 'operator')), /77001#254733333333 is dialled/)
})

test('a file for Wireshark has nothing of a carrier for a customer, and what readers of SIP and SDP need', () => {
  const rig = new CallBed()
  const bed = new TraceBed(() => rig.now, { rtpHeaders: 10, phraseOf: status => (status === 200 ? 'OK' : '') })
  rig.recorder = bed.recorder
  const dialled = dialByPrefix(rig)
  const sdp = (host: string) =>
    `v=0\no=ACME 1 1 IN IP4 ${host}\ns=ACME\nc=IN IP4 ${host}\nt=0 0\nm=audio 4000 RTP/AVP 0\na=rtpmap:0 PCMU/8000\na=mid:sbc1.carrier.co.ke\n`
  const about =
    'Call-ID: call-9@h\nCSeq: 1 INVITE\nTo: <sip:77001#254733333333@198.51.100.9>\nContent-Type: application/sdp\n'
  const invite = `INVITE sip:77001#254733333333@198.51.100.9 SIP/2.0\nContent-Length: 999\n${about}\n${sdp('203.0.113.7')}`
  bed.recorder.message(bytes(invite), { ...flow, localHost: '203.0.113.7' }, true)
  bed.recorder.dialog(dialled.legId, 'call-9@h')
  const answer = `SIP/2.0 200 welcome to ACME\nServer: ACME\n${about}\n${sdp('198.51.100.8')}`
  bed.recorder.message(bytes(answer), { ...flow, localHost: '203.0.113.7' }, false)
  rig.run(60_000)
  const { sid = '', accountUuid = '' } = [...rig.store.calls.values()][0] ?? {}
  bed.drain()
  const query = { form: 'pcapng', after: 0, limit: 1, columns: 0 } as const
  const own = traceAnswer(bed.book, sid, { ...query, reader: 'customer' })
  const whole = traceAnswer(bed.book, sid, { ...query, reader: 'operator' })
  assert.is(own?.account, accountUuid)
  const [seen, all] = [Buffer.from(own?.body ?? []), Buffer.from(whole?.body ?? [])]
  const carriers = [
    ...['77001', '198.51.100', '203.0.113', 'ACME', 'carrier.co.ke', 'call-9@h'],
    Buffer.from([198, 51, 100, 9]),
    Buffer.from([203, 0, 113, 7]),
  ]
  for (const name of carriers)
    assert.equal([seen.includes(name), all.includes(name)], [false, true], name.toString('hex'))
  const [sent = '', received = ''] = (bed.book.messages(sid, 'customer') ?? []).map(({ message }) =>
    Buffer.from(message).toString(),
  )
  assert.equal(received.split('\r\n'), [
    'SIP/2.0 200 OK',
    'Call-ID: leg-2@carrier',
    'CSeq: 1 INVITE',
    'To: <sip:+254733333333@carrier>',
    'Content-Type: application/sdp',
    'Content-Length: 110',
    '',
    'v=0',
    'o=- 0 0 IN IP4 192.0.2.2',
    's=-',
    'c=IN IP4 192.0.2.2',
    't=0 0',
    'm=audio 40004 RTP/AVP 0',
    'a=rtpmap:0 PCMU/8000',
    '',
  ])
  assert.match(sent, /^INVITE sip:\+254733333333@carrier SIP\/2\.0\r\n.*c=IN IP4 192\.0\.2\.254\r\n.*m=audio 20004 /s)
  for (const message of [sent, received]) {
    const [head = '', body = ''] = message.split('\r\n\r\n')
    assert.is(Number(/^Content-Length: (\d+)/m.exec(head)?.[1]), body.length)
  }
})

test('requests within a dialog, which go to the carrier’s Contact, do not name its user to a customer', () => {
  const rig = new CallBed()
  const bed = new TraceBed(() => rig.now)
  rig.recorder = bed.recorder
  rig.documents.set('https://acme.test/in', '<Response><Dial><Number>+254733333333</Number></Dial></Response>')
  rig.call('+254700000001')
  rig.run(5000)
  const [dialled] = rig.of('leg.dial')
  if (dialled?.target.kind !== 'trunk') throw new Error('no trunk was dialled')
  const send = (method: string, user: string) =>
    bed.recorder.message(
      bytes(`${method} sip:${user}@192.0.2.9 SIP/2.0\nCall-ID: call-9@h\nTo: <sip:+254733333333@192.0.2.9>\n\n`),
      flow,
      true,
    )
  send('INVITE', '+254733333333')
  for (const method of ['ACK', 'INFO', 'BYE']) send(method, 'mod_sofia')
  bed.recorder.dialog(dialled.legId, 'call-9@h')
  rig.run(60_000)
  const sid = [...rig.store.calls.values()][0]?.sid ?? ''
  const lines = (reader: 'customer' | 'operator') =>
    bed.read(sid, reader)?.entries.flatMap(({ kind, text }) => (kind === 'sip' ? [text] : []))
  assert.equal(lines('customer'), [
    'INVITE sip:+254733333333@carrier',
    'ACK sip:carrier',
    'INFO sip:carrier',
    'BYE sip:carrier',
  ])
  assert.not.match(JSON.stringify(bed.read(sid, 'customer')), /mod_sofia/)
  assert.match(JSON.stringify(bed.read(sid, 'operator')), /BYE sip:mod_sofia@192\.0\.2\.9/)
})

test('a text of a problem in any spelling is covered as a text, and the note stays data', () => {
  const texts = [
    `length="password='${canary}'" is not a number`,
    `password="${canary}"`,
    JSON.stringify(`length="password='${canary}'"`),
    JSON.stringify(`length='password="${canary}"'`),
    `"password": "${canary}"`,
    `{\\"token\\":\\"${canary}\\"}`,
    `https://a.test/?token=${canary}&b="'\\`,
    `sip:alice:${canary}@b.test`,
    `\\" password='${canary}' \\`,
  ]
  for (const message of texts) {
    const { data } = redacted(
      { kind: 'event', code: 'DOC.0422', data: { line: 1, message, within: [{ message }] } },
      bodies,
    )
    const kept = data as { line: number; message: string; within: { message: string }[] }
    assert.is(kept.line, 1)
    assert.is(kept.within[0]?.message, kept.message)
    assert.not.match(kept.message, new RegExp(canary), message)
  }
  const { data } = redacted({ kind: 'event', data: { password: canary, tokens: [canary], sid: 'CA1' } }, bodies)
  assert.equal(data, { password: '****', tokens: ['****'], sid: 'CA1' })
})

test('a document with a secret in quotation marks of the other kind does not end the recorder', () => {
  const rig = new CallBed()
  const bed = new TraceBed(() => rig.now)
  rig.recorder = bed.recorder
  rig.documents.set('https://acme.test/in', `<Response><Pause length="password='${canary}'"/><Hangup/></Response>`)
  rig.call('+254700000001')
  rig.run(60_000)
  const own = JSON.stringify(bed.read(rig.over[0]?.sid ?? '', 'customer'))
  assert.match(own, /DOC\.0422/)
  assert.not.match(own, new RegExp(canary))
})

test('a customer never sees the addresses of a trunk, not even before it is known that the leg is one', () => {
  const rig = new CallBed()
  const bed = new TraceBed(() => rig.now)
  rig.recorder = bed.recorder
  const legId = 'leg-1' as LegUuid
  const request = 'INVITE sip:+254700000001@192.0.2.1 SIP/2.0\nVia: SIP/2.0/UDP 198.51.100.9\nCall-ID: call-1@h\n\n'
  bed.recorder.message(bytes(request), flow, false)
  bed.recorder.message(bytes(request.replace(/^.*\n/, 'SIP/2.0 100 Trying\n')), flow, true)
  rig.run(20)
  bed.recorder.dialog(legId, 'call-1@h')
  rig.documents.set('https://acme.test/in', '<Response><Hangup/></Response>')
  rig.call('+254700000001', { legId })
  rig.run(60_000)
  const sid = rig.over[0]?.sid ?? ''
  const own = bed.read(sid, 'customer')
  assert.is(own?.entries[0]?.text, 'INVITE sip:+254700000001@carrier')
  assert.not.match(JSON.stringify(own), /198\.51\.100\.9|192\.0\.2\.1/)
  assert.match(JSON.stringify(bed.read(sid, 'operator')), /198\.51\.100\.9/)
})

test('of a leg of which nothing is kept but messages a customer sees no addresses: it may be a trunk', () => {
  const { legId, callId } = { legId: 'leg-1' as LegUuid, callId: 'call-1' as CallUuid }
  const bed = new TraceBed(() => 1)
  bed.recorder.command({ type: 'media.open', callId, legId })
  bed.recorder.dialog(legId, 'call-1@h')
  bed.recorder.message(
    bytes('INVITE sip:x@192.0.2.1 SIP/2.0\nVia: SIP/2.0/UDP 198.51.100.9\nCall-ID: call-1@h\n\n'),
    flow,
    true,
  )
  assert.not.match(JSON.stringify(bed.read(callId, 'customer')), /198\.51\.100\.9|192\.0\.2\.1/)
})

test('voice and language would be covered like a text, were they ever more than names', () => {
  const written = `https://a.test/x?token=${canary}`
  const callId = 'call-1' as CallUuid
  const requestId = 'speak-1'
  const accountId = 'account-1' as AccountUuid
  const words = { text: 'Hello', voice: written, language: written }
  const notes: readonly (Note | undefined)[] = [
    noteOfCommand({ type: 'audio.speak', callId, requestId, accountId, ...words }),
    noteOfEvent({ type: 'audio.ready', callId, requestId, path: '/a', durationMs: 1, unknownVoice: written }),
  ]
  for (const note of notes) {
    assert.ok(note !== undefined && JSON.stringify(note).includes(canary))
    assert.is(keptOf(note).includes(canary), false, keptOf(note))
  }
})

/** What the recorder keeps of a note. */
function keptOf(note: Note): string {
  const store = new PartsInMemory()
  const bed = new TraceBed(() => 1, { store })
  bed.inlet.note(1, 'call-1' as CallUuid, '', note)
  bed.close()
  return store.kept.map(({ bytes: kept }) => Buffer.from(kept).toString()).join('')
}

test('a note loses its secrets wherever they are, and one that has none is kept as it is', () => {
  for (const text of [
    `https://a.test/x?token=${canary}`,
    `https://user:${canary}@a.test/x`,
    `{"token":"${canary}"}`,
    `{ "api_key" : "${canary}" }`,
    JSON.stringify({ payload: JSON.stringify({ secret: canary }) }),
    `sip:a:${canary}@b.test`,
  ])
    for (const name of ['url', 'detail', 'source', 'fields', 'number', 'text'])
      assert.is(keptOf({ kind: 'anything', [name]: text }).includes(canary), false, `${name}: ${text}`)
  assert.is(keptOf({ kind: 'event', code: 'DOC.0422', data: { token: canary } }).includes(canary), false)
  assert.is(keptOf({ kind: 'webhook', url: 'x', detail: `pwd=${canary}` }).includes(canary), false)
  assert.ok(keptOf({ kind: 'leg-rings' }).includes('{"kind":"leg-rings"}'))
  assert.ok(keptOf({ kind: 'say', text: 'a = b: "é"' }).includes(JSON.stringify({ kind: 'say', text: 'a = b: "é"' })))
})

test('a leg loses the secrets of what it dials', () => {
  const store = new PartsInMemory()
  const bed = new TraceBed(() => 1, { store })
  bed.inlet.leg(1, 'call-1' as CallUuid, 'leg-1' as LegUuid, { role: 'callee', number: `sip:a:${canary}@b.test` })
  bed.close()
  assert.ok(store.kept.length > 0)
  for (const { bytes: kept } of store.kept) assert.is(Buffer.from(kept).includes(canary), false)
})

test('of a document that JSON makes longer than a record the beginning is kept', () => {
  const bed = new TraceBed(() => 1)
  const callId = 'call-1' as CallUuid
  bed.inlet.document(1, callId, { kind: 'document-answer', id: 'p1' }, bytes('"'.repeat(64 * 1024)))
  const body = bed.read(callId, 'operator')?.entries.map(({ data }) => data.body)
  assert.equal(body, ['"'.repeat(32 * 1024)])
  assert.is(bed.book.counters.cut, 1)
})

test('a parameter or member of each name that says so loses its value, whatever else is in the text', () => {
  const names =
    'access_token clientsecret passwd passw0rd api_key apikey x-api-key signature authToken x-credential key sig pwd jwt'
  for (const name of `${names} hmac session session_id sessionid`.split(' '))
    for (const cased of [name, name.toUpperCase()])
      for (const text of [`https://a.test/x?${cased}=${canary}`, `n=1&${cased}=${canary}`]) {
        assert.is(withoutSecrets(text).includes(canary), false, text)
        assert.is(keptOf({ kind: 'anything', detail: text }).includes(canary), false, text)
      }
  for (const name of 'token secret passw apikey api_key api-key authorization credential jwt'.split(' '))
    for (const cased of [name, name.toUpperCase()]) {
      const text = JSON.stringify({ [cased]: canary })
      assert.is(keptOf({ kind: 'anything', fields: text }).includes(canary), false, text)
    }
})

test('URLs, documents and fields lose what is secret in them', () => {
  for (const text of [
    `https://user:${canary}@a.test/x`,
    `https://a.test/x?api_key=${canary}&b=1`,
    `https://a.test/x?a=1&access_token=${canary}`,
    `https://a.test/x?signature=${canary}`,
    `https://a.test/x?X-Amz-Credential=${canary}&X-Amz-Signature=${canary}&jwt=${canary}`,
    JSON.stringify({ CustomPayload: JSON.stringify({ api_key: canary, deep: JSON.stringify({ token: canary }) }) }),
    JSON.stringify({ CustomPayload: `token=${canary}&n=1` }),
    JSON.stringify({ Authorization: `Bearer ${canary}` }),
    `<Sip password='${canary}'>sip:a@b</Sip>`,
    `sip:a:${canary}@b.test`,
    `{"webhook_secret": "${canary}","n":1}`,
  ])
    assert.is(withoutSecrets(text).includes(canary), false, withoutSecrets(text))
  assert.is(withoutSecrets('https://a.test/x?b=1'), 'https://a.test/x?b=1')
})

test('a secret that passes the place where a long text is cut is covered as well', () => {
  const callId = 'call-1' as CallUuid
  for (let before = 900; before < 1010; before++) {
    const url = `https://a.test/${'x'.repeat(before)}?b=sip:alice:${canary}@b.test&token=${canary}`
    const note = noteOfCommand({
      type: 'audio.load',
      callId,
      requestId: 'load-1',
      accountId: 'a' as never,
      source: { url },
    })
    assert.is(/C4N/.test(JSON.stringify(redacted(note!, bodies))), false, JSON.stringify(note))
  }
  assert.is(withoutCutTag('<Response><Dial>x</Dial><Sip password="C4N'), '<Response><Dial>x</Dial>')
  assert.is(withoutCutTag('<Say>call https://u:C4N'), '<Say>call ')
  assert.is(withoutCutTag('<Response/>'), '<Response/>')
})

/** A step for each pair of its 64,000 characters would take about a second of processor time, a step for each a few milliseconds. */
function assertLinear(what: string, work: (length: number) => () => void): void {
  const once = work(64_000)
  const costs: number[] = []
  while (costs.length < 5 && Math.min(...costs) > 200) {
    const before = process.cpuUsage()
    once()
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / 1000)
  }
  assert.ok(Math.min(...costs) <= 200, `${what}: ${costs.map(Math.round).join(', ')} ms`)
}

test('what a customer writes costs as much time as it is long, whatever it is made of', () => {
  const parts = [
    '\\"key\\":',
    '\\\\',
    ' token=',
    'sip:a:',
    'sips:',
    'token',
    '-token',
    'http://a',
    '"token',
    'password ',
    '?key-',
    '\\\\a',
    '@',
    'a',
  ]
  for (const part of parts) {
    for (const begin of ['', '?', '&', '"', 'password=', '"token":"'])
      assertLinear(`${begin}${part}…`, length => {
        const text = `${begin}${part.repeat(length / part.length)}=`
        return () => withoutSecrets(text)
      })
  }
})

test('so does a SIP message that anybody sends', () => {
  for (const part of ['=', 'token=', ';sig="', '@', 'a@', ':@', '::@', 'sip:a:b@', 'a=crypto:1 inline', '\n ', ',']) {
    assertLinear(part, length => {
      const message = bytes(`OPTIONS sip:x SIP/2.0\nFrom: ${part.repeat(length / part.length)}\n\n`)
      return () => void coverSecrets(message.slice(), 0, message.length)
    })
  }
})

test('a password in a URI is covered wherever it stands in a line', () => {
  for (const [line, covered] of [
    ['Contact: <sip:a:pw@h>,"x" <sip:b:pq@h>', 'Contact: <sip:a:**@h>,"x" <sip:b:**@h>'],
    ['To: sip:a:p@w@h', 'To: sip:a:*@*@h'],
    ['To: <sip:a@h:5060>;x=b@c', 'To: <sip:a@h:5060>;x=b@c'],
    ['Via: SIP/2.0/UDP h;branch=z9hG4bKtoken;rport=5060', 'Via: SIP/2.0/UDP h;branch=z9hG4bKtoken;rport=5060'],
    ['Contact: <sip:a@h;TOKEN=pw?x-sig=pq&b=c>', 'Contact: <sip:a@h;TOKEN=***********&b=c>'],
    ['Refer-To: <sip:a:p%40:w@[2001:db8::1]:5061>', 'Refer-To: <sip:a:p%40:*@[2001:db8::1]:5061>'],
  ]) {
    const message = bytes(`${line}\n`)
    coverSecrets(message, 0, message.length)
    assert.is(new TextDecoder().decode(message), `${covered}\r\n`)
  }
})

test('what finds no room is given up, the oldest first', () => {
  const rig = new CallBed()
  const bed = new TraceBed(() => rig.now, { memoryBytes: 256 * 1024 })
  rig.recorder = bed.recorder
  rig.documents.set('https://acme.test/in', '<Response><Pause length="1"/><Hangup/></Response>')
  for (let call = 0; call < 200; call++) {
    rig.call('+254700000001')
    rig.run(5000)
    bed.tick(rig.now)
  }
  const sids = rig.over.map(({ sid }) => sid)
  const read = (sid: string) => bed.read(sid, 'operator')
  assert.is(read(sids[0]!), undefined)
  assert.is(read(sids.at(-1)!)?.isComplete, true)
  const kept = sids.map(read).filter(trace => trace !== undefined)
  assert.ok(kept.length > 5 && kept.length < 200, `${kept.length} kept`)
  assert.ok(
    kept.every(trace => trace.uuid === '' || sids.includes(trace.sid as (typeof sids)[number]) || !trace.isComplete),
  )
})

test.run()
