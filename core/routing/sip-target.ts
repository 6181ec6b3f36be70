import type { SipTarget } from '../contract/environment.ts'

const parts = /^sips?:(?:([^@:]*)(?::[^@]*)?@)?(?:\[([^\]]+)\]|([^:;?[\]]+))(?::(\d+))?/i

/**
 * Reads the URI of a `<Sip>` where there is no SIP stack (simulations, tests); `isRefused` decides which hosts are
 * refused. Signalling reads it by RFC 3261's grammar.
 */
export function readSipTarget(uri: string, isRefused: (host: string) => boolean): SipTarget | undefined {
  const found = parts.exec(uri)
  if (found === null) return undefined
  const [, user, address, name = '', port] = found
  const host = (address ?? name).toLowerCase().replace(/\.$/, '')
  return { user, host, port: port === undefined ? undefined : Number(port), isRefused: isRefused(host) }
}
