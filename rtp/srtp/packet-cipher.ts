/** Not authentic. */
export const forged = -1

/**
 * One direction's protection of single packets, in place. Lengths go in and come out; who calls knows the index of the
 * packet and that there is room for what it grows by.
 */
export interface PacketCipher {
  /** `from`: where the payload begins; `rollover` and the packet's sequence number make its index. */
  sealRtp(packet: Uint8Array, from: number, length: number, rollover: number): number
  /** `forged`, with nothing changed, or the length of the plain packet. */
  openRtp(packet: Uint8Array, from: number, length: number, rollover: number): number
  sealRtcp(packet: Uint8Array, length: number, index: number): number
  openRtcp(packet: Uint8Array, length: number): number
}
