import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

const loopback = '127.0.0.1'
/** RFC 3261 §17.1.1.2: T1, doubled up to T2, until something comes; given up after 64 × T1. */
const t1Ms = 500
const t2Ms = 4000
const tries = 10
const receiveBuffer = 4 << 20
const digitsPayloadType = 101

/** What a side of the calls offers or takes for audio. `port`: where its RTP comes in; `rtcpPort`: where its RTCP does. */
interface SipAudio {
  readonly port: number
  readonly rtcpPort: number
  readonly codec: 'PCMU' | 'opus'
  /** Packets of this length are asked for (20). */
  readonly packetMs?: number
  /** The address of the media of the nth call. Default: that of SIP. */
  readonly addressOf?: (call: number) => string
}

export interface PlacedCall {
  readonly status: number
  /** From the INVITE to the final response. */
  readonly setUpMs: number
  /** Which call it was, from 0. */
  readonly call: number
  /** Where the switch wants the caller's RTP. */
  readonly remotePort: number
  readonly hangUp: () => Promise<void>
}

interface Waiting {
  readonly resolve: (message: string) => void
  timer: NodeJS.Timeout | undefined
}

/**
 * Callers and a carrier on two UDP sockets, no more of SIP than a load needs: INVITE, ACK, BYE, and an answer of 200 to
 * whatever else the switch asks.
 */
export class SipLoad {
  /** Calls that the carrier was given, by the port where the switch wants its RTP, from 0. */
  onDialled: (remotePort: number, call: number) => void = () => {}
  readonly #switchPort: number
  readonly #callers: Socket
  readonly #carrier: Socket
  readonly #near: SipAudio
  readonly #far: SipAudio
  readonly #waiting = new Map<string, Waiting>()
  /** The carrier's answers, by Call-ID: a repeated INVITE gets the same. */
  readonly #answered = new Map<string, string>()
  readonly #run = Math.random().toString(36).slice(2)
  #calls = 0
  #dialled = 0

  private constructor(switchPort: number, sockets: readonly [Socket, Socket], near: SipAudio, far: SipAudio) {
    this.#switchPort = switchPort
    this.#callers = sockets[0]
    this.#carrier = sockets[1]
    this.#near = near
    this.#far = far
    sockets[0].on('message', bytes => this.#callerReceives(bytes.toString('latin1')))
    sockets[1].on('message', (bytes, from) => this.#carrierReceives(bytes.toString('latin1'), from.port))
  }

  /** `carrierPort`: where the switch's trunk finds the carrier; 0 = any. */
  static async open(switchPort: number, carrierPort: number, near: SipAudio, far: SipAudio): Promise<SipLoad> {
    const sockets = await Promise.all([bound(0), bound(carrierPort)])
    return new SipLoad(switchPort, sockets, near, far)
  }

  get carrierPort(): number {
    return this.#carrier.address().port
  }

  /** Resolves with what became of it; one without any answer has status 408. */
  async call(to: string, from: string): Promise<PlacedCall> {
    const call = this.#calls++
    const id = `${this.#run}-${call}`
    const began = performance.now()
    const answer = await this.#ask(id, 1, this.#request('INVITE', id, 1, to, from, '', '', sdpOf(this.#near, 0, call)))
    const setUpMs = performance.now() - began
    const status = statusOf(answer)
    const toTag = /;tag=([^;\s]+)/.exec(headerOf(answer, 'To'))?.[1] ?? ''
    const contact = /<([^>]+)>/.exec(headerOf(answer, 'Contact'))?.[1] ?? ''
    const acknowledge = () => this.#send(this.#request('ACK', id, 1, to, from, toTag, status < 300 ? contact : '', ''))
    if (status !== 408) acknowledge()
    const hangUp = async () => {
      await this.#ask(id, 2, this.#request('BYE', id, 2, to, from, toTag, contact, ''))
    }
    return { status, setUpMs, call, remotePort: mediaPortOf(answer), hangUp }
  }

  close(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#callers.close()
    this.#carrier.close()
  }

  /** The final response, or one of our own when there is none. */
  #ask(id: string, cseq: number, request: string): Promise<string> {
    const key = `${id} ${cseq}`
    return new Promise(resolve => {
      const waiting: Waiting = { resolve, timer: undefined }
      this.#waiting.set(key, waiting)
      const attempt = (left: number, waitMs: number) => {
        this.#send(request)
        waiting.timer = setTimeout(() => {
          if (left > 0) attempt(left - 1, Math.min(t2Ms, 2 * waitMs))
          else {
            this.#waiting.delete(key)
            resolve('SIP/2.0 408 Request Timeout\r\n\r\n')
          }
        }, waitMs)
      }
      attempt(tries, t1Ms)
    })
  }

  #send(message: string): void {
    this.#callers.send(message, this.#switchPort, loopback)
  }

