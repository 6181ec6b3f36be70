import type { SrtpProfile } from '../srtp/profile.ts'
import { type FlightPart, Handshake, type HandshakeOptions, type Step } from './handshake.ts'
import { type HandshakeMessage, handshakeTypes } from './handshake-message.ts'
import { randomLength, readServerHello, secp256r1, signatureSchemes, writeClientHello } from './hello.ts'
import { KeyShare, type Randoms, signed } from './secrets.ts'
import { concat, uint, vector, WireReader } from './wire.ts'

type ClientState =
  | 'server-hello'
  | 'certificate'
  | 'key-exchange'
  | 'request-or-done'
  | 'done'
  | 'finished'
  | 'connected'

/** RFC 5246 figure 1 from the client's side, with the cookie of RFC 6347 §4.2.1: what may come, and what comes then. */
const steps: Readonly<Record<ClientState, Readonly<Record<number, ClientState>>>> = {
  'server-hello': {
    [handshakeTypes.helloVerifyRequest]: 'server-hello',
    [handshakeTypes.serverHello]: 'certificate',
  },
  certificate: { [handshakeTypes.certificate]: 'key-exchange' },
  'key-exchange': { [handshakeTypes.serverKeyExchange]: 'request-or-done' },
  'request-or-done': { [handshakeTypes.certificateRequest]: 'done', [handshakeTypes.serverHelloDone]: 'finished' },
  done: { [handshakeTypes.serverHelloDone]: 'finished' },
  finished: { [handshakeTypes.newSessionTicket]: 'finished', [handshakeTypes.finished]: 'connected' },
  connected: {},
}

const namedCurve = 3
/** A server asks once; a second time when its secret has changed meanwhile. More would make us say hello without end. */
const mostCookies = 3

type Send = (flight: readonly FlightPart[]) => void

/** The active side. */
export class ClientHandshake {
  readonly shared: Handshake
  state: ClientState = 'server-hello'
  readonly #random: Uint8Array
  readonly #share = new KeyShare()
  #randoms: Randoms | undefined
  #profile: SrtpProfile | undefined
  #cookies = 0
  #isAsked = false
  #remotePoint = new Uint8Array(0)

  constructor(options: HandshakeOptions) {
    this.shared = new Handshake('client', options)
    this.#random = options.randomBytes(randomLength)
  }

  start(send: Send): void {
    this.#hello(new Uint8Array(0), send)
  }

  /** Back to the hello that was sent last. Returns the number of the message that answers it, if we are not past it. */
  rewind(): number | undefined {
    const { shared } = this
    if (this.state === 'finished' || this.state === 'connected') return undefined
    this.state = 'server-hello'
    shared.transcript.length = 1
    shared.remote = undefined
    this.#isAsked = false
    return shared.sequence - 1
  }

  take(message: HandshakeMessage, send: Send): Step {
    const next = steps[this.state][message.type]
    if (next === undefined) return this.shared.refuse(`message ${message.type} out of turn`)
    const taken = this.#run(message, send)
    if (taken !== 'refused') this.state = next
    return taken
  }

  #run(message: HandshakeMessage, send: Send): Step {
    const { shared } = this
    switch (message.type) {
      case handshakeTypes.helloVerifyRequest: {
        const reader = new WireReader(message.body, 2)
        const cookie = reader.vector(1)
        if (reader.isBroken || !reader.isAtEnd) return shared.refuse('no cookie')
        if (this.#cookies === mostCookies) return shared.refuse('another cookie, again')
        this.#cookies++
        // RFC 6347 §4.2.1: neither the first hello nor this is in the transcript.
        shared.transcript = []
        this.#hello(cookie, send)
        return 'taken'
      }
      case handshakeTypes.serverHello:
        return this.#takeHello(message)
      case handshakeTypes.certificate:
        return shared.takeCertificate(message)
      case handshakeTypes.serverKeyExchange:
        return this.#takeKeyExchange(message)
      case handshakeTypes.certificateRequest:
        this.#isAsked = true
        shared.transcript.push(message.whole)
        return 'taken'
      case handshakeTypes.serverHelloDone:
        shared.transcript.push(message.whole)
        return this.#answer(send)
      case handshakeTypes.newSessionTicket:
        shared.transcript.push(message.whole)
        return 'taken'
      case handshakeTypes.finished:
        return shared.takeFinished(message) === 'refused' ? 'refused' : 'connected'
      default:
        return 'refused'
    }
  }

  #hello(cookie: Uint8Array, send: Send): void {
    const { shared } = this
    send([shared.write(handshakeTypes.clientHello, writeClientHello(this.#random, cookie, shared.options.profiles))])
  }

  #takeHello(message: HandshakeMessage): Step {
    const { shared } = this
    const hello = readServerHello(message.body, shared.options.profiles)
    if (hello === undefined) return shared.refuse('a hello that has nothing in common with us')
    this.#randoms = { client: this.#random, server: hello.random }
    this.#profile = hello.profile
    shared.transcript.push(message.whole)
    return 'taken'
  }

  /** The key share is the certificate's owner's, and made for this handshake. */
  #takeKeyExchange(message: HandshakeMessage): Step {
    const { shared } = this
    const { body } = message
    const reader = new WireReader(body)
    const type = reader.number(1)
    const curve = reader.number(2)
    const point = reader.vector(1)
    const scheme = reader.number(2)
    const signature = reader.vector(2)
    if (reader.isBroken || !reader.isAtEnd || type !== namedCurve || curve !== secp256r1) {
      return shared.refuse('another curve than ours')
    }
    const parameters = body.subarray(0, 4 + point.length)
    const isReal =
      this.#randoms !== undefined &&
      shared.isSigned(scheme, signature, this.#randoms.client, this.#randoms.server, parameters)
    if (!isReal) return shared.refuse('the key share is not signed by the certificate')
    this.#remotePoint = point.slice()
    shared.transcript.push(message.whole)
    return 'taken'
  }

  #answer(send: Send): Step {
    const { shared } = this
    const premaster = this.#share.agree(this.#remotePoint)
    if (premaster === undefined || this.#randoms === undefined || this.#profile === undefined) {
      return shared.refuse('no point of the curve')
    }
    const flight: FlightPart[] = []
    if (this.#isAsked) flight.push(shared.writeCertificate())
    flight.push(shared.write(handshakeTypes.clientKeyExchange, vector(1, this.#share.point)))
    shared.establish(premaster, this.#randoms, this.#profile)
    if (this.#isAsked) {
      const signature = signed(shared.options.certificate, ...shared.transcript)
      const body = concat(uint(signatureSchemes.ecdsaSha256, 2), vector(2, signature))
      flight.push(shared.write(handshakeTypes.certificateVerify, body))
    }
    send([...flight, ...shared.finish()])
    return 'taken'
  }
}
