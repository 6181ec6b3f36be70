import type { TrunkUuid } from './ids.ts'

export const trunkTransports = ['udp', 'tcp', 'tls'] as const
type TrunkTransport = (typeof trunkTransports)[number]
/** What media can speak, by our preference: what every carrier has comes first. */
export const codecNames = ['PCMU', 'PCMA', 'G722', 'opus'] as const
export type CodecName = (typeof codecNames)[number]

/** The codec that SDP calls so: names of encodings are not case-sensitive (RFC 8866 §6.6). Undefined: media has none. */
export const codecNamed = (name: string): CodecName | undefined => codecOf.get(name.toLowerCase())

const codecOf: ReadonlyMap<string, CodecName> = new Map(codecNames.map(name => [name.toLowerCase(), name]))

/** Where a trunk's media comes from: wherever packets of known hosts come from, or the address in SDP alone. */
export const trunkMediaSources = ['learned', 'signalled'] as const
export type TrunkMediaSource = (typeof trunkMediaSources)[number]

/** A carrier's connection. */
export interface Trunk {
  readonly uuid: TrunkUuid
  readonly name: string
  readonly host: string
  readonly port: number
  readonly transport: TrunkTransport
  readonly username: string
  readonly password: string
  readonly register: boolean
  /** Addresses or CIDR ranges from which its calls are taken. */
  readonly inboundHosts: readonly string[]
  /** `+254…`; the longest that fits a number wins. An empty string fits every number. */
  readonly prefixes: readonly string[]
  /** Characters taken off the front of the E.164 number, then `prepend` is put before it. */
  readonly strip: number
  readonly prepend: string
  /** Lower is tried first. */
  readonly priority: number
  readonly weight: number
  /** 0 = no limit. */
  readonly maxCalls: number
  readonly maxCps: number
  /** In order of preference; empty = all that we have. */
  readonly codecs: readonly CodecName[]
  /** 0 = no pings. */
  readonly optionsPingSeconds: number
  readonly srtp: 'off' | 'optional' | 'required'
  /** Addresses or CIDR ranges that its media may come from, beside those that its SDP and SIP name. */
  readonly mediaHosts: readonly string[]
  /** `signalled`: its media comes from the address and port that SDP names, and never from elsewhere: its legs share ports. */
  readonly mediaSource: TrunkMediaSource
}
