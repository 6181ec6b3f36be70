import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file of the program: its place, and the SHA-256 of what is in it, in hexadecimal. */
export interface PackedFile {
  readonly path: string
  readonly hash: string
}

/**
 * The files are in the folder as they were packed: one that is missing, or is not what was packed, is written again. The
 * folder is this user's alone, so that between this look and the use no other user can change them.
 */
export function unpack(folder: string, files: readonly PackedFile[], contentOf: (path: string) => Uint8Array): void {
  for (const { path, hash } of files) {
    const file = join(folder, path)
    if (isAsPacked(file, hash)) continue
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // When two start at once, each writes its own file, and the last rename wins with the same content.
    const half = `${file}.${process.pid}`
    rmSync(half, { force: true })
    writeFileSync(half, contentOf(path), { mode: 0o600, flag: 'wx' })
    chmodSync(half, 0o400)
    renameSync(half, file)
  }
}

function isAsPacked(file: string, hash: string): boolean {
  try {
    return lstatSync(file).isFile() && createHash('sha256').update(readFileSync(file)).digest('hex') === hash
  } catch {
    return false
  }
}
