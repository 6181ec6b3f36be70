import { addressBytes } from './ip-packet.ts'
import type { LegFacts } from './leg-facts.ts'
import type { CapturedPacket } from './packet-ring.ts'
import type { SipRecord } from './sip-record.ts'
import { carriersRemoved } from './sip-text.ts'

export interface LegMessage extends SipRecord {
  readonly unixMs: number
  readonly leg: number
}

export interface LegPacket extends CapturedPacket {
  readonly leg: number
}

/** Addresses for documentation (RFC 5737), in place of those between the switch and a carrier. */
const ownHost = '192.0.2.254'
const carriers = 253
const carrierHost = (leg: number): string => `192.0.2.${1 + ((leg - 1) % carriers)}`
const sipPort = 5060
const ownMediaPort = (leg: number): number => 20_000 + 2 * leg
const carrierMediaPort = (leg: number): number => 40_000 + 2 * leg

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A leg of which nothing is known may be a trunk's. */
export const isCarriers = (leg: LegFacts | undefined): boolean => (leg?.via ?? 'trunk') === 'trunk'

/** The message of a leg to a carrier, as its account reads it. */
export function withoutCarrier(
  message: string,
  isSent: boolean,
  leg: LegFacts | undefined,
  phraseOf: (status: number) => string,
): string {
  const { sent, number = '' } = leg ?? {}
  return carriersRemoved(message, phraseOf, { sent: sent ?? number, dialled: number, isSent })
}

/**
 * The message of a leg to a carrier, as its account may have it in a file: without the carrier's addresses, names and words, and with
 * made-up addresses and a made-up Call-ID of the leg, by which Wireshark puts the leg's messages and its RTP together.
 */
export function carrierCovered(
  message: LegMessage,
  leg: LegFacts | undefined,
  phraseOf: (status: number) => string,
): LegMessage {
  const shown = withoutCarrier(decoder.decode(message.message), message.isSent, leg, phraseOf)
  return {
    ...message,
    transport: 'udp',
    address: carrierHost(message.leg),
    port: sipPort,
    localHost: ownHost,
    localPort: sipPort,
    message: encoder.encode(completed(shown, message)),
  }
}

/** Where the packet went, made up as in the leg's messages. */
export const carrierPacketCovered = (packet: LegPacket): LegPacket => ({
  ...packet,
  remoteAddress: new DataView(addressBytes(carrierHost(packet.leg)).buffer).getUint32(0),
  remoteIpv6: undefined,
  remotePort: carrierMediaPort(packet.leg),
  localPort: ownMediaPort(packet.leg),
})

/** What readers of SIP and SDP need of the fields that are left out. */
function completed(shown: string, { leg, isSent }: LegMessage): string {
  const [head = '', sdp = ''] = shown.split('\r\n\r\n', 2)
  const host = isSent ? ownHost : carrierHost(leg)
  const port = isSent ? ownMediaPort(leg) : carrierMediaPort(leg)
  // What stood for a host says nothing, and is no line of SDP (RFC 4566 §5).
  const body = sdp
    .split('\r\n')
    .filter(line => /^[a-z]=/.test(line))
    .join('\r\n')
    .replace(/^(v=[^\r\n]*)/m, `$1\r\no=- 0 0 IN IP4 ${host}`)
    .replace(/^(s=[^\r\n]*)/m, `$1\r\nc=IN IP4 ${host}`)
    .replace(/^(m=audio) …/m, `$1 ${port}`)
    .replace(/^(m=\w+) …/gm, '$1 0')
  const ended = body === '' ? '' : `${body}\r\n`
  const [start = '', ...headers] = head.split('\r\n').filter(line => !/^Content-Length\s*:/i.test(line))
  const length = `Content-Length: ${encoder.encode(ended).length}`
  return [start, `Call-ID: leg-${leg}@carrier`, ...headers, length, '', ended].join('\r\n')
}
