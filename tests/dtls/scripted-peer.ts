import { randomBytes } from 'node:crypto'
import { DtlsAssociation, type DtlsOptions } from '../../rtp/dtls/association.ts'
import { type DtlsCertificate, fingerprintOf, selfSigned } from '../../rtp/dtls/certificate.ts'
import { ClientHandshake } from '../../rtp/dtls/client-handshake.ts'
import type { FlightPart, Handshake } from '../../rtp/dtls/handshake.ts'
import { fragmentsOf, handshakeTypes, Reassembly } from '../../rtp/dtls/handshake-message.ts'
import { contentTypes, recordsOf, writeRecord } from '../../rtp/dtls/record.ts'
import { ServerHandshake } from '../../rtp/dtls/server-handshake.ts'
import type { SrtpProfile } from '../../rtp/srtp/profile.ts'

const certificates = [1, 2].map(n => selfSigned(1_800_000_000_000, Uint8Array.of(n, 7, 7, 7)))
const [own, itsUsual] = certificates as [DtlsCertificate, DtlsCertificate]

/** How a peer departs from the protocol. What it sends is in its own transcript, so that nothing else is wrong. */
export interface Script {
  /** Its role; ours is the other. */
  readonly role: 'client' | 'server'
  /** By type of message: another body, or `undefined` for a message that is left out. */
  readonly alter?: Readonly<Record<number, (body: Uint8Array, shared: Handshake) => Uint8Array | undefined>>
  readonly certificate?: DtlsCertificate
  /** A record of a flight, as it is sent. */
  readonly record?: (part: FlightPart) => FlightPart
}

/** A handshake in virtual time between our association and a peer that does what its script says. */
export class ScriptedPair {
  readonly ours: DtlsAssociation
  readonly side: ClientHandshake | ServerHandshake
  now = 0
  /** Datagrams of ours. */
  readonly received: Uint8Array[] = []
  #queue: Uint8Array[] = []
  readonly #messages = new Reassembly()
  readonly #script: Script
  readonly #sent = [0, 0]
  #flight: readonly FlightPart[] = []
  #flightAt = 0

  constructor(script: Script, options: Partial<DtlsOptions> = {}) {
    this.#script = script
    const usual = { profiles: ['AES_CM_128_HMAC_SHA1_80'] as SrtpProfile[], randomBytes }
    const certificate = script.certificate ?? itsUsual
    this.ours = new DtlsAssociation(
      {
        role: script.role === 'client' ? 'server' : 'client',
        certificate: own,
        fingerprints: [{ algorithm: 'sha-256', value: fingerprintOf(certificate.der, 'sha-256') ?? '' }],
        send: datagram => this.#queue.push(datagram),
        ...usual,
        ...options,
      },
      0,
    )
    const itsOptions = { ...usual, certificate, fingerprints: [{ algorithm: 'sha-256', value: own.fingerprint }] }
    const side = script.role === 'client' ? new ClientHandshake(itsOptions) : new ServerHandshake(itsOptions)
    this.side = side
    const { shared } = side
    const write = shared.write.bind(shared)
    shared.write = (type, body, epoch = 0) => {
      const alter = script.alter?.[type]
      const altered = alter === undefined ? body : alter(body, shared)
      if (altered === undefined) return { type: leftOut, epoch, content: new Uint8Array(0) }
      return write(type, altered, epoch)
    }
  }

  run(ms = 3000): this {
    if (this.now === 0) {
      this.ours.start(0)
      if (this.side instanceof ClientHandshake) this.side.start(flight => this.#fly(flight))
    }
    for (const until = this.now + ms; this.now < until; this.now += 10) {
      for (const datagram of this.#queue.splice(0)) {
        this.received.push(datagram)
        this.#read(datagram)
      }
      this.ours.tick(this.now)
      if (this.now - this.#flightAt >= 500) this.#fly(this.#flight)
    }
    return this
  }

  /** Sends a record that is none of the handshake's; sealed for epoch 1. Returns its bytes. */
  send(type: number, epoch: 0 | 1, content: Uint8Array): Uint8Array {
    const bytes = this.#record({ type, epoch, content })
    this.deliver(bytes)
    return bytes
  }

  deliver(bytes: Uint8Array): void {
    this.ours.receive(bytes, bytes.length, this.now)
  }

  /** Alerts of ours that the peer can read, by level and description. */
  get alerts(): string[] {
    const cipher = this.side.shared.established?.read
    return this.received.flatMap(datagram =>
      recordsOf(datagram)
        .filter(record => record.type === contentTypes.alert)
        .map(record => (record.epoch === 0 ? record.fragment : cipher?.open(record))?.join(' ') ?? 'unreadable'),
    )
  }

  #read(datagram: Uint8Array): void {
    for (const record of recordsOf(datagram)) {
      const cipher = this.side.shared.established?.read
      const plain = record.epoch === 0 ? record.fragment : cipher?.open(record)
      if (plain === undefined || record.type !== contentTypes.handshake) continue
      for (const fragment of fragmentsOf(plain)) this.#messages.add(fragment)
      for (let next = this.#messages.peek(); next !== undefined; next = this.#messages.peek()) {
        if (this.side.take(next, flight => this.#fly(flight)) === 'refused') this.#messages.refuse()
        else this.#messages.took()
      }
    }
  }

  #fly(flight: readonly FlightPart[]): void {
    this.#flight = flight
    this.#flightAt = this.now
    for (const part of flight) {
      if (part.type !== leftOut) this.deliver(this.#record(this.#script.record?.(part) ?? part))
    }
  }

  #record({ type, epoch, content }: FlightPart): Uint8Array {
    const sequence = this.#sent[epoch]!
    this.#sent[epoch] = sequence + 1
    const cipher = this.side.shared.established?.write
    const sealed = epoch === 1 && cipher !== undefined ? cipher.seal(type, epoch, sequence, content) : content
    return writeRecord(type, epoch, sequence, sealed)
  }
}

/** No content type. */
const leftOut = -1

export { handshakeTypes, own }
