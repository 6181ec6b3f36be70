import { randomBytes } from 'node:crypto'
import { DtlsAssociation, type DtlsOptions } from '../../rtp/dtls/association.ts'
import { type DtlsCertificate, type Fingerprint, selfSigned } from '../../rtp/dtls/certificate.ts'
import type { SrtpProfile } from '../../rtp/srtp/profile.ts'

const certificates = [1, 2, 3].map(n => selfSigned(1_800_000_000_000, Uint8Array.of(n, 2, 3, 4)))
export const [ours, theirs, unrelated] = certificates as [DtlsCertificate, DtlsCertificate, DtlsCertificate]
export const named = ({ fingerprint: value }: DtlsCertificate): Fingerprint[] => [{ algorithm: 'sha-256', value }]

export interface Flying {
  readonly to: 'client' | 'server'
  readonly datagram: Uint8Array
}

/** Two ends in virtual time; `pass` says what becomes of a datagram. */
export class Pair {
  readonly client: DtlsAssociation
  readonly server: DtlsAssociation
  now = 0
  sent = 0
  /** Every ms. */
  between: () => void = () => {}
  pass: (flying: Flying, nth: number) => readonly Uint8Array[] = ({ datagram }) => [datagram]
  #flying: Flying[] = []

  constructor(client: Partial<DtlsOptions> = {}, server: Partial<DtlsOptions> = {}) {
    const usual = { profiles: ['AES_CM_128_HMAC_SHA1_80'] as SrtpProfile[], randomBytes }
    const send = (to: Flying['to']) => (datagram: Uint8Array) => {
      this.#flying.push({ to, datagram })
    }
    this.client = new DtlsAssociation(
      { role: 'client', certificate: theirs, fingerprints: named(ours), send: send('server'), ...usual, ...client },
      0,
    )
    this.server = new DtlsAssociation(
      { role: 'server', certificate: ours, fingerprints: named(theirs), send: send('client'), ...usual, ...server },
      0,
    )
    this.client.start(0)
  }

  run(ms = 5000): this {
    for (const until = this.now + ms; this.now < until; this.now += 10) {
      for (const flying of this.#flying.splice(0)) {
        for (const datagram of this.pass(flying, this.sent++)) {
          this[flying.to].receive(datagram, datagram.length, this.now)
        }
      }
      for (let ms = 0; ms < 10; ms++) this.between()
      this.client.tick(this.now)
      this.server.tick(this.now)
    }
    return this
  }

  get states() {
    return [this.client.state, this.server.state]
  }
}

export const both = (state: string) => [state, state]
