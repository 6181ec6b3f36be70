import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { DtlsOptions } from '../../rtp/dtls/association.ts'
import { type DtlsCertificate, selfSigned } from '../../rtp/dtls/certificate.ts'
import type { Handshake } from '../../rtp/dtls/handshake.ts'
import { concat, uint, vector } from '../../rtp/dtls/wire.ts'
import { type Script, handshakeTypes as type } from './scripted-peer.ts'

/** A peer that departs from the protocol in one thing, and what must come of it. */
export interface ScriptedCase {
  readonly group: string
  readonly sent: string
  readonly script: Script
  /** Our reason for a refusal. */
  readonly expected: 'connected' | RegExp
  readonly options?: Partial<DtlsOptions>
}

const nothingInCommon = /nothing in common/
const unrelated = selfSigned(1_800_000_000_000, Uint8Array.of(9, 9, 9))

interface HelloParts {
  version: number
  session: Uint8Array
  suites: readonly number[]
  compressions: readonly number[]
  extensions: ReadonlyMap<number, Uint8Array>
  /** After the list of extensions. */
  tail: Uint8Array
  list: (extensions: Uint8Array) => Uint8Array
}

/** Numbers of extensions. */
const [groups, points, schemes, srtp, extendedMaster, renegotiation] = [10, 11, 13, 14, 23, 0xff01]
const usual = new Map<number, Uint8Array>([
  [groups, vector(2, uint(23, 2))],
  [points, vector(1, uint(0, 1))],
  [schemes, vector(2, uint(0x0403, 2), uint(0x0401, 2))],
  [srtp, concat(vector(2, uint(1, 2)), vector(1))],
  [extendedMaster, new Uint8Array(0)],
  [renegotiation, vector(1)],
])
const without = (number: number) => new Map([...usual].filter(([each]) => each !== number))
const withOther = (number: number, content: Uint8Array) => new Map([...usual, [number, content]])
const parts: HelloParts = {
  version: 0xfefd,
  session: new Uint8Array(0),
  suites: [0xc02b],
  compressions: [0],
  extensions: usual,
  tail: new Uint8Array(0),
  list: extensions => vector(2, extensions),
}
const extensionsOf = ({ extensions, list, tail }: HelloParts) =>
  concat(list(concat(...[...extensions].map(([number, content]) => concat(uint(number, 2), vector(2, content))))), tail)

/** The random and the cookie are the program's. */
const clientHello = (changes: Partial<HelloParts>) => (body: Uint8Array) => {
  const made = { ...parts, ...changes }
  const cookieAt = 35 + body[34]!
  const cookie = body.subarray(cookieAt, cookieAt + 1 + body[cookieAt]!)
  const suites = vector(2, ...made.suites.map(suite => uint(suite, 2)))
  const head = concat(uint(made.version, 2), body.subarray(2, 34), vector(1, made.session), cookie, suites)
  return concat(head, vector(1, Uint8Array.from(made.compressions)), extensionsOf(made))
}
const serverUsual = new Map<number, Uint8Array>([
  [srtp, concat(vector(2, uint(1, 2)), vector(1))],
  [extendedMaster, new Uint8Array(0)],
  [renegotiation, vector(1)],
])
const serverHello = (changes: Partial<HelloParts>) => (body: Uint8Array) => {
  const made = { ...parts, extensions: serverUsual, ...changes }
  const head = concat(uint(made.version, 2), body.subarray(2, 34), vector(1, made.session))
  return concat(head, uint(made.suites[0]!, 2), uint(made.compressions[0]!, 1), extensionsOf(made))
}
const serverWith = (number: number, content: Uint8Array) => new Map([...serverUsual, [number, content]])

const twice = (extensions: Uint8Array) => vector(2, extensions, uint(extendedMaster, 2), vector(2))

