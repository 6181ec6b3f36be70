import {
  type BindingTarget,
  type DialTarget,
  defaultPort,
  escapeUser,
  formatHostPort,
  formatUri,
  hopOf,
  type PeerConfig,
  parseUri,
} from '../../../sip/index.ts'
import type { Trunk } from '../../model/trunk.ts'
import type { LegTarget } from '../../ports/signaling.ts'

/** A trunk with the usual port may be found by DNS records; another port is meant as it stands (RFC 3263 §4.2). */
export const trunkPort = (trunk: Pick<Trunk, 'port' | 'transport'>): number | undefined =>
  trunk.port === 0 || trunk.port === defaultPort(trunk.transport) ? undefined : trunk.port

/** An IPv6 address is stored as it was written. */
const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '')

/** RFC 3261 §19.1.1: header fields are no part of a Request-URI, and a document's are not obeyed. */
function requestUriOf(uri: string): string {
  const parsed = parseUri(uri)
  if (!parsed.ok || parsed.value.kind !== 'sip' || parsed.value.headers.length === 0) return uri
  return formatUri({ ...parsed.value, headers: [] })
}

/** What the endpoint sends to; undefined when the target names no place. */
export function dialTargetOf(target: LegTarget): DialTarget | BindingTarget | undefined {
  if (target.kind === 'phone') return { binding: target.binding.id }
  if (target.kind === 'uri') {
    const hop = hopOf(target.uri)
    if (hop === undefined) return undefined
    return {
      uri: requestUriOf(target.uri),
      hop: { ...hop, customer: target.account },
      username: target.username ?? '',
      password: target.password ?? '',
    }
  }
  const { trunk, number } = target
  const port = trunkPort(trunk)
  const transport = trunk.transport === 'udp' ? '' : `;transport=${trunk.transport}`
  return {
    uri: `sip:${escapeUser(number)}@${formatHostPort(withoutBrackets(trunk.host), port)}${transport}`,
    hop: { host: withoutBrackets(trunk.host), port, transport: trunk.transport },
    username: trunk.username,
    password: trunk.password,
    peerId: trunk.uuid,
  }
}

export const peerOf = (trunk: Trunk): PeerConfig => ({
  id: trunk.uuid,
  host: withoutBrackets(trunk.host),
  port: trunkPort(trunk) ?? 0,
  transport: trunk.transport,
  username: trunk.username,
  password: trunk.password,
  register: trunk.register,
  inboundHosts: trunk.inboundHosts,
  optionsPingSeconds: trunk.optionsPingSeconds,
})
