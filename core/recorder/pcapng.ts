import { addressBytes, datagram } from './ip-packet.ts'
import type { SipRecord } from './sip-record.ts'

const sectionHeader = 0x0a0d0d0a
const interfaceDescription = 1
const enhancedPacket = 6
const byteOrderMagic = 0x1a2b3c4d
/** LINKTYPE_RAW: packets begin with their IP header. */
const rawIp = 101

/**
 * SIP messages as a pcapng file (draft-ietf-opsawg-pcapng). What came by TCP, TLS or WebSocket stands as UDP datagrams
 * between the same addresses: a stream's segments are not kept, and encrypted ones could not be read.
 */
export function pcapngOf(messages: readonly (SipRecord & { readonly unixMs: number })[]): Uint8Array {
  const section = new Uint8Array(16)
  const sectionView = new DataView(section.buffer)
  sectionView.setUint32(0, byteOrderMagic, true)
  sectionView.setUint16(4, 1, true)
  sectionView.setBigInt64(8, -1n, true)
  const link = new Uint8Array(8)
  new DataView(link.buffer).setUint16(0, rawIp, true)
  const blocks = [block(sectionHeader, section), block(interfaceDescription, link), ...messages.map(packetOf)]
  const file = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const bytes of blocks) {
    file.set(bytes, at)
    at += bytes.length
  }
  return file
}

function packetOf(sip: SipRecord & { readonly unixMs: number }): Uint8Array {
  const remote = addressBytes(sip.address)
  const local = addressBytes(sip.localHost, remote.length)
  const far = { address: remote, port: sip.port ?? 0 }
  const near = { address: local, port: sip.localPort }
  const [from, to] = sip.isSent ? [near, far] : [far, near]
  const packet = datagram({ from: from.address, to: to.address, fromPort: from.port, toPort: to.port }, sip.message)
  const body = new Uint8Array(20 + ((packet.length + 3) & ~3))
  const view = new DataView(body.buffer)
  const microseconds = BigInt(Math.round(sip.unixMs * 1000))
  view.setUint32(4, Number(microseconds >> 32n), true)
  view.setUint32(8, Number(microseconds & 0xffffffffn), true)
  view.setUint32(12, packet.length, true)
  view.setUint32(16, packet.length, true)
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
