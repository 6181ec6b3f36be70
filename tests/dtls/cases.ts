import type { SrtpProfile } from '../../rtp/srtp/profile.ts'
import { type CertificateKind, certificateKinds } from './certificates.ts'
import type { Meeting, Outcome } from './meeting.ts'
import { type Library, libraries } from './programs.ts'

/** A meeting with a program, and what must come of it. */
export interface Case {
  readonly group: string
  readonly sent: string
  readonly meeting: Meeting
  /** A pattern of our reason for a refusal; `nothing`: neither side goes on. */
  readonly expected: 'connected' | 'nothing' | RegExp
  /** Of the fast ones. */
  readonly isFast?: boolean
  /** What has to be true of it beside that. */
  readonly also?: (outcome: Outcome) => string | undefined
}

const roles = ['client', 'server'] as const
type Role = (typeof roles)[number]
const each = (build: (library: Library, role: Role) => readonly Case[]): Case[] =>
  libraries.flatMap(library => roles.flatMap(role => build(library, role)))

const nothingInCommon = /nothing in common/

/** Names of suites, by library. */
const suites: Readonly<Record<Library, Readonly<Record<string, string>>>> = {
  OpenSSL: {
    'ECDHE-ECDSA-AES256-GCM': 'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20': 'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES128-CBC': 'ECDHE-ECDSA-AES128-SHA256',
    'static RSA AES128-GCM': 'AES128-GCM-SHA256',
    'DHE-RSA-AES128-GCM': 'DHE-RSA-AES128-GCM-SHA256',
    'no authentication (ADH)': 'ADH-AES128-GCM-SHA256:@SECLEVEL=0',
  },
  GnuTLS: {
    'ECDHE-ECDSA-AES256-GCM': '-CIPHER-ALL:+AES-256-GCM',
    'ECDHE-ECDSA-CHACHA20': '-CIPHER-ALL:+CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES128-CBC': '-CIPHER-ALL:+AES-128-CBC:+SHA256:+SHA1',
    'static RSA AES128-GCM': '-KX-ALL:+RSA',
    'DHE-RSA-AES128-GCM': '-KX-ALL:+DHE-RSA',
  },
  mbedTLS: {
    'ECDHE-ECDSA-AES256-GCM': 'TLS-ECDHE-ECDSA-WITH-AES-256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20': 'TLS-ECDHE-ECDSA-WITH-CHACHA20-POLY1305-SHA256',
    'ECDHE-ECDSA-AES128-CBC': 'TLS-ECDHE-ECDSA-WITH-AES-128-CBC-SHA256',
    'static RSA AES128-GCM': 'TLS-RSA-WITH-AES-128-GCM-SHA256',
    'DHE-RSA-AES128-GCM': 'TLS-DHE-RSA-WITH-AES-128-GCM-SHA256',
  },
  NSS: {
    'ECDHE-ECDSA-AES256-GCM': 'c02c',
    'ECDHE-ECDSA-CHACHA20': 'cca9',
    'ECDHE-ECDSA-AES128-CBC': 'c023',
    'static RSA AES128-GCM': '009c',
    'DHE-RSA-AES128-GCM': '009e',
  },
}
const needsRsa = /RSA/
const isEcdsa = /ECDSA/
const ourSuite: Readonly<Record<Library, string>> = {
  OpenSSL: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  GnuTLS: '-CIPHER-ALL:+AES-128-GCM:-KX-ALL:+ECDHE-ECDSA',
  mbedTLS: 'TLS-ECDHE-ECDSA-WITH-AES-128-GCM-SHA256',
  NSS: 'c02b',
}
const ourRsaSuite: Readonly<Record<Library, string>> = {
  OpenSSL: 'ECDHE-RSA-AES128-GCM-SHA256',
  GnuTLS: '-CIPHER-ALL:+AES-128-GCM:-KX-ALL:+ECDHE-RSA',
  mbedTLS: 'TLS-ECDHE-RSA-WITH-AES-128-GCM-SHA256',
  NSS: 'c02f',
}
/** Other curves than ours, by the names that programs have for them. */
const otherCurves: Readonly<Record<Library, string>> = {
  OpenSSL: 'X25519:P-384',
  GnuTLS: 'X25519',
  mbedTLS: 'secp384r1',
  NSS: 'x25519',
}
const ourCurve: Readonly<Record<Library, string>> = {
  OpenSSL: 'P-256',
  GnuTLS: 'SECP256R1',
  mbedTLS: 'secp256r1',
  NSS: 'P-256',
}