const clientHellos: readonly (readonly [sent: string, changes: Partial<HelloParts>, 'connected' | RegExp])[] = [
  ['a hello as it should be', {}, 'connected'],
  [
    'a hello of DTLS 1.3 that offers 1.2 too',
    { extensions: withOther(43, vector(1, uint(0xfefc, 2), uint(0xfefd, 2))) },
    'connected',
  ],
  ['a hello of DTLS 1.0', { version: 0xfeff }, nothingInCommon],
  ['a hello of TLS 1.2', { version: 0x0303 }, nothingInCommon],
  ['no extended master secret', { extensions: without(extendedMaster) }, nothingInCommon],
  ['no use_srtp', { extensions: without(srtp) }, nothingInCommon],
  [
    'only profiles of SRTP without encryption',
    { extensions: withOther(srtp, concat(vector(2, uint(5, 2), uint(6, 2)), vector(1))) },
    nothingInCommon,
  ],
  ['only static RSA and CBC suites', { suites: [0x009c, 0x002f, 0xc009, 0xc013, 0xc023] }, nothingInCommon],
  ['only suites without authentication or encryption', { suites: [0xc018, 0xc006, 0x0000, 0x00a6] }, nothingInCommon],
  ['only curve P-384', { extensions: withOther(groups, vector(2, uint(24, 2))) }, nothingInCommon],
  ['only SHA-1 signatures', { extensions: withOther(schemes, vector(2, uint(0x0203, 2))) }, nothingInCommon],
  ['only DEFLATE compression', { compressions: [1] }, nothingInCommon],
  [
    'the answer of a renegotiation',
    { extensions: withOther(renegotiation, vector(1, new Uint8Array(12))) },
    nothingInCommon,
  ],
  ['a session identifier of 33 bytes', { session: new Uint8Array(33) }, nothingInCommon],
  ['a session identifier of 255 bytes', { session: new Uint8Array(255) }, nothingInCommon],
  ['a session to resume, which nobody knows', { session: new Uint8Array(32) }, 'connected'],
  ['an extension twice', { list: twice }, nothingInCommon],
  [
    'an extension that is longer than the list',
    { list: all => vector(2, all, uint(99, 2), uint(500, 2)) },
    nothingInCommon,
  ],
  [
    'a list of extensions that is longer than the hello',
    { list: all => concat(uint(60_000, 2), all) },
    nothingInCommon,
  ],
  ['bytes after the extensions', { tail: new Uint8Array(9) }, nothingInCommon],
  [
    'a list of curves of odd length',
    { extensions: withOther(groups, vector(2, Uint8Array.of(0, 23, 0))) },
    nothingInCommon,
  ],
  ['16,000 bytes of an unknown extension', { extensions: withOther(21, new Uint8Array(16_000)) }, 'connected'],
  [
    '500 unknown extensions',
    {
      extensions: new Map([
        ...usual,
        ...Array.from({ length: 500 }, (_, i) => [40_000 + i, new Uint8Array(0)] as const),
      ]),
    },
    'connected',
  ],
]

const serverHellos: readonly (readonly [sent: string, changes: Partial<HelloParts>, 'connected' | RegExp])[] = [
  ['a hello as it should be', {}, 'connected'],
  ['a hello of DTLS 1.0', { version: 0xfeff }, nothingInCommon],
  [
    'no extended master secret',
    { extensions: new Map([...serverUsual].filter(([each]) => each !== extendedMaster)) },
    nothingInCommon,
  ],
  ['no use_srtp', { extensions: new Map([...serverUsual].filter(([each]) => each !== srtp)) }, nothingInCommon],
  [
    'two profiles of SRTP',
    { extensions: serverWith(srtp, concat(vector(2, uint(1, 2), uint(7, 2)), vector(1))) },
    nothingInCommon,
  ],
  [
    'a profile of SRTP that was not offered (NULL)',
    { extensions: serverWith(srtp, concat(vector(2, uint(5, 2)), vector(1))) },
    nothingInCommon,
  ],
  [
    'a master key identifier that was not offered',
    { extensions: serverWith(srtp, concat(vector(2, uint(1, 2)), vector(1, uint(7, 1)))) },
    nothingInCommon,
  ],
  ['a CBC suite', { suites: [0xc009] }, nothingInCommon],
  ['static RSA', { suites: [0x009c] }, nothingInCommon],
  ['a suite without authentication', { suites: [0xc018] }, nothingInCommon],
  ['AES-256-GCM, which was not offered', { suites: [0xc02c] }, nothingInCommon],
  ['DEFLATE compression', { compressions: [1] }, nothingInCommon],
  [
    'the answer of a renegotiation',
    { extensions: serverWith(renegotiation, vector(1, new Uint8Array(24))) },
    nothingInCommon,
  ],
  ['a session identifier of 33 bytes', { session: new Uint8Array(33) }, nothingInCommon],
  ['an extension twice', { list: twice }, nothingInCommon],
  ['bytes after the extensions', { tail: new Uint8Array(9) }, nothingInCommon],
]

