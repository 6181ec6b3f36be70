/** RFC 8760 §2.1, weakest first. */
export const digestAlgorithms = ['MD5', 'SHA-256', 'SHA-512-256'] as const
/** A hash algorithm of Digest by its name in the header. */
export type DigestAlgorithm = (typeof digestAlgorithms)[number]

/** By the names of `node:crypto`. SHA-512-256 is SHA-512/256 of FIPS 180-4, not SHA-512 cut short (RFC 7616, erratum 4897). */
export const hashNames: Readonly<Record<DigestAlgorithm, string>> = {
  MD5: 'md5',
  'SHA-256': 'sha256',
  'SHA-512-256': 'sha512-256',
}

/** The hash of a text's UTF-8 bytes as lower-case hex; the host provides it (`node:crypto`, a browser's code). */
export type Hash = (algorithm: DigestAlgorithm, text: string) => string

/** Missing means MD5 (RFC 7616 §3.3); undefined = one that we do not know. */
export function algorithmOf(name: string | undefined): DigestAlgorithm | undefined {
  const upper = name?.toUpperCase() ?? 'MD5'
  return digestAlgorithms.find(algorithm => algorithm === upper)
}

export const strengthOf = (algorithm: DigestAlgorithm): number => digestAlgorithms.indexOf(algorithm)
