import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { oggPageLength, oggPositionOf } from '../ogg/opus-pages.ts'
import { isOgg, oggChecksum, oggFirst, oggHeadLength, oggLast } from '../ogg/page.ts'
import { oggMaxPageLength } from '../ogg/write-page.ts'

interface FinishedOgg {
  readonly durationMs: number
  readonly sizeBytes: number
}

/** The head of a file of ours, and more. */
const headBytes = 512
const unitsPerMs = 48

/**
 * Finishes a recording in Ogg Opus whose writer was killed: what is no whole page at its end is cut off, and the last page
 * says that it is the last. Doing it again changes nothing. Undefined when the file is missing or not one of ours.
 */
export function finishOggFile(path: string): FinishedOgg | undefined {
  let fd: number
  try {
    fd = openSync(path, 'r+')
  } catch {
    return undefined
  }
  try {
    return finish(fd)
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}

function finish(fd: number): FinishedOgg | undefined {
  const { size } = fstatSync(fd)
  const head = readAt(fd, 0, Math.min(size, headBytes))
  if (oggPageLength(head, 0) === 0 || (head[5]! & oggFirst) === 0) return undefined
  const contentFrom = oggHeadLength + head[26]!
  const preSkip = head[contentFrom + 10]! | (head[contentFrom + 11]! << 8)
  // The last page lies within the longest that it can be, or after a torn one.
  const from = Math.max(0, size - 2 * oggMaxPageLength)
  const tail = readAt(fd, from, size - from)
  const at = lastPageIn(tail, head)
  if (at === undefined) return undefined
  const page = tail.subarray(at, at + oggPageLength(tail, at))
  const end = from + at + page.length
  if (end < size) ftruncateSync(fd, end)
  if ((page[5]! & oggLast) === 0) {
    page[5]! |= oggLast
    new DataView(page.buffer, page.byteOffset).setUint32(22, oggChecksum(page, 0, page.length), true)
    writeSync(fd, page, 0, oggHeadLength, from + at)
    fsyncSync(fd)
  }
  return { durationMs: Math.round(Math.max(0, oggPositionOf(page) - preSkip) / unitsPerMs), sizeBytes: end }
}

/** Where the last whole page begins that is of the same stream as the first. */
function lastPageIn(tail: Uint8Array, head: Uint8Array): number | undefined {
  for (let at = tail.length - oggHeadLength; at >= 0; at--) {
    if (!isOgg(tail, at)) continue
    const length = oggPageLength(tail, at)
    if (length === 0) continue
    const view = new DataView(tail.buffer, tail.byteOffset + at, length)
    const isOurs = [14, 15, 16, 17].every(byte => tail[at + byte] === head[byte])
    if (isOurs && oggChecksum(tail, at, length) === view.getUint32(22, true)) return at
  }
  return undefined
}

function readAt(fd: number, from: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  return bytes.subarray(0, readSync(fd, bytes, 0, length, from))
}
