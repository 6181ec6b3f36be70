/** Why no answer came by HTTP, where that is known, in words that follow an address. */
export const connectionFaults = {
  'certificate-expired': 'its certificate has expired',
  'certificate-early': 'its certificate is not valid yet',
  'certificate-self-signed': 'its certificate is self-signed',
  'certificate-unknown-issuer': 'its certificate is of an unknown authority, or came without its chain',
  'certificate-other-host': 'its certificate is for another host name',
  'certificate-refused': 'its certificate was not accepted',
  'not-tls': 'it does not speak TLS at this port',
  'no-tls': 'no TLS connection could be agreed on',
  'no-name': 'DNS knows no address for its host name',
  'no-dns': 'DNS did not answer for its host name',
  'connection-refused': 'its host refused the connection',
  'no-way': 'its host cannot be reached',
  'not-connected': 'no connection to its host came about in time',
  closed: 'it closed the connection without an answer',
  'not-http': 'what it answered is not HTTP',
} as const satisfies Record<string, string>

export type ConnectionFault = keyof typeof connectionFaults

/** In plain words where they are known, else as what failed has put it. */
export const plainDetail = ({
  cause,
  detail,
}: {
  readonly cause?: ConnectionFault
  readonly detail: string
}): string => (cause === undefined ? detail : connectionFaults[cause])