/** As a client we may meet a server without a common suite: it says so, and sends nothing more. */
const handshakes = each((library, role) => [
  {
    group: 'handshake',
    sent: 'as the program does by itself',
    meeting: { library, role },
    expected: 'connected',
    isFast: true,
  },
  {
    group: 'handshake',
    sent: 'only ECDHE-ECDSA-AES128-GCM',
    meeting: { library, role, peer: { suite: ourSuite[library] } },
    expected: 'connected',
  },
  ...(role === 'server'
    ? [
        {
          group: 'handshake',
          sent: 'only ECDHE-RSA-AES128-GCM, with an RSA key',
          meeting: { library, role, peer: { suite: ourRsaSuite[library], certificate: 'RSA 2048' } },
          expected: 'connected',
        } as const,
      ]
    : []),
  {
    group: 'handshake',
    sent: 'only curve P-256',
    meeting: { library, role, peer: { curve: ourCurve[library] } },
    expected: 'connected',
  },
])

const gcm: readonly SrtpProfile[] = ['AEAD_AES_128_GCM']
const short: readonly SrtpProfile[] = ['AES_CM_128_HMAC_SHA1_32']
const profiles: readonly Case[] = [
  ...roles.map(
    (role): Case => ({
      group: 'use_srtp',
      sent: 'AEAD_AES_128_GCM',
      meeting: { library: 'OpenSSL', role, peer: { profile: 'GCM' }, profiles: gcm },
      expected: 'connected',
    }),
  ),
  ...each((library, role) => [
    {
      group: 'use_srtp',
      sent: 'AES_CM_128_HMAC_SHA1_32, where a caller of ours allows it',
      meeting: { library, role, peer: { profile: 'CM_32' }, profiles: short },
      expected: 'connected',
    },
    {
      group: 'use_srtp',
      sent: 'AES_CM_128_HMAC_SHA1_32, which we do not offer',
      meeting: { library, role, peer: { profile: 'CM_32' } },
      expected: nothingInCommon,
    },
    {
      group: 'use_srtp',
      sent: 'no use_srtp',
      meeting: { library, role, peer: { profile: 'none' } },
      expected: nothingInCommon,
    },
  ]),
]

const downgrades = each((library, role) => [
  ...Object.entries(suites[library]).map(
    ([name, suite]): Case => ({
      group: 'downgrade',
      sent: `only ${name}`,
      meeting: {
        library,
        role,
        peer: { suite, ...(needsRsa.test(name) && !isEcdsa.test(name) ? { certificate: 'RSA 2048' as const } : {}) },
      },
      // A program that is a server refuses what we offer.
      expected: role === 'client' ? nothingInCommon : 'nothing',
    }),
  ),
  {
    group: 'downgrade',
    sent: `only other curves (${otherCurves[library]})`,
    meeting: { library, role, peer: { curve: otherCurves[library] } },
    expected: role === 'client' ? nothingInCommon : 'nothing',
  },
  {
    group: 'downgrade',
    sent: 'only DTLS 1.0',
    meeting: { library, role, peer: { dtls10: true } },
    expected: role === 'client' ? nothingInCommon : 'nothing',
  },
  ...(library === 'OpenSSL'
    ? []
    : [
        {
          group: 'downgrade',
          sent: 'no extended master secret (RFC 7627)',
          meeting: { library, role, peer: { noExtendedMasterSecret: true } },
          expected: nothingInCommon,
        },
      ]),
])

/** What each kind of certificate comes to, on either side; the fingerprint is right. */
const certificateOutcome: Readonly<Record<CertificateKind, 'connected' | RegExp>> = {
  'P-256': 'connected',
  'P-384': 'connected',
  'P-521': 'connected',
  'RSA 2048': 'connected',
  'RSA 1024': /key/,
  secp256k1: /key/,
  brainpoolP256r1: /key/,
  Ed25519: /./,
  expired: 'connected',
  'SHA-1 signature': 'connected',
  'chain of 10': 'connected',
}
/** What a program cannot bring. */
const unable: Readonly<Record<'OpenSSL' | 'GnuTLS', readonly CertificateKind[]>> = {
  OpenSSL: [],
  GnuTLS: ['secp256k1', 'brainpoolP256r1', 'Ed25519', 'chain of 10'],
}
/** As a client we name P-256 as the only curve, and OpenSSL takes that for certificates too. */
const unservedByOpenssl: readonly CertificateKind[] = ['P-384', 'P-521', 'secp256k1', 'brainpoolP256r1', 'Ed25519']
const certificates: readonly Case[] = [
  ...(['OpenSSL', 'GnuTLS'] as const).flatMap(library =>
    roles.flatMap(role => [
      ...certificateKinds
        .filter(kind => !unable[library].includes(kind))
        .map(
          (certificate): Case => ({
            group: 'certificate',
            sent: certificate,
            meeting: { library, role, peer: { certificate } },
            expected:
              library === 'OpenSSL' && role === 'server' && unservedByOpenssl.includes(certificate)
                ? 'nothing'
                : certificateOutcome[certificate],
          }),
        ),
    ]),
  ),
  ...each((library, role) => [
    {
      group: 'certificate',
      sent: 'another one than SDP’s fingerprint names',
      meeting: { library, role, wrongFingerprint: true },
      expected: /fingerprint/,
      isFast: true,
    },
    ...(role === 'client'
      ? [
          {
            group: 'certificate',
            sent: 'none',
            meeting: { library, role, peer: { certificate: 'none' } },
            expected: /no certificate/,
          } as const,
        ]
      : []),
  ]),
]

