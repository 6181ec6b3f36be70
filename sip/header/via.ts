import type { Parsed } from '../base/parsed.ts'
import { formatParameters, type Parameter, parameterOf, parseParameters, setParameter } from '../grammar/parameters.ts'
import { boundedNumber } from '../grammar/token.ts'
import { formatHostPort, parseHostPort } from '../uri/host.ts'

/** RFC 3261 §20.42, one value. `host` without brackets; `transport` as written, usually upper case. */
export interface Via {
  readonly transport: string
  readonly host: string
  readonly port: number | undefined
  readonly parameters: readonly Parameter[]
}

/** Which part of a Via value cannot be read. */
export type ViaFault = 'bad-protocol' | 'bad-sent-by' | 'bad-parameter'

/** As nearly every sender writes them: known without a match of the pattern, and shared. */
const usualTransports = ['UDP', 'TCP', 'TLS', 'WS', 'WSS'] as const
const usualProtocol = 'SIP/2.0/'
const sentProtocol = /^\s*SIP\s*\/\s*2\.0\s*\/\s*([-.!%*_+`'~0-9A-Za-z]+)\s+/i

/** Reads one value of Via; `headersOf(message, "Via")` gives them one by one. */
export function parseVia(text: string): Parsed<Via, ViaFault> {
  let transport: string | undefined = usualTransportOf(text)
  let at = usualProtocol.length + (transport?.length ?? 0)
  if (transport === undefined) {
    const protocol = sentProtocol.exec(text)
    if (protocol === null) return { ok: false, reason: 'bad-protocol', at: 0 }
    at = protocol[0].length
    transport = protocol[1] ?? ''
  }
  const semicolon = text.indexOf(';', at)
  const end = semicolon === -1 ? text.length : semicolon
  const sentBy = parseHostPort(withoutBlanksAtColon(text.slice(at, end).trim()))
  if (sentBy === undefined) return { ok: false, reason: 'bad-sent-by', at }
  const parameters = parseParameters(text, end)
  if (!parameters.ok) return parameters
  const { host, port } = sentBy
  return { ok: true, value: { transport, host, port, parameters: parameters.value } }
}

function usualTransportOf(text: string): string | undefined {
  if (!text.startsWith(usualProtocol)) return undefined
  for (const transport of usualTransports) {
    const end = usualProtocol.length + transport.length
    if (text.charCodeAt(end) === 0x20 && text.startsWith(transport, usualProtocol.length)) return transport
  }
  return undefined
}

/** White space may surround the colon of the port. */
const withoutBlanksAtColon = (text: string): string =>
  /\s/.test(text)
    ? text
        .split(':')
        .map(part => part.trim())
        .join(':')
    : text

/** One value of Via: `SIP/2.0/UDP host:port;branch=…`. */
export const formatVia = (via: Via): string =>
  `SIP/2.0/${via.transport} ${formatHostPort(via.host, via.port)}${formatParameters(via.parameters)}`

/** The branch, which names the transaction (RFC 3261 §17.1.3, §17.2.3); undefined when there is none. */
export const branchOf = (via: Via): string | undefined => parameterOf(via.parameters, 'branch')

/** The address that the message came from, without brackets whichever way it was written (RFC 5118 §4.5). */
export const receivedOf = (via: Via): string | undefined =>
  parameterOf(via.parameters, 'received')?.replace(/^\[(.*)\]$/, '$1')

/** RFC 3581: 'asked' for a bare rport, the port once it is filled in, undefined when absent or no port. */
export function rportOf(via: Via): number | 'asked' | undefined {
  const rport = parameterOf(via.parameters, 'rport')
  return rport === '' ? 'asked' : boundedNumber(rport ?? '', 65535)
}

/**
 * What a server notes on the topmost Via (RFC 3261 §18.2.1, RFC 3581 §4): `received` where the address differs from
 * sent-by or rport was asked, and the port where rport was asked.
 */
export function withSource(via: Via, address: string, port: number): Via {
  const asked = rportOf(via) !== undefined
  if (!asked && (via.host === address || via.host.toLowerCase() === address.toLowerCase())) return via
  const parameters = [...via.parameters]
  if (asked) setParameter(parameters, 'rport', String(port))
  setParameter(parameters, 'received', address)
  const { transport, host, port: sentBy } = via
  return { transport, host, port: sentBy, parameters }
}
