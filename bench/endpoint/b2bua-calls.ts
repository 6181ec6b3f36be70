import { createHash } from 'node:crypto'
import type { EndpointInput, EndpointOutput } from '../../sip/endpoint/input.ts'
import { defaultLimits, defaultTimers, Endpoint, type Flow, headerOf, type SipRequest } from '../../sip/index.ts'
import { parseMessage } from '../../sip/message/parse.ts'

/** What an endpoint is given, and when (ms). */
export interface TimedInput {
  readonly input: EndpointInput
  readonly at: number
}

const callsPerSecond = 400
/** Delays of the peers, ms; `talkMs` from the ACK to the BYE. */
const networkMs = 1
const answerMs = 300
const talkMs = 100

const near: Flow = {
  transport: 'udp',
  address: '127.0.0.1',
  port: 5071,
  socket: 1,
  localHost: '127.0.0.1',
  localPort: 5060,
}
const far: Flow = { ...near, port: 5072 }

const sdp = (port: number): string =>
  [
    'v=0',
    'o=rig 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 0 101`,
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    'a=ptime:20',
    '',
  ].join('\r\n')

const utf8 = new TextEncoder()

/** A message with these lines; with a body of SDP, or none. */
function messageOf(lines: readonly string[], body = ''): Uint8Array {
  const type = body === '' ? [] : ['Content-Type: application/sdp']
  return utf8.encode([...lines, ...type, `Content-Length: ${body.length}`, '', body].join('\r\n'))
}

/** The same numbers for every endpoint: what was said to one may be said to the next. */
function repeatedRandom(): (length: number) => Uint8Array {
  let state = 1
  return length =>
    Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state >>> 24
    })
}

/** An endpoint that knows one trunk, and makes the same tags, branches and ids as every other from here. */
export function openEndpoint(): Endpoint {
  let ids = 0
  const endpoint = new Endpoint({
    timers: defaultTimers,
    limits: { ...defaultLimits, calls: 200_000 },
    realm: 'localhost',
    userAgent: 'Sauti',
    random: repeatedRandom(),
    hash: (_, text) => createHash('md5').update(text).digest('hex'),
    newId: () => `in-${ids++}`,
  })
  const peer = {
    id: 'trunk',
    host: near.address,
    port: far.port,
    transport: 'udp',
    username: '',
    password: '',
  } as const
  endpoint.handle(
    { type: 'peers', peers: [{ ...peer, register: false, inboundHosts: [near.address], optionsPingSeconds: 0 }] },
    0,
  )
  return endpoint
}

/**
 * Everything that an endpoint of `openEndpoint` is given while it connects `count` calls as a back-to-back user agent: messages
 * of both sides and its owner's commands, in the order and at the rate of the benchmark `calls`. Made once by an endpoint that is asked, so that a
 * second one can be measured without the work of its peers.
 */
export function b2buaInputs(count: number): readonly TimedInput[] {
  const peers = new B2buaPeers()
  for (let call = 0; call < count; call++) peers.invite(call, (call * 1000) / callsPerSecond)
  return peers.run()
}

class B2buaPeers {
  readonly #endpoint = openEndpoint()
  readonly #inputs: TimedInput[] = []
  readonly #due: TimedInput[] = []
  readonly #others = new Map<string, string>()

  invite(call: number, at: number): void {
    const from = `"Rig" <sip:+254700000001@127.0.0.1:5071>;tag=1sipp${call}`
    const lines = [
      'INVITE sip:+254711000001@127.0.0.1:5060 SIP/2.0',
      `Via: SIP/2.0/UDP 127.0.0.1:5071;branch=z9hG4bK-1-${call}-0;rport`,
      `From: ${from}`,
      'To: <sip:+254711000001@127.0.0.1:5060>',
      `Call-ID: ${call}-1@127.0.0.1`,
      'CSeq: 1 INVITE',
      'Contact: <sip:+254700000001@127.0.0.1:5071;transport=UDP>',
      'Max-Forwards: 70',
    ]
    this.#receive(messageOf(lines, sdp(9002)), near, at)
  }