const network = each((library, role) => [
  ...(library === 'NSS'
    ? []
    : [
        {
          group: 'network',
          sent: 'messages in fragments (MTU 300)',
          meeting: { library, role, peer: { mtu: 300, certificate: 'P-256' } },
          expected: 'connected',
          isFast: true,
        } as const,
      ]),
  {
    group: 'network',
    sent: 'every datagram twice',
    meeting: { library, role, network: { repeatRatio: 1 } },
    expected: 'connected',
  },
  {
    group: 'network',
    sent: 'half of the datagrams overtaken by the next',
    meeting: { library, role, network: { reorderRatio: 0.5, seed: 3 } },
    expected: 'connected',
  },
  ...[11, 12, 13].map(
    (seed): Case => ({
      group: 'network',
      sent: `a fifth lost, a fifth twice, a fifth overtaken (seed ${seed})`,
      meeting: { library, role, network: { lossRatio: 0.2, repeatRatio: 0.2, reorderRatio: 0.2, seed } },
      expected: 'connected',
    }),
  ),
])

const cookies = each((library, role) => [
  role === 'client'
    ? {
        group: 'cookie',
        sent: 'a hello that we answer with a HelloVerifyRequest',
        meeting: { library, role, asksCookie: true },
        expected: 'connected',
        isFast: true,
      }
    : {
        group: 'cookie',
        sent: 'a HelloVerifyRequest, where the program has one',
        meeting: { library, role, peer: { asksCookie: true } },
        expected: 'connected',
      },
])

const closings = each((library, role) => [
  {
    group: 'afterwards',
    sent: 'our close_notify',
    meeting: { library, role, afterwards: 'we close' },
    expected: 'connected',
    also: ({ output }) =>
      library === 'mbedTLS' || library === 'NSS'
        ? output.includes('CLOSE NOTIFY')
          ? undefined
          : 'the program did not see close_notify'
        : undefined,
    isFast: true,
  },
  ...(library === 'GnuTLS' || (library === 'OpenSSL' && role === 'server')
    ? []
    : [
        {
          group: 'afterwards',
          sent: 'its close_notify',
          meeting: { library, role, peer: { closes: true }, afterwards: 'it closes' },
          expected: 'connected',
          also: ({ isClosed }: Outcome) => (isClosed ? undefined : 'still open'),
        } as const,
      ]),
  ...(library === 'GnuTLS' && role === 'server'
    ? []
    : [
        {
          group: 'afterwards',
          sent: 'another handshake within the first (renegotiation)',
          meeting: { library, role, peer: { renegotiates: true }, afterwards: 'wait' },
          expected: 'connected',
          also: ({ output }: Outcome) =>
            (output.match(/key(ing)? material: /gi) ?? []).length > 1 || /^RENEGOTIATED/m.test(output)
              ? 'it was renegotiated'
              : undefined,
        } as const,
      ]),
])

/** Long enough for a refusal. */
const shortPatienceMs = 2500

export const cases: readonly Case[] = [
  ...handshakes,
  ...profiles,
  ...downgrades,
  ...certificates,
  ...network,
  ...cookies,
  ...closings,
].map(it => (it.expected === 'nothing' ? { ...it, meeting: { ...it.meeting, patienceMs: shortPatienceMs } } : it))

/** What is wrong with an outcome; undefined when it is as it must be. */
export function faultOf({ expected, also }: Case, outcome: Outcome): string | undefined {
  const { state, detail, sameKeys, output } = outcome
  const tail = `: ${detail} ${output.slice(-300)}`
  if (expected === 'connected') {
    if (state !== 'connected') return `${state}${tail}`
    if (sameKeys === false) return `the keys differ${tail}`
    return also?.(outcome)
  }
  if (expected === 'nothing') return state === 'connected' ? 'connected' : undefined
  return state === 'refused' && expected.test(detail) ? undefined : `${state}${tail}`
}

export const nameOf = ({ meeting: { library, role }, sent }: Case): string => `${library} as ${role}: ${sent}`
