import type { X509Certificate } from 'node:crypto'
import type { SrtpKeys, SrtpProfile } from '../srtp/profile.ts'
import { type DtlsCertificate, type Fingerprint, isNamed } from './certificate.ts'
import { type HandshakeMessage, handshakeMessage, handshakeTypes } from './handshake-message.ts'
import { contentTypes } from './record.ts'
import type { RecordCipher } from './record-cipher.ts'
import {
  isSignedBy,
  masterSecretOf,
  type Randoms,
  readCertificate,
  recordCiphersOf,
  srtpKeysOf,
  verifyDataOf,
} from './secrets.ts'
import { sameSecret, uint, vector, WireReader } from './wire.ts'

export type DtlsRole = 'client' | 'server'

export interface HandshakeOptions {
  readonly certificate: DtlsCertificate
  /** Fingerprints of the remote's certificate, as SDP named them. */
  readonly fingerprints: readonly Fingerprint[]
  /** What we would protect media with, best first. */
  readonly profiles: readonly SrtpProfile[]
  randomBytes(length: number): Uint8Array
}

/** A record of a flight, kept to be sent again. */
export interface FlightPart {
  readonly type: number
  readonly epoch: 0 | 1
  readonly content: Uint8Array
}

/** `refused`: not the message that is expected now, or forged; the real one is still accepted. */
export type Step = 'refused' | 'taken' | 'connected'

interface Established {
  readonly read: RecordCipher
  readonly write: RecordCipher
  readonly local: SrtpKeys
  readonly remote: SrtpKeys
}

const other = (role: DtlsRole): DtlsRole => (role === 'client' ? 'server' : 'client')

/** What both sides of a handshake keep: the transcript, the secrets, whose certificate the other one holds. */
export class Handshake {
  readonly options: HandshakeOptions
  readonly role: DtlsRole
  /** The keys, from the key exchange on. */
  established: Established | undefined
  /** What made the last message be refused, for who wonders why nothing came of it. */
  refusal: string | undefined
  transcript: Uint8Array[] = []
  remote: X509Certificate | undefined
  /** Signatures that were verified: each costs work, also for a forged message. */
  verified = 0
  /** The number of our next message. */
  sequence = 0
  #master: Uint8Array | undefined

  constructor(role: DtlsRole, options: HandshakeOptions) {
    this.role = role
    this.options = options
  }

  refuse(why: string): 'refused' {
    this.refusal = why
    return 'refused'
  }

  /** A message of ours, in the transcript from now on. */
  write(type: number, body: Uint8Array, epoch: 0 | 1 = 0): FlightPart {
    const { whole } = handshakeMessage(type, this.sequence++, body)
    this.transcript.push(whole)
    return { type: contentTypes.handshake, epoch, content: whole }
  }

  writeCertificate(): FlightPart {
    return this.write(handshakeTypes.certificate, vector(3, vector(3, this.options.certificate.der)))
  }

  /** The remote's certificate must be one that SDP named (RFC 5763 §5). */
  takeCertificate(message: HandshakeMessage): Step {
    const chain = new WireReader(new WireReader(message.body).vector(3))
    const der = chain.vector(3)
    if (chain.isBroken || der.length === 0) return this.refuse('no certificate')
    if (!isNamed(der, this.options.fingerprints)) return this.refuse('another certificate than the fingerprint names')
    const certificate = readCertificate(der.slice())
    if (certificate === undefined) return this.refuse('a certificate whose key cannot be read, or is weak')
    this.remote = certificate
    this.transcript.push(message.whole)
    return 'taken'
  }

  /** True when the remote's certificate has signed `parts`. */
  isSigned(scheme: number, signature: Uint8Array, ...parts: readonly Uint8Array[]): boolean {
    if (this.remote === undefined) return false
    this.verified++
    return isSignedBy(this.remote, scheme, signature, ...parts)
  }

  /** Both key shares are known, and the ClientKeyExchange is in the transcript. */
  establish(premaster: Uint8Array, randoms: Randoms, profile: SrtpProfile): void {
    const master = masterSecretOf(premaster, this.transcript)
    const ciphers = recordCiphersOf(master, randoms)
    const keys = srtpKeysOf(master, randoms, profile)
    this.#master = master
    this.established = {
      read: ciphers[other(this.role)],
      write: ciphers[this.role],
      local: keys[this.role],
      remote: keys[other(this.role)],
    }
  }

  /** ChangeCipherSpec and Finished. */
  finish(): FlightPart[] {
    const data = this.#master === undefined ? uint(0, 1) : verifyDataOf(this.role, this.#master, this.transcript)
    return [
      { type: contentTypes.changeCipherSpec, epoch: 0, content: uint(1, 1) },
      this.write(handshakeTypes.finished, data, 1),
    ]
  }

  /** The remote's Finished proves that both have seen the same handshake. */
  takeFinished({ body, whole }: HandshakeMessage): Step {
    if (this.#master === undefined) return this.refuse('finished before it began')
    if (!sameSecret(body, verifyDataOf(other(this.role), this.#master, this.transcript))) {
      return this.refuse('the two ends have not seen the same handshake')
    }
    this.transcript.push(whole)
    return 'taken'
  }
}