  #callerReceives(message: string): void {
    const status = statusOf(message)
    if (status === 0) {
      if (!message.startsWith('ACK '))
        this.#callers.send(responseOf(message, '200 OK', '', ''), this.#switchPort, loopback)
      return
    }
    const [cseq = '', method = ''] = headerOf(message, 'CSeq').split(' ')
    const key = `${headerOf(message, 'Call-ID')} ${cseq}`
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) return
    if (status >= 200) {
      clearTimeout(waiting.timer)
      this.#waiting.delete(key)
      waiting.resolve(message)
    } else if (method === 'INVITE') clearTimeout(waiting.timer)
  }

  #carrierReceives(message: string, from: number): void {
    if (statusOf(message) !== 0 || message.startsWith('ACK ')) return
    const reply = (response: string) => this.#carrier.send(response, from, loopback)
    if (!message.startsWith('INVITE ')) {
      reply(responseOf(message, '200 OK', '', ''))
      return
    }
    const id = headerOf(message, 'Call-ID')
    const known = this.#answered.get(id)
    if (known !== undefined) {
      reply(known)
      return
    }
    const call = this.#dialled++
    const payloadType = Number(/a=rtpmap:(\d+) opus\/48000/i.exec(message)?.[1] ?? 96)
    const contact = `<sip:carrier@${loopback}:${this.carrierPort}>`
    const answer = responseOf(message, '200 OK', contact, sdpOf(this.#far, payloadType, call))
    this.#answered.set(id, answer)
    // A load is not long: what is kept of ended calls is forgotten in batches.
    if (this.#answered.size > 20_000) this.#answered.clear()
    this.onDialled(mediaPortOf(message), call)
    reply(responseOf(message, '180 Ringing', contact, ''))
    reply(answer)
  }

  #request(
    method: string,
    id: string,
    cseq: number,
    to: string,
    from: string,
    toTag: string,
    uri: string,
    sdp: string,
  ): string {
    const { port } = this.#callers.address()
    const branch = `z9hG4bK${id}-${cseq}${method === 'ACK' && uri !== '' ? 'ack' : ''}`
    return [
      `${method} ${uri === '' ? `sip:${to}@${loopback}:${this.#switchPort}` : uri} SIP/2.0`,
      `Via: SIP/2.0/UDP ${loopback}:${port};branch=${branch}`,
      'Max-Forwards: 70',
      `From: <sip:${from}@${loopback}>;tag=${id}`,
      `To: <sip:${to}@${loopback}>${toTag === '' ? '' : `;tag=${toTag}`}`,
      `Call-ID: ${id}`,
      `CSeq: ${cseq} ${method}`,
      `Contact: <sip:${from}@${loopback}:${port}>`,
      ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${sdp.length}`,
      '',
      sdp,
    ].join('\r\n')
  }
}

async function bound(port: number): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: receiveBuffer })
  socket.bind(port, loopback)
  await once(socket, 'listening')
  return socket
}

const statusOf = (message: string): number => (message.startsWith('SIP/2.0 ') ? Number(message.slice(8, 11)) : 0)
const headerOf = (message: string, name: string): string => {
  const from = message.indexOf(`\r\n${name}: `)
  return from < 0 ? '' : message.slice(from + name.length + 4, message.indexOf('\r\n', from + 2)).trim()
}
const mediaPortOf = (message: string): number => Number(/^m=audio (\d+)/m.exec(message)?.[1] ?? 0)

function responseOf(request: string, status: string, contact: string, sdp: string): string {
  const [head = ''] = request.split('\r\n\r\n')
  const kept = head.split('\r\n').filter(line => /^(Via|From|Call-ID|CSeq|Record-Route): /i.test(line))
  const to = headerOf(request, 'To')
  return [
    `SIP/2.0 ${status}`,
    ...kept,
    `To: ${to}${to.includes(';tag=') ? '' : ';tag=carrier'}`,
    ...(contact === '' ? [] : [`Contact: ${contact}`]),
    ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${sdp.length}`,
    '',
    sdp,
  ].join('\r\n')
}

function sdpOf(
  { port, rtcpPort, codec, packetMs = 20, addressOf }: SipAudio,
  opusPayloadType: number,
  call: number,
): string {
  const address = addressOf?.(call) ?? loopback
  const type = codec === 'PCMU' ? 0 : opusPayloadType
  return [
    'v=0',
    `o=- 7 1 IN IP4 ${loopback}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP ${type} ${digitsPayloadType}`,
    codec === 'PCMU' ? 'a=rtpmap:0 PCMU/8000' : `a=rtpmap:${type} opus/48000/2`,
    `a=rtpmap:${digitsPayloadType} telephone-event/${codec === 'PCMU' ? 8000 : 48_000}`,
    `a=ptime:${packetMs}`,
    `a=rtcp:${rtcpPort}`,
    '',
  ].join('\r\n')
}
