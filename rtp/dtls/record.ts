import { concat, uint } from './wire.ts'

// |  type  |    version 0xfefd    |     epoch     |  sequence number, 48 bits  |    length    |   RFC 6347 §4.1

export const contentTypes = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const

const recordHeaderLength = 13
/** RFC 6347 §4.1: 2^14, and what the cipher adds. */
const longestRecord = 16_384 + 256
/** Records that are read of one datagram. */
const mostRecords = 16
/** DTLS 1.2, and 1.0 in which a first ClientHello may come. */
const versions = [0xfefd, 0xfeff]

export interface DtlsRecord {
  readonly type: number
  readonly version: number
  readonly epoch: number
  /** 48 bits, exact as a number. */
  readonly sequence: number
  readonly fragment: Uint8Array
}

/** The records of a datagram; what is no record ends it. The fragments lie in the datagram. */
export const recordsOf = (bytes: Uint8Array, length = bytes.length): readonly DtlsRecord[] => {
  const records: DtlsRecord[] = []
  for (let at = 0; at + recordHeaderLength <= length && records.length < mostRecords; ) {
    const version = (bytes[at + 1]! << 8) | bytes[at + 2]!
    const size = (bytes[at + 11]! << 8) | bytes[at + 12]!
    const end = at + recordHeaderLength + size
    if (!versions.includes(version) || size > longestRecord || end > length) break
    let sequence = 0
    for (let i = 5; i < 11; i++) sequence = sequence * 256 + bytes[at + i]!
    const fragment = bytes.subarray(at + recordHeaderLength, end)
    records.push({ type: bytes[at]!, version, epoch: (bytes[at + 3]! << 8) | bytes[at + 4]!, sequence, fragment })
    at = end
  }
  return records
}

export const sequenceBytes = (epoch: number, sequence: number): Uint8Array =>
  concat(uint(epoch, 2), uint(Math.floor(sequence / 0x1_0000_0000), 2), uint(sequence % 0x1_0000_0000, 4))

export const writeRecord = (type: number, epoch: number, sequence: number, fragment: Uint8Array): Uint8Array =>
  concat(uint(type, 1), uint(0xfefd, 2), sequenceBytes(epoch, sequence), uint(fragment.length, 2), fragment)
