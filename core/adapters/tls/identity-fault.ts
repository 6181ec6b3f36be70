import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'

/** A certificate with its chain, and its key, in PEM. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}

/** Where the two come from, for the sentence. */
interface IdentityFiles {
  readonly certFile: string
  readonly keyFile: string
}

const certificateMark = /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/
const keyMark = /-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY-----/
// PKCS #8 says it in its first line, the older form in a header (RFC 1421 §4.6.1.1).
const encryptedMark = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m

/** Why the files are no certificate with its key, and what to do; undefined when they are. */
export function identityFault(identity: TlsIdentity, { certFile, keyFile }: IdentityFiles): string | undefined {
  const { cert, key } = identity
  if (!certificateMark.test(cert)) {
    const isKey = keyMark.test(cert)
    return `SAUTI_TLS_CERT: ${certFile} ${isKey ? 'holds a private key, no certificate: are the two settings swapped?' : noPem('certificate', 'x509', certFile)}`
  }
  if (encryptedMark.test(key))
    return `SAUTI_TLS_KEY: ${keyFile} is encrypted with a passphrase: store it without one, readable for the switch's user alone (openssl pkey -in ${keyFile} -out PLAIN.pem)`
  if (!keyMark.test(key)) {
    const isCertificate = certificateMark.test(key)
    return `SAUTI_TLS_KEY: ${keyFile} ${isCertificate ? 'holds a certificate, no private key: are the two settings swapped?' : noPem('private key', 'pkey', keyFile)}`
  }
  const first = read(() => new X509Certificate(cert))
  if (first instanceof Error) return `SAUTI_TLS_CERT: ${certFile} is damaged: ${first.message}`
  const privateKey = read(() => createPrivateKey(key))
  if (privateKey instanceof Error) return `SAUTI_TLS_KEY: ${keyFile} is damaged: ${privateKey.message}`
  if (!first.checkPrivateKey(privateKey)) {
    const isLater = laterCertificates(cert).some(each => isOf(each, privateKey))
    return isLater
      ? `SAUTI_TLS_CERT: ${certFile}: the server's own certificate must be the first, and those of its authorities follow`
      : `SAUTI_TLS_KEY: ${keyFile} is not the key of the certificate in ${certFile} (${nameOf(first)}): name the two files that were made together`
  }
  const context = read(() => createSecureContext(identity))
  return context instanceof Error ? `SAUTI_TLS_CERT: ${certFile} cannot be used: ${context.message}` : undefined
}

/** What clients will not accept of a certificate that can be used; undefined: its time is right. */
export function validityFault(cert: string, nowUnix: number): string | undefined {
  const { validFromDate, validToDate } = new X509Certificate(cert)
  const day = (date: Date) => date.toISOString().slice(0, 10)
  if (validToDate.getTime() <= nowUnix)
    return `the TLS certificate expired on ${day(validToDate)}: clients refuse it; renew it in place, no restart is needed`
  if (validFromDate.getTime() > nowUnix)
    return `the TLS certificate is valid only from ${day(validFromDate)} on: clients refuse it; is the clock right?`
  return undefined
}

const noPem = (what: string, command: string, file: string): string =>
  `has no ${what} in PEM (-----BEGIN …): name the right file; DER is converted by openssl ${command} -inform der -in ${file} -out PEM`

const nameOf = ({ subject, subjectAltName }: X509Certificate): string =>
  (subjectAltName ?? subject ?? 'no name').replaceAll(/\s+/g, ' ').slice(0, 200)

const laterCertificates = (cert: string): readonly X509Certificate[] =>
  (cert.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).slice(1).flatMap(pem => {
    const each = read(() => new X509Certificate(pem))
    return each instanceof Error ? [] : [each]
  })

const isOf = (certificate: X509Certificate, key: KeyObject): boolean => {
  const matches = read(() => certificate.checkPrivateKey(key))
  return matches === true
}

function read<T>(parse: () => T): T | Error {
  try {
    return parse()
  } catch (fault) {
    return fault instanceof Error ? fault : new Error(String(fault))
  }
}
