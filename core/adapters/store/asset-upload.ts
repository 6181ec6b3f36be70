import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const folderMode = 0o700
const fileMode = 0o600
/**
 * Bytes that are gathered in memory, then written and synced: so rows of calls never wait for megabytes on the same
 * disk.
 */
const sliceBytes = 1024 * 1024

/** What the conditions of a request are held against. */
export interface StoredFile {
  readonly size: number
  readonly modifiedMs: number
}
/** Throws where the file may not be replaced or deleted; undefined: there is none. */
export type MayChange = (old: StoredFile | undefined) => void
type InTurn = (work: () => Promise<void>) => Promise<void>

/**
 * The bytes of an asset while they arrive, in a file beside its place. Who writes waits for the disk before it reads more of
 * its client.
 */
export class AssetUpload {
  readonly #path: string
  readonly #temporary: string
  readonly #file: FileHandle
  readonly #inTurn: InTurn
  #pieces: Uint8Array[] = []
  #gathered = 0
  #length = 0
  #mayChange: MayChange | undefined

  private constructor(path: string, temporary: string, file: FileHandle, inTurn: InTurn) {
    this.#path = path
    this.#temporary = temporary
    this.#file = file
    this.#inTurn = inTurn
  }

  /** `path`: where the asset is to be stored; `inTurn`: who else writes to the same disk waits for its turn there. */
  static async open(path: string, inTurn: InTurn = work => work()): Promise<AssetUpload> {
    await mkdir(dirname(path), { recursive: true, mode: folderMode })
    const temporary = `${path}.${randomBytes(6).toString('hex')}.part`
    return new AssetUpload(path, temporary, await open(temporary, 'wx+', fileMode), inTurn)
  }

  get length(): number {
    return this.#length
  }

  /** Asks `mayChange` now, before bytes are read in vain, and again when no other upload can come between it and `place`. */
  async onlyIf(mayChange: MayChange): Promise<void> {
    this.#mayChange = mayChange
    mayChange(await storedFile(this.#path))
  }

  /** Resolves when there is room for the next piece. */
  async write(piece: Uint8Array): Promise<void> {
    this.#pieces.push(piece)
    this.#gathered += piece.length
    this.#length += piece.length
    if (this.#gathered >= sliceBytes) await this.#flush()
  }

  /** All that was written. */
  async bytes(): Promise<Buffer> {
    await this.#flush()
    const bytes = Buffer.allocUnsafeSlow(this.#length)
    let read = 0
    while (read < bytes.length) {
      const { bytesRead } = await this.#file.read(bytes, read, bytes.length - read, read)
      if (bytesRead === 0) throw new Error(`${this.#temporary} is shorter than what was written`)
      read += bytesRead
    }
    return bytes
  }

  /** Synced, then renamed: at every moment the name has the whole old file or the whole new one. */
  async place(): Promise<StoredFile> {
    await this.#flush()
    await this.#inTurn(async () => {
      await this.#file.sync()
      this.#mayChange?.(await storedFile(this.#path))
      await rename(this.#temporary, this.#path)
    })
    const { size, mtimeMs } = await this.#file.stat()
    return { size, modifiedMs: mtimeMs }
  }

  /** Closes it; what was not placed is deleted. */
  async close(): Promise<void> {
    await this.#file.close()
    await rm(this.#temporary, { force: true })
  }

  async #flush(): Promise<void> {
    if (this.#gathered === 0) return
    const pieces = this.#pieces
    const from = this.#length - this.#gathered
    this.#pieces = []
    this.#gathered = 0
    let at = from
    for (const piece of pieces) {
      let written = 0
      while (written < piece.length)
        written += (await this.#file.write(piece, written, piece.length - written, at + written)).bytesWritten
      at += piece.length
    }
    await this.#inTurn(() => this.#file.datasync())
  }
}

/** Undefined: nothing is at the path. */
export async function storedFile(path: string): Promise<StoredFile | undefined> {
  try {
    const { size, mtimeMs } = await stat(path)
    return { size, modifiedMs: mtimeMs }
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fault
  }
}
