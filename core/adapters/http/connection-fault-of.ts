import type { ConnectionFault } from '../../model/connection-fault.ts'

/** By the codes of Node, OpenSSL and undici. */
const byCode: Readonly<Record<string, ConnectionFault>> = {
  CERT_HAS_EXPIRED: 'certificate-expired',
  CERT_NOT_YET_VALID: 'certificate-early',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate-self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate-unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate-unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate-unknown-issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate-unknown-issuer',
  CERT_UNTRUSTED: 'certificate-unknown-issuer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-other-host',
  HOSTNAME_MISMATCH: 'certificate-other-host',
  CERT_REVOKED: 'certificate-refused',
  CERT_REJECTED: 'certificate-refused',
  CERT_CHAIN_TOO_LONG: 'certificate-refused',
  CERT_SIGNATURE_FAILURE: 'certificate-refused',
  INVALID_CA: 'certificate-refused',
  INVALID_PURPOSE: 'certificate-refused',
  ERR_SSL_WRONG_VERSION_NUMBER: 'not-tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'not-tls',
  ERR_SSL_HTTP_REQUEST: 'not-tls',
  EPROTO: 'no-tls',
  ENOTFOUND: 'no-name',
  ENODATA: 'no-name',
  EAI_AGAIN: 'no-dns',
  ESERVFAIL: 'no-dns',
  EREFUSED: 'no-dns',
  ETIMEOUT: 'no-dns',
  ECONNREFUSED: 'connection-refused',
  EHOSTUNREACH: 'no-way',
  ENETUNREACH: 'no-way',
  ETIMEDOUT: 'not-connected',
  UND_ERR_CONNECT_TIMEOUT: 'not-connected',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  UND_ERR_SOCKET: 'closed',
}

/** What else stands in a code, in this order. */
const byPart: readonly (readonly [part: RegExp, fault: ConnectionFault])[] = [
  [/CERT/, 'certificate-refused'],
  [/^ERR_SSL_/, 'no-tls'],
]

/** Undefined: it says nothing that is known. Of several addresses of a host the first one's failure counts. */
export function connectionFaultOf(cause: unknown): ConnectionFault | undefined {
  if (!(cause instanceof Error)) return undefined
  // Of an answer that cannot be parsed the code is not always set.
  if (cause.name === 'HTTPParserError') return 'not-http'
  const code = 'code' in cause ? String(cause.code) : ''
  const known = byCode[code] ?? byPart.find(([part]) => part.test(code))?.[1]
  if (known !== undefined) return known
  return connectionFaultOf(cause instanceof AggregateError ? cause.errors[0] : cause.cause)
}
