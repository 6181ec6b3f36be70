import { type FlightPart, Handshake, type HandshakeOptions, type Step } from './handshake.ts'
import { type HandshakeMessage, handshakeTypes } from './handshake-message.ts'
import {
  acceptedSchemes,
  type ClientHello,
  randomLength,
  readClientHello,
  secp256r1,
  signatureSchemes,
  writeServerHello,
} from './hello.ts'
import { KeyShare, type Randoms, signed } from './secrets.ts'
import { concat, uint, vector, WireReader } from './wire.ts'

type ServerState = 'hello' | 'certificate' | 'key-exchange' | 'verify' | 'finished' | 'connected'

/** RFC 5246 figure 1 from the server's side: what is to come, and what comes then. */
const steps: Readonly<Record<ServerState, readonly [expected: number, next: ServerState] | undefined>> = {
  hello: [handshakeTypes.clientHello, 'certificate'],
  certificate: [handshakeTypes.certificate, 'key-exchange'],
  'key-exchange': [handshakeTypes.clientKeyExchange, 'verify'],
  verify: [handshakeTypes.certificateVerify, 'finished'],
  finished: [handshakeTypes.finished, 'connected'],
  connected: undefined,
}

const namedCurve = 3
/** ClientCertificateType (RFC 5246 §7.4.4, RFC 8422 §5.5). */
const certificateTypes = Uint8Array.of(64, 1)

/** The passive side (RFC 5763 §5), from the hello that is to be answered. */
export class ServerHandshake {
  readonly shared: Handshake
  state: ServerState = 'hello'
  #hello: ClientHello | undefined
  #share: KeyShare | undefined
  #randoms: Randoms | undefined
  readonly #firstSequence: number

  /** Messages in the transcript when our flight is out. */
  #flightEnd = 0

  /** `firstSequence`: 1 for a hello that followed a HelloVerifyRequest. */
  constructor(options: HandshakeOptions, firstSequence = 0) {
    this.shared = new Handshake('server', options)
    this.shared.sequence = firstSequence
    this.#firstSequence = firstSequence
  }

  /**
   * Returns to the state in which our flight is to be answered, with the number of the message that answers it. Only
   * for a proof that fails: its keys may have been forged.
   */
  rewind(refused: number): number | undefined {
    const { shared } = this
    if (this.state !== 'verify' || refused !== handshakeTypes.certificateVerify) return undefined
    this.state = 'certificate'
    shared.transcript.length = this.#flightEnd
    shared.remote = undefined
    shared.established = undefined
    return this.#firstSequence + 1
  }

  /** `send` gets a flight when the message ends one of the remote's. */
  take(message: HandshakeMessage, send: (flight: readonly FlightPart[]) => void): Step {
    const step = steps[this.state]
    if (step === undefined || message.type !== step[0]) return this.shared.refuse(`message ${message.type} out of turn`)
    const taken = this.#run(this.state, message, send)
    if (taken !== 'refused') this.state = step[1]
    return taken
  }

  #run(state: ServerState, message: HandshakeMessage, send: (flight: readonly FlightPart[]) => void): Step {
    const { shared } = this
    switch (state) {
      case 'hello':
        return this.#takeHello(message, send)
      case 'certificate':
        return shared.takeCertificate(message)
      case 'key-exchange':
        return this.#takeKeyExchange(message)
      case 'verify':
        return this.#takeVerify(message)
      case 'finished':
        if (shared.takeFinished(message) === 'refused') return 'refused'
        send(shared.finish())
        return 'connected'
      case 'connected':
        return 'refused'
    }
  }

  #takeHello(message: HandshakeMessage, send: (flight: readonly FlightPart[]) => void): Step {
    const { shared } = this
    const { options } = shared
    const hello = readClientHello(message.body, options.profiles)
    if (hello === undefined) return shared.refuse('a hello that has nothing in common with us')
    const randoms = { client: hello.random, server: options.randomBytes(randomLength) }
    this.#hello = hello
    this.#share = new KeyShare()
    this.#randoms = randoms
    shared.transcript.push(message.whole)
    const parameters = concat(uint(namedCurve, 1), uint(secp256r1, 2), vector(1, this.#share.point))
    const signature = signed(options.certificate, randoms.client, randoms.server, parameters)
    const schemes = vector(2, ...acceptedSchemes.map(scheme => uint(scheme, 2)))
    send([
      shared.write(handshakeTypes.serverHello, writeServerHello(randoms.server, hello)),
      shared.writeCertificate(),
      shared.write(
        handshakeTypes.serverKeyExchange,
        concat(parameters, uint(signatureSchemes.ecdsaSha256, 2), vector(2, signature)),
      ),
      shared.write(handshakeTypes.certificateRequest, concat(vector(1, certificateTypes), schemes, vector(2))),
      shared.write(handshakeTypes.serverHelloDone, vector(1).subarray(1)),
    ])
    this.#flightEnd = shared.transcript.length
    return 'taken'
  }

  #takeKeyExchange(message: HandshakeMessage): Step {
    const { shared } = this
    const reader = new WireReader(message.body)
    const premaster = this.#share?.agree(reader.vector(1))
    const isWhole = !reader.isBroken && reader.isAtEnd
    if (!isWhole || premaster === undefined || this.#randoms === undefined || this.#hello === undefined) {
      return shared.refuse('no point of the curve')
    }
    shared.transcript.push(message.whole)
    shared.establish(premaster, this.#randoms, this.#hello.profile)
    return 'taken'
  }

  /**
   * Proves that the sender of the certificate has its key: otherwise anyone who saw the certificate could be the
   * remote.
   */
  #takeVerify(message: HandshakeMessage): Step {
    const { shared } = this
    const reader = new WireReader(message.body)
    const scheme = reader.number(2)
    const signature = reader.vector(2)
    const isReal = !reader.isBroken && reader.isAtEnd && shared.isSigned(scheme, signature, ...shared.transcript)
    if (!isReal) return shared.refuse('the certificate is not its sender’s')
    shared.transcript.push(message.whole)
    return 'taken'
  }
}
