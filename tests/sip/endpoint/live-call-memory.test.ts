import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { OctetPool } from '../../../sip/base/octet-pool.ts'
import { ownText } from '../../../sip/base/own-text.ts'
import { Endpoint } from '../../../sip/endpoint/endpoint.ts'
import type { EndpointInput } from '../../../sip/endpoint/input.ts'
import { defaultLimits } from '../../../sip/endpoint/services/settings.ts'
import { parseMessage } from '../../../sip/message/parse.ts'
import type { Flow } from '../../../sip/network/flow.ts'
import { defaultTimers } from '../../../sip/transaction/timer-settings.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const encoder = new TextEncoder()
const flow: Flow = {
  transport: 'udp',
  address: '192.0.2.9',
  port: 5060,
  socket: 1,
  localHost: '192.0.2.1',
  localPort: 5060,
}

function openEndpoint(): Endpoint {
  let ids = 0
  let state = 1
  const endpoint = new Endpoint({
    timers: defaultTimers,
    limits: defaultLimits,
    realm: 'localhost',
    userAgent: 'Sauti',
    random: length =>
      Uint8Array.from({ length }, () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0
        return state >>> 24
      }),
    hash: () => '',
    newId: () => `call-${ids++}`,
  })
  const peer = { id: 'trunk', host: flow.address, port: 5060, transport: 'udp', username: '', password: '' } as const
  endpoint.handle(
    { type: 'peers', peers: [{ ...peer, register: false, inboundHosts: [flow.address], optionsPingSeconds: 0 }] },
    0,
  )
  return endpoint
}

/** The trunk: its messages come as from a socket, many in one piece of memory, and it answers by the last of ours. */
class Trunk {
  readonly #endpoint: Endpoint
  readonly #read = new OctetPool()
  /** Calls that were answered, of both directions. */
  answered = 0
  /** What the endpoint has sent last, by method for a request and by status for a response: texts of their own. */
  readonly #sent = new Map<string, ReadonlyMap<string, string>>()

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  /** It calls; the call is answered in a reliable 183 (RFC 3262), and by the 200. */
  calls(call: number, now: number): void {
    const id = `call-${call}`
    this.#request('INVITE', call, 1, now, { headers: ['Require: 100rel'], body: 'offer' })
    this.give({ type: 'progress', id, sdp: 'early' }, now)
    const reliable = this.#sent.get('183')
    const toTag = reliable?.get('to')?.split(';tag=')[1] ?? ''
    this.#request('PRACK', call, 2, now, { headers: [`RAck: ${reliable?.get('rseq')} 1 INVITE`], toTag })
    this.give({ type: 'answer', id, sdp: 'early' }, now)
    this.#request('ACK', call, 1, now, { toTag })
  }

  /** It is called, and answers in the same way. */
  isCalled(call: number, now: number): void {
    const hop = { host: flow.address, port: undefined, transport: 'udp' } as const
    const target = { uri: 'sip:+254700000001@192.0.2.9', hop, username: '', password: '', peerId: 'trunk' }
    this.give({ type: 'dial', id: `out-${call}`, target, from: { user: '1001' }, sdp: 'our offer' }, now)
    this.#respond('INVITE', '183 Session Progress', now, ['Require: 100rel', 'RSeq: 1'], 'early')
    this.#respond('PRACK', '200 OK', now)
    this.#respond('INVITE', '200 OK', now)
  }

  /** What has nothing to do with calls. */
  options(number: number, now: number): void {
    this.#request('OPTIONS', number, 1, now)
  }

  give(input: EndpointInput, now: number): void {
    for (const output of [...this.#endpoint.handle(input, now)]) {
      if (output.type === 'call' && (output.event.type === 'answered' || output.event.type === 'confirmed'))
        this.answered++
      if (output.type === 'resolve') this.give({ type: 'resolved', lookup: output.lookup, hops: [flow] }, now)
      if (output.type !== 'send') continue
      const parsed = parseMessage(output.bytes)
      assert.ok(parsed.ok)
      const message = parsed.value
      const kind = message.kind === 'request' ? message.method : String(message.status)
      this.#sent.set(
        kind,
        new Map(message.headers.map(({ name, value }) => [ownText(name.toLowerCase()), ownText(value)])),
      )
    }
  }

  #request(
    method: string,
    call: number,
    cseq: number,
    now: number,
    { headers = [], body = '', toTag = '' }: { headers?: readonly string[]; body?: string; toTag?: string } = {},
  ): void {
    this.#receive(
      [
        `${method} sip:+254711000001@192.0.2.1 SIP/2.0`,
        `Via: SIP/2.0/UDP 192.0.2.9:5060;branch=z9hG4bK${method}${call}`,
        `From: <sip:+254700000001@192.0.2.9>;tag=from${call}`,
        `To: <sip:+254711000001@192.0.2.1>${toTag && `;tag=${toTag}`}`,
        `Call-ID: ${method === 'OPTIONS' ? 'alone' : 'call'}${call}`,
        `CSeq: ${cseq} ${method}`,
        'Contact: <sip:+254700000001@192.0.2.9>',
        'Max-Forwards: 70',
        ...headers,
      ],
      body,
      now,
    )
  }

  /** To our last request of that method. */
  #respond(method: string, status: string, now: number, headers: readonly string[] = [], body = ''): void {
    const request = this.#sent.get(method)
    const to = request?.get('to') ?? ''
    this.#receive(
      [
        `SIP/2.0 ${status}`,
        ...['Via', 'From', 'Call-ID', 'CSeq'].map(name => `${name}: ${request?.get(name.toLowerCase())}`),
        `To: ${to.includes(';tag=') ? to : `${to};tag=theirs`}`,
        'Contact: <sip:+254700000001@192.0.2.9>',
        ...headers,
      ],
      body,
      now,
    )
  }

  #receive(lines: readonly string[], body: string, now: number): void {
    const type = body === '' ? [] : ['Content-Type: application/sdp']
    const text = [...lines, ...type, `Content-Length: ${body.length}`, '', body].join('\r\n')
    this.give({ type: 'received', bytes: this.#read.copy(encoder.encode(text)), flow, waitedMs: 0 }, now)
  }
}

test('a call that lives on keeps nothing of the memory in which messages are read and written', () => {
  for (const way of ['calls', 'isCalled'] as const) {
    const endpoint = openEndpoint()
    const trunk = new Trunk(endpoint)
    const calls = 100
    collect()
    collect()
    const before = process.memoryUsage().arrayBuffers
    for (let call = 0; call < calls; call++) {
      const now = call * 100
      endpoint.timeout(now)
      trunk[way](call, now)
      // What else is read and written meanwhile lies between the messages of calls.
      for (let other = 0; other < 50; other++) trunk.options(call * 50 + other, now)
    }
    // What waited for repetitions is over.
    endpoint.timeout(calls * 100 + 60_000)
    assert.equal([endpoint.callCount, trunk.answered], [calls, calls], way)
    assert.is(endpoint.layer.clients.size + endpoint.layer.servers.size, 0, way)
    collect()
    collect()
    const kept = (process.memoryUsage().arrayBuffers - before) / calls
    assert.is(endpoint.callCount, calls)
    assert.ok(kept < 4096, `${way}: ${Math.round(kept)} octets a call`)
  }
})

test.run()
