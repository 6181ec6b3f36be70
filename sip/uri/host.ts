import { boundedNumber } from '../grammar/token.ts'

/** `host` without brackets, as sockets take it. */
export interface HostPort {
  readonly host: string
  readonly port: number | undefined
}

// RFC 1035 §2.3.4; an underscore is no host name's, but private zones have it.
const maxHostLength = 255
const hostName = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?$/
const ipv4Part = /^(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/
const ipv6Group = /^[0-9A-Fa-f]{1,4}$/

export const isIpv4 = (text: string): boolean => {
  if (text.length > 15) return false
  const parts = text.split('.')
  return parts.length === 4 && parts.every(part => ipv4Part.test(part))
}

/** RFC 4291 §2.2 without a zone; an RFC 3261 reader took three colons in a row, which is never meant (RFC 5118 §4.10). */
export function isIpv6(text: string): boolean {
  if (text.length > 45 || !text.includes(':')) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.map(half => (half === '' ? [] : half.split(':')))
  let count = 0
  for (const [half, parts] of groups.entries()) {
    for (const [at, part] of parts.entries()) {
      const last = half === groups.length - 1 && at === parts.length - 1
      if (last && part.includes('.')) {
        if (!isIpv4(part)) return false
        count += 2
      } else if (ipv6Group.test(part)) count++
      else return false
    }
  }
  return halves.length === 2 ? count < 8 : count === 8
}

const isHostName = (text: string): boolean => text.length <= maxHostLength && hostName.test(text)

/** `host [ ":" port ]`, an IPv6 address in brackets, ports 1 to 65535. */
export function parseHostPort(text: string): HostPort | undefined {
  const bracketed = text.startsWith('[')
  const hostEnd = bracketed ? text.indexOf(']') : text.indexOf(':')
  if (bracketed && hostEnd === -1) return undefined
  const host = bracketed ? text.slice(1, hostEnd) : hostEnd === -1 ? text : text.slice(0, hostEnd)
  if (bracketed ? !isIpv6(host) : !isHostName(host)) return undefined
  const restAt = bracketed ? hostEnd + 1 : hostEnd === -1 ? text.length : hostEnd
  if (restAt === text.length) return { host, port: undefined }
  if (text.charCodeAt(restAt) !== 0x3a) return undefined
  const port = boundedNumber(text.slice(restAt + 1), 65535)
  return port === undefined || port === 0 ? undefined : { host, port }
}

/** In brackets when it is an IPv6 address. */
export const formatHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** `host:port`, an IPv6 address in brackets; without a port only the host. */
export const formatHostPort = (host: string, port: number | undefined): string =>
  port === undefined ? formatHost(host) : `${formatHost(host)}:${port}`
