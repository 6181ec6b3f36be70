import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { TracePart, TraceStore } from '../../trace/trace-store.ts'

/**
 * A file is a row of blocks, one a part. Little endian:
 *
 *     0 u32 magic   4 u32 length of the block   8 f64 order, Unix microseconds   16 u8 flags (1: whole)
 *    17 u8 bytes of the uuid   18 u8 bytes of the sid   19 u8 unused   20 u32 CRC-32 of the rest
 *    24 uuid, sid, records (zstd)
 */
const magic = 0x31525453
const blockHeadBytes = 24
const wholeFlag = 1
const usualFileBytes = 4 * 1024 * 1024
/** A budget is this many files at least: what is purged is one file. */
const filesOfBudget = 16
const oldestFileMs = 10 * 60_000
const nameOf = /^(\d+)-(\d+)\.(good|failed)\.trace$/

interface TraceFilesOptions {
  readonly folder: string
  readonly bytes: number
  readonly keptMs: number
  readonly unixMs: () => number
  readonly fault: (detail: string) => void
}

interface TraceFile {
  readonly path: string
  readonly kind: 'good' | 'failed'
  readonly beganMs: number
  bytes: number
  newestMs: number
  readonly uuids: Set<string>
}

interface Place {
  readonly file: TraceFile
  readonly at: number
  readonly length: number
  readonly order: number
}

interface TraceFilesCounters {
  /** On the disk. */
  bytes: number
  /** Given up for lack of room, or by age. */
  purgedBytes: number
  /** Calls of which something is on the disk. */
  calls: number
  faults: number
}

/** Traces in files of the data folder, within a budget of bytes and age; failed calls in files of their own, which go last. */
export class TraceFiles implements TraceStore {
  readonly counters: TraceFilesCounters = { bytes: 0, purgedBytes: 0, calls: 0, faults: 0 }
  readonly #options: TraceFilesOptions
  readonly #files: TraceFile[] = []
  readonly #calls = new Map<string, { readonly sid: string; places: Place[] }>()
  readonly #uuids = new Map<string, string>()
  readonly #current: Partial<Record<TraceFile['kind'], { readonly file: TraceFile; readonly fd: number }>> = {}
  #order = 0
  #names = 0

