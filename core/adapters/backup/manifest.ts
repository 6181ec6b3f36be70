import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'

export const manifestFile = 'backup.json'
const format = 1

export interface BackedUpFile {
  /** Relative to the backup, with slashes. */
  readonly path: string
  readonly size: number
  readonly sha256: string
}

/** What a whole backup holds. It is written last, so a folder without it is no backup. */
export interface BackupManifest {
  readonly format: typeof format
  /** Version of the program that took it. */
  readonly program: string
  /** Schema of its database. */
  readonly schema: number
  /** When the database was as it is in the backup, ISO-8601. */
  readonly takenAt: string
  readonly files: readonly BackedUpFile[]
}

export class BackupError extends Error {}

export const newManifest = (fields: Omit<BackupManifest, 'format'>): BackupManifest => ({ format, ...fields })

export function readManifest(folder: string): BackupManifest {
  let manifest: BackupManifest
  try {
    manifest = JSON.parse(readFileSync(join(folder, manifestFile), 'utf8')) as BackupManifest
  } catch (cause) {
    throw new BackupError(`${folder} is not a complete backup: ${manifestFile} is missing or cannot be read`, { cause })
  }
  if (manifest.format !== format || !Array.isArray(manifest.files))
    throw new BackupError(`${folder}: ${manifestFile} has format ${manifest.format}, this program reads ${format}`)
  for (const { path } of manifest.files)
    if (path.startsWith('/') || normalize(path).startsWith('..'))
      throw new BackupError(`${folder}: ${manifestFile} names ${path}, outside of the backup`)
  return manifest
}

/** SHA-256 of a file's bytes and how many there are. */
export async function hashFile(path: string): Promise<{ readonly size: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(chunk as Buffer)
    size += (chunk as Buffer).length
  }
  return { size, sha256: hash.digest('hex') }
}
