// |V=2|P|   RC    |     PT        |            length             |
// |                         SSRC of sender                        |   in clear, RFC 3711 §3.4
// |                            …                                  |   encrypted
// |E|                       SRTCP index                           |   in clear

export const rtcpHeaderLength = 8
export const encryptedBit = 0x8000_0000

export const readWord = (packet: Uint8Array, at: number): number =>
  ((packet[at]! << 24) | (packet[at + 1]! << 16) | (packet[at + 2]! << 8) | packet[at + 3]!) >>> 0

export const writeWord = (packet: Uint8Array, at: number, value: number): void => {
  packet[at] = value >>> 24
  packet[at + 1] = value >>> 16
  packet[at + 2] = value >>> 8
  packet[at + 3] = value
}

export const rtcpSsrcOf = (packet: Uint8Array): number => readWord(packet, 4)
