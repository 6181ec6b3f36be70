import { addressBytes, datagram } from './ip-packet.ts'
import type { CapturedPacket } from './packet-ring.ts'
import type { SipRecord } from './sip-record.ts'

const sectionHeader = 0x0a0d0d0a
const interfaceDescription = 1
const enhancedPacket = 6
const byteOrderMagic = 0x1a2b3c4d
/** LINKTYPE_RAW: packets begin with their IP header. */
const rawIp = 101

type TimedMessage = SipRecord & { readonly unixMs: number }

/** An RTP packet of which the first bytes were kept. */
export interface RtpCapture extends CapturedPacket {
  /** Where the switch had it, as its SDP said. */
  readonly localHost: string
}

/**
 * SIP messages and RTP as a pcapng file (draft-ietf-opsawg-pcapng). What came by TCP, TLS or WebSocket stands as UDP datagrams
 * between the same addresses: a stream's segments are not kept, and encrypted ones could not be read. RTP is cut after its
 * header, as a capture with a short snapshot length is.
 */
export function pcapngOf(messages: readonly TimedMessage[], rtp: readonly RtpCapture[] = []): Uint8Array {
  const section = new Uint8Array(16)
  const sectionView = new DataView(section.buffer)
  sectionView.setUint32(0, byteOrderMagic, true)
  sectionView.setUint16(4, 1, true)
  sectionView.setBigInt64(8, -1n, true)
  const link = new Uint8Array(8)
  new DataView(link.buffer).setUint16(0, rawIp, true)
  const packets = [
    ...messages.map(sip => ({ unixMs: sip.unixMs, block: packetOf(sip) })),
    ...rtp.map(packet => ({ unixMs: packet.unixMs, block: rtpPacketOf(packet) })),
  ].sort((one, other) => one.unixMs - other.unixMs)
  const blocks = [
    block(sectionHeader, section),
    block(interfaceDescription, link),
    ...packets.map(({ block: bytes }) => bytes),
  ]
  const file = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const bytes of blocks) {
    file.set(bytes, at)
    at += bytes.length
  }
  return file
}

function packetOf(sip: TimedMessage): Uint8Array {
  const far = { address: addressBytes(sip.address), port: sip.port ?? 0 }
  const near = { address: addressBytes(sip.localHost), port: sip.localPort }
  const [from, to] = sip.isSent ? [near, far] : [far, near]
  const packet = datagram({ from: from.address, to: to.address, fromPort: from.port, toPort: to.port }, sip.message)
  return packetBlock(packet, packet.length, sip.unixMs)
}

function rtpPacketOf(packet: RtpCapture): Uint8Array {
  const { isSent, remoteAddress, remoteIpv6, remotePort, localPort, localHost, bytes, length, unixMs } = packet
  const four = new Uint8Array(4)
  new DataView(four.buffer).setUint32(0, remoteAddress)
  const far = { address: remoteIpv6 ?? four, port: remotePort }
  const near = { address: addressBytes(localHost), port: localPort }
  const [from, to] = isSent ? [near, far] : [far, near]
  const whole = new Uint8Array(length)
  whole.set(bytes.subarray(0, length))
  const ends = { from: from.address, to: to.address, fromPort: from.port, toPort: to.port }
  const datagramBytes = datagram(ends, whole)
  const left = length - bytes.length
  return packetBlock(datagramBytes.subarray(0, datagramBytes.length - Math.max(0, left)), datagramBytes.length, unixMs)
}

/** `packet`: as far as it was captured. */
function packetBlock(packet: Uint8Array, length: number, unixMs: number): Uint8Array {
  const body = new Uint8Array(20 + ((packet.length + 3) & ~3))
  const view = new DataView(body.buffer)
  const microseconds = BigInt(Math.round(unixMs * 1000))
  view.setUint32(4, Number(microseconds >> 32n), true)
  view.setUint32(8, Number(microseconds & 0xffffffffn), true)
  view.setUint32(12, packet.length, true)
  view.setUint32(16, length, true)
  body.set(packet, 20)
  return block(enhancedPacket, body)
}

function block(type: number, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + body.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, type, true)
  view.setUint32(4, bytes.length, true)
  bytes.set(body, 8)
  view.setUint32(bytes.length - 4, bytes.length, true)
  return bytes
}