const hellos: readonly ScriptedCase[] = [
  ...clientHellos.map(
    ([sent, changes, expected]): ScriptedCase => ({
      group: 'ClientHello',
      sent,
      script: { role: 'client', alter: { [type.clientHello]: clientHello(changes) } },
      expected,
    }),
  ),
  {
    group: 'ClientHello',
    sent: 'two bytes, and no more',
    script: { role: 'client', alter: { [type.clientHello]: () => uint(0xfefd, 2) } },
    expected: nothingInCommon,
  },
  ...serverHellos.map(
    ([sent, changes, expected]): ScriptedCase => ({
      group: 'ServerHello',
      sent,
      script: { role: 'server', alter: { [type.serverHello]: serverHello(changes) } },
      expected,
    }),
  ),
]

const roles = ['client', 'server'] as const
type Alter = NonNullable<Script['alter']>[number]
const altered = (
  role: Script['role'],
  group: string,
  message: number,
  sent: string,
  alter: Alter,
  expected: ScriptedCase['expected'],
): ScriptedCase => ({ group, sent, script: { role, alter: { [message]: alter } }, expected })

const flipped = (at: number) => (body: Uint8Array) => {
  const copy = body.slice()
  copy[at < 0 ? body.length + at : at]! ^= 1
  return copy
}
const longer = (body: Uint8Array) => concat(body, uint(0, 1))
const cut = (body: Uint8Array) => body.subarray(0, -1)
const chained = (...ders: readonly Uint8Array[]) => vector(3, ...ders.map(der => vector(3, der)))
const junk = (length: number) => new Uint8Array(randomBytes(length))
/** The certificate that a body begins with. */
const firstOf = (body: Uint8Array) => body.subarray(6, 6 + ((body[3]! << 16) | (body[4]! << 8) | body[5]!))

const certificateCases = roles.flatMap(role => {
  const by = (sent: string, alter: Alter, expected: ScriptedCase['expected']) =>
    altered(role, 'Certificate', type.certificate, sent, alter, expected)
  const notNamed = (certificate: DtlsCertificate): ScriptedCase => ({
    group: 'Certificate',
    sent: 'bytes that are no certificate, with their own fingerprint',
    script: { role, certificate },
    expected: /cannot be read/,
  })
  return [
    by('an empty list', () => chained(), /no certificate/),
    by('one of no bytes', () => chained(new Uint8Array(0)), /no certificate/),
    by('another one', () => chained(unrelated.der), /fingerprint/),
    by('another one in front of the one that is named', body => chained(unrelated.der, firstOf(body)), /fingerprint/),
    by(
      'the right one, and nine more after it',
      body => chained(firstOf(body), ...Array(9).fill(unrelated.der)),
      'connected',
    ),
    by('the right one, and 15,000 bytes after it', body => chained(firstOf(body), junk(15_000)), 'connected'),
    by('a list that is longer than its message', body => concat(uint(0xffffff, 3), body.subarray(3)), /no certificate/),
    by(
      'a certificate that is longer than the list',
      body => concat(body.subarray(0, 3), uint(0xffffff, 3), body.subarray(6)),
      /no certificate/,
    ),
    by('no such message', () => undefined, /out of turn/),
    notNamed({ ...unrelated, der: junk(300) }),
  ]
})

const curvePoint = generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
  .publicKey.export({ format: 'der', type: 'spki' })
  .subarray(-97)
const offCurve = concat(uint(4, 1), new Uint8Array(64).fill(7))
const clientKey = (sent: string, body: Uint8Array) =>
  altered('client', 'ClientKeyExchange', type.clientKeyExchange, sent, () => body, /no point of the curve/)
