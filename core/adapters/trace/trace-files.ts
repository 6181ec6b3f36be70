import { closeSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TracePart, TraceStore } from '../../trace/trace-store.ts'
import { makeFolder } from '../system/make-folder.ts'
import { BlockIndex, hashOf } from './block-index.ts'
import {
  type BlockEntry,
  blockHeadBytes,
  readBlockHead,
  readDirectory,
  readRecords,
  writeBlock,
} from './trace-block.ts'

/** A file is a row of blocks. */
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
  readonly blocks: Block[]
  /** The numbers of its blocks, by what their calls are called. */
  readonly uuids: BlockIndex
  readonly sids: BlockIndex
}

interface Block {
  readonly at: number
  readonly length: number
  readonly order: number
}

/** One part of a call, and the whole block that holds it. */
interface Part extends Block {
  readonly path: string
  readonly bytes: Buffer
  readonly entry: BlockEntry
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
  readonly #current: Partial<Record<TraceFile['kind'], { readonly file: TraceFile; readonly fd: number }>> = {}
  #order = 0
  #names = 0

  /** Reads what is there. */
  constructor(options: TraceFilesOptions) {
    this.#options = options
    makeFolder(options.folder)
    this.#order = options.unixMs() * 1000
    const found = readdirSync(options.folder).filter(name => nameOf.test(name))
    for (const name of found.sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10)))
      this.#attempt(() => this.#read(name))
    this.purge()
  }

  put(parts: readonly TracePart[], areFailed: boolean): boolean {
    return this.#attempt(() => this.#put(parts, areFailed)) ?? false
  }

  partsOf(id: string): readonly Uint8Array[] {
    const found = this.#parts('uuids', id)
    const uuid = found.length > 0 ? id : this.#parts('sids', id)[0]?.entry.uuid
    if (uuid === undefined) return []
    const parts = (uuid === id ? found : this.#parts('uuids', uuid)).sort((one, other) => one.order - other.order)
    const whole = parts.findLastIndex(({ entry }) => entry.isWhole)
    return parts.slice(Math.max(0, whole)).flatMap(part => this.#attempt(() => recordsOf(part)) ?? [])
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

  #put(parts: readonly TracePart[], areFailed: boolean): boolean {
    this.#order = Math.max(this.#order + 1, this.#options.unixMs() * 1000)
    const bytes = writeBlock(this.#order, parts)
    const { length } = bytes
    const { file, fd } = this.#openFor(areFailed ? 'failed' : 'good', length)
    const at = file.bytes
    for (let written = 0; written < length; ) written += writeSync(fd, bytes, written, length - written, at + written)
    file.bytes += length
    this.counters.bytes += length
    this.#index(file, at, bytes)
    if (this.counters.bytes > this.#options.bytes) this.purge()
    return true
  }

  /** What the blocks hold of a call; a block that cannot be read is left out. */
  #parts(by: 'uuids' | 'sids', id: string): Part[] {
    const hash = hashOf(id)
    const name = by === 'uuids' ? 'uuid' : 'sid'
    return this.#files.flatMap(file =>
      file[by].blocksOf(hash).flatMap(number => {
        const { path } = file
        const block = file.blocks[number]!
        const bytes = this.#attempt(() => blockAt(path, block.at, block.length))
        const head = bytes === undefined ? undefined : readBlockHead(bytes)
        if (bytes === undefined || head === undefined) return []
        return readDirectory(bytes, head)
          .filter(entry => entry[name] === id)
          .map(entry => ({ ...block, path, bytes, entry }))
      }),
    )
  }

  /** `bytes`: of the block, as far as its directory at least. */
  #index(file: TraceFile, at: number, bytes: Buffer): void {
    const head = readBlockHead(bytes)
    if (head === undefined) return
    const { length, order } = head
    const number = file.blocks.push({ at, length, order }) - 1
    file.newestMs = Math.max(file.newestMs, order / 1000)
    this.#order = Math.max(this.#order, order)
    for (const { uuid, sid } of readDirectory(bytes, head)) {
      const hash = hashOf(uuid)
      if (!this.#files.some(({ uuids }) => uuids.has(hash))) this.counters.calls++
      file.uuids.add(hash, number)
      if (sid !== '') file.sids.add(hashOf(sid), number)
    }
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
    const file = newFile(path, kind, beganMs)
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
    for (const hash of file.uuids.hashes()) if (!this.#files.some(({ uuids }) => uuids.has(hash))) this.counters.calls--
    this.#attempt(() => rmSync(file.path, { force: true }))
  }

  /** What an earlier run has written; a block that was cut short, and what follows it, is left out. */
  #read(name: string): void {
    const [, began = '', count, kind] = nameOf.exec(name) ?? []
    this.#names = Math.max(this.#names, Number(count))
    const path = join(this.#options.folder, name)
    const bytes = statSync(path).size
    const file = newFile(path, kind === 'failed' ? 'failed' : 'good', Number(began))
    file.bytes = bytes
    file.newestMs = Number(began)
    this.#files.push(file)
    this.counters.bytes += bytes
    const fd = openSync(path, 'r')
    try {
      for (let at = 0; at + blockHeadBytes <= bytes; ) {
        const head = readBlockHead(bytesAt(fd, at, blockHeadBytes))
        if (head === undefined || at + head.length > bytes) return
        this.#index(file, at, bytesAt(fd, at, blockHeadBytes + head.directoryBytes))
        at += head.length
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

const newFile = (path: string, kind: TraceFile['kind'], beganMs: number): TraceFile => ({
  path,
  kind,
  beganMs,
  bytes: 0,
  newestMs: 0,
  blocks: [],
  uuids: new BlockIndex(),
  sids: new BlockIndex(),
})

function blockAt(path: string, at: number, length: number): Buffer {
  const fd = openSync(path, 'r')
  try {
    return bytesAt(fd, at, length)
  } finally {
    closeSync(fd)
  }
}

function recordsOf({ path, at, bytes, entry }: Part): Uint8Array {
  const records = readRecords(bytes, entry.from, entry.to)
  if (records === undefined) throw new Error(`${path}: the block at ${at} is damaged`)
  return records
}

function bytesAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at))
}
