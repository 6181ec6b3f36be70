import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Peer, packagesFor } from '../rig/beds/debian.ts'
import type { CertificateKind, Certificates } from './certificates.ts'

/** The four libraries that our DTLS is held against. */
export const libraries = ['OpenSSL', 'GnuTLS', 'mbedTLS', 'NSS'] as const
export type Library = (typeof libraries)[number]

export interface PeerOptions {
  readonly certificate?: CertificateKind | 'none'
  /** Of the program's own naming. */
  readonly suite?: string
  readonly curve?: string
  readonly profile?: 'CM_80' | 'CM_32' | 'GCM' | 'none'
  /** Of the link, as far as the program believes. */
  readonly mtu?: number
  readonly dtls10?: boolean
  readonly noExtendedMasterSecret?: boolean
  /** A server asks for a cookie before it answers a hello (RFC 6347 §4.2.1). */
  readonly asksCookie?: boolean
  /** It says goodbye after the handshake. */
  readonly closes?: boolean
  /** It begins another handshake within the first (RFC 5246 §7.4.1.1). */
  readonly renegotiates?: boolean
}

export interface CommandLine {
  readonly program: string
  readonly args: readonly string[]
  /** Written to its standard input once it is connected. */
  readonly inputWhenConnected?: string
}

export interface Ports {
  /** Where the program sends to. */
  readonly ours: number
  readonly its: number
}

/** The label of RFC 5764 §4.2, and bytes of keys and salts of both directions. */
const [label, material] = ['EXTRACTOR-dtls_srtp', '60']

/** What is missing on this machine for a library: its packages, or nothing. */
export function missingFor(library: Library): readonly string[] {
  const wanted: Readonly<Record<Library, readonly Peer[]>> = {
    OpenSSL: ['openssl'],
    GnuTLS: ['openssl', 'gnutls-cli'],
    mbedTLS: ['openssl', 'cc', 'mbedtls-headers'],
    NSS: ['openssl', 'cc', 'nss-headers', 'certutil'],
  }
  return packagesFor(wanted[library])
}

/** Programs of the libraries; those of mbedTLS and NSS are built from the sources beside this file, when they are first needed. */
export class Programs {
  readonly #certificates: Certificates
  readonly #built = new Map<string, string>()

  constructor(certificates: Certificates) {
    this.#certificates = certificates
  }

