import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { TracePart } from '../../trace/trace-store.ts'

/**
 * Parts of some calls: calls resemble each other, so that together they are packed better than one by one. Little endian:
 *
 *     0 u32 magic   4 u32 length of the block   8 f64 order, Unix microseconds   16 u32 bytes of the directory
 *    20 u32 CRC-32 of the rest
 *    24 directory, for each part: 0 u8 flags (1: whole)   1 u8 bytes of the uuid   2 u8 of the sid   3 u8 unused
 *                                 4 u32 bytes of its records   8 uuid, sid
 *       records of all parts in the same order (zstd)
 */
export const blockHeadBytes = 24
const magic = 0x32525453
const entryHeadBytes = 8
const wholeFlag = 1
const packing = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 64 * 1024 }
/** Records of the usual block are gathered in memory that stays: the system clears new memory page by page. */
const usualBytes = 768 * 1024
let usual: Buffer | undefined

interface BlockHead {
  readonly length: number
  readonly order: number
  readonly directoryBytes: number
}

/** One part, and where its records are among those of the block. */
export interface BlockEntry {
  readonly uuid: string
  readonly sid: string
  readonly isWhole: boolean
  readonly from: number
  readonly to: number
}

export function writeBlock(order: number, parts: readonly TracePart[]): Buffer {
  const directory = Buffer.concat(parts.map(entryOf))
  const records = gathered(parts.flatMap(({ pieces }) => pieces))
  const packed = zstdCompressSync(records, { ...packing, pledgedSrcSize: records.length })
  const block = Buffer.concat([Buffer.alloc(blockHeadBytes), directory, packed])
  block.writeUInt32LE(magic, 0)
  block.writeUInt32LE(block.length, 4)
  block.writeDoubleLE(order, 8)
  block.writeUInt32LE(directory.length, 16)
  block.writeUInt32LE(crc32(block.subarray(blockHeadBytes)), 20)
  return block
}

/** A view that is good until the next time. */
function gathered(pieces: readonly Uint8Array[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (length > usualBytes) return Buffer.concat(pieces, length)
  usual ??= Buffer.allocUnsafeSlow(usualBytes)
  let at = 0
  for (const piece of pieces) {
    usual.set(piece, at)
    at += piece.length
  }
  return usual.subarray(0, length)
}

function entryOf({ uuid, sid, isWhole, pieces }: TracePart): Buffer {
  const entry = Buffer.alloc(entryHeadBytes + uuid.length + sid.length)
  entry[0] = isWhole ? wholeFlag : 0
  entry[1] = uuid.length
  entry[2] = sid.length
  entry.writeUInt32LE(
    pieces.reduce((sum, { length }) => sum + length, 0),
    4,
  )
  entry.write(uuid + sid, entryHeadBytes, 'latin1')
  return entry
}

/** Undefined: no block begins here. */
export function readBlockHead(head: Buffer): BlockHead | undefined {
  if (head.length < blockHeadBytes || head.readUInt32LE(0) !== magic) return undefined
  const length = head.readUInt32LE(4)
  const directoryBytes = head.readUInt32LE(16)
  if (length < blockHeadBytes + directoryBytes) return undefined
  return { length, order: head.readDoubleLE(8), directoryBytes }
}

/** `bytes`: of the block, as far as its directory at least. */
export function readDirectory(bytes: Buffer, { directoryBytes }: BlockHead): readonly BlockEntry[] {
  const directory = bytes.subarray(blockHeadBytes, blockHeadBytes + directoryBytes)
  const entries: BlockEntry[] = []
  let from = 0
  for (let at = 0; at + entryHeadBytes <= directory.length; ) {
    const uuidEnd = at + entryHeadBytes + directory[at + 1]!
    const end = uuidEnd + directory[at + 2]!
    const to = from + directory.readUInt32LE(at + 4)
    entries.push({
      uuid: directory.toString('latin1', at + entryHeadBytes, uuidEnd),
      sid: directory.toString('latin1', uuidEnd, end),
      isWhole: (directory[at]! & wholeFlag) !== 0,
      from,
      to,
    })
    at = end
    from = to
  }
  return entries
}

/** Records of one part of a whole block; undefined: the block is damaged. They begin at multiples of 8 bytes of a buffer of their own. */
export function readRecords(block: Buffer, from: number, to: number): Uint8Array | undefined {
  const head = readBlockHead(block)
  if (head === undefined || crc32(block.subarray(blockHeadBytes)) !== block.readUInt32LE(20)) return undefined
  const records = zstdDecompressSync(block.subarray(blockHeadBytes + head.directoryBytes))
  return new Uint8Array(records.subarray(from, to))
}
