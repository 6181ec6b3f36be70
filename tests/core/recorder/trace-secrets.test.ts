import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { LegUuid } from '../../../core/model/ids.ts'
import { FlightRecorder } from '../../../core/recorder/flight-recorder.ts'
import { withoutSecrets } from '../../../core/recorder/redaction.ts'
import { TraceRing } from '../../../core/recorder/ring.ts'
import { CallRig } from '../bed/call-bed.ts'

const canary = 'C4NARYC4NARY'
const flow = { transport: 'udp', address: '198.51.100.9', port: 5060, localHost: '192.0.2.1', localPort: 5060 } as const
const bytes = (text: string) => new TextEncoder().encode(text.replaceAll('\n', '\r\n'))

test('no secret of a SIP message reaches the memory of the recorder, however it is written', () => {
  const rig = new CallRig()
  const ring = new TraceRing(new ArrayBuffer(1 << 20))
  const recorder = new FlightRecorder(ring, { now: () => 1 })
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
  ]
  const sdp = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${canary}|2^20\na=ice-ufrag:abcd\na=ice-pwd:${canary}\na=key-mgmt:mikey ${canary}\na=rtpmap:0 PCMU/8000\n`
  const message = `INVITE sip:+254700000001@192.0.2.1 SIP/2.0\nVia: SIP/2.0/UDP 198.51.100.9\n${secrets.join('\n')}\nCall-ID: call-1@h\nCSeq: 1 INVITE\nFrom: <sip:+254711111111@h>;tag=1\nTo: <sip:+254700000001@h>\n\n${sdp}`
  recorder.sip(bytes(message), flow, false)
  const legId = 'leg-1' as LegUuid
  recorder.dialog(legId, 'call-1@h')
  rig.documents.set(
    'https://acme.test/in',
    `<Response><Dial><Sip username="u" password="${canary}">sip:x@y.test</Sip></Dial></Response>`,
  )
  rig.call('+254700000001', { legId })
  rig.run(60_000)
  assert.is(Buffer.from(ring.bytes).includes(canary), false)
  const [id] = rig.over.map(({ sid }) => sid)
  const trace = recorder.read(id ?? '', 'operator', { after: 0, limit: 1000 })
  const sip = trace?.entries.find(entry => entry.kind === 'sip')
  assert.is(sip?.text, 'INVITE sip:+254700000001@192.0.2.1')
  assert.match(String(sip?.data.message), /a=rtpmap:0 PCMU/)
  assert.match(String(sip?.data.message), /Authorization: Digest \*+/)
  // The same for the customer: no address of the carrier.
  const own = JSON.stringify(recorder.read(id ?? '', 'customer', { after: 0, limit: 1000 }))
  assert.is(/198\.51\.100\.9|192\.0\.2\.[17]/.test(own), false, own)
})

test('URLs, documents and fields lose what is secret in them', () => {
  for (const text of [
    `https://user:${canary}@a.test/x`,
    `https://a.test/x?api_key=${canary}&b=1`,
    `https://a.test/x?a=1&access_token=${canary}`,
    `https://a.test/x?signature=${canary}`,
    `<Sip password='${canary}'>sip:a@b</Sip>`,
    `sip:a:${canary}@b.test`,
    `{"webhook_secret": "${canary}","n":1}`,
  ])
    assert.is(withoutSecrets(text).includes(canary), false, withoutSecrets(text))
  assert.is(withoutSecrets('https://a.test/x?b=1'), 'https://a.test/x?b=1')
})

test('what is overwritten is not read, and a trace whose beginning is gone says so', () => {
  const rig = new CallRig()
  const recorder = new FlightRecorder(new TraceRing(new ArrayBuffer(256 * 1024)), { now: () => rig.now })
  rig.recorder = recorder
  rig.documents.set('https://acme.test/in', '<Response><Pause length="1"/><Hangup/></Response>')
  for (let call = 0; call < 200; call++) {
    rig.call('+254700000001')
    rig.run(5000)
  }
  const sids = rig.over.map(({ sid }) => sid)
  const read = (sid: string) => recorder.read(sid, 'operator', { after: 0, limit: 1000 })
  assert.is(read(sids[0]!), undefined)
  assert.is(read(sids.at(-1)!)?.isComplete, true)
  const kept = sids.map(read).filter(trace => trace !== undefined)
  assert.ok(kept.length > 5 && kept.length < 200, `${kept.length} kept`)
  assert.ok(
    kept.every(trace => trace.uuid === '' || sids.includes(trace.sid as (typeof sids)[number]) || !trace.isComplete),
  )
})

test.run()
