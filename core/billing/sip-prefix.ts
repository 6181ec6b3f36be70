/** Where a SIP URI leads, as it is written: the host in lower case, without brackets, and without a dot at its end. */
export interface SipPlace {
  readonly host: string
  readonly port: number | undefined
}

const scheme = 'sip:'

/** `sip:`, `sip:pbx.example.com`, `sip:pbx.example.com:5080`, `sip:[2001:db8::1]`. */
export const isSipPrefix = (prefix: string): boolean => prefix.startsWith(scheme)

/**
 * The longest match: host and port, host, everywhere. Only whole hosts match: where `sip:partner.example` has a
 * price, `partner.example.net` must not have it, as anyone can register such a name.
 */
export function longestSipPrefix<Value>(
  { host, port }: SipPlace,
  find: (prefix: string) => Value | undefined,
): Value | undefined {
  const whole = scheme + (host.includes(':') ? `[${host}]` : host)
  return (port === undefined ? undefined : find(`${whole}:${port}`)) ?? find(whole) ?? find(scheme)
}
