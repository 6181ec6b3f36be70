import { parameterOf } from '../../grammar/parameters.ts'
import type { HeaderField, SipRequest } from '../../message/message.ts'
import { addressBytes, isForbiddenTarget, isPrivate } from '../../network/address-range.ts'
import { defaultPort, type Flow, hopTransports, isWebSocket } from '../../network/flow.ts'
import { parseUri } from '../../uri/parse.ts'
import type { HopName } from './call-command.ts'
import type { EndpointServices } from './services.ts'

const utf8 = new TextEncoder()
const noBody = new Uint8Array(0)

/** RFC 3261 §18.1.1, RFC 3581 §3. */
export const viaOf = (flow: Flow, branch: string): string =>
  `SIP/2.0/${flow.transport.toUpperCase()} ${flow.localHost}:${flow.localPort};branch=${branch};rport`

/** The Contact by which the peer at the other end of `flow` reaches us. */
export function contactOf(flow: Flow, user = 'sauti'): string {
  const transport = flow.transport === 'udp' ? '' : `;transport=${flow.transport}`
  return `<sip:${user}@${flow.localHost}:${flow.localPort}${transport}>`
}

interface RequestParts {
  readonly method: string
  readonly uri: string
  readonly via: string
  /** From the first Route to CSeq. */
  readonly head: readonly HeaderField[]
  readonly fields?: readonly (HeaderField | undefined)[]
  readonly sdp?: string | undefined
}

export function buildRequest(parts: RequestParts): SipRequest {
  const headers: HeaderField[] = [{ name: 'Via', value: parts.via }]
  for (const field of parts.head) headers.push(field)
  if (parts.fields !== undefined) for (const field of parts.fields) if (field !== undefined) headers.push(field)
  const body = parts.sdp === undefined ? noBody : utf8.encode(parts.sdp)
  if (body.length > 0) headers.push({ name: 'Content-Type', value: 'application/sdp' })
  headers.push({ name: 'Content-Length', value: String(body.length) })
  return { kind: 'request', method: parts.method, uri: parts.uri, headers, body }
}

/** The next hop that a SIP URI names; undefined when it names none. */
export function hopOf(uri: string): HopName | undefined {
  const parsed = parseUri(uri)
  if (!parsed.ok || parsed.value.kind !== 'sip') return undefined
  const { host, port, parameters, scheme } = parsed.value
  const named = parameterOf(parameters, 'transport')?.toLowerCase()
  const transport = scheme === 'sips' ? 'tls' : hopTransports.find(known => known === named)
  return { host: parameterOf(parameters, 'maddr') || host, port, transport }
}

/**
 * Finds the flow for a request within a dialog, whose next hop is `uri`. `near` is the flow on which the dialog's
 * messages arrive: it is used when the URI means the same place, cannot be reached from here (a private address
 * behind a NAT), must not be sent to, or is not found. Addresses of a name are checked by the same rules as an
 * address.
 */
export function towards(
  services: EndpointServices,
  uri: string,
  { near, customer }: { readonly near: Flow; readonly customer: string | undefined },
  now: number,
  use: (flow: Flow, now: number) => void,
): void {
  const hop = hopOf(uri)
  if (hop === undefined || isWebSocket(near.transport)) {
    use(near, now)
    return
  }
  const transport = hop.transport ?? near.transport
  const bytes = addressBytes(hop.host)
  if (bytes !== undefined) {
    const same = hop.host === near.address && transport === near.transport
    if (same && (transport !== 'udp' || (hop.port ?? 5060) === near.port)) {
      // Over a stream the connection that stands is the way back; the Contact's port is for when it is gone, and a
      // customer's peer must not choose one: it was dialled at its own.
      const connectPort = customer === undefined ? (hop.port ?? defaultPort(transport)) : near.port
      use(transport === 'udp' ? near : { ...near, connectPort }, now)
      return
    }
    if (!isReachableFrom(hop.host, near)) {
      use(near, now)
      return
    }
  }
  const name = { host: hop.host, port: hop.port, transport, ...(customer === undefined ? {} : { customer }) }
  services.resolve(name, now, ([found], later) => {
    use(found !== undefined && isReachableFrom(found.address, near) ? found : near, later)
  })
}

/** Not unspecified or multicast; and private only for a peer that is private itself. */
function isReachableFrom(address: string, near: Flow): boolean {
  const bytes = addressBytes(address)
  const source = addressBytes(near.address)
  if (bytes === undefined) return false
  return !isForbiddenTarget(bytes) && !(isPrivate(bytes) && source !== undefined && !isPrivate(source))
}