  /** Reads what is there. */
  constructor(options: TraceFilesOptions) {
    this.#options = options
    mkdirSync(options.folder, { recursive: true, mode: 0o700 })
    this.#order = options.unixMs() * 1000
    const found = readdirSync(options.folder).filter(name => nameOf.test(name))
    for (const name of found.sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10)))
      this.#attempt(() => this.#read(name))
    for (const call of this.#calls.values()) call.places.sort((one, other) => one.order - other.order)
    this.purge()
  }

  put(part: TracePart): boolean {
    return this.#attempt(() => this.#put(part)) ?? false
  }

  partsOf(id: string): readonly Uint8Array[] {
    const places = this.#calls.get(this.#uuids.get(id) ?? id)?.places ?? []
    return places.flatMap(place => this.#attempt(() => recordsAt(place)) ?? [])
  }

  /** What is too old, and what is too much. */
  purge(): void {
    const { bytes, keptMs, unixMs } = this.#options
    const oldest = unixMs() - keptMs
    for (const kind of ['good', 'failed'] as const) {
      const current = this.#current[kind]
      if (current !== undefined && unixMs() - current.file.beganMs > oldestFileMs) this.#end(kind)
    }
    for (const file of this.#files.filter(file => file.newestMs < oldest)) this.#drop(file)
    while (this.counters.bytes > bytes) {
      const file = this.#files.find(({ kind }) => kind === 'good') ?? this.#files[0]
      if (file === undefined) return
      this.#drop(file)
    }
  }

  close(): void {
    this.#end('good')
    this.#end('failed')
  }

  #put({ uuid, sid, isFailed, isWhole, bytes }: TracePart): boolean {
    this.#order = Math.max(this.#order + 1, this.#options.unixMs() * 1000)
    const block = blockOf({ uuid, sid, isWhole, order: this.#order }, bytes)
    const { file, fd } = this.#openFor(isFailed ? 'failed' : 'good', block.length)
    const at = file.bytes
    for (let written = 0; written < block.length; )
      written += writeSync(fd, block, written, block.length - written, at + written)
    file.bytes += block.length
    this.counters.bytes += block.length
    this.#index(uuid, sid, isWhole, { file, at, length: block.length, order: this.#order })
    if (this.counters.bytes > this.#options.bytes) this.purge()
    return true
  }

  #index(uuid: string, sid: string, isWhole: boolean, place: Place): void {
    const { file, order } = place
    file.newestMs = Math.max(file.newestMs, order / 1000)
    file.uuids.add(uuid)
    const known = this.#calls.get(uuid)
    if (sid !== '') this.#uuids.set(sid, uuid)
    if (known === undefined) {
      this.#calls.set(uuid, { sid, places: [place] })
      this.counters.calls = this.#calls.size
    } else if (isWhole) known.places = [place, ...known.places.filter(other => other.order > order)]
    else known.places.push(place)
    if (known !== undefined && known.sid === '' && sid !== '') this.#calls.set(uuid, { sid, places: known.places })
  }

  #openFor(kind: TraceFile['kind'], length: number): { readonly file: TraceFile; readonly fd: number } {
    const { bytes, folder, unixMs } = this.#options
    const most = Math.min(usualFileBytes, bytes / filesOfBudget)
    const current = this.#current[kind]
    if (current !== undefined && (current.file.bytes === 0 || current.file.bytes + length <= most)) return current
    this.#end(kind)
    const beganMs = Math.floor(unixMs())
    const path = join(folder, `${beganMs}-${++this.#names}.${kind}.trace`)
    const fd = openSync(path, 'wx', 0o600)
    const file: TraceFile = { path, kind, beganMs, bytes: 0, newestMs: 0, uuids: new Set() }
    this.#files.push(file)
    const opened = { file, fd }
    this.#current[kind] = opened
    return opened
  }

  #end(kind: TraceFile['kind']): void {
    const current = this.#current[kind]
    if (current === undefined) return
    delete this.#current[kind]
    closeSync(current.fd)
  }

  #drop(file: TraceFile): void {
    if (this.#current[file.kind]?.file === file) this.#end(file.kind)
    this.#files.splice(this.#files.indexOf(file), 1)
    this.counters.bytes -= file.bytes
    this.counters.purgedBytes += file.bytes
    for (const uuid of file.uuids) {
      const call = this.#calls.get(uuid)
      if (call === undefined) continue
      call.places = call.places.filter(place => place.file !== file)
      if (call.places.length > 0) continue
      this.#calls.delete(uuid)
      if (call.sid !== '') this.#uuids.delete(call.sid)
    }
    this.counters.calls = this.#calls.size
    this.#attempt(() => rmSync(file.path, { force: true }))
  }

  /** What an earlier run has written; a block that was cut short, and what follows it, is left out. */
  #read(name: string): void {
    const [, began = '', count, kind] = nameOf.exec(name) ?? []
    this.#names = Math.max(this.#names, Number(count))
    const path = join(this.#options.folder, name)
    const bytes = statSync(path).size
    const file: TraceFile = {
      path,
      kind: kind === 'failed' ? 'failed' : 'good',
      beganMs: Number(began),
      bytes,
      newestMs: Number(began),
      uuids: new Set(),
    }
    this.#files.push(file)
    this.counters.bytes += bytes
    const fd = openSync(path, 'r')
    try {
      const head = Buffer.alloc(blockHeadBytes + 2 * 255)
      for (let at = 0; at + blockHeadBytes <= bytes; ) {
        const size = readSync(fd, head, 0, head.length, at)
        const length = head.readUInt32LE(4)
        if (size < blockHeadBytes || head.readUInt32LE(0) !== magic || at + length > bytes || length < blockHeadBytes)
          return
        const order = head.readDoubleLE(8)
        const { uuid, sid } = idsOf(head)
        this.#order = Math.max(this.#order, order)
        this.#index(uuid, sid, (head[16]! & wholeFlag) !== 0, { file, at, length, order })
        at += length
      }
    } finally {
      closeSync(fd)
    }
  }

  #attempt<T>(act: () => T): T | undefined {
    try {
      return act()
    } catch (cause) {
      this.counters.faults++
      this.#options.fault(cause instanceof Error ? cause.message : String(cause))
      return undefined
    }
  }
}

interface BlockHead {
  readonly uuid: string
  readonly sid: string
  readonly isWhole: boolean
  readonly order: number
}

function blockOf({ uuid, sid, isWhole, order }: BlockHead, records: Uint8Array): Buffer {
  const packed = zstdCompressSync(records, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
  const ids = Buffer.from(`${uuid}${sid}`, 'latin1')
  const block = Buffer.alloc(blockHeadBytes + ids.length + packed.length)
  block.writeUInt32LE(magic, 0)
  block.writeUInt32LE(block.length, 4)
  block.writeDoubleLE(order, 8)
  block[16] = isWhole ? wholeFlag : 0
  block[17] = uuid.length
  block[18] = sid.length
  ids.copy(block, blockHeadBytes)
  packed.copy(block, blockHeadBytes + ids.length)
  block.writeUInt32LE(crc32(block.subarray(blockHeadBytes)), 20)
  return block
}

function idsOf(head: Buffer): { readonly uuid: string; readonly sid: string; readonly end: number } {
  const uuidEnd = blockHeadBytes + head[17]!
  const end = uuidEnd + head[18]!
  return { uuid: head.toString('latin1', blockHeadBytes, uuidEnd), sid: head.toString('latin1', uuidEnd, end), end }
}

function recordsAt({ file, at, length }: Place): Uint8Array {
  const block = Buffer.alloc(length)
  const fd = openSync(file.path, 'r')
  try {
    readSync(fd, block, 0, length, at)
  } finally {
    closeSync(fd)
  }
  if (block.readUInt32LE(0) !== magic || crc32(block.subarray(blockHeadBytes)) !== block.readUInt32LE(20))
    throw new Error(`${file.path}: the block at ${at} is damaged`)
  const records = zstdDecompressSync(block.subarray(idsOf(block).end))
  // Records begin at multiples of 8 bytes of a buffer of their own.
  return new Uint8Array(records)
}