  run(): readonly TimedInput[] {
    for (;;) {
      const next = this.#due.shift()
      if (next === undefined) return this.#inputs
      this.#inputs.push(next)
      for (const output of this.#endpoint.handle(next.input, next.at)) this.#came(output, next.at)
    }
  }

  #give(input: EndpointInput, at: number): void {
    let slot = this.#due.length
    while (slot > 0 && this.#due[slot - 1]!.at > at) slot--
    this.#due.splice(slot, 0, { input, at })
  }

  #receive(bytes: Uint8Array, flow: Flow, at: number): void {
    this.#give({ type: 'received', bytes, flow, waitedMs: 0 }, at)
  }

  #came(output: EndpointOutput, at: number): void {
    if (output.type === 'send') {
      const message = parseMessage(output.bytes)
      if (!message.ok) throw new Error(message.reason)
      if (message.value.kind === 'request') this.#asked(message.value, at + networkMs)
      else if (message.value.status === 200) this.#answered(output.bytes, at + networkMs)
    } else if (output.type === 'resolve') {
      this.#give({ type: 'resolved', lookup: output.lookup, hops: [far] }, at)
    } else if (output.type === 'call') this.#happened(output.event, at)
  }

  /** The callee gets a request. */
  #asked(request: SipRequest, at: number): void {
    if (request.method === 'ACK') return
    const fields = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].map(name => [name, headerOf(request, name)] as const)
    const tag = request.method === 'INVITE' ? `;tag=1callee${headerOf(request, 'Call-ID')}` : ''
    const lines = fields.map(([name, value]) => `${name}: ${value}${name === 'To' ? tag : ''}`)
    if (request.method === 'BYE') {
      this.#receive(messageOf(['SIP/2.0 200 OK', ...lines]), far, at)
      return
    }
    const contact = 'Contact: <sip:callee@127.0.0.1:5072;transport=UDP>'
    this.#receive(messageOf(['SIP/2.0 180 Ringing', ...lines, contact]), far, at)
    this.#receive(messageOf(['SIP/2.0 200 OK', ...lines, contact], sdp(9000)), far, at + answerMs)
  }

  /** The caller gets a 200. */
  #answered(bytes: Uint8Array, at: number): void {
    const parsed = parseMessage(bytes)
    if (!parsed.ok || headerOf(parsed.value, 'CSeq') !== '1 INVITE') return
    const call = Number.parseInt(headerOf(parsed.value, 'Call-ID') ?? '', 10)
    const request = (method: string, cseq: number): Uint8Array =>
      messageOf([
        `${method} sip:sauti@127.0.0.1:5060 SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:5071;branch=z9hG4bK-1-${call}-${cseq}${method};rport`,
        `From: ${headerOf(parsed.value, 'From')}`,
        `To: ${headerOf(parsed.value, 'To')}`,
        `Call-ID: ${headerOf(parsed.value, 'Call-ID')}`,
        `CSeq: ${cseq} ${method}`,
        'Max-Forwards: 70',
      ])
    this.#receive(request('ACK', 1), near, at)
    this.#receive(request('BYE', 2), near, at + talkMs)
  }

  /** The owner of the endpoint joins the two legs of each call. */
  #happened(event: Extract<EndpointOutput, { type: 'call' }>['event'], at: number): void {
    const other = this.#others.get(event.id) ?? ''
    switch (event.type) {
      case 'offered': {
        const id = `out-${event.id}`
        this.#others.set(event.id, id).set(id, event.id)
        const hop = { host: far.address, port: far.port, transport: 'udp' } as const
        const uri = `sip:${event.to}@127.0.0.1:5072`
        const target = { peerId: 'trunk', uri, hop, username: '', password: '' }
        this.#give({ type: 'dial', id, target, from: { user: event.from.user }, sdp: event.sdp ?? '' }, at)
        return
      }
      case 'ringing':
        this.#give({ type: 'ring', id: other }, at)
        return
      case 'answered':
        this.#give({ type: 'answer', id: other, sdp: event.sdp ?? '' }, at)
        return
      case 'ended': {
        const reason = { status: 480, q850: 16, text: 'The other side hung up', code: 'END.0200' }
        this.#give({ type: 'end', id: other, reason }, at)
      }
    }
  }
}
