import { Phone, type PhoneOptions } from '../../../sdk/index.ts'
import { headerOf, type SipRequest } from '../../../sip/index.ts'
import { FakeWebSocket, installBrowser } from './fake-browser.ts'
import { type Extra, parse, requestOf, responseTo, tagIn } from './switch-side.ts'

const encoder = new TextEncoder()
const base64Url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export const claims = {
  iss: 'voice.test',
  sub: 'user-uuid',
  ext: '1001',
  acc: 'account-uuid',
  jti: 'token-uuid',
  max_concurrent: 1,
  iat: 0,
}

export const tokenFor = (more: Record<string, unknown> = {}): string =>
  `${base64Url({ alg: 'HS256' })}.${base64Url({ ...claims, exp: Math.floor(Date.now() / 1000) + 3600, ...more })}.c2ln`

/** Waits for promises and microtasks to settle. */
export const settle = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 5))

/** A Phone among the fakes; the switch answers REGISTER by itself, the test does all else. */
export class SdkPhoneBed {
  readonly phone: Phone
  readonly reported: [name: string, value: unknown][] = []
  /** What REGISTER gets. */
  registerStatus = 200
  registerHeaders: Readonly<Record<string, string>> = {}

  constructor(options: PhoneOptions = {}) {
    installBrowser()
    this.phone = new Phone({ tones: false, ...options })
    const names = ['registered', 'unregistered', 'registrationFailed', 'connected', 'disconnected', 'incoming'] as const
    for (const name of [...names, 'tokenWillExpire', 'devicesChanged'] as const)
      this.phone.on(name, value => this.reported.push([name, value]))
  }

  static async signedIn(options: PhoneOptions = {}): Promise<SdkPhoneBed> {
    const bed = new SdkPhoneBed(options)
    await bed.authenticate()
    return bed
  }

  async authenticate(token = tokenFor()): Promise<void> {
    const done = this.phone.authenticate(token)
    done.catch(() => {})
    await settle()
    this.serve()
    await done
  }

  /** Answers REGISTERs of the newest connection, those sent already too. */
  serve(): void {
    const { socket } = this
    const answer = (text: string) => {
      if (text.startsWith('REGISTER '))
        socket.receive(
          responseTo(parse(encoder.encode(text)) as SipRequest, this.registerStatus, 'Words', {
            headers: this.registerHeaders,
          }),
        )
    }
    for (const text of socket.sent) answer(text)
    socket.onsent = text => queueMicrotask(() => answer(text))
  }

  get socket(): FakeWebSocket {
    const socket = FakeWebSocket.all.at(-1)
    if (socket === undefined) throw new Error('no WebSocket was made')
    return socket
  }

  get events(): string[] {
    return this.reported.map(([name]) => name)
  }

  get lines(): string[] {
    return this.socket.sent.filter(text => text.trim() !== '').map(text => text.split(' ', 2).join(' '))
  }

  request(method: string): SipRequest {
    const text = FakeWebSocket.all.flatMap(socket => socket.sent).findLast(sent => sent.startsWith(`${method} `))
    if (text === undefined) throw new Error(`no ${method} was sent`)
    return parse(encoder.encode(text)) as SipRequest
  }

  reply(method: string, status: number, reason: string, extra: Extra = {}): void {
    const contact = { Contact: '<sip:sauti@switch.test;transport=ws>' }
    this.socket.receive(
      responseTo(this.request(method), status, reason, { ...extra, headers: { ...contact, ...extra.headers } }),
    )
  }

  /** A request of the switch in the dialog of the phone's INVITE. */
  inPlaced(method: string, cseq: number, extra: Extra = {}): void {
    const invite = this.request('INVITE')
    const to = headerOf(invite, 'From') ?? ''
    const callId = headerOf(invite, 'Call-ID') ?? ''
    this.socket.receive(requestOf(method, { from: '<sip:2@voice.test>;tag=switch', to, callId, cseq }, extra))
  }

  incoming(callId = 'in-1'): void {
    const fields = { from: '"Juma" <sip:1002@voice.test>;tag=far', to: '<sip:1001@voice.test>', callId, cseq: 1 }
    this.socket.receive(requestOf('INVITE', fields, { sdp: 'their offer' }))
  }

  /** A request in the dialog of a call that came. */
  inTaken(method: string, cseq: number, extra: Extra = {}, callId = 'in-1'): void {
    const answered = this.socket.sent.findLast(text => text.startsWith('SIP/2.0 ') && text.includes(callId)) ?? ''
    const to = `<sip:1001@voice.test>;tag=${tagIn(/^To: (.*)$/m.exec(answered)?.[1]?.trim())}`
    this.socket.receive(requestOf(method, { from: '<sip:1002@voice.test>;tag=far', to, callId, cseq }, extra))
  }

  close(): void {
    for (const call of this.phone.calls) call.hangup()
    this.phone.unregister()
  }
}
