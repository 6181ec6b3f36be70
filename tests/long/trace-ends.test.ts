import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, expectStatus, RigAccount, setRates } from '../rig/account.ts'
import { Customer } from '../rig/customer.ts'
import { PlainCaller } from '../rig/plain-caller.ts'
import { RefusingPeer } from '../rig/refusing-peer.ts'
import { SwitchProcess } from '../rig/switch-process.ts'
import { until } from '../rig/wait.ts'

// Every kind of failed call, made to fail by real peers of a served switch, and what its trace says by the API: to whoever sees
// only that page it tells why, and what to do. ICE is given up after 30 seconds; all of them run at the same time.

const canary = 'C4NARYC4NARY'
const nowhere = { address: '127.0.0.1', port: 9 }
const dial = (number: string) => `<Response><Dial><Number>${number}</Number></Dial></Response>`
const pause = '<Response><Say>Hello</Say><Pause length="600"/></Response>'
const browserOffer = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 0 101',
  'c=IN IP4 127.0.0.1',
  'a=rtcp-mux',
  'a=ice-ufrag:abcd',
  `a=ice-pwd:${canary}abcdefghijklmnop`,
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sendrecv',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:101 telephone-event/8000',
  '',
].join('\r\n')

interface Failure {
  /** What its webhook answers. */
  readonly document?: string
  readonly webhook?: (response: { writeHead(status: number): { end(): void } }) => void
  readonly offer?: string
  readonly balance?: string
  readonly code: string
  readonly sentence: RegExp
  readonly advice: RegExp
}

const failures: Readonly<Record<string, Failure>> = {
  busy: {
    document: dial('+255700000486'),
    code: 'END.0486',
    sentence: /^\+255700000486 is busy\. It answered 486 Busy Here\.$/,
    advice: /voicemail or another number/,
  },
  'no route': {
    document: dial('+256700000001'),
    code: 'END.0503',
    sentence: /^No trunk could take the call to .*: none has a prefix that fits it/,
    advice: /Check that a trunk has a prefix/,
  },
  402: {
    document: dial('+255700000402'),
    balance: '0',
    code: 'END.0402',
    sentence: /balance does not cover the call/,
    advice: /Top up the wallet/,
  },
  'webhook 500': {
    webhook: response => response.writeHead(500).end(),
    code: 'END.3502',
    sentence: /http:\/\/127\.0\.0\.1:\d+\/webhook-500\?token=\*+ failed \(.*500.*\)/,
    advice: /must answer 200 with a document/,
  },
  'webhook timeout': {
    webhook: () => {},
    code: 'END.3408',
    sentence: /\/webhook-timeout\?token=\*+ did not answer within 10 seconds/,
    advice: /Answer the webhook at once/,
  },
  'XML error': {
    document: '<Response>\n  <Say>Hello</Sya>\n</Response>',
    code: 'END.3422',
    sentence: /\/xml-error\?token=\*+ cannot be run: line 2, column \d+: ./,
    advice: /POST \/documents\/check/,
  },
  'media timeout': {
    document: pause,
    code: 'END.0212',
    sentence: /no RTP came for the media timeout/,
    advice: /a firewall drops UDP/,
  },
  'ICE failure': {
    document: pause,
    offer: browserOffer,
    code: 'END.2410',
    sentence: /ICE failed/,
    advice: /SAUTI_EXTERNAL_ADDRESS.*SAUTI_TURN/,
  },
  'codec mismatch': {
    document: dial('+255700000488'),
    code: 'END.0488',
    sentence: /no codec that both sides speak.*488 Not Acceptable Here/,
    advice: /Allow PCMA, PCMU, G722 or opus/,
  },
}

const on = await SwitchProcess.start({}, undefined, ['--media-timeout', '15'])
const customer = await Customer.open()
const carrier = await RefusingPeer.open({
  '+255700000486': '486 Busy Here',
  '+255700000488': '488 Not Acceptable Here',
})
const callers: PlainCaller[] = []
const made: { readonly name: string; readonly account: RigAccount; readonly sid: string }[] = []

const traceOf = async (account: RigAccount, sid: string) =>
  expectStatus(await on.request(account.key, 'GET', `/calls/${sid}/trace`), 200).body

test.before(async () => {
  await setRates(on)
  await addTrunk(on, { name: 'carrier', port: carrier.port, prefixes: ['+255'] })
  const failing = async (name: string, { document, webhook, offer, balance = '1000' }: Failure) => {
    const account = await RigAccount.make(on, { balance })
    const path = `/${name.toLowerCase().replaceAll(' ', '-')}`
    const reply = webhook === undefined ? (document ?? '') : (_post: unknown, response: never) => webhook(response)
    await account.webhook('voice_inbound', `${customer.on(path, reply as never)}?token=${canary}`)
    const caller = await PlainCaller.open({ sipPort: on.sipPort, to: account.number, from: '+254722000111' })
    callers.push(caller)
    // What it is answered is not asked here, nor whether it is: the switch must say how the call ended.
    caller.invite(offer ?? nowhere).catch(() => {})
    const ended = async () => {
      const call = await account.call()
      return call !== undefined && call.ended_at !== null ? call : undefined
    }
    const { sid } = await until(`the end of ${name}`, ended, 60_000)
    made.push({ name, account, sid })
  }
  await Promise.all(Object.entries(failures).map(([name, failure]) => failing(name, failure))).catch(fault => {
    // The runner of tests keeps silent about what a hook throws.
    process.stderr.write(`${String(fault)}\n${on.log.slice(-30).join('\n')}\n`)
    throw fault
  })
})

const checked = async (name: string) => {
  const call = made.find(each => each.name === name)
  const failure = failures[name]
  if (call === undefined || failure === undefined) throw new Error(`no call: ${name}`)
  const trace = await traceOf(call.account, call.sid)
  assert.is(trace.end.reason_code, failure.code)
  assert.match(trace.end.sentence, failure.sentence)
  assert.match(trace.end.advice, failure.advice)
  assert.is(trace.end.link, `/docs/reasons#${failure.code}`)
  assert.is(trace.is_complete, true)
  assert.is(trace.is_over, true)
  const page = await on.request('', 'GET', '/docs/reasons')
  assert.ok(String(page.body).includes(`id="${failure.code}"`))
  return trace
}

for (const name of Object.keys(failures))
  test(`${name}: the API says why, what to do, and where to read more`, async () => {
    const trace = await checked(name)
    const kinds = new Set(trace.entries.map(({ kind }: { readonly kind: string }) => kind))
    for (const kind of ['sip', 'document', 'leg', 'call']) assert.ok(kinds.has(kind), `${kind} of ${[...kinds]}`)
    const [first] = trace.entries
    assert.match(first.text, /^INVITE sip:/)
    assert.is(first.ms, 0)
  })

test('after a restart they are all there, and no secret is on the disk', async () => {
  const kept = await on.kill('SIGTERM')
  assert.is(kept, 0)
  await on.open()
  for (const { name } of made) await checked(name)
  const folder = join(on.dataFolder, 'traces')
  let texts = ''
  for (const file of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, file))
    for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at + 4)) {
      const ids = bytes[at + 17]! + bytes[at + 18]!
      texts += zstdDecompressSync(bytes.subarray(at + 24 + ids, at + bytes.readUInt32LE(at + 4))).toString('latin1')
    }
  }
  assert.ok(texts.includes('INVITE sip:') && texts.includes('a=ice-pwd:****'))
  assert.is(texts.includes(canary), false)
})

test.after(async () => {
  for (const caller of callers) caller.close()
  carrier.close()
  await customer.close()
  await on.close()
})
test.run()
