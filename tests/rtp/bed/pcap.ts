/** Reads classic pcap files (little-endian, Ethernet or Linux cooked, IPv4 and UDP), as far as our captures need. */
export interface Datagram {
  readonly atMs: number
  readonly fromPort: number
  readonly toPort: number
  readonly bytes: Uint8Array
}

const linkHeaderLengths: Record<number, number> = { 1: 14, 113: 16 }

export const readPcap = (file: Uint8Array): Datagram[] => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (view.getUint32(0, true) !== 0xa1b2c3d4) throw new Error('no little-endian pcap with microseconds')
  const linkLength = linkHeaderLengths[view.getUint32(20, true)]
  if (linkLength === undefined) throw new Error(`link type ${view.getUint32(20, true)} is not known here`)
  const datagrams: Datagram[] = []
  for (let at = 24; at + 16 <= file.length; ) {
    const length = view.getUint32(at + 8, true)
    const ip = at + 16 + linkLength
    const atMs = view.getUint32(at, true) * 1000 + view.getUint32(at + 4, true) / 1000
    at += 16 + length
    if (view.getUint16(ip - 2) !== 0x0800 || file[ip]! >> 4 !== 4 || file[ip + 9] !== 17) continue
    const udp = ip + 4 * (file[ip]! & 15)
    const bytes = file.subarray(udp + 8, udp + view.getUint16(udp + 4))
    datagrams.push({ atMs, fromPort: view.getUint16(udp), toPort: view.getUint16(udp + 2), bytes })
  }
  return datagrams
}