  version(library: Library): string {
    const [program, argument] = {
      OpenSSL: ['openssl', 'version'],
      GnuTLS: ['gnutls-cli', '--version'],
      mbedTLS: [library === 'mbedTLS' ? this.#build('mbedtls-peer') : '', '--version'],
      NSS: [library === 'NSS' ? this.#build('nss-peer') : '', '--version'],
    }[library] as [string, string]
    return /\d+(\.\d+)+/.exec(execFileSync(program, [argument], { encoding: 'utf8' }))?.[0] ?? 'unknown'
  }

  command(library: Library, role: 'client' | 'server', ports: Ports, options: PeerOptions): CommandLine {
    switch (library) {
      case 'OpenSSL':
        return this.#openssl(role, ports, options)
      case 'GnuTLS':
        return this.#gnutls(role, ports, options)
      case 'mbedTLS':
        return this.#mbedtls(role, ports, options)
      case 'NSS':
        return this.#nss(role, ports, options)
    }
  }

  #openssl(role: 'client' | 'server', { ours, its }: Ports, options: PeerOptions): CommandLine {
    const { certificate = 'P-256', profile = 'CM_80' } = options
    const args = [
      options.dtls10 ? '-dtls1' : '-dtls1_2',
      '-timeout',
      '-keymatexport',
      label,
      '-keymatexportlen',
      material,
    ]
    // DTLS 1.0 signs with SHA-1, short keys are weak: only a program with that option does it.
    const weak = options.dtls10 === true || certificate === 'RSA 1024' || certificate === 'SHA-1 signature'
    const suite = options.suite ?? 'DEFAULT'
    args.push('-cipher', weak ? `${suite}:@SECLEVEL=0` : suite)
    if (certificate !== 'none') args.push(...this.#pemOf(certificate, '-cert', '-key', '-cert_chain'))
    if (options.curve !== undefined) args.push('-groups', options.curve)
    const profiles = { CM_80: 'SRTP_AES128_CM_SHA1_80', CM_32: 'SRTP_AES128_CM_SHA1_32', GCM: 'SRTP_AEAD_AES_128_GCM' }
    if (profile !== 'none') args.push('-use_srtp', profiles[profile])
    if (options.mtu !== undefined) args.push('-mtu', String(options.mtu))
    if (role === 'client') {
      const input = options.renegotiates ? 'R\n' : options.closes ? 'Q\n' : undefined
      const inputWhenConnected = input === undefined ? {} : { inputWhenConnected: input }
      return { program: 'openssl', args: ['s_client', '-connect', `127.0.0.1:${ours}`, ...args], ...inputWhenConnected }
    }
    args.push('-accept', `127.0.0.1:${its}`, '-Verify', '20')
    if (options.asksCookie) args.push('-listen')
    const inputWhenConnected = options.renegotiates ? { inputWhenConnected: 'r\n' } : {}
    return { program: 'openssl', args: ['s_server', ...args], ...inputWhenConnected }
  }

  #gnutls(role: 'client' | 'server', { ours, its }: Ports, options: PeerOptions): CommandLine {
    const { certificate = 'P-256', profile = 'CM_80' } = options
    const version = options.dtls10 ? '-VERS-ALL:+VERS-DTLS1.0' : '-VERS-ALL:+VERS-DTLS1.2'
    const isWeak = options.dtls10 === true || certificate === 'RSA 1024' || certificate === 'SHA-1 signature'
    const base = isWeak ? 'LEGACY:%VERIFY_ALLOW_BROKEN' : 'NORMAL'
    const priority = [base, version]
    if (options.suite !== undefined) priority.push(options.suite)
    if (options.curve !== undefined) priority.push(`-GROUP-ALL:+GROUP-${options.curve}`)
    if (options.noExtendedMasterSecret) priority.push('%NO_SESSION_HASH')
    const profiles = { CM_80: 'SRTP_AES128_CM_HMAC_SHA1_80', CM_32: 'SRTP_AES128_CM_HMAC_SHA1_32', GCM: '' }
    const args = ['--udp', `--priority=${priority.join(':')}`]
    if (profile !== 'none') args.push(`--srtp-profiles=${profiles[profile]}`)
    args.push(`--keymatexport=${label}`, `--keymatexportsize=${material}`)
    if (options.mtu !== undefined) args.push(`--mtu=${options.mtu}`)
    if (certificate !== 'none') args.push(...this.#pemOf(certificate, '--x509certfile', '--x509keyfile'))
    if (role === 'server') {
      return { program: 'gnutls-serv', args: [...args, '--require-client-cert', `--port=${its}`] }
    }
    if (options.renegotiates) args.push('--rehandshake')
    return { program: 'gnutls-cli', args: [...args, '--insecure', `--port=${ours}`, '127.0.0.1'] }
  }

  #mbedtls(role: 'client' | 'server', { ours, its }: Ports, options: PeerOptions): CommandLine {
    const { certificate = 'P-256' } = options
    const files = certificate === 'none' ? ['-', '-'] : this.#pemOf(certificate, '', '').filter(part => part !== '')
    const args = [role, String(its), String(ours), ...files, ...named(options)]
    return { program: this.#build('mbedtls-peer'), args }
  }

  #nss(role: 'client' | 'server', { ours, its }: Ports, options: PeerOptions): CommandLine {
    const { certificate = 'P-256' } = options
    const database = this.#certificates.nssDatabase(certificate === 'none' ? 'P-256' : certificate)
    const nickname = certificate === 'none' ? 'nobody' : 'peer'
    return {
      program: this.#build('nss-peer'),
      args: [role, String(its), String(ours), database, nickname, ...named(options)],
    }
  }

  #pemOf(kind: CertificateKind, certificate: string, key: string, chain?: string): string[] {
    const { certificateFile, keyFile } = this.#certificates.of(kind)
    const rest = chain !== undefined && kind === 'chain of 10' ? [chain, certificateFile] : []
    return [certificate, certificateFile, key, keyFile, ...rest]
  }

  #build(name: 'mbedtls-peer' | 'nss-peer'): string {
    const known = this.#built.get(name)
    if (known !== undefined) return known
    const program = join(this.#certificates.folder, name)
    const source = new URL(`${name}.c`, import.meta.url).pathname
    const libraries =
      name === 'nss-peer'
        ? ['-I/usr/include/nss', '-I/usr/include/nspr', '-lnss3', '-lssl3', '-lnspr4']
        : ['-lmbedtls', '-lmbedx509', '-lmbedcrypto']
    if (!existsSync(program)) execFileSync('cc', ['-O1', '-o', program, source, ...libraries], { stdio: 'pipe' })
    this.#built.set(name, program)
    return program
  }
}

/** The options that the two programs of ours share. */
function named(options: PeerOptions): string[] {
  const list: string[] = []
  if (options.suite !== undefined) list.push(`suite=${options.suite}`)
  if (options.curve !== undefined) list.push(`curve=${options.curve}`)
  if (options.profile === 'CM_32') list.push('profile=32')
  if (options.profile === 'none') list.push('profile=none')
  if (options.mtu !== undefined) list.push(`mtu=${options.mtu}`)
  if (options.dtls10) list.push('dtls10=1')
  if (options.noExtendedMasterSecret) list.push('ems=0')
  if (options.asksCookie) list.push('cookies=1')
  if (options.renegotiates) list.push('renegotiate=1')
  if (options.closes) list.push('close=1')
  return list
}
