import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { selfSigned } from '../../rtp/dtls/certificate.ts'

/** Certificates as a peer may bring them, made by openssl: good ones, and one of each wrong kind. */
const kinds = {
  'P-256': ['ec', 'prime256v1'],
  'P-384': ['ec', 'secp384r1'],
  'P-521': ['ec', 'secp521r1'],
  'RSA 2048': ['rsa', '2048'],
  'RSA 1024': ['rsa', '1024'],
  secp256k1: ['ec', 'secp256k1'],
  brainpoolP256r1: ['ec', 'brainpoolP256r1'],
  Ed25519: ['ed25519', ''],
  expired: ['ec', 'prime256v1'],
  'SHA-1 signature': ['ec', 'prime256v1'],
  'chain of 10': ['ec', 'prime256v1'],
} as const satisfies Readonly<Record<string, readonly [algorithm: string, detail: string]>>
export type CertificateKind = keyof typeof kinds
export const certificateKinds = Object.keys(kinds) as CertificateKind[]

export interface PeerCertificate {
  readonly certificateFile: string
  readonly keyFile: string
  /** Of the first certificate. */
  readonly der: Uint8Array
}

const chainLength = 10

/** Makes each kind once, in this folder. */
export class Certificates {
  readonly folder: string
  readonly #made = new Map<CertificateKind, PeerCertificate>()
  readonly #databases = new Map<CertificateKind, string>()

  constructor(folder: string) {
    this.folder = folder
  }

  of(kind: CertificateKind): PeerCertificate {
    const known = this.#made.get(kind)
    if (known !== undefined) return known
    const made = kind === 'chain of 10' ? this.#chain() : this.#selfSigned(kind, this.#file(kind))
    this.#made.set(kind, made)
    return made
  }

  /** A database of NSS that holds the certificate under the nickname `peer`. */
  nssDatabase(kind: CertificateKind): string {
    const known = this.#databases.get(kind)
    if (known !== undefined) return known
    const { certificateFile, keyFile } = this.of(kind)
    const folder = this.#file(`nss ${kind}`)
    this.#databases.set(kind, `sql:${folder}`)
    const bundle = `${certificateFile}.p12`
    const password = ['-passout', 'pass:sauti', '-name', 'peer']
    openssl('pkcs12', '-export', '-in', certificateFile, '-inkey', keyFile, '-out', bundle, ...password)
    mkdirSync(folder)
    quiet('certutil', '-N', '-d', `sql:${folder}`, '--empty-password')
    quiet('pk12util', '-i', bundle, '-d', `sql:${folder}`, '-W', 'sauti', '-K', '')
    return `sql:${folder}`
  }

  #file(kind: string): string {
    return join(this.folder, kind.replaceAll(' ', '-'))
  }

  #selfSigned(kind: CertificateKind, file: string): PeerCertificate {
    const keyFile = `${file}.key`
    const certificateFile = `${file}.pem`
    const [algorithm, detail] = kinds[kind]
    newKey(keyFile, algorithm, detail)
    const digest = kind === 'Ed25519' ? [] : kind === 'SHA-1 signature' ? ['-sha1'] : ['-sha256']
    const request = ['req', '-new', '-x509', '-key', keyFile, '-subj', '/CN=peer', '-out', certificateFile]
    if (kind === 'expired') writeExpired(certificateFile, keyFile)
    else openssl(...request, ...digest)
    return { certificateFile, keyFile, der: derOf(certificateFile) }
  }

  #chain(): PeerCertificate {
    const file = this.#file('chain-of-10')
    let issuer = this.#selfSigned('P-256', `${file}-1`)
    const issued = [issuer.certificateFile]
    for (let level = 2; level <= chainLength; level++) {
      const keyFile = `${file}-${level}.key`
      const certificateFile = `${file}-${level}.pem`
      newKey(keyFile, 'ec', 'prime256v1')
      openssl('req', '-new', '-key', keyFile, '-subj', `/CN=peer ${level}`, '-out', `${file}.csr`)
      const by = ['-CA', issuer.certificateFile, '-CAkey', issuer.keyFile, '-set_serial', String(level)]
      openssl('x509', '-req', '-in', `${file}.csr`, ...by, '-out', certificateFile)
      issuer = { certificateFile, keyFile, der: derOf(certificateFile) }
      issued.unshift(certificateFile)
    }
    const certificateFile = `${file}.pem`
    copyFileSync(issuer.certificateFile, certificateFile)
    for (const each of issued.slice(1)) appendFileSync(certificateFile, readFileSync(each))
    return { ...issuer, certificateFile }
  }
}

const quiet = (program: string, ...args: readonly string[]): void => {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
const openssl = (...args: readonly string[]): void => quiet('openssl', ...args)
const derOf = (file: string): Uint8Array => new Uint8Array(new X509Certificate(readFileSync(file)).raw)

/** From 2000 to 2010. */
function writeExpired(certificateFile: string, keyFile: string): void {
  const { der, privateKey } = selfSigned(Date.UTC(2000, 0, 1), Uint8Array.of(1, 2, 3))
  const pem = (label: string, bytes: Uint8Array) =>
    `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`
  writeFileSync(certificateFile, pem('CERTIFICATE', der))
  writeFileSync(keyFile, pem('PRIVATE KEY', privateKey))
}

function newKey(file: string, algorithm: string, detail: string): void {
  const options =
    algorithm === 'ec'
      ? ['-algorithm', 'EC', '-pkeyopt', `ec_paramgen_curve:${detail}`]
      : algorithm === 'rsa'
        ? ['-algorithm', 'RSA', '-pkeyopt', `rsa_keygen_bits:${detail}`]
        : ['-algorithm', algorithm]
  openssl('genpkey', ...options, '-out', file)
}