const clientCases: readonly ScriptedCase[] = [
  clientKey('a point that is not on the curve', vector(1, offCurve)),
  clientKey('the point at infinity', vector(1, uint(0, 1))),
  clientKey('a point of P-384', vector(1, new Uint8Array(curvePoint))),
  clientKey('no point', vector(1)),
  clientKey('no bytes', new Uint8Array(0)),
  clientKey('a length beyond the message', concat(uint(255, 1), new Uint8Array(65))),
  altered(
    'client',
    'ClientKeyExchange',
    type.clientKeyExchange,
    'bytes after the point',
    longer,
    /no point of the curve/,
  ),
  ...(
    [
      ['a signature with one bit changed', flipped(-1)],
      ['no signature', body => concat(body.subarray(0, 2), vector(2))],
      ['a length beyond the message', body => concat(body.subarray(0, 2), uint(0xffff, 2), body.subarray(4))],
      ['bytes after the signature', longer],
      ['RSA named for an ECDSA key', body => concat(uint(0x0401, 2), body.subarray(2))],
      ['SHA-384 named for a signature by SHA-256', body => concat(uint(0x0503, 2), body.subarray(2))],
      ['a right signature by SHA-1', (_, shared) => concat(uint(0x0203, 2), vector(2, sha1Signed(shared)))],
      ['a right signature by MD5 and RSA, in name', body => concat(uint(0x0101, 2), body.subarray(2))],
    ] as const satisfies readonly (readonly [string, Alter])[]
  ).map(([sent, alter]) =>
    altered('client', 'CertificateVerify', type.certificateVerify, sent, alter, /not its sender/),
  ),
  altered('client', 'CertificateVerify', type.certificateVerify, 'no such message', () => undefined, /out of turn/),
  {
    group: 'CertificateVerify',
    sent: 'a signature by another key',
    script: {
      role: 'client',
      certificate: { ...selfSigned(1_800_000_000_000, uint(8, 1)), privateKey: unrelated.privateKey },
    },
    expected: /not its sender/,
  },
]

const sha1Signed = ({ transcript, options }: Handshake): Uint8Array =>
  sign(
    'sha1',
    concat(...transcript),
    createPrivateKey({ key: Buffer.from(options.certificate.privateKey), format: 'der', type: 'pkcs8' }),
  )

const signedWrong = /not signed by the certificate/
const otherCurve = /another curve/
const serverCases: readonly ScriptedCase[] = [
  ...(
    [
      ['a signature with one bit changed', flipped(-1), signedWrong],
      ['a key share with one bit changed', flipped(40), signedWrong],
      ['no signature', body => concat(body.subarray(0, 71), vector(2)), signedWrong],
      [
        'a signature by a scheme that was not offered (SHA-1)',
        body => replaced(body, 69, uint(0x0203, 2)),
        signedWrong,
      ],
      ['RSA named for an ECDSA key', body => replaced(body, 69, uint(0x0401, 2)), signedWrong],
      ['curve P-384', body => replaced(body, 1, uint(24, 2)), otherCurve],
      ['curve X25519', body => replaced(body, 1, uint(29, 2)), otherCurve],
      ['a curve of its own (explicit_prime)', body => replaced(body, 0, uint(1, 1)), otherCurve],
      ['bytes after the signature', longer, otherCurve],
      ['a message cut short', cut, otherCurve],
    ] as const satisfies readonly (readonly [string, Alter, RegExp])[]
  ).map(([sent, alter, expected]) =>
    altered('server', 'ServerKeyExchange', type.serverKeyExchange, sent, alter, expected),
  ),
  altered('server', 'ServerKeyExchange', type.serverKeyExchange, 'no such message', () => undefined, /out of turn/),
  {
    group: 'ServerKeyExchange',
    sent: 'a signature by another key',
    script: {
      role: 'server',
      certificate: { ...selfSigned(1_800_000_000_000, uint(8, 1)), privateKey: unrelated.privateKey },
    },
    expected: signedWrong,
  },
]
const replaced = (body: Uint8Array, at: number, bytes: Uint8Array) => {
  const copy = body.slice()
  copy.set(bytes, at)
  return copy
}

const notSame = /not seen the same handshake/
const finishedCases = roles.flatMap(role => {
  const by = (sent: string, alter: Alter) => altered(role, 'Finished', type.finished, sent, alter, notSame)
  return [
    by('one bit changed', flipped(0)),
    by('the last bit changed', flipped(-1)),
    by('11 of the 12 bytes', cut),
    by('a byte more', longer),
    by('no bytes', () => new Uint8Array(0)),
    by('12 zeros', () => new Uint8Array(12)),
    {
      group: 'Finished',
      sent: 'in clear',
      script: { role, record: part => (part.epoch === 1 ? { ...part, epoch: 0 } : part) },
      expected: /nothing/,
    } satisfies ScriptedCase,
    altered(role, 'Finished', type.finished, 'no such message', () => undefined, /nothing/),
  ]
})

export const scriptedCases: readonly ScriptedCase[] = [
  ...hellos,
  ...certificateCases,
  ...clientCases,
  ...serverCases,
  ...finishedCases,
]
