import { UserAgent, type UserAgentInput, type UserAgentOutput } from '../../../sdk/signaling/user-agent.ts'
import { headerOf, type SipMessage, type SipRequest, type SipResponse } from '../../../sip/index.ts'
import { type Extra, parse, requestOf, responseTo, tagIn } from './switch-side.ts'

type Told = Exclude<UserAgentOutput, { type: 'send' }>

/** A user agent in virtual time, and the switch's side of its one connection in the hands of the test. */
export class AgentBed {
  readonly agent: UserAgent
  readonly sent: SipMessage[] = []
  readonly reported: Told[] = []
  now = 1_000
  #seed = 1

  constructor() {
    this.agent = new UserAgent({
      transport: 'ws',
      instance: '11111111-2222-4333-8444-555555555555',
      userAgent: 'test',
      random: length => Uint8Array.from({ length }, () => (this.#seed = (this.#seed * 75 + 74) % 65_537)),
    })
  }

  /** A registered one. */
  static registered(): AgentBed {
    const bed = new AgentBed()
    bed.do({ type: 'line-up' })
    bed.do({ type: 'register', identity: { extension: '1001', realm: 'voice.test', token: 'TOKEN' } })
    bed.reply(200, 'OK', { headers: { Expires: '600' } })
    bed.clear()
    return bed
  }

  do(input: UserAgentInput): void {
    this.#take(this.agent.handle(input, this.now))
  }

  /** Virtual ms go by. */
  run(ms: number): void {
    const end = this.now + ms
    for (let next = this.agent.deadline(); next !== undefined && next <= end; next = this.agent.deadline()) {
      this.now = Math.max(this.now, next)
      this.#take(this.agent.timeout(this.now))
    }
    this.now = end
  }

  /** Answers the last request of that method, else the last one. */
  reply(status: number, reason: string, extra: Extra = {}, method?: string): void {
    this.do({ type: 'received', bytes: responseTo(this.request(method), status, reason, extra) })
  }

  receive(bytes: Uint8Array): void {
    this.do({ type: 'received', bytes })
  }

  request(method?: string): SipRequest {
    const found = this.sent.findLast(
      (message): message is SipRequest =>
        message.kind === 'request' && message.method !== 'ACK' && (method === undefined || message.method === method),
    )
    if (found === undefined) throw new Error(`no ${method ?? 'request'} was sent`)
    return found
  }

  response(): SipResponse {
    const found = this.sent.findLast((message): message is SipResponse => message.kind === 'response')
    if (found === undefined) throw new Error('no response was sent')
    return found
  }

  /** `INVITE`, `180`, … in the order of sending. */
  get lines(): string[] {
    return this.sent.map(message => (message.kind === 'request' ? message.method : String(message.status)))
  }

  get events(): string[] {
    return this.reported.map(event => event.type)
  }

  event<Type extends Told['type']>(type: Type): Extract<Told, { type: Type }> {
    const found = this.reported.findLast(event => event.type === type)
    if (found === undefined) throw new Error(`no ${type} was reported: ${this.events.join(' ')}`)
    return found as Extract<Told, { type: Type }>
  }

  clear(): void {
    this.sent.length = 0
    this.reported.length = 0
  }

  /** An outgoing call that stands. */
  call(id = 'c1'): void {
    this.do({ type: 'dial', id, uri: 'sip:1002@voice.test', sdp: 'offer', fields: [] })
    this.reply(200, 'OK', { sdp: 'answer', headers: { Contact: '<sip:sauti@switch.test;transport=ws>' } }, 'INVITE')
  }

  /** An INVITE of the switch; gives the call's id. */
  offered(extra: Extra = { sdp: 'their offer' }, callId = 'in-1'): string {
    this.receive(
      requestOf(
        'INVITE',
        { from: '"Juma" <sip:1002@voice.test>;tag=far', to: '<sip:1001@voice.test>', callId, cseq: 1, branch: callId },
        extra,
      ),
    )
    return this.event('offered').id
  }

  /** A request of the switch within the dialog that the phone's last response (or INVITE) made. */
  inDialog(method: string, cseq: number, extra: Extra = {}, callId = 'in-1'): void {
    const ours = this.sent.findLast(
      (message): message is SipResponse =>
        message.kind === 'response' && headerOf(message, 'Call-ID') === callId && tagIn(headerOf(message, 'To')) !== '',
    )
    const tag = ours === undefined ? '' : tagIn(headerOf(ours, 'To'))
    const fields = { from: '<sip:1002@voice.test>;tag=far', to: `<sip:1001@voice.test>;tag=${tag}`, callId, cseq }
    this.receive(requestOf(method, fields, extra))
  }

  /** The same for a call that the phone placed. */
  inPlaced(method: string, cseq: number, extra: Extra = {}): void {
    const invite = this.request('INVITE')
    const fields = {
      from: '<sip:1002@voice.test>;tag=switch',
      to: headerOf(invite, 'From') ?? '',
      callId: headerOf(invite, 'Call-ID') ?? '',
      cseq,
    }
    this.receive(requestOf(method, fields, extra))
  }

  #take(outputs: readonly UserAgentOutput[]): void {
    for (const output of outputs) {
      if (output.type === 'send') this.sent.push(parse(output.bytes))
      else this.reported.push(output)
    }
  }
}
